"""What a stack was accepted with and its checklist does not say: its zones and the VPN's range outlast a new accept.

Neither is in a checklist, so that a quote chooses both anew; for a cluster that stands, other zones mean other nodes
and other volumes, and another VPN range means another profile for every person.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planning.checklist.model.checklist import networks
from planning.clone.zones import zoned
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ipaddress import IPv4Network

    from planning.checklist.model.checklist import Checklist
    from planning.quoting.candidates.market import Market
    from planning.quoting.quote import Option
    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock


def kept(option: Option, lock: Lock, *, checklist: Checklist, market: Market) -> tuple[Option, tuple[str, ...]]:
    """The option as it is at the place of the lock, and what a person must know of that, in sentences.

    Args:
        lock: what was accepted before. An option at another place keeps nothing of it.
    """
    here, there = option.spec.placement, lock.spec.placement
    notes: list[str] = []
    if _same_place(option.spec, lock.spec) and there.zones and here.zones != there.zones:
        try:
            option = zoned(option, there.zones, checklist=checklist, market=market)
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
        met = _met(was.vpn.cidr, option, checklist)
        if met and was.vpn.cidr != spec.vpn.cidr:
            notes.append(f"the VPN's range moves from {was.vpn.cidr} to {spec.vpn.cidr}: {met} takes its addresses now")
            yield spec
        elif was.vpn.cidr == spec.vpn.cidr:
            yield spec
        else:
            notes.append(f"the VPN's range stays as it was accepted: {was.vpn.cidr}")
            yield spec.model_copy(update={"vpn": spec.vpn.model_copy(update={"cidr": was.vpn.cidr})})


def _met(cidr: IPv4Network, option: Option, checklist: Checklist) -> IPv4Network | None:
    """A network that has an address in common with a VPN range."""
    known = (*networks(checklist), *(each.network.cidr for each in option.placements))
    return next((each for each in known if each.overlaps(cidr)), None)


def _same_place(one: ClusterSpec, other: ClusterSpec) -> bool:
    mine, theirs = one.placement, other.placement
    return (mine.provider, mine.region) == (theirs.provider, theirs.region)
