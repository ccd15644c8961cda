"""Which software is pinned by digest: what the software lock says of each part, and what it does not say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from catalogs.software.model import InstallationKind, split
from catalogs.software.reader import RELEASE, images_of
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

LOCK_NAME: Final = "software.lock.json"
SCHEMA_VERSION: Final = 1
Digest = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]


class Sourced(Protocol):
    """What has a version and comes from somewhere: a row of the catalog, or a part of a lock."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def chart(self) -> str: ...
    @property
    def repository(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def ref(self) -> str: ...


class SoftwareLock(BaseModel):
    """stacks/software.lock.json: digests as `atoll software lock` found them."""

    # Descriptions are no docstrings here: pydantic would read and parse this file for them in every plan.
    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: int = SCHEMA_VERSION
    release: str = Field(default=RELEASE, description="Tested tuple that was resolved.")
    charts: dict[str, Digest] = Field(
        default_factory=dict, description="Repository, name and version of a chart to the SHA-256 of its archive."
    )
    images: dict[str, Digest] = Field(
        default_factory=dict, description="Image as it is pulled to the digest of its manifest or index."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PinningState:
    """How far one part is pinned.

    Args:
        source: where it comes from, with its version.
        digest: of the chart; the commit of manifests; "" where it is not resolved, or there is nothing to resolve.
        missing: chart and images whose digest is not known.
        images: how many images it has.
    """

    part: str
    source: str
    digest: str
    missing: tuple[str, ...]
    images: int

    @property
    def resolved(self) -> bool:
        """Whether nothing of it can change unseen."""
        return not self.missing

    @property
    def words(self) -> str:
        if self.resolved:
            return "resolved" if self.source else "our own"
        images = len([each for each in self.missing if each != self.source])
        chart = "chart" if self.source in self.missing else ""
        counted = f"{images} of {self.images} images" if images else ""
        return f"unresolved: {' and '.join(filter(None, (chart, counted)))}"


def read_lock(text: str, *, file: str) -> SoftwareLock:
    """The software lock in a text.

    Raises:
        InputError: it is not one.
    """
    try:
        return SoftwareLock.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"{file} is no software lock: {where}: {first['msg']}", hint="`atoll software lock --renew` writes it anew"
        ) from error


def address(part: Sourced) -> str:
    """Source and version of a part in one line; "" of our own objects."""
    if part.kind == InstallationKind.CHART:
        return f"{part.repository.rstrip('/')}/{part.chart}:{part.version}"
    return f"{part.repository}@{part.ref}" if part.kind == InstallationKind.KUSTOMIZE else ""


def image_digest(image: str, lock: SoftwareLock) -> str:
    """Digest of an image: its own where its name holds one, else the lock's; "" for none."""
    _, _, own = split(image)
    return own or lock.images.get(image, "")


def standing(part: Sourced, lock: SoftwareLock) -> PinningState:
    """How far a part is pinned. A commit pins manifests by itself."""
    source = address(part)
    digest = part.ref if part.kind == InstallationKind.KUSTOMIZE else lock.charts.get(source, "")
    pulled = dict.fromkeys(image.pulled for image in images_of(part.name))
    missing = [image for image in pulled if not image_digest(image, lock)]
    if part.kind == InstallationKind.CHART and not digest:
        missing.insert(0, source)
    return PinningState(part=part.name, source=source, digest=digest, missing=tuple(missing), images=len(pulled))


def describe_unresolved(parts: Iterable[Sourced], lock: SoftwareLock) -> tuple[str, ...]:
    """What is said of each part that is not wholly pinned."""
    found = [standing(part, lock) for part in parts]
    return tuple(f"{each.part} ({each.words.removeprefix('unresolved: ')})" for each in found if not each.resolved)
