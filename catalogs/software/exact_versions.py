"""Which versions and tags are exact, and which move under the one who names them."""

from __future__ import annotations

import re
from typing import Final

DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_VERSION: Final = re.compile(r"v?\d+(?:\.\d+)+(?:-[0-9A-Za-z.]+)?|0")  # "0": our own objects, as old as Atoll
_THREE_NUMBERS: Final = re.compile(r"\d+[.-]\d+[.-]\d+")
_TWO_NUMBERS: Final = re.compile(r"\d+\.\d+")
# Who numbers releases with two numbers only; a third would be a build. PostgreSQL does so since 10 (postgresql.org),
# SeaweedFS always (its releases), NVIDIA's framework containers by year and month (its catalog), and fio too (its tags;
# the image of it adds a number of its own: "3.13-r1").
TWO_NUMBERS_DO: Final = frozenset(
    (
        "postgres",
        "chrislusf/seaweedfs",
        "nvcr.io/nvidia/jax",
        "nvcr.io/nvidia/pytorch",
        "nvcr.io/nvidia/tritonserver",
        "xridge/fio",
    )
)


def is_exact_version(version: str) -> bool:
    """Whether a version names one release: digits, no range, no word such as "latest"."""
    return _VERSION.fullmatch(version) is not None


def is_exact_image(image: str) -> bool:
    """Whether the name of an image stands for one build, as far as its tag can say so."""
    repository, tag, digest = split(image)
    if digest:
        return DIGEST.fullmatch(digest) is not None
    wanted = _TWO_NUMBERS if repository in TWO_NUMBERS_DO else _THREE_NUMBERS
    return wanted.search(tag) is not None


def split(image: str) -> tuple[str, str, str]:
    """Repository, tag and digest of an image as it is written; each of the last two "" where it is not there."""
    named, _, digest = image.partition("@")
    folder, slash, last = named.rpartition("/")
    short, _, tag = last.partition(":")
    return f"{folder}{slash}{short}", tag, digest
