"""The network on Google Cloud: one VPC, one subnet for nodes, pods and services, Cloud NAT; DNS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import LUSTRE_PORTS, build_gcp_name, labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.context.placement import PlacementContext
    from planning.values.addresses import GkeRanges

PODS: Final = "pods"
SERVICES: Final = "services"
MTU: Final = 8896  # the largest of a VPC (docs.cloud.google.com/vpc/docs/mtu)
FLOW_SHARE: Final = 0.1  # of the flows: shows which peers communicate, at a tenth of the volume
NAT_PORTS: Final = 64


@final
class Vpc(pulumi.ComponentResource):
    """A VPC with explicit firewall rules only: Google Cloud refuses everything else.

    Attributes:
        id: "projects/../networks/..".
        managed: managed services wait for it; None without them.
    """

    id: pulumi.Output[str]
    name: pulumi.Output[str]
    subnet_id: pulumi.Output[str]
    managed: pulumi.Resource | None
    managed_range: pulumi.Output[str] | None

    def __init__(
        self,
        name: str,
        site: PlacementContext,
        ranges: GkeRanges,
        *,
        managed: bool,
        lustre: bool,
        opts: pulumi.ResourceOptions,
    ) -> None:
        """Registers the network.

        Args:
            managed: whether services in Google's own network (Lustre, Filestore) are connected to it.
            lustre: whether Lustre servers connect back to their clients.
        """
        network, placement = site.spec.network, site.placement
        facts = site.describe(cidr=str(network.cidr), charges=site.ledger.claim("network"))
        super().__init__("atoll:network:Network", name, facts, opts)
        vpc = gcp.compute.Network(
            "vpc",
            name=build_gcp_name(placement),
            auto_create_subnetworks=False,
            routing_mode="REGIONAL",
            mtu=MTU,
            opts=pulumi.ResourceOptions(parent=self),
        )
        subnet = _create_subnet(vpc, site, ranges, parent=self)
        _create_nat(vpc, addresses=network.nat_gateways, region=placement.region, parent=self)
        _allow_inside(vpc, ranges, called_back=LUSTRE_PORTS if lustre else (), parent=self)
        self.managed, self.managed_range = (
            _register_private_services_access(vpc, ranges, parent=self) if managed else (None, None)
        )
        self.id, self.name, self.subnet_id = vpc.id, vpc.name, subnet.id
        self.register_outputs({"id": self.id, "subnetId": self.subnet_id})


def _create_subnet(
    vpc: gcp.compute.Network, site: PlacementContext, ranges: GkeRanges, *, parent: Vpc
) -> gcp.compute.Subnetwork:
    """One subnet over every zone of the region, with private access to Google's APIs."""
    return gcp.compute.Subnetwork(
        "nodes",
        name=build_gcp_name(site.placement, "nodes"),
        network=vpc.id,
        region=site.placement.region,
        ip_cidr_range=str(ranges.nodes),
        secondary_ip_ranges=[
            {"range_name": PODS, "ip_cidr_range": str(ranges.pods)},
            {"range_name": SERVICES, "ip_cidr_range": str(ranges.kubernetes_services)},
        ],
        private_ip_google_access=True,
        log_config={
            "aggregation_interval": "INTERVAL_10_MIN",
            "flow_sampling": FLOW_SHARE,
            "metadata": "EXCLUDE_ALL_METADATA",
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _create_nat(vpc: gcp.compute.Network, *, addresses: int, region: str, parent: Vpc) -> None:
    """Cloud NAT with fixed addresses; without addresses there is no egress."""
    if addresses == 0:
        return
    opts = pulumi.ResourceOptions(parent=parent)
    router = gcp.compute.Router("router", network=vpc.id, region=region, opts=opts)
    public = [
        gcp.compute.Address(f"nat-{index}", region=region, address_type="EXTERNAL", opts=opts)
        for index in range(addresses)
    ]
    gcp.compute.RouterNat(
        "nat",
        router=router.name,
        region=region,
        # Fixed addresses, so that others can allow this cluster.
        nat_ip_allocate_option="MANUAL_ONLY",
        nat_ips=[address.self_link for address in public],
        source_subnetwork_ip_ranges_to_nat="ALL_SUBNETWORKS_ALL_IP_RANGES",
        enable_dynamic_port_allocation=True,
        # Google Cloud allows dynamic ports only without it.
        enable_endpoint_independent_mapping=False,
        min_ports_per_vm=NAT_PORTS,
        log_config={"enable": True, "filter": "ERRORS_ONLY"},
        opts=opts,
    )


def _allow_inside(vpc: gcp.compute.Network, ranges: GkeRanges, *, called_back: Sequence[str], parent: Vpc) -> None:
    """Traffic between nodes and pods, and from managed services back to their clients.

    GKE's own rule admits the control plane only to ports 443 and 10250 of the nodes, but admission webhooks listen on
    any port (cloud.google.com/service-mesh/docs/private-cluster-open-port).
    """
    every: list[gcp.compute.FirewallAllowArgsDict] = [{"protocol": protocol} for protocol in ("tcp", "udp", "icmp")]
    sources = {"inside": ([ranges.nodes, ranges.pods], every)}
    sources["control-plane"] = ([ranges.control_plane], [{"protocol": "tcp"}])
    if called_back:
        sources["managed"] = ([ranges.services], [{"protocol": "tcp", "ports": list(called_back)}])
    for name, (cidrs, allows) in sources.items():
        gcp.compute.Firewall(
            name,
            network=vpc.id,
            direction="INGRESS",
            source_ranges=[str(cidr) for cidr in cidrs],
            allows=allows,
            opts=pulumi.ResourceOptions(parent=parent),
        )


def _register_private_services_access(
    vpc: gcp.compute.Network, ranges: GkeRanges, *, parent: Vpc
) -> tuple[pulumi.Resource, pulumi.Output[str]]:
    """The range of services in Google's own network, and the peering with it."""
    opts = pulumi.ResourceOptions(parent=parent)
    taken = gcp.compute.GlobalAddress(
        "managed",
        purpose="VPC_PEERING",
        address_type="INTERNAL",
        address=str(ranges.services.network_address),
        prefix_length=ranges.services.prefixlen,
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


@final
class DnsZone(pulumi.ComponentResource):
    """A public zone with DNSSEC, which validates certificates; its addresses may be private.

    Attributes:
        zone_id: name of the zone at Google Cloud.
        name_servers: for the delegation by the parent domain.
    """

    zone_id: pulumi.Output[str]
    name_servers: pulumi.Output[Sequence[str]]

    def __init__(self, name: str, site: PlacementContext, *, opts: pulumi.ResourceOptions) -> None:
        domain = site.spec.network.domain
        super().__init__("atoll:network:Domain", name, site.describe(domain=domain), opts)
        zone = gcp.dns.ManagedZone(
            "zone",
            name=build_gcp_name(site.placement, "zone"),
            dns_name=f"{domain}.",
            description="Services of the Atoll cluster",
            visibility="public",
            dnssec_config={"state": "on"},
            force_destroy=False,
            labels=labels(site.spec),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.zone_id = zone.name
        self.name_servers = zone.name_servers
        self.register_outputs({"zoneId": self.zone_id, "nameServers": self.name_servers})
