"""The network of a cluster: the zones that it spans, its VPN gateway, and its tunnel to the main cloud."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.providers import find_traits
from planning.checklist.model.checklist import networks
from planning.quoting.assembly import usage
from planning.spec.cluster import Amounts, Gateway, Link
from planning.values.addresses import free_range

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from planning.checklist.model.checklist import Checklist
    from planning.quoting.candidates.candidate import Candidate
    from planning.quoting.candidates.market import Market, Place
    from planning.spec.cluster import Profile


DISK_GB: Final = 10  # Amazon Linux 2023 asks for 8, Debian for 10
PORT: Final = 51820  # the one in WireGuard's own examples (wireguard.com/quickstart)


def gateway(checklist: Checklist, *, target: str, profile: Profile) -> Gateway | None:
    """The WireGuard gateway; None where no VPN is wanted, or where the provider's cluster cannot hold one."""
    cidr = free_range(networks(checklist))
    if not checklist.access.vpn or cidr is None or "vpn" in profile.forbidden:
        return None
    # On a cloud whose network is ours a machine of its own: it is there before the private API that it leads to.
    machine = find_traits(target).vpn_machine
    if not machine and "load_balancer" in profile.forbidden:
        return None
    return Gateway(
        kind="machine" if machine else "in_cluster",
        machine=machine,
        disk_gb=DISK_GB if machine else 0,
        port=PORT,
        cidr=cidr,
    )


def link(checklist: Checklist, *, place: Place) -> Link | None:
    """The tunnel to the main cloud from a cluster whose network is not ours, so that no VPC peering reaches it.

    Clouds whose network is ours peer with their own kind; between two of them nothing is built, and the option says so.
    """
    main, ours = checklist.main_cloud, find_traits(place[0]).vpn_machine != "" and checklist.where.existing is None
    if main is None or main.vpc_id is None or main.vpc_cidr is None or ours:
        return None
    return Link(
        provider=main.provider,
        region=main.region,
        vpc_id=main.vpc_id,
        vpc_cidr=main.vpc_cidr,
        account=main.account,
        route_table_ids=main.route_table_ids,
        gb_per_month=Amounts.of(usage.peering(checklist)),
    )


# Zones in which EKS places no control plane interface (EKS user guide, "VPC and subnet requirements").
WITHOUT_CONTROL_PLANE: Final = frozenset({"use1-az3", "usw1-az2", "cac1-az3"})


def cluster_zones(place: Place, *, candidates: Sequence[Candidate], market: Market, wanted: int) -> tuple[str, ...]:
    """Zones of the cluster: first those its accelerators are offered in, then others of the region, `wanted` at least.

    Empty where the catalog knows no zones of the region, or none that sells every machine of a cluster in one zone.
    """
    if find_traits(place[0]).zone_span == "one":
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
    if find_traits(each.place[0]).zone_span == "region":
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
