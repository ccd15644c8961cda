"""Which software is pinned by digest: what the software lock says of each part, and what it does not say.

At the end stands the catalog, or what of it a stack installs, as JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError, with_config
from typing_extensions import TypedDict

from catalogs.software.model import InstallationKind, split
from catalogs.software.reader import RELEASE, images_of, read_tested_versions
from planning.values.errors import InputError
from planning.values.json_format import fill_form

if TYPE_CHECKING:
    from collections.abc import Iterable

    from catalogs.software.model import SoftwareComponent

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


_CLOSED: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)


@with_config(_CLOSED)
class PinnedForm(TypedDict):
    """A platform part with its version, and how far it is pinned."""

    name: str
    title: str
    kind: str
    version: str
    source: str
    """Repository, name and version in one line; "" for objects of our own."""
    digest: str | None
    """SHA-256 of the chart's archive, or the commit of manifests; null where it is not resolved."""
    digest_state: str
    """"resolved", "our own", or "unresolved: " and what is missing."""
    unresolved: list[str]
    """Chart and images without a digest."""


@with_config(_CLOSED)
class LeftOutForm(TypedDict):
    """A part that is not installed."""

    name: str
    title: str
    reason: str


@with_config(_CLOSED)
class FootprintForm(TypedDict):
    """What a part takes, and when it is there without being asked for."""

    licence: str
    sizes: list[str]
    built_by: str
    """"" for the platform; else who installs it without one too: the builder of a target, or "ways" (in and out)."""
    images: int
    cpu_millicores: int
    memory_mib: int
    disk_gb: int
    as_of: str | None
    """Day of the source that version and footprint were read from."""


@with_config(_CLOSED)
class ListedForm(PinnedForm, FootprintForm):
    """A row of the software catalog."""


@with_config(_CLOSED)
class TestedForm(TypedDict):
    """A version that was tested together with the others of its release."""

    subject: str
    version: str
    source: str


@with_config(_CLOSED)
class SoftwareForm(TypedDict):
    """`atoll software list --json`."""

    schema_version: int
    release: str
    stack: str | None
    parts: list[ListedForm]
    not_installed: list[LeftOutForm]
    tested: list[TestedForm]
    faults: list[str]
    """Versions that float, tags that move, tuples that are torn; empty where there are none."""


def build_pinned_form(part: Sourced, lock: SoftwareLock) -> PinnedForm:
    """A part, its version, its source, and how far it is pinned."""
    found = standing(part, lock)
    return fill_form(
        PinnedForm,
        part,
        source=found.source,
        digest=found.digest or None,
        digest_state=found.words,
        unresolved=list(found.missing),
    )


def software_form(
    parts: Iterable[tuple[Sourced, SoftwareComponent]],
    *,
    skipped: Iterable[object] = (),
    lock: SoftwareLock,
    stack: str | None,
    faults: Iterable[str],
) -> SoftwareForm:
    """The catalog, or the part of it that a stack installs; each part as it is decided, with its row."""
    return {
        "schema_version": SCHEMA_VERSION,
        "release": RELEASE,
        "stack": stack,
        "parts": [_build_listed_form(part, row, lock) for part, row in parts],
        "not_installed": [fill_form(LeftOutForm, part) for part in skipped],
        "tested": [fill_form(TestedForm, each) for each in read_tested_versions() if each.release == RELEASE],
        "faults": list(faults),
    }


def _build_listed_form(part: Sourced, row: SoftwareComponent, lock: SoftwareLock) -> ListedForm:
    images = len({image.pulled for image in images_of(row.name)})
    return fill_form(ListedForm, row, **build_pinned_form(part, lock), images=images)
