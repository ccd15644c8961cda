"""Which GPU networks a cluster needs: one set for each kind of machine, shared by its pools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes

from components.clouds.gcp.account.names import build_gcp_name
from components.clouds.gcp.nodepools.nodepool import Interface, fabric_of
from planning.values.addresses import fabric_ranges
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from ipaddress import IPv4Network

    from components.clouds.gcp.nodepools.nodepool import GpuNetworkSpec as FabricSpec
    from components.context.placement import PlacementContext
    from planning.spec.cluster import ClusterSpec, Placement, Pool


@dataclass(frozen=True, kw_only=True)
class GpuNetworkArgs:
    """What machines of one kind are joined by.

    Args:
        zone: of all of them; an RDMA network is of one zone.
        ranges: one for each plain network, then one for each RDMA lane.
    """

    placement: Placement
    fabric: FabricSpec
    project: pulumi.Input[str]
    zone: pulumi.Input[str]
    ranges: Sequence[IPv4Network]


@dataclass(frozen=True, kw_only=True)
class Lane:
    """One further network of a node, by the name that pods ask for it.

    Args:
        mode: how a pod gets it: "NetDevice" or "RDMA".
    """

    name: str
    mode: str
    network: pulumi.Output[str]
    subnet: pulumi.Output[str]


@final
class GpuNetwork(pulumi.ComponentResource):
    """VPCs that join nothing but GPUs: no way out, and no rule that lets anything else in.

    Attributes:
        lanes: in the order of the node's network cards.
    """

    lanes: tuple[Lane, ...]

    def __init__(self, name: str, args: GpuNetworkArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts: dict[str, object] = {
            "provider": args.placement.provider,
            "region": args.placement.region,
            "kind": args.fabric.kind,
            "networks": args.fabric.networks,
            "lanes": args.fabric.lanes,
        }
        super().__init__("atoll:network:Fabric", name, facts, opts)
        plain = [_plain(index, args, parent=self) for index in range(args.fabric.networks)]
        self.lanes = (*plain, *(_rdma(args, parent=self) if args.fabric.lanes else ()))
        self.register_outputs({"networks": [lane.name for lane in self.lanes]})

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        return tuple(Interface(network=lane.network, subnet=lane.subnet) for lane in self.lanes)


def _plain(index: int, args: GpuNetworkArgs, *, parent: GpuNetwork) -> Lane:
    name = f"{args.fabric.kind}-{index}"
    network = gcp.compute.Network(
        name,
        name=build_gcp_name(args.placement, name),
        auto_create_subnetworks=False,
        delete_default_routes_on_create=True,
        mtu=args.fabric.mtu,
        opts=pulumi.ResourceOptions(parent=parent),
    )
    subnet = _subnet(name, network, args.ranges[index], args, parent=parent)
    gcp.compute.Firewall(
        name,
        network=network.id,
        direction="INGRESS",
        source_ranges=[str(args.ranges[index])],
        allows=[{"protocol": protocol} for protocol in ("tcp", "udp", "icmp")],
        opts=pulumi.ResourceOptions(parent=parent),
    )
    return Lane(name=name, mode="NetDevice", network=network.name, subnet=subnet.name)


def _rdma(args: GpuNetworkArgs, *, parent: GpuNetwork) -> tuple[Lane, ...]:
    """One network by Google's profile for RDMA over Ethernet; it takes no firewall rule of TCP's kind."""
    profile = pulumi.Output.concat("projects/", args.project, "/global/networkProfiles/", args.zone, "-vpc-roce")
    network = gcp.compute.Network(
        f"{args.fabric.kind}-lanes",
        name=build_gcp_name(args.placement, f"{args.fabric.kind}-lanes"),
        auto_create_subnetworks=False,
        network_profile=profile,
        mtu=args.fabric.mtu,
        opts=pulumi.ResourceOptions(parent=parent),
    )
    names = [f"{args.fabric.kind}-lane-{index}" for index in range(args.fabric.lanes)]
    ranges = args.ranges[args.fabric.networks :]
    return tuple(
        Lane(
            name=name,
            mode="RDMA",
            network=network.name,
            subnet=_subnet(name, network, cidr, args, parent=parent).name,
        )
        for name, cidr in zip(names, ranges, strict=True)
    )


def _subnet(
    name: str, network: gcp.compute.Network, cidr: IPv4Network, args: GpuNetworkArgs, *, parent: GpuNetwork
) -> gcp.compute.Subnetwork:
    return gcp.compute.Subnetwork(
        name,
        name=build_gcp_name(args.placement, name),
        network=network.id,
        region=args.placement.region,
        ip_cidr_range=str(cidr),
        opts=pulumi.ResourceOptions(parent=parent),
    )


@dataclass(frozen=True, kw_only=True)
class LanesArgs:
    """Further networks as the cluster must know them."""

    lanes: Sequence[Lane]


@final
class Lanes(pulumi.ComponentResource):
    """The networks as objects of the cluster, by which GKE hands them to pods."""

    def __init__(self, name: str, args: LanesArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:network:Lanes", name, {"networks": [lane.name for lane in args.lanes]}, opts)
        for lane in args.lanes:
            _announce(lane, parent=self)
        self.register_outputs({})


def _announce(lane: Lane, *, parent: Lanes) -> None:
    """Kinds of networking.gke.io/v1 (Cluster Toolkit at 10470803, modules/scheduler/gke-cluster/templates)."""
    kind = "GKENetworkParamSet"
    known = kubernetes.apiextensions.CustomResource(
        f"{lane.name}-parameters",
        api_version="networking.gke.io/v1",
        kind=kind,
        metadata={"name": lane.name},
        spec={"vpc": lane.network, "vpcSubnet": lane.subnet, "deviceMode": lane.mode},
        opts=pulumi.ResourceOptions(parent=parent),
    )
    kubernetes.apiextensions.CustomResource(
        lane.name,
        api_version="networking.gke.io/v1",
        kind="Network",
        metadata={"name": lane.name},
        spec={
            "type": "Device",
            "parametersRef": {"group": "networking.gke.io", "kind": kind, "name": lane.name},
        },
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[known]),
    )


@dataclass(frozen=True, kw_only=True)
class GpuNetworksArgs:
    """What every set of networks needs.

    Args:
        zones: pool name to its one zone.
    """

    site: PlacementContext
    project: pulumi.Input[str]
    zones: Mapping[str, pulumi.Input[str] | None]


def fabrics(args: GpuNetworksArgs, *, provider: pulumi.ProviderResource) -> dict[str, GpuNetwork]:
    """Fabrics by kind.

    Raises:
        InputError: pools that share a fabric are in different zones, or no range is left for it.
    """
    wanted = _group_pools_by_fabric(args.site.spec)
    ranges = _ranges(args.site.spec, wanted)
    made: dict[str, GpuNetwork] = {}
    first = 0
    for kind, (spec, pools) in wanted.items():
        count = spec.networks + spec.lanes
        inside = GpuNetworkArgs(
            placement=args.site.placement,
            fabric=spec,
            project=args.project,
            zone=_zone(pools, args),
            ranges=ranges[first : first + count],
        )
        made[kind] = GpuNetwork(f"fabric-{kind}", inside, opts=args.site.options(provider=provider))
        first += count
    return made


def interfaces(pool: Pool, made: Mapping[str, GpuNetwork]) -> tuple[Interface, ...]:
    spec = fabric_of(pool)
    return () if spec is None else made[spec.kind].interfaces


def _group_pools_by_fabric(spec: ClusterSpec) -> dict[str, tuple[FabricSpec, list[Pool]]]:
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


def _zone(pools: list[Pool], args: GpuNetworksArgs) -> pulumi.Input[str]:
    zones = [zone for pool in pools if (zone := args.zones[pool.name]) is not None]
    said = {zone for zone in zones if isinstance(zone, str)}
    if len(said) > 1:
        names = ", ".join(pool.name for pool in pools)
        raise InputError(f"pools {names} share a GPU network and are in different zones: {', '.join(sorted(said))}")
    return zones[0]
