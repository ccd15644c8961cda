"""Quota, offer and reservation of every pool: three facts that are never made one, each of which may be unknown.

They are printed as they are, so that the docstrings of the classes are part of the published schema.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal

from pydantic import with_config

from planning.cloud_checks.cloud_reports import CloudReport, OfferReport, QuotaReport, ReservationReport, UnknownFact
from planning.cloud_checks.quotas import QuotaClaim, claim, fallback_claims, network_claims
from planning.costs.json_shapes import Day, publish_as
from planning.values.json_format import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from planning.spec.cluster import ClusterSpec, Pool


class FactVerdict(StrEnum):
    """What a fact means for the pool."""

    RIGHT = "right"
    WRONG = "wrong"
    UNKNOWN = "unknown"


STANDINGS: Final[Mapping[str, FactVerdict]] = {
    "enough": FactVerdict.RIGHT,
    "offered": FactVerdict.RIGHT,
    "reserved": FactVerdict.RIGHT,
    "not_needed": FactVerdict.RIGHT,
    "short": FactVerdict.WRONG,
    "not_offered": FactVerdict.WRONG,
    "mismatch": FactVerdict.WRONG,
    "missing": FactVerdict.WRONG,
    "unknown": FactVerdict.UNKNOWN,
}


@with_config(publish_as("QuotaForm"))
@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaFact:
    """Whether a quota is large enough for everything of the stack that counts against it."""

    state: Literal["enough", "short", "not_needed", "unknown"]
    code: str = ""
    name: str = ""
    unit: str = ""
    needed: int | None = None
    limit: int | None = None
    used: int | None = None  # by others than this stack
    reason: str = ""


@with_config(publish_as("OfferedForm"))
@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedFact:
    """Whether the machine is sold where the pool may start."""

    state: Literal["offered", "not_offered", "unknown"]
    zones: tuple[str, ...] = ()  # of those that the pool may use, the ones that offer it
    missing: tuple[str, ...] = ()  # of those that the pool may use, the ones that do not
    source: str = ""  # cloud, catalog, or nothing where nobody said
    as_of: Day = None  # of the catalog's fact
    reason: str = ""


@with_config(publish_as("ReservedForm"))
@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedFact:
    """Whether what is reserved for the pool fits it."""

    state: Literal["reserved", "mismatch", "missing", "not_needed", "unknown"]
    id: str = ""
    status: str = ""
    machine: str = ""
    zone: str = ""
    count: int | None = None
    ends: Day = None
    reason: str = ""


@with_config(publish_as("PoolFactsForm"))
@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFacts:
    """The three facts of a pool."""

    pool: str
    machine: str
    kind: str
    nodes: int  # at most
    quota: QuotaFact
    offered: OfferedFact
    reserved: ReservedFact


@with_config(publish_as("PlacementFactsForm"))
@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementFacts:
    """One placement."""

    placement: str
    provider: str
    region: str
    silence: str  # why its cloud did not answer; nothing where it did
    pools: tuple[PoolFacts, ...]
    quotas: tuple[QuotaFact, ...]  # those that belong to no pool


@with_config(publish_as("PreflightForm"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """`atoll preflight --json`."""

    schema_version: int
    stack: str
    standing: Literal["right", "wrong", "unknown"]
    placements: tuple[PlacementFacts, ...]
    strays: tuple[str, ...]  # pools that the stack reserves for and that no placement has


def summarize_facts(stack: str, placements: tuple[PlacementFacts, ...], *, strays: tuple[str, ...]) -> Preflight:
    """Every placement of a stack: wrong as soon as one fact is, unknown where none is wrong and one is not known."""
    verdicts = {STANDINGS[fact.state] for each in placements for fact in _list_facts(each)}
    if strays:
        verdicts.add(FactVerdict.WRONG)
    standing = next((each for each in (FactVerdict.WRONG, FactVerdict.UNKNOWN) if each in verdicts), FactVerdict.RIGHT)
    return Preflight(
        schema_version=SCHEMA_VERSION, stack=stack, standing=standing.value, placements=placements, strays=strays
    )


def _list_facts(each: PlacementFacts) -> Iterable[QuotaFact | OfferedFact | ReservedFact]:
    yield from each.quotas
    for pool in each.pools:
        yield from (pool.quota, pool.offered, pool.reserved)


# Usable now or soon: `State` of an EC2 CapacityReservation, `status` of a Compute Engine Reservation.
USABLE: Final = frozenset({"active", "scheduled", "READY"})


def strays(placements: Sequence[ClusterSpec], *, reservations: Mapping[str, str]) -> tuple[str, ...]:
    """Pools that are reserved for and that no placement has."""
    return tuple(sorted(set(reservations) - {pool.name for spec in placements for pool in spec.pools}))


def placement_facts(
    spec: ClusterSpec, told: CloudReport, *, reservations: Mapping[str, str], today: date
) -> PlacementFacts:
    """The facts of one placement.

    Args:
        told: what its cloud, or the catalog, says.
        reservations: pool name to reservation id, from the stack's configuration.
        today: a reservation that ends before it is over.
    """
    claims = {pool.name: claim(pool, target=spec.placement.target) for pool in spec.pools}
    return PlacementFacts(
        placement=spec.placement.name,
        provider=spec.placement.provider,
        region=spec.placement.region,
        pools=tuple(
            PoolFacts(
                pool=pool.name,
                machine=pool.machine,
                kind=pool.kind,
                nodes=pool.max_nodes,
                quota=_quota(claims[pool.name], told, every=claims.values()),
                offered=check_offer(pool, spec, told=told),
                reserved=check_reservation(pool, spec, told=told, id_=reservations.get(pool.name, ""), today=today),
            )
            for pool in spec.pools
        ),
        quotas=_others(spec, told, claims=tuple(claims.values())),
        silence=told.silence,
    )


def _others(spec: ClusterSpec, told: CloudReport, *, claims: Sequence[QuotaClaim]) -> tuple[QuotaFact, ...]:
    """Quotas that belong to no pool: addresses, the VPC, and what is needed once spot pools fall back to on demand."""
    fallbacks = {each.code: each for each in fallback_claims(spec) if each.code}
    facts = [_quota(each, told, every=(*claims, *fallback_claims(spec))) for each in fallbacks.values()]
    told_so = [replace(fact, name=f"{fact.name}, once spot falls back to it") for fact in facts]
    return (*told_so, *(_quota(each, told, every=(each,)) for each in network_claims(spec)))


def _quota(own: QuotaClaim, told: CloudReport, *, every: Iterable[QuotaClaim]) -> QuotaFact:
    """One quota against everything that counts against it."""
    if own.not_needed:
        return QuotaFact(state="not_needed", reason=own.not_needed)
    if own.unknown:
        return QuotaFact(state="unknown", reason=own.unknown)
    needed = sum(each.amount for each in every if each.code == own.code)
    said = told.quotas.get(own.code, UnknownFact(told.silence or "the cloud did not say"))
    if isinstance(said, UnknownFact):
        return QuotaFact(
            state="unknown", code=own.code, name=own.name, unit=own.unit, needed=needed, reason=said.reason
        )
    return QuotaFact(
        state=_enough(said, needed=needed),
        code=own.code,
        name=said.name or own.name,
        unit=own.unit,
        needed=needed,
        limit=said.limit,
        used=said.used,
        reason=_quota_reason(said, needed=needed),
    )


def _enough(said: QuotaReport, *, needed: int) -> Literal["enough", "short", "unknown"]:
    if needed > said.limit:
        return "unknown" if said.grows else "short"
    if needed > said.limit - (said.used or 0):
        return "unknown" if said.own_included else "short"
    return "unknown" if said.used is None else "enough"


def _quota_reason(said: QuotaReport, *, needed: int) -> str:
    if said.grows and needed > said.limit:
        return f"{said.limit} are there now; its autoscaler may add more"
    if said.used is None and needed <= said.limit:
        return "what else runs in the account could not be counted"
    if said.own_included and said.limit - (said.used or 0) < needed <= said.limit:
        return "enough if what is used is this stack's own"
    return ""


def check_offer(pool: Pool, spec: ClusterSpec, *, told: CloudReport) -> OfferedFact:
    """Whether the machine is offered in the pool's zones: in all that it names, else in one of the cluster's."""
    said = told.offers.get(pool.machine, UnknownFact(told.silence or "neither the cloud nor the catalog says"))
    if isinstance(said, UnknownFact):
        return OfferedFact(state="unknown", reason=said.reason)
    wanted = pool.zones or spec.placement.zones
    if not said.offered:
        where = said.reason or f"{spec.placement.region} does not offer {pool.machine}"
        return OfferedFact(state="not_offered", missing=wanted, source=said.source, as_of=said.as_of, reason=where)
    if lacking := _without_efa(pool, said):
        return OfferedFact(state="not_offered", source=said.source, as_of=said.as_of, reason=lacking)
    if wanted and not said.zones:
        reason = f"{spec.placement.region} offers {pool.machine}; in which zones is not known"
        return OfferedFact(state="unknown", source=said.source, as_of=said.as_of, reason=reason)
    found = tuple(zone for zone in wanted if zone in said.zones)
    missing = tuple(zone for zone in wanted if zone not in said.zones)
    if (missing if pool.zones else not found) and wanted:
        what = f"{pool.machine}, and so EFA," if pool.efa_interfaces else pool.machine
        reason = f"{what} is not offered in {', '.join(missing)}, but in {', '.join(said.zones)}"
        return OfferedFact(
            state="not_offered", zones=found, missing=missing, source=said.source, as_of=said.as_of, reason=reason
        )
    return OfferedFact(
        state="offered", zones=found or said.zones, missing=missing, source=said.source, as_of=said.as_of
    )


def _without_efa(pool: Pool, said: OfferReport) -> str:
    """Why the pool's fabric cannot be had; "" where it can, or where that is unknown."""
    if said.efa_interfaces is None or pool.efa_interfaces <= said.efa_interfaces:
        return ""
    has = f"has {said.efa_interfaces}" if said.efa_interfaces else "has no EFA"
    return f"the lock asks for {pool.efa_interfaces} EFA interfaces, and {pool.machine} {has}"


def check_reservation(pool: Pool, spec: ClusterSpec, *, told: CloudReport, id_: str, today: date) -> ReservedFact:
    """Whether the reservation that the stack names for the pool is one of its machine, large and long enough."""
    if not id_:
        if pool.kind != "capacity_block":
            return ReservedFact(state="not_needed")
        hint = f"pulumi config set --path 'atoll:capacityReservations.{pool.name}' cr-..."
        return ReservedFact(state="missing", reason=f"the pool runs in a capacity block and none is named: {hint}")
    said = told.reservations.get(id_, UnknownFact(told.silence or "the cloud did not say"))
    if isinstance(said, UnknownFact):
        return ReservedFact(state="unknown", id=id_, reason=said.reason)
    if said is None:
        return ReservedFact(state="mismatch", id=id_, reason=f"{spec.placement.region} has no reservation {id_}")
    fault = _misfit(pool, said, zones=pool.zones or spec.placement.zones, today=today)
    return ReservedFact(
        state="mismatch" if fault else "reserved",
        id=id_,
        status=said.status,
        machine=said.machine,
        zone=said.zone,
        count=said.count,
        ends=said.ends,
        reason=fault,
    )


def _misfit(pool: Pool, said: ReservationReport, *, zones: Sequence[str], today: date) -> str:
    """The first thing in which a reservation does not fit its pool; "" where it fits."""
    if said.machine != pool.machine:
        return f"it is of {said.machine}, and the pool runs {pool.machine}"
    if said.status not in USABLE:
        return f"its state is {said.status}"
    if said.ends is not None and said.ends < today:
        return f"it ended on {said.ends}"
    if zones and said.zone and said.zone not in zones:
        return f"it is in {said.zone}, and the pool may start in {', '.join(zones)}"
    if said.count < pool.max_nodes:
        return f"it holds {said.count}, and the pool has up to {pool.max_nodes} nodes"
    return ""
