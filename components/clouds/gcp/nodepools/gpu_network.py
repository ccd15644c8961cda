"""Networks between GPUs on Google Cloud: plain ones for GPUDirect over TCP, one with RDMA lanes for A3 Ultra and A4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes

from components.clouds.gcp.account.names import shown
from components.clouds.gcp.nodepools.nodepool import Interface

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ipaddress import IPv4Network

    from components.clouds.gcp.nodepools.machines import Fabric as FabricSpec
    from planning.spec.cluster import Placement


@dataclass(frozen=True, kw_only=True)
class FabricArgs:
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
class Fabric(pulumi.ComponentResource):
    """VPCs that join nothing but GPUs: no way out, and no rule that lets anything else in.

    Attributes:
        lanes: in the order of the node's network cards.
    """

    lanes: tuple[Lane, ...]

    def __init__(self, name: str, args: FabricArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
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
        """What a node pool is given."""
        return tuple(Interface(network=lane.network, subnet=lane.subnet) for lane in self.lanes)


def _plain(index: int, args: FabricArgs, *, parent: Fabric) -> Lane:
    name = f"{args.fabric.kind}-{index}"
    network = gcp.compute.Network(
        name,
        name=shown(args.placement, name),
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


def _rdma(args: FabricArgs, *, parent: Fabric) -> tuple[Lane, ...]:
    """One network by Google's profile for RDMA over Ethernet; it takes no firewall rule of TCP's kind."""
    profile = pulumi.Output.concat("projects/", args.project, "/global/networkProfiles/", args.zone, "-vpc-roce")
    network = gcp.compute.Network(
        f"{args.fabric.kind}-lanes",
        name=shown(args.placement, f"{args.fabric.kind}-lanes"),
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
    name: str, network: gcp.compute.Network, cidr: IPv4Network, args: FabricArgs, *, parent: Fabric
) -> gcp.compute.Subnetwork:
    return gcp.compute.Subnetwork(
        name,
        name=shown(args.placement, name),
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
