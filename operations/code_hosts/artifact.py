"""The diff that an untrusted job left: a small archive of known names, its JSON checked field by field."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from typing import TYPE_CHECKING, Final

from pydantic import TypeAdapter, ValidationError

from planning.diff.form import DiffForm
from planning.values.errors import AtollError, OverCeilingError

if TYPE_CHECKING:
    from planning.diff.form import StackDiffForm

NAME: Final = "atoll-diff"
DIFF: Final = "diff.json"
NAMES: Final = frozenset({DIFF, "comment.md", "diff.sarif", "junit.xml", "exit_code"})
LARGEST_ARCHIVE: Final = 8 << 20
LARGEST_DIFF: Final = 16 << 20
MOST_STACKS: Final = 1000
SCHEMA_VERSION: Final = 1
ENCRYPTED: Final = 0x1
HASH: Final = re.compile(r"[0-9a-f]{40}")
_SHAPE: Final = TypeAdapter[DiffForm](DiffForm)


class UntrustedError(AtollError):
    """What the job left is not a diff that could be shown."""


def diff_in(archive: bytes, *, folder: str = "") -> DiffForm:
    """The checked diff inside an archive; `folder` is where its files lie.

    Raises:
        UntrustedError: too large, a strange file, or not of the shape.
    """
    if len(archive) > LARGEST_ARCHIVE:
        raise UntrustedError(f"the archive is larger than {LARGEST_ARCHIVE >> 20} MiB")
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            return parse_diff(_read_entry(opened, folder=folder))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise UntrustedError("the archive cannot be read") from error


def parse_diff(text: bytes) -> DiffForm:
    """The diff in a JSON text, strictly of its shape and at one with itself.

    Raises:
        UntrustedError: it is not.
    """
    try:
        form = _SHAPE.validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"] if isinstance(part, int) or part.isidentifier())
        raise UntrustedError(f"{DIFF} is not of its shape, first at {where[:80] or 'its start'}") from error
    if form["schema_version"] != SCHEMA_VERSION:
        raise UntrustedError(f"{DIFF} has another schema version than {SCHEMA_VERSION}")
    if len(form["stacks"]) > MOST_STACKS:
        raise UntrustedError(f"{DIFF} names more than {MOST_STACKS} stacks")
    _check_consistency(form)
    return form


def read_commits(form: DiffForm) -> tuple[str, str]:
    """Full hashes of the head and the base that a diff compares. Raises: UntrustedError: it has none."""
    head, base = form["head"]["commit"], form["base"]["commit"]
    if not (HASH.fullmatch(head) and HASH.fullmatch(base)):
        raise UntrustedError("the diff does not say which commits it compares")
    return head, base


def _check_consistency(form: DiffForm) -> None:
    """The verdict on top says no better than what stands below it."""
    if (form["exit_code"] == 0) != (form["verdict"] == "within"):
        raise UntrustedError(f"{DIFF} has a verdict and an exit code that are at odds")
    # A stack in which nothing moves stops nothing: what is wrong with it was wrong before.
    if form["exit_code"] == 0 and any(_stops(stack) for stack in form["stacks"] if stack["state"] != "unchanged"):
        raise UntrustedError(f"{DIFF} says that nothing stops the change, and lists what does")


def _stops(stack: StackDiffForm) -> bool:
    after = stack["after"]
    over = after is not None and after["exit_code"] == OverCeilingError.exit_code
    broken = any(breach["stops"] and breach["new"] for breach in stack["breaches"])
    return over or broken or bool(stack["failure"]) or stack["state"] == "failed"


def _read_entry(opened: zipfile.ZipFile, *, folder: str) -> bytes:
    """The bytes of the diff, after every entry's name was looked at."""
    entries = opened.infolist()
    names = [entry.filename for entry in entries if not (folder and entry.is_dir())]
    known = {f"{folder}{name}" for name in NAMES}
    # Two entries of one name are read differently by different programs.
    if len(names) != len(set(names)) or not set(names) <= known:
        raise UntrustedError("the archive holds a file that no diff has")
    found = [entry for entry in entries if entry.filename == f"{folder}{DIFF}"]
    if not found:
        raise UntrustedError(f"the archive holds no {DIFF}")
    if found[0].flag_bits & ENCRYPTED:
        raise UntrustedError(f"{DIFF} is encrypted")
    with opened.open(found[0]) as file:  # the size in the entry is the sender's word; so only as much is unpacked
        text = file.read(LARGEST_DIFF + 1)
    if len(text) > LARGEST_DIFF:
        raise UntrustedError(f"{DIFF} is larger than {LARGEST_DIFF >> 20} MiB")
    return text
