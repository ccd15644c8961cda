"""Every fault of the software catalog at once: no version floats, no tuple is torn, nothing hangs in the air."""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Final

from catalogs import parsing
from catalogs.model import Source
from catalogs.providers import PARTS
from catalogs.software import reader
from catalogs.software.model import COMMIT, HeldIn, InstallationKind, is_exact_image, is_exact_version, split

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from catalogs.software.model import Image, SoftwareComponent

SIZES: Final = ("small", "standard", "full")
FOLDER: Final = "catalogs/software"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """What is wrong with one row of a file."""

    file: str
    subject: str
    text: str

    def __str__(self) -> str:
        return f"{FOLDER}/{self.file}: {self.subject}: {self.text}"


def flaws(*, forbiddable: Collection[str]) -> list[Flaw]:
    """Every fault of the catalog.

    Args:
        forbiddable: words that a provider's profile may forbid.
    """
    found = [flaw for look in LOOKS for flaw in look()]
    return [*found, *_words(forbiddable), *_find_unsourced()]


def _floating() -> Iterator[Flaw]:
    for part in reader.software().values():
        if not is_exact_version(part.version):
            yield _part(part, f"version {part.version!r} is not exact")
        if part.kind is InstallationKind.KUSTOMIZE and not COMMIT.fullmatch(part.ref):
            yield _part(part, f"manifests are read at {part.ref!r}, which is no commit")
        if part.kind is not InstallationKind.OBJECTS and not (part.chart and "://" in part.repository and part.licence):
            yield _part(part, "chart, repository and licence are wanted")
    for tested in reader.read_tested_versions():
        if not is_exact_version(tested.version):
            yield Flaw(file="releases.csv", subject=tested.subject, text=f"version {tested.version!r} is not exact")


def _moving_images() -> Iterator[Flaw]:
    for image in reader.images():
        if not is_exact_image(image.pulled):
            yield Flaw(
                file="images.csv",
                subject=f"{image.part} {image.pulled}",
                text="the tag moves; say another in `instead`",
            )
        if image.instead and split(image.instead)[0] != split(image.name)[0]:
            yield Flaw(file="images.csv", subject=f"{image.part} {image.name}", text="`instead` is another image")
        if image.instead and not _can_change(image):
            yield Flaw(file="images.csv", subject=f"{image.part} {image.name}", text="nothing can change its tag")


def _can_change(image: Image) -> bool:
    """Whether the tag can be another: by a value, or by kustomize, which sees a repository once in a part."""
    if image.held_in is HeldIn.VALUES:
        return bool(image.tag_key)
    same = {
        each.pulled
        for each in reader.images_of(image.part)
        if each.held_in is HeldIn.OBJECTS and split(each.name)[0] == split(image.name)[0]
    }
    return image.held_in is not HeldIn.OBJECTS or len(same) == 1


def _find_untested_versions() -> Iterator[Flaw]:
    """The tuple of this release and the parts say the same, and every manifest's version is in it."""
    tuple_of = {each.subject: each.version for each in reader.read_tested_versions() if each.release == reader.RELEASE}
    for part in reader.software().values():
        known = tuple_of.get(part.name)
        if known is None and part.kind is InstallationKind.KUSTOMIZE:
            yield _part(part, f"its version is not in the tested tuple {reader.RELEASE}")
        elif known is not None and known != part.version:
            yield _part(part, f"version {part.version}, and {known} was tested in {reader.RELEASE}")


def _hanging() -> Iterator[Flaw]:
    """Needs are parts, and no part waits for itself."""
    known = reader.software()
    for part in known.values():
        for need in part.needs:
            if need not in known:
                yield _part(part, f"needs {need!r}, which is no part")
    try:
        TopologicalSorter({part.name: part.needs for part in known.values()}).prepare()
    except CycleError as cycle:
        yield Flaw(file="parts.csv", subject="needs", text=f"go round in a circle: {' -> '.join(cycle.args[1])}")
    for image in reader.images():
        if image.part not in known:
            yield Flaw(file="images.csv", subject=image.name, text=f"belongs to {image.part!r}, which is no part")


def _words(forbiddable: Collection[str]) -> Iterator[Flaw]:
    for part in reader.software().values():
        if part.forbidden_by and part.forbidden_by not in forbiddable:
            yield _part(part, f"{part.forbidden_by!r} is nothing that a provider forbids")
        for owned in part.owns:
            if owned not in PARTS:
                yield _part(part, f"{owned!r} is no column of profiles.csv")
        for size in part.sizes:
            if size not in SIZES:
                yield _part(part, f"{size!r} is no size of a platform")


def _find_unsourced() -> Iterator[Flaw]:
    sources = {each.id for each in parsing.read_facts(reader.ROOT.parent / "sources.csv", Source)}
    for part in reader.software().values():
        if part.kind is not InstallationKind.OBJECTS and (part.source not in sources or part.as_of is None):
            yield _part(part, f"unknown source {part.source!r}, or no date")
    for tested in reader.read_tested_versions():
        if tested.source not in sources:
            yield Flaw(file="releases.csv", subject=tested.subject, text=f"unknown source {tested.source!r}")


def _part(part: SoftwareComponent, text: str) -> Flaw:
    return Flaw(file="parts.csv", subject=part.name, text=text)


LOOKS: Final[tuple[Callable[[], Iterator[Flaw]], ...]] = (_floating, _moving_images, _find_untested_versions, _hanging)
