"""Which GPU networks a cluster needs: one set for each kind of machine, shared by its pools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from components.clouds.gcp.nodepools.gpu_network import Fabric, FabricArgs
from components.clouds.gcp.nodepools.machines import fabric_of
from planning.values.errors import InputError
from planning.values.gke_ranges import fabric_ranges

if TYPE_CHECKING:
    from collections.abc import Mapping
    from ipaddress import IPv4Network

    import pulumi

    from components.clouds.gcp.nodepools.machines import Fabric as FabricSpec
    from components.clouds.gcp.nodepools.nodepool import Interface
    from components.context.placement import Site
    from planning.spec.cluster import ClusterSpec, Pool


@dataclass(frozen=True, kw_only=True)
class FabricsArgs:
    """What every set of networks needs.

    Args:
        zones: pool name to its one zone.
    """

    site: Site
    project: pulumi.Input[str]
    zones: Mapping[str, pulumi.Input[str] | None]


def fabrics(args: FabricsArgs, *, provider: pulumi.ProviderResource) -> dict[str, Fabric]:
    """Fabrics by kind.

    Raises:
        InputError: pools that share a fabric are in different zones, or no range is left for it.
    """
    wanted = _wanted(args.site.spec)
    ranges = _ranges(args.site.spec, wanted)
    made: dict[str, Fabric] = {}
    first = 0
    for kind, (spec, pools) in wanted.items():
        count = spec.networks + spec.lanes
        inside = FabricArgs(
            placement=args.site.placement,
            fabric=spec,
            project=args.project,
            zone=_zone(pools, args),
            ranges=ranges[first : first + count],
        )
        made[kind] = Fabric(f"fabric-{kind}", inside, opts=args.site.options(provider=provider))
        first += count
    return made


def interfaces(pool: Pool, made: Mapping[str, Fabric]) -> tuple[Interface, ...]:
    """The further networks of a pool's nodes."""
    spec = fabric_of(pool)
    return () if spec is None else made[spec.kind].interfaces


def _wanted(spec: ClusterSpec) -> dict[str, tuple[FabricSpec, list[Pool]]]:
    found: dict[str, tuple[FabricSpec, list[Pool]]] = {}
    for pool in spec.pools:
        fabric = fabric_of(pool)
        if fabric is not None:
            found.setdefault(fabric.kind, (fabric, []))[1].append(pool)
    return found


def _ranges(spec: ClusterSpec, wanted: Mapping[str, tuple[FabricSpec, list[Pool]]]) -> tuple[IPv4Network, ...]:
    """Beside the cluster's own range, the peered network's and the VPN's."""
    peer = spec.network.peering.vpc_cidr if spec.network.peering else None
    others = [peer, spec.vpn.cidr if spec.vpn else None, spec.network.link.vpc_cidr if spec.network.link else None]
    taken = [spec.network.cidr, *(cidr for cidr in others if cidr is not None)]
    count = sum(fabric.networks + fabric.lanes for fabric, _ in wanted.values())
    try:
        return fabric_ranges(count, taken=taken) if count else ()
    except ValueError as error:
        raise InputError(str(error), hint="choose another where.cidr in the checklist") from error


def _zone(pools: list[Pool], args: FabricsArgs) -> pulumi.Input[str]:
    zones = [zone for pool in pools if (zone := args.zones[pool.name]) is not None]
    said = {zone for zone in zones if isinstance(zone, str)}
    if len(said) > 1:
        names = ", ".join(pool.name for pool in pools)
        raise InputError(f"pools {names} share a GPU network and are in different zones: {', '.join(sorted(said))}")
    return zones[0]
