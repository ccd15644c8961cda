"""Which zones a cluster spans, and which one a pool is tied to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from planning.quoting.candidates.candidate import Candidate
    from planning.quoting.candidates.market import Market, Place

# Zones in which EKS places no control plane interface (EKS user guide, "VPC and subnet requirements").
WITHOUT_CONTROL_PLANE: Final = frozenset({"use1-az3", "usw1-az2", "cac1-az3"})
# Clusters that lie in one zone, nodes and all (pulumi-coreweave 1.0.3: a CKS cluster and its VPC share theirs).
IN_ONE_ZONE: Final = frozenset({"coreweave"})
# Clusters whose subnets span the whole region: pools without a fabric start wherever their machine is offered.
ACROSS_ZONES: Final = frozenset({"gcp"})


def cluster_zones(place: Place, *, candidates: Sequence[Candidate], market: Market, wanted: int) -> tuple[str, ...]:
    """Zones of the cluster: first those its accelerators are offered in, then others of the region, `wanted` at least.

    Empty where the catalog knows no zones of the region, or none that sells every machine of a cluster in one zone.
    """
    if place[0] in IN_ONE_ZONE:
        return _zone_of_all(candidates, market)
    region = market.region(place)
    offered = (zone for each in candidates if each.accelerator for zone in _list_offered_zones(each, market)[:1])
    known = region.zones if region else ()
    usable = _distinct(zone for zone in (*offered, *known) if zone not in WITHOUT_CONTROL_PLANE)
    needed = len({_list_offered_zones(each, market)[:1] for each in candidates if each.accelerator})
    return usable[: max(wanted, needed)]


def _zone_of_all(candidates: Sequence[Candidate], market: Market) -> tuple[str, ...]:
    """The first zone in which every machine is offered, those without accelerators too."""
    first, *others = [_list_offered_zones(each, market) for each in candidates] or [()]
    return tuple(zone for zone in first if all(zone in offered for offered in others))[:1]


def pool_zones(each: Candidate, *, joined: bool, zones: tuple[str, ...], market: Market) -> tuple[str, ...]:
    """Zones of one pool: those of the cluster's that offer its machine, one only where its nodes share a fabric.

    In a cluster across zones they are all that offer it, empty where none is known to.
    """
    offered = _list_offered_zones(each, market)
    if each.place[0] in ACROSS_ZONES:
        found = _distinct((*(zone for zone in zones if zone in offered), *offered))
        return found[:1] if joined else found
    usable = tuple(zone for zone in zones if zone in offered) or zones
    return usable[:1] if joined else usable


def _list_offered_zones(each: Candidate, market: Market) -> tuple[str, ...]:
    provider, region = each.place
    found = market.catalog.zones(provider=provider, machine=each.machine.name, region=region)
    return tuple(zone for zone in found if zone not in WITHOUT_CONTROL_PLANE)


def _distinct(zones: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(zones))
