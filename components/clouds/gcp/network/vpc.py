"""The network on Google Cloud: one VPC, one subnet for nodes, pods and services, and Cloud NAT as the way out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import build_gcp_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ipaddress import IPv4Network

    from planning.spec.cluster import Placement
    from planning.values.addresses import GkeRanges

PODS: Final = "pods"
SERVICES: Final = "services"
MTU: Final = 8896  # the largest of a VPC (docs.cloud.google.com/vpc/docs/mtu)
FLOW_SHARE: Final = 0.1  # of the flows; enough to see who talks to whom, a tenth of the volume
NAT_PORTS: Final = 64


@dataclass(frozen=True, kw_only=True)
class VpcArgs:
    """Where the network is, what it spans, and the declared charges of its traffic.

    Args:
        addresses: public addresses of Cloud NAT, so that others can name this cluster in their own rules.
        managed: whether services that Google runs in a network of its own (Lustre, Filestore) are joined to it.
        called_back: TCP ports of the nodes that such services call.
    """

    placement: Placement
    cidr: IPv4Network
    ranges: GkeRanges
    addresses: int
    managed: bool
    called_back: Sequence[str]
    charges: Sequence[dict[str, object]]


@final
class Vpc(pulumi.ComponentResource):
    """A VPC without any rule but its own: what no rule allows, Google Cloud refuses.

    Attributes:
        id: "projects/../networks/..".
        managed: what managed services wait for; None where there are none.
    """

    id: pulumi.Output[str]
    name: pulumi.Output[str]
    subnet_id: pulumi.Output[str]
    managed: pulumi.Resource | None
    managed_range: pulumi.Output[str] | None

    def __init__(self, name: str, args: VpcArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:network:Network", name, _facts(args), opts)
        vpc = _vpc(args, parent=self)
        subnet = _subnet(vpc, args, parent=self)
        _way_out(vpc, args, parent=self)
        _inside(vpc, args, parent=self)
        self.managed, self.managed_range = (
            _register_private_services_access(vpc, args, parent=self) if args.managed else (None, None)
        )
        self.id, self.name, self.subnet_id = vpc.id, vpc.name, subnet.id
        self.register_outputs({"id": self.id, "subnetId": self.subnet_id})


def _facts(args: VpcArgs) -> dict[str, object]:
    return {
        "provider": args.placement.provider,
        "region": args.placement.region,
        "cidr": str(args.cidr),
        "charges": list(args.charges),
    }


def _vpc(args: VpcArgs, *, parent: Vpc) -> gcp.compute.Network:
    return gcp.compute.Network(
        "vpc",
        name=build_gcp_name(args.placement),
        auto_create_subnetworks=False,
        routing_mode="REGIONAL",
        mtu=MTU,
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _subnet(vpc: gcp.compute.Network, args: VpcArgs, *, parent: Vpc) -> gcp.compute.Subnetwork:
    """One subnet spans every zone of the region; Google's own APIs are reached inside it."""
    return gcp.compute.Subnetwork(
        "nodes",
        name=build_gcp_name(args.placement, "nodes"),
        network=vpc.id,
        region=args.placement.region,
        ip_cidr_range=str(args.ranges.nodes),
        secondary_ip_ranges=[
            {"range_name": PODS, "ip_cidr_range": str(args.ranges.pods)},
            {"range_name": SERVICES, "ip_cidr_range": str(args.ranges.kubernetes_services)},
        ],
        private_ip_google_access=True,
        log_config={
            "aggregation_interval": "INTERVAL_10_MIN",
            "flow_sampling": FLOW_SHARE,
            "metadata": "EXCLUDE_ALL_METADATA",
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _way_out(vpc: gcp.compute.Network, args: VpcArgs, *, parent: Vpc) -> None:
    """Cloud NAT: nodes have no public address. Without addresses there is no way out."""
    if args.addresses == 0:
        return
    opts = pulumi.ResourceOptions(parent=parent)
    region = args.placement.region
    router = gcp.compute.Router("router", network=vpc.id, region=region, opts=opts)
    addresses = [
        gcp.compute.Address(f"nat-{index}", region=region, address_type="EXTERNAL", opts=opts)
        for index in range(args.addresses)
    ]
    gcp.compute.RouterNat(
        "nat",
        router=router.name,
        region=region,
        nat_ip_allocate_option="MANUAL_ONLY",
        nat_ips=[address.self_link for address in addresses],
        source_subnetwork_ip_ranges_to_nat="ALL_SUBNETWORKS_ALL_IP_RANGES",
        enable_dynamic_port_allocation=True,
        enable_endpoint_independent_mapping=False,
        min_ports_per_vm=NAT_PORTS,
        log_config={"enable": True, "filter": "ERRORS_ONLY"},
        opts=opts,
    )


def _inside(vpc: gcp.compute.Network, args: VpcArgs, *, parent: Vpc) -> None:
    """Nodes and pods talk to each other, managed services call back; what no rule allows, every VPC refuses.

    GKE's own rule lets the control plane reach ports 443 and 10250 of the nodes and no other, and admission webhooks
    listen where they like (cloud.google.com/service-mesh/docs/private-cluster-open-port).
    """
    gcp.compute.Firewall(
        "inside",
        network=vpc.id,
        direction="INGRESS",
        source_ranges=[str(args.ranges.nodes), str(args.ranges.pods)],
        allows=[{"protocol": protocol} for protocol in ("tcp", "udp", "icmp")],
        opts=pulumi.ResourceOptions(parent=parent),
    )
    gcp.compute.Firewall(
        "control-plane",
        network=vpc.id,
        direction="INGRESS",
        source_ranges=[str(args.ranges.control_plane)],
        allows=[{"protocol": "tcp"}],
        opts=pulumi.ResourceOptions(parent=parent),
    )
    if args.called_back:
        gcp.compute.Firewall(
            "managed",
            network=vpc.id,
            direction="INGRESS",
            source_ranges=[str(args.ranges.services)],
            allows=[{"protocol": "tcp", "ports": list(args.called_back)}],
            opts=pulumi.ResourceOptions(parent=parent),
        )


def _register_private_services_access(
    vpc: gcp.compute.Network, args: VpcArgs, *, parent: Vpc
) -> tuple[pulumi.Resource, pulumi.Output[str]]:
    """The range that services of Google's own network get, and the peering through which they are reached."""
    opts = pulumi.ResourceOptions(parent=parent)
    taken = gcp.compute.GlobalAddress(
        "managed",
        purpose="VPC_PEERING",
        address_type="INTERNAL",
        address=str(args.ranges.services.network_address),
        prefix_length=args.ranges.services.prefixlen,
        network=vpc.id,
        opts=opts,
    )
    joined = gcp.servicenetworking.Connection(
        "managed",
        network=vpc.id,
        service="servicenetworking.googleapis.com",
        reserved_peering_ranges=[taken.name],
        opts=opts,
    )
    return joined, taken.name
