"""Networks between the GPUs of several nodes: one set for each machine type, shared by its pools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes

from components.clouds.gcp.account.names import build_gcp_name
from components.clouds.gcp.cluster.machines import fabric_of
from components.clouds.gcp.nodepools.nodepool import Interface
from planning.values.addresses import fabric_ranges
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ipaddress import IPv4Network

    from components.clouds.gcp.cluster.context import ClusterContext
    from components.clouds.gcp.cluster.machines import GpuNetworkSpec
    from planning.spec.cluster import ClusterSpec, Pool


@dataclass(frozen=True, kw_only=True)
class Lane:
    """An additional network of a node, by the name that pods request; `mode` is "NetDevice" or "RDMA"."""

    name: str
    mode: str
    network: pulumi.Output[str]
    subnet: pulumi.Output[str]


@final
class GpuNetwork(pulumi.ComponentResource):
    """VPCs between GPUs only: no egress, and no ingress from other networks.

    Attributes:
        lanes: in the order of the node's network cards.
    """

    lanes: tuple[Lane, ...]

    def __init__(
        self,
        name: str,
        fabric: GpuNetworkSpec,
        here: ClusterContext,
        *,
        zone: pulumi.Input[str],
        ranges: Sequence[IPv4Network],
    ) -> None:
        """An RDMA network is in one `zone`; `ranges` are for the plain networks, then for the RDMA lanes."""
        facts = here.site.describe(kind=fabric.kind, networks=fabric.networks, lanes=fabric.lanes)
        super().__init__("atoll:network:Fabric", name, facts, here.options())
        plain = [self._create_plain(index, fabric, here, ranges[index]) for index in range(fabric.networks)]
        rest = ranges[fabric.networks :]
        self.lanes = (*plain, *(self._create_rdma(fabric, here, zone=zone, ranges=rest) if fabric.lanes else ()))
        self.register_outputs({"networks": [lane.name for lane in self.lanes]})

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        return tuple(Interface(network=lane.network, subnet=lane.subnet) for lane in self.lanes)

    def _create_plain(self, index: int, fabric: GpuNetworkSpec, here: ClusterContext, cidr: IPv4Network) -> Lane:
        name = f"{fabric.kind}-{index}"
        network = gcp.compute.Network(
            name,
            name=build_gcp_name(here.site.placement, name),
            auto_create_subnetworks=False,
            delete_default_routes_on_create=True,
            mtu=fabric.mtu,
            opts=pulumi.ResourceOptions(parent=self),
        )
        subnet = self._create_subnet(name, network, cidr, here)
        gcp.compute.Firewall(
            name,
            network=network.id,
            direction="INGRESS",
            source_ranges=[str(cidr)],
            allows=[{"protocol": protocol} for protocol in ("tcp", "udp", "icmp")],
            opts=pulumi.ResourceOptions(parent=self),
        )
        return Lane(name=name, mode="NetDevice", network=network.name, subnet=subnet.name)

    def _create_rdma(
        self, fabric: GpuNetworkSpec, here: ClusterContext, *, zone: pulumi.Input[str], ranges: Sequence[IPv4Network]
    ) -> tuple[Lane, ...]:
        """One network with Google's profile for RDMA over Ethernet; TCP firewall rules do not apply to it."""
        profile = pulumi.Output.concat("projects/", here.project, "/global/networkProfiles/", zone, "-vpc-roce")
        network = gcp.compute.Network(
            f"{fabric.kind}-lanes",
            name=build_gcp_name(here.site.placement, f"{fabric.kind}-lanes"),
            auto_create_subnetworks=False,
            network_profile=profile,
            mtu=fabric.mtu,
            opts=pulumi.ResourceOptions(parent=self),
        )
        names = [f"{fabric.kind}-lane-{index}" for index in range(fabric.lanes)]
        return tuple(
            Lane(
                name=name,
                mode="RDMA",
                network=network.name,
                subnet=self._create_subnet(name, network, cidr, here).name,
            )
            for name, cidr in zip(names, ranges, strict=True)
        )

    def _create_subnet(
        self, name: str, network: gcp.compute.Network, cidr: IPv4Network, here: ClusterContext
    ) -> gcp.compute.Subnetwork:
        return gcp.compute.Subnetwork(
            name,
            name=build_gcp_name(here.site.placement, name),
            network=network.id,
            region=here.site.placement.region,
            ip_cidr_range=str(cidr),
            opts=pulumi.ResourceOptions(parent=self),
        )


@final
class Lanes(pulumi.ComponentResource):
    """The networks as objects of the cluster, so that pods can request them."""

    def __init__(self, name: str, lanes: Sequence[Lane], *, opts: pulumi.ResourceOptions) -> None:
        super().__init__("atoll:network:Lanes", name, {"networks": [lane.name for lane in lanes]}, opts)
        for lane in lanes:
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


def register_gpu_networks(here: ClusterContext) -> dict[str, GpuNetwork]:
    """Sets of networks by kind.

    Raises:
        InputError: pools that share a fabric are in different zones, or no range is left for it.
    """
    wanted: dict[str, tuple[GpuNetworkSpec, list[Pool]]] = {}
    for pool in here.spec.pools:
        fabric = fabric_of(pool)
        if fabric is not None:
            wanted.setdefault(fabric.kind, (fabric, []))[1].append(pool)
    ranges = _find_ranges(here.spec, count=sum(fabric.networks + fabric.lanes for fabric, _ in wanted.values()))
    found: dict[str, GpuNetwork] = {}
    first = 0
    for kind, (fabric, pools) in wanted.items():
        last = first + fabric.networks + fabric.lanes
        zone = _find_common_zone(pools, here)
        found[kind] = GpuNetwork(f"fabric-{kind}", fabric, here, zone=zone, ranges=ranges[first:last])
        first = last
    return found


def _find_ranges(spec: ClusterSpec, *, count: int) -> tuple[IPv4Network, ...]:
    """Ranges outside the cluster's, the peered network's, the VPN's and the tunnel's."""
    peer = spec.network.peering.vpc_cidr if spec.network.peering else None
    others = [peer, spec.vpn.cidr if spec.vpn else None, spec.network.link.vpc_cidr if spec.network.link else None]
    taken = [spec.network.cidr, *(cidr for cidr in others if cidr is not None)]
    try:
        return fabric_ranges(count, taken=taken) if count else ()
    except ValueError as error:
        raise InputError(str(error), hint="choose another where.cidr in the checklist") from error


def _find_common_zone(pools: list[Pool], here: ClusterContext) -> pulumi.Input[str]:
    zones = [zone for pool in pools if (zone := here.zones[pool.name]) is not None]
    named = {zone for zone in zones if isinstance(zone, str)}
    if len(named) > 1:
        names = ", ".join(pool.name for pool in pools)
        raise InputError(f"pools {names} share a GPU network and are in different zones: {', '.join(sorted(named))}")
    return zones[0]
