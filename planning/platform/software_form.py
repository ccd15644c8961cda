"""The software catalog, and what of it a stack installs, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from catalogs.software.model import InstallationKind
from catalogs.software.reader import RELEASE, downloads, images_of, read_tested_versions
from planning.platform.digests import address, image_digest, standing
from planning.platform.mirror import MANIFESTS, OCI, chart_file, is_registry, target

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from catalogs.software.model import Image, SoftwareComponent
    from planning.platform.digests import SoftwareLock, Sourced


SCHEMA_VERSION = 1


class Titled(Protocol):
    """A part that is not installed."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def reason(self) -> str: ...


def build_pinned_form(part: Sourced, lock: SoftwareLock) -> PinnedForm:
    """A part, its version, its source, and how far it is pinned."""
    found = standing(part, lock)
    return {
        "name": part.name,
        "title": part.title,
        "kind": str(part.kind),
        "version": part.version,
        "source": found.source,
        "digest": found.digest or None,
        "digest_state": found.words,
        "unresolved": list(found.missing),
    }


def build_left_out_form(part: Titled) -> LeftOutForm:
    """A part that is not installed, and why."""
    return {"name": part.name, "title": part.title, "reason": part.reason}


def software_form(
    parts: Iterable[tuple[Sourced, SoftwareComponent]],
    *,
    skipped: Iterable[Titled] = (),
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
        "not_installed": [build_left_out_form(part) for part in skipped],
        "tested": [
            {"subject": each.subject, "version": each.version, "source": each.source}
            for each in read_tested_versions()
            if each.release == RELEASE
        ],
        "faults": list(faults),
    }


def _build_listed_form(part: Sourced, row: SoftwareComponent, lock: SoftwareLock) -> ListedForm:
    return {
        **build_pinned_form(part, lock),
        "licence": row.licence,
        "sizes": list(row.sizes),
        "built_by": row.built_by,
        "images": len({image.pulled for image in images_of(row.name)}),
        "cpu_millicores": row.cpu_millicores,
        "memory_mib": row.memory_mib,
        "disk_gb": row.disk_gb,
        "as_of": None if row.as_of is None else row.as_of.isoformat(),
    }


def copies_form(
    parts: Sequence[Sourced], *, lock: SoftwareLock, mirror: str, registry: str, stack: str | None
) -> CopiesForm:
    """Everything that some parts are made of, and where a mirror must hold it.

    Args:
        mirror: folder or registry of charts; "" where there is none yet.
        registry: where images go; "" where none is known.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "release": RELEASE,
        "stack": stack,
        "mirror": mirror,
        "charts": [_copy(part, mirror) for part in parts if part.kind == InstallationKind.CHART],
        "manifests": _checkouts(parts),
        "fetched": [
            {"part": each.part, "address": each.address, "file": each.file}
            for each in downloads()
            if each.part in {part.name for part in parts}
        ],
        "images": [_image(name, held, lock, registry) for name, held in sorted(_group_pulled_images(parts).items())],
    }


def _copy(part: Sourced, mirror: str) -> CopyForm:
    there = f"{mirror.rstrip('/')}/{part.chart}:{part.version}" if is_registry(mirror) else chart_file(part)
    return {"part": part.name, "source": address(part), "target": there}


def _checkouts(parts: Iterable[Sourced]) -> list[CheckoutForm]:
    wanted = dict.fromkeys((part.repository, part.ref) for part in parts if part.kind == InstallationKind.KUSTOMIZE)
    return [{"repository": url, "commit": commit, "target": f"{MANIFESTS}/{commit}"} for url, commit in wanted]


def _group_pulled_images(parts: Iterable[Sourced]) -> Mapping[str, list[Image]]:
    pulled: dict[str, list[Image]] = {}
    for part in parts:
        for image in images_of(part.name):
            pulled.setdefault(image.pulled, []).append(image)
    return pulled


def _image(name: str, held: Sequence[Image], lock: SoftwareLock, registry: str) -> ImageForm:
    return {
        "name": name,
        "target": target(name, registry.removeprefix(OCI)),
        "digest": image_digest(name, lock) or None,
        "parts": sorted({image.part for image in held}),
        "held_in": sorted({str(image.held_in) for image in held}),
    }


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


@with_config(_CLOSED)
class CopyForm(TypedDict):
    """A chart to copy."""

    part: str
    source: str
    target: str
    """Under the mirror: an address in its registry, or a file in its folder."""


@with_config(_CLOSED)
class CheckoutForm(TypedDict):
    """Manifests to copy."""

    repository: str
    commit: str
    target: str
    """Folder of the checkout, under the mirror."""


@with_config(_CLOSED)
class FetchedForm(TypedDict):
    """What manifests fetch while they are built: a copy has it beside them instead."""

    part: str
    address: str
    file: str
    """Of the checkout, which names the address."""


@with_config(_CLOSED)
class ImageForm(TypedDict):
    """An image to copy."""

    name: str
    target: str
    """Under the mirror's registry; as it is where none is known."""
    digest: str | None
    parts: list[str]
    held_in: list[str]
    """Who names it: values, objects, configuration (only a patch changes that) or program."""


@with_config(_CLOSED)
class CopiesForm(TypedDict):
    """`atoll software images --json`: what a cluster without a way out needs."""

    schema_version: int
    release: str
    stack: str | None
    mirror: str
    charts: list[CopyForm]
    manifests: list[CheckoutForm]
    fetched: list[FetchedForm]
    images: list[ImageForm]
