"""Files beside the program: the software lock, and the folder of a mirror. Nothing here uses Pulumi."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from planning.inputs.files import read_content, read_text
from planning.platform.digests import LOCK_NAME, SoftwareLock, describe_unresolved, read_lock
from planning.platform.mirror import OCI, REGISTRY_FILE, downloading, find_mismatched_charts, is_registry, lacking
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.platform.digests import Sourced

STACKS: Final = "stacks"
UP: Final = Path("..")  # the project, seen from the folder that the engine runs the program in
MOST_BYTES: Final = 32_000_000  # of the lists of a mirror and of the software lock
BLOCK: Final = 1 << 20
LOCK_HINT: Final = "`atoll software lock` resolves digests on a machine with a network"
MIRROR_HINT: Final = "`atoll software images` names what a mirror must hold"


@dataclass(frozen=True, kw_only=True)
class ArtifactMirror:
    """The software lock and the mirror of one platform.

    Args:
        registry: where images were copied to; "" where they come from their own registries.
        folder: with copies of charts and manifests; None for none.
    """

    lock: SoftwareLock = field(default_factory=SoftwareLock)
    registry: str = ""
    folder: Path | None = None


def read_artifact_mirror(mirror: str, *, project: Path) -> ArtifactMirror:
    """Software lock and mirror of a project; a relative folder is in the project.

    Raises:
        InputError: the software lock cannot be read, or the folder's file of the registry is empty.
    """
    lock = _lock(project / STACKS / LOCK_NAME)
    if is_registry(mirror) or not mirror:
        return ArtifactMirror(lock=lock, registry=mirror.removeprefix(OCI).rstrip("/"))
    folder = project / mirror
    return ArtifactMirror(lock=lock, registry=_registry(folder / REGISTRY_FILE), folder=folder)


@cache
def read_program_mirror(mirror: str, *, offline: bool) -> ArtifactMirror:
    """Software lock and mirror for the Pulumi program; without an engine no file is read."""
    if not offline:
        return read_artifact_mirror(mirror, project=UP)
    folder = UP / mirror if mirror and not is_registry(mirror) else None
    return ArtifactMirror(registry=mirror.removeprefix(OCI).rstrip("/") if is_registry(mirror) else "", folder=folder)


def describe_missing_digests(parts: Sequence[Sourced], found: ArtifactMirror) -> str:
    """Error for digests that are required and not resolved; "" for none."""
    said = describe_unresolved(parts, found.lock)
    return f"digests are required, and not resolved of: {'; '.join(said)}" if said else ""


def describe_mirror_faults(parts: Sequence[Sourced], found: ArtifactMirror) -> str:
    """Faults of a mirror's folder: missing files, charts that differ from the lock; "" for none."""
    folder = found.folder
    if folder is None:
        return ""
    if not folder.is_dir():
        return f"there is no mirror at {folder}"
    lacks = lacking(parts, lambda file: (folder / file).exists())
    others = find_mismatched_charts(parts, found.lock, lambda file: digest_of(folder / file))
    fetched = downloading(parts, lambda file: _text(folder / file))
    return "; ".join([*([f"the mirror lacks {', '.join(lacks)}"] if lacks else []), *others, *fetched])


def refuse(parts: Sequence[Sourced], found: ArtifactMirror, *, required: bool) -> None:
    """Check that the components can be installed from the mirror and by digest.

    Raises:
        InputError: naming every fault.
    """
    against = [describe_missing_digests(parts, found) if required else "", describe_mirror_faults(parts, found)]
    if any(against):
        raise InputError(
            f"the platform cannot be installed as it was decided: {'; '.join(filter(None, against))}",
            hint=f"{LOCK_HINT}; {MIRROR_HINT}",
        )


def digest_of(file: Path) -> str:
    """SHA-256 of a file as digests are written; "" where there is no such file."""
    if not file.is_file():
        return ""
    hashed = sha256()
    with file.open("rb") as stream:
        while block := stream.read(BLOCK):
            hashed.update(block)
    return f"sha256:{hashed.hexdigest()}"


def _text(file: Path) -> str:
    return read_content(file, most_bytes=MOST_BYTES).decode("utf-8", "replace") if file.is_file() else ""


def _lock(path: Path) -> SoftwareLock:
    if not path.exists():
        return SoftwareLock()
    return read_lock(read_text(path, most_bytes=MOST_BYTES), file=f"{STACKS}/{LOCK_NAME}")


def _registry(file: Path) -> str:
    if not file.is_file():
        return ""
    named = read_text(file).strip().removeprefix(OCI).rstrip("/")
    if not named or len(named.split()) != 1:
        raise InputError(f"{file} must hold one line: the registry and path that images were copied to")
    return named
