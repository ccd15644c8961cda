"""The software lock: every digest that the network says, beside what it said before."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from catalogs.software.model import InstallationKind, split
from catalogs.software.reader import RELEASE, images
from operations.project.http import HttpError
from operations.software import chart_repository, registry
from planning.platform.digests import SCHEMA_VERSION, SoftwareLock, address
from planning.platform.mirror import is_registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from catalogs.software.model import SoftwareComponent
    from operations.software.chart_repository import Index
    from operations.software.registry import Fetch

AT_ONCE: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """What came of it.

    Args:
        lock: what is known now: new digests, and old ones of what could not be asked or has changed.
        failed: what is not known, to the reason.
        changed: what stands for something else than the lock says, to the new digest.
    """

    lock: SoftwareLock
    failed: Mapping[str, str]
    changed: Mapping[str, str]


def resolve(parts: Iterable[SoftwareComponent], old: SoftwareLock, *, fetch: Fetch, renew: bool = False) -> Resolved:
    """Ask for the digest of every chart and image of some parts.

    Args:
        renew: take new digests where old ones no longer hold; else old ones stay, and are told.
    """
    chosen = list(parts)
    names = {part.name for part in chosen}
    pulled = dict.fromkeys(image.pulled for image in images() if image.part in names and not split(image.pulled)[2])
    charts = {address(part): part for part in chosen if part.kind is InstallationKind.CHART}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        indexes = _indexes(charts.values(), fetch=fetch, pool=pool)
        found_charts = _each(charts, lambda key: _chart(charts[key], indexes, fetch=fetch), pool=pool)
        found_images = _each(pulled, lambda name: registry.image_digest(name, fetch=fetch), pool=pool)
    locked_charts = _select_digests(found_charts, old.charts, renew=renew)
    locked_images = _select_digests(found_images, old.images, renew=renew)
    asked = {**found_charts, **found_images}
    before = {**old.charts, **old.images}
    return Resolved(
        lock=SoftwareLock(schema_version=SCHEMA_VERSION, release=RELEASE, charts=locked_charts, images=locked_images),
        failed={name: str(found) for name, found in asked.items() if isinstance(found, HttpError)},
        changed={
            name: found for name, found in asked.items() if isinstance(found, str) and before.get(name, found) != found
        },
    )


Found = str | HttpError


def _each(names: Iterable[str], ask: Callable[[str], str], *, pool: ThreadPoolExecutor) -> dict[str, Found]:
    def resolve(name: str) -> Found:
        try:
            return ask(name)
        except HttpError as error:
            return error

    listed = list(names)
    return dict(zip(listed, pool.map(resolve, listed), strict=True))


def _select_digests(found: Mapping[str, Found], old: Mapping[str, str], *, renew: bool) -> dict[str, str]:
    """Digests by name, sorted: the old one where there is one, unless it is renewed."""
    known: dict[str, str] = {}
    for name, digest in sorted(found.items()):
        kept = old.get(name, "")
        new = digest if isinstance(digest, str) else ""
        # A digest that changed under a version that stands still may be an attack: only a person takes it.
        if chosen := (new or kept) if renew else (kept or new):
            known[name] = chosen
    return known


def _indexes(
    charts: Iterable[SoftwareComponent], *, fetch: Fetch, pool: ThreadPoolExecutor
) -> dict[str, Index | HttpError]:
    """The index of each classic repository, read once, or why there is none."""
    wanted: Sequence[str] = sorted({part.repository for part in charts if not is_registry(part.repository)})

    def ask(address: str) -> Index | HttpError:
        try:
            return chart_repository.read_index(address, fetch=fetch)
        except HttpError as error:
            return error

    return dict(zip(wanted, pool.map(ask, wanted), strict=True))


def _chart(part: SoftwareComponent, indexes: Mapping[str, Index | HttpError], *, fetch: Fetch) -> str:
    if is_registry(part.repository):
        return registry.chart_digest(part.repository, part.chart, part.version, fetch=fetch)
    index = indexes[part.repository]
    if isinstance(index, HttpError):
        raise index
    return chart_repository.chart_digest(index, part.repository, part.chart, part.version, fetch=fetch)
