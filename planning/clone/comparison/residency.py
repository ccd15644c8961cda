"""Data residency and latency of source and target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pydantic.dataclasses import dataclass

from catalogs.providers import find_traits
from planning.checklist.model.vocabulary import Residency
from planning.costs.json_shapes import publish_as

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalogs.catalog import Catalog
    from catalogs.model import Region
    from planning.spec.cluster import ClusterSpec, Placement
    from planning.spec.lock import Lock


UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True, config=publish_as("AbodeForm"))
class Abode:
    provider: str
    region: str
    country: str
    residency: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True, config=publish_as("ResidenceForm"))
class Residence:
    placement: str
    old: Abode
    new: Abode
    demanded: str
    """By the checklist: an area, or "any"."""
    verdict: Literal["kept", "moves", "refused", "undetermined"]
    words: str


def residences(old: Lock, new: Lock, *, catalog: Catalog) -> tuple[Residence, ...]:
    """Residency of every placement on both sides."""
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


def _verdict(old: Abode, new: Abode, *, demanded: str) -> Literal["kept", "moves", "refused", "undetermined"]:
    if UNKNOWN in (new.residency, new.country):
        return "undetermined"
    if demanded not in (Residency.ANY, new.residency):
        return "refused"
    if UNKNOWN in (old.residency, old.country):
        return "undetermined"
    return "kept" if (old.country, old.residency) == (new.country, new.residency) else "moves"


def _words(old: Abode, new: Abode, *, demanded: str, verdict: str) -> str:
    asks = "the checklist demands no place" if demanded == Residency.ANY else f"the checklist demands {demanded}"
    said = {
        "kept": f"data stays in {new.country}",
        "moves": f"data leaves {old.country} ({old.residency}) for {new.country} ({new.residency})",
        "refused": f"data may not be in {new.country} ({new.residency})",
        "undetermined": f"no source read says in which country {_unknown(old, new)} lies: ask the provider in writing",
    }
    return f"{said[verdict]}; {asks}"


def _unknown(old: Abode, new: Abode) -> str:
    each = new if UNKNOWN in (new.country, new.residency) else old
    return f"{each.provider} {each.region}"


# A TCP connection takes one round trip, so the time to connect is the latency.
MEASURE: Final = "curl -sS -o /dev/null -w '%{time_connect}\\n'"
# The regional endpoint of S3 (docs.aws.amazon.com/general/latest/gr/s3.html, 2026-11-22): an address in every region
# of AWS that answers anybody, whether or not there is a cluster yet.
CLOUDPING: Final = "cloudping.co measures round trips between regions of AWS, for a first idea; measure your own too"


@dataclass(frozen=True, slots=True, kw_only=True, config=publish_as("LatencyForm"))
class Latency:
    words: str
    commands: tuple[str, ...]
    """Commands that measure it."""
    notes: tuple[str, ...]


def latency(old: Lock, new: Lock) -> Latency:
    before, after = old.spec, new.spec
    if _place(before) == _place(after):
        return Latency(words=f"both are in {_place(before)}: nothing changes", commands=(), notes=())
    return Latency(
        words=f"unknown from {_place(before)} to {_place(after)}: the catalog has no latencies; measure it",
        commands=tuple(_commands(before, after)),
        notes=tuple(_notes(before, after)),
    )


def _place(spec: ClusterSpec) -> str:
    return f"{spec.placement.provider} {spec.placement.region}"


def _commands(old: ClusterSpec, new: ClusterSpec) -> Iterator[str]:
    for here, there, side in ((old, new, "the source"), (new, old, "the clone")):
        if endpoint := find_latency_endpoint(there):
            yield f"in a pod of {side} ({_place(here)}): {MEASURE} {endpoint}"
    if not find_latency_endpoint(old) and not find_latency_endpoint(new):
        address = new.network.domain or "<address of its load balancer: kubectl get services -A>"
        yield f"in a pod of the source ({_place(old)}), once the clone is up: {MEASURE} https://{address}"


def find_latency_endpoint(spec: ClusterSpec) -> str:
    """Public endpoint of the provider in the cluster's region; "" where none is known."""
    endpoint = find_traits(spec.placement.provider).store_endpoint
    return endpoint.format(region=spec.placement.region) if "{region}" in endpoint else ""


def _notes(old: ClusterSpec, new: ClusterSpec) -> Iterator[str]:
    if find_latency_endpoint(old) and old.placement.provider == new.placement.provider:
        yield CLOUDPING
    joint = new.network.peering or new.network.link
    if joint is not None and joint.region != new.placement.region:
        yield f"the main cloud stays in {joint.region}: every call there crosses regions from now on"
    if new.platform is not None and new.platform.forwarding is not None:
        yield f"logs and metrics go to {new.platform.forwarding.region}, wherever the cluster is"
