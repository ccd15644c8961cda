"""Keeps a stack's zones and VPN range over a new acceptance.

Neither is in a checklist, so that a quote chooses both anew; for a cluster that exists, other zones mean other nodes
and volumes, and another VPN range means another profile for every person.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from catalogs.providers import find_traits
from planning.ceilings.verdict import judge
from planning.checklist.model.checklist import networks
from planning.inputs.faults import nearest
from planning.quoting.assembly.cluster import FEWEST_ZONES, SLO_ZONES
from planning.quoting.assembly.network import WITHOUT_CONTROL_PLANE
from planning.quoting.option import ceilings, whole_bill
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from ipaddress import IPv4Network

    from planning.checklist.model.checklist import Checklist
    from planning.quoting.candidates.market import Market
    from planning.quoting.quote import Option
    from planning.spec.cluster import ClusterSpec, Pool
    from planning.spec.lock import Lock


MOST_ZONES: Final = 3  # `planning.checklist.rules.network`: a range is cut for three


def refuse_zones(zones: Sequence[str], *, known: Sequence[str], place: str, provider: str) -> None:
    """Refuse zones that a cluster cannot be in.

    Raises:
        InputError: no such zone, too few, too many, one twice, or one without a control plane.
    """
    if not known:
        raise InputError(f"the zones of {place} are not known here", hint="leave --zones out")
    if strange := [each for each in zones if each not in known]:
        near = nearest(strange[0], known)
        hint = f'did you mean "{near}"?' if near else ""
        raise InputError(f'{place} has no zone "{strange[0]}"; it has {", ".join(known)}', hint=hint)
    if barred := [each for each in zones if each in WITHOUT_CONTROL_PLANE]:
        raise InputError(f"{barred[0]} takes no control plane of a cluster", hint="choose another zone of the region")
    in_one_zone = find_traits(provider).zone_span == "one"
    fewest = 1 if in_one_zone else FEWEST_ZONES
    most = 1 if in_one_zone else MOST_ZONES
    if len(set(zones)) != len(zones) or not fewest <= len(zones) <= most:
        count = "one zone" if fewest == most else f"{fewest} or {most} different zones"
        raise InputError(f"a cluster at {place} spans {count}, not {', '.join(zones)}")


def with_zones(option: Option, zones: tuple[str, ...], *, checklist: Checklist, market: Market) -> Option:
    """Move an option's primary placement to other zones, with its bill and verdict.

    Raises:
        InputError: a machine of the option is not offered in any of them.
    """
    home = _cluster_with_zones(option.spec, zones, checklist=checklist, market=market)
    placements = (home, *option.placements[1:])
    bill = whole_bill(placements, market)
    most_expensive = max(
        (each.usd_per_gpu_hour for each in option.worth if each.usd_per_gpu_hour is not None), default=None
    )
    judgement = judge(
        bill, ceilings(checklist), contract_months=checklist.contract.months, usd_per_gpu_hour=most_expensive
    )
    return replace(option, placements=placements, bill=bill, judgement=judgement)


def _cluster_with_zones(
    spec: ClusterSpec, zones: tuple[str, ...], *, checklist: Checklist, market: Market
) -> ClusterSpec:
    count = max(len(zones), FEWEST_ZONES)
    if checklist.slo_percent is not None and count < SLO_ZONES:
        raise InputError(f"slo_percent asks for {SLO_ZONES} zones, and --zones names {len(zones)}")
    gateways = count if checklist.slo_percent is not None else spec.network.nat_gateways
    pools = tuple(_pool(each, zones, spec=spec, market=market) for each in spec.pools)
    return spec.model_copy(
        update={
            "placement": spec.placement.model_copy(update={"zones": zones}),
            "network": spec.network.model_copy(update={"zone_count": count, "nat_gateways": gateways}),
            "pools": pools,
        }
    )


def _pool(pool: Pool, zones: tuple[str, ...], *, spec: ClusterSpec, market: Market) -> Pool:
    place = spec.placement
    offered = market.catalog.zones(provider=place.provider, machine=pool.machine, region=place.region)
    usable = tuple(each for each in zones if each in offered) if offered else zones
    if not usable:
        raise InputError(
            f"{pool.machine} of pool {pool.name} is offered in {', '.join(offered)}, not in {', '.join(zones)}",
            hint=f"name one of them in --zones, or another option with --option; the region is {place.region}",
        )
    if not pool.zones:
        return pool
    one = len(pool.zones) == 1 and len(spec.placement.zones) > 1
    return pool.model_copy(update={"zones": usable[:1] if one else usable})


def carry_over_lock(
    option: Option, lock: Lock, *, checklist: Checklist, market: Market
) -> tuple[Option, tuple[str, ...]]:
    """Keep zones and VPN ranges of the earlier lock, and return notes on them.

    Args:
        lock: accepted before. An option at another place keeps nothing of it.
    """
    here, there = option.spec.placement, lock.spec.placement
    notes: list[str] = []
    if _same_place(option.spec, lock.spec) and there.zones and here.zones != there.zones:
        try:
            option = with_zones(option, there.zones, checklist=checklist, market=market)
        except InputError as error:
            moved = f"zones move from {', '.join(there.zones)} to {', '.join(here.zones) or 'the first available'}"
            notes.append(f"{moved}: {error}")
        else:
            notes.append(f"zones stay as they were accepted: {', '.join(there.zones)}")
    return replace(option, placements=tuple(_with_vpn(option, lock, checklist, notes))), tuple(notes)


def _with_vpn(option: Option, lock: Lock, checklist: Checklist, notes: list[str]) -> Iterator[ClusterSpec]:
    before = {spec.placement.name: spec for spec in lock.placements}
    for spec in option.placements:
        was = before.get(spec.placement.name)
        if was is None or was.vpn is None or spec.vpn is None or not _same_place(spec, was):
            yield spec
            continue
        met = _find_overlap(was.vpn.cidr, option, checklist)
        if met and was.vpn.cidr != spec.vpn.cidr:
            notes.append(f"the VPN's range moves from {was.vpn.cidr} to {spec.vpn.cidr}: {met} takes its addresses now")
            yield spec
        elif was.vpn.cidr == spec.vpn.cidr:
            yield spec
        else:
            notes.append(f"the VPN's range stays as it was accepted: {was.vpn.cidr}")
            yield spec.model_copy(update={"vpn": spec.vpn.model_copy(update={"cidr": was.vpn.cidr})})


def _find_overlap(cidr: IPv4Network, option: Option, checklist: Checklist) -> IPv4Network | None:
    """A network that has an address in common with a VPN range."""
    known = (*networks(checklist), *(each.network.cidr for each in option.placements))
    return next((each for each in known if each.overlaps(cidr)), None)


def _same_place(one: ClusterSpec, other: ClusterSpec) -> bool:
    mine, theirs = one.placement, other.placement
    return (mine.provider, mine.region) == (theirs.provider, theirs.region)
