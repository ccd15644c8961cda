"""What a row of the software catalog says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date  # noqa: TC003 - types of fields are read to parse rows
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from decimal import Decimal


class InstallationKind(StrEnum):
    """How a part is installed."""

    CHART = "chart"  # a Helm chart from a repository or an OCI registry
    KUSTOMIZE = "kustomize"  # paths of a repository of manifests, at one commit
    OBJECTS = "objects"  # objects of our own, as old as Atoll itself


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftwareComponent:
    """One platform part.

    Args:
        name: what the program, the lock and the checklist call it.
        chart: name of the chart; of a kustomize part its paths, in order, at spaces; "" for our own objects.
        repository: of the chart ("oci://..." includes no chart name) or of the manifests.
        version: exact; of manifests the release.
        ref: commit of manifests; "" else.
        namespace: where it lives; "" where it brings its own.
        sizes: sizes of platform that have it without being asked.
        cpu_millicores: of always running pods on the system nodes, as the part is set up here.
        memory_mib: of the same.
        disk_gb: of its volumes on network disks.
        needs: parts that must be there before.
        forbidden_by: word of a provider's profile that forbids it; "" for none.
        built_by: "" for the platform's composer; else who installs it without a platform too: the builder of a target
            by its name, or "ways" for the access of every cluster.
        owns: column of profiles.csv whose owner "atoll" makes this part ours, of "node_repair" any but the provider;
            "" for none.
        reference: folder of the chart's own values in the platform reference data; "" for none.
    """

    name: str
    title: str
    kind: InstallationKind
    chart: str
    repository: str
    version: str
    app_version: str
    ref: str
    namespace: str
    licence: str
    sizes: tuple[str, ...]
    cpu_millicores: int
    memory_mib: int
    disk_gb: int
    needs: tuple[str, ...]
    forbidden_by: str
    built_by: str
    owns: tuple[str, ...]
    reference: str
    note: str
    source: str
    as_of: date | None


class HeldIn(StrEnum):
    """Where an image's name stands, and so who can change it."""

    VALUES = "values"  # values of the chart, at the keys of the row
    OBJECTS = "objects"  # pods of the manifests: kustomize changes it
    CONFIGURATION = "configuration"  # text of the manifests' configuration: only a patch changes it
    PROGRAM = "program"  # objects of our own


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A container image of a part, and which values of its chart name it.

    Args:
        name: repository and tag, as upstream names it.
        registry_key: dotted path of the value that holds the registry; "" where the repository's value holds it.
        repository_key: of the value that holds the repository; "" where no value of the chart names the image.
        tag_key: of the value that holds the tag.
        digest_key: of the value that holds the digest; "" where the chart has none.
        instead: what is pulled in its place, where upstream's tag moves; "" else.
    """

    part: str
    name: str
    registry_key: str
    repository_key: str
    tag_key: str
    digest_key: str
    held_in: HeldIn
    instead: str

    @property
    def pulled(self) -> str:
        return self.instead or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """What kustomize fetches while it builds a part's manifests: a resource of one of their files.

    Args:
        file: kustomization that names it, in the repository.
        address: what stands there.
    """

    part: str
    file: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedVersion:
    """One row of a tested tuple: a version that was tested together with the others of its release."""

    release: str
    subject: str
    version: str
    source: str


@dataclass(frozen=True, slots=True)
class Footprint:
    """What always running pods ask of the system nodes, and what their volumes take."""

    cores: Decimal
    memory_gib: Decimal
    disk_gb: int


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
