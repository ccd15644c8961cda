"""Where data lies before and after, held against where the checklist lets it lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from planning.checklist.model.vocabulary import Residency

if TYPE_CHECKING:
    from catalogs.catalog import Catalog
    from catalogs.model import Region
    from planning.spec.cluster import Placement
    from planning.spec.lock import Lock

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Abode:
    """Where a cluster lies, as the catalog says it."""

    provider: str
    region: str
    country: str
    residency: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Residence:
    """One cluster before and after.

    Args:
        demanded: what the target's lock carries from the checklist.
        verdict: whether the new place is where data may lie; "cannot tell" where no source says where it is.
    """

    placement: str
    old: Abode
    new: Abode
    demanded: str
    verdict: Literal["kept", "moves", "refused", "cannot tell"]
    words: str


def residences(old: Lock, new: Lock, *, catalog: Catalog) -> tuple[Residence, ...]:
    """Every cluster that both sides have."""
    before = {spec.placement.name: spec.placement for spec in old.placements}
    return tuple(
        _residence(before[spec.placement.name], spec.placement, demanded=new.residency, catalog=catalog)
        for spec in new.placements
        if spec.placement.name in before
    )


def _residence(old: Placement, new: Placement, *, demanded: str, catalog: Catalog) -> Residence:
    before, after = (_abode(each, catalog.regions.get((each.provider, each.region))) for each in (old, new))
    verdict = _verdict(before, after, demanded=demanded)
    return Residence(
        placement=new.name,
        old=before,
        new=after,
        demanded=demanded,
        verdict=verdict,
        words=_words(before, after, demanded=demanded, verdict=verdict),
    )


def _abode(placement: Placement, region: Region | None) -> Abode:
    return Abode(
        provider=placement.provider,
        region=placement.region,
        country=region.country if region else UNKNOWN,
        residency=region.residency if region else UNKNOWN,
        source=f"catalogs/regions.csv, {region.source}" if region else "catalogs/regions.csv has no such region",
    )


def _verdict(old: Abode, new: Abode, *, demanded: str) -> Literal["kept", "moves", "refused", "cannot tell"]:
    if UNKNOWN in (new.residency, new.country):
        return "cannot tell"
    if demanded not in (Residency.ANY, new.residency):
        return "refused"
    if UNKNOWN in (old.residency, old.country):
        return "cannot tell"
    return "kept" if (old.country, old.residency) == (new.country, new.residency) else "moves"


def _words(old: Abode, new: Abode, *, demanded: str, verdict: str) -> str:
    asks = "the checklist demands no place" if demanded == Residency.ANY else f"the checklist demands {demanded}"
    said = {
        "kept": f"data stays in {new.country}",
        "moves": f"data leaves {old.country} ({old.residency}) for {new.country} ({new.residency})",
        "refused": f"{new.country} ({new.residency}) is not where data may lie",
        "cannot tell": f"no source read says in which country {_unknown(old, new)} lies: ask the provider in writing",
    }
    return f"{said[verdict]}; {asks}"


def _unknown(old: Abode, new: Abode) -> str:
    each = new if UNKNOWN in (new.country, new.residency) else old
    return f"{each.provider} {each.region}"
