"""Connection to the customer's own VPC on AWS: VPC peering, or AWS's end of a site-to-site VPN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.connectivity.tunnel import Tunnel
from components.context.naming import build_physical_name, tags
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.clouds.aws.network.vpc import Vpc
    from components.connectivity.tunnel import MainSideArgs
    from components.context.placement import PlacementContext
    from planning.spec.cluster import Peering as PeeringSpec

# The strongest options of AWS (VPN tunnel options, docs.aws.amazon.com/vpn/latest/s2svpn/VPNTunnels.html).
CIPHERS: Final = ("AES256-GCM-16",)
HASHES: Final = ("SHA2-384",)
GROUPS: Final = (20,)  # elliptic curve of 384 bits
VERSIONS: Final = ("ikev2",)


@final
class VpcPeering(pulumi.ComponentResource):
    """A peering connection with routes both ways; within one account it is accepted here, else by the customer.

    A lock without an account, or with route tables, means this account, since only its tables can be edited.

    Raises:
        InputError: the range of the peered VPC is unknown, or overlaps the cluster's.

    Attributes:
        id: for the customer, who may have to accept it.
    """

    id: pulumi.Output[str]
    accepted: bool

    def __init__(
        self, name: str, peering: PeeringSpec, *, site: PlacementContext, network: Vpc, opts: pulumi.ResourceOptions
    ) -> None:
        super().__init__("atoll:network:Peering", name, site.describe(peer=peering.vpc_id), opts)
        cidr, inside = site.spec.network.cidr, pulumi.ResourceOptions(parent=self)
        if peering.vpc_cidr is None:
            raise InputError(
                "the range of the peered VPC is not known, so nothing can be routed to it",
                hint="say main_cloud.vpc_cidr in the checklist",
            )
        if peering.vpc_cidr.overlaps(cidr):
            raise InputError(f"{cidr} overlaps {peering.vpc_cidr} of the peered VPC", hint="choose another where.cidr")
        self.accepted = peering.account is None or bool(peering.route_table_ids)
        connection = aws.ec2.VpcPeeringConnection(
            "main-cloud",
            vpc_id=network.vpc_id,
            peer_vpc_id=peering.vpc_id,
            peer_owner_id=None if self.accepted else peering.account,
            peer_region=None if peering.region == site.placement.region else peering.region,
            opts=inside,
        )
        for index, table in enumerate(network.private_tables):
            aws.ec2.Route(
                f"main-cloud-out-{index}",
                route_table_id=table,
                destination_cidr_block=str(peering.vpc_cidr),
                vpc_peering_connection_id=connection.id,
                opts=inside,
            )
        if self.accepted:
            accepted = _accept(connection, peering, parent=self)
            for index, table in enumerate(peering.route_table_ids):
                aws.ec2.Route(
                    f"main-cloud-back-{index}",
                    route_table_id=table,
                    destination_cidr_block=str(cidr),
                    vpc_peering_connection_id=accepted.vpc_peering_connection_id,
                    region=peering.region,
                    opts=inside,
                )
        self.id = connection.id
        self.register_outputs({"id": self.id, "accepted": self.accepted})


def _accept(
    connection: aws.ec2.VpcPeeringConnection, peering: PeeringSpec, *, parent: VpcPeering
) -> aws.ec2.VpcPeeringConnectionAccepter:
    """Accepts it in the other region; then each side resolves the other's private names."""
    accepted = aws.ec2.VpcPeeringConnectionAccepter(
        "main-cloud",
        vpc_peering_connection_id=connection.id,
        auto_accept=True,
        region=peering.region,
        opts=pulumi.ResourceOptions(parent=parent),
    )
    # AWS sets options only on a connection that both sides have accepted.
    then = pulumi.ResourceOptions(parent=accepted, depends_on=[accepted])
    aws.ec2.PeeringConnectionOptions(
        "main-cloud-requester",
        vpc_peering_connection_id=connection.id,
        requester={"allow_remote_vpc_dns_resolution": True},
        opts=then,
    )
    aws.ec2.PeeringConnectionOptions(
        "main-cloud-accepter",
        vpc_peering_connection_id=connection.id,
        accepter={"allow_remote_vpc_dns_resolution": True},
        region=peering.region,
        opts=then,
    )
    return accepted


@final
class MainSide(pulumi.ComponentResource):
    """The main cloud's end of the tunnel: gateway, connection and routes in its account and region.

    Attributes:
        tunnels: the two of each AWS connection.
    """

    tunnels: Sequence[Tunnel]

    def __init__(self, name: str, args: MainSideArgs, *, opts: pulumi.ResourceOptions) -> None:
        facts = {"provider": args.link.provider, "region": args.link.region, "vpc": args.link.vpc_id}
        super().__init__("atoll:network:MainSide", name, facts, opts)
        account = [args.link.account] if args.link.account else None
        there = aws.Provider(
            "main-cloud",
            region=args.link.region,
            allowed_account_ids=account,
            default_tags={"tags": tags(args.site.spec)},
            opts=pulumi.ResourceOptions(parent=self),
        )
        within = pulumi.ResourceOptions(parent=self, provider=there)
        gateway = (
            args.site.settings.link_gateway or aws.ec2.VpnGateway("main-cloud", vpc_id=args.link.vpc_id, opts=within).id
        )
        connection = _connect(args, gateway=gateway, opts=within)
        aws.ec2.VpnConnectionRoute(
            "cluster", vpn_connection_id=connection.id, destination_cidr_block=str(args.network), opts=within
        )
        for index, table in enumerate(args.link.route_table_ids):  # routes to the cluster
            aws.ec2.VpnGatewayRoutePropagation(
                f"cluster-{index}", route_table_id=table, vpn_gateway_id=gateway, opts=within
            )
        self.tunnels = (
            Tunnel(address=connection.tunnel1_address, key=pulumi.Output.secret(connection.tunnel1_preshared_key)),
            Tunnel(address=connection.tunnel2_address, key=pulumi.Output.secret(connection.tunnel2_preshared_key)),
        )
        self.register_outputs({"tunnels": [each.address for each in self.tunnels]})


def _connect(args: MainSideArgs, *, gateway: pulumi.Input[str], opts: pulumi.ResourceOptions) -> aws.ec2.VpnConnection:
    """The cluster initiates, also from behind a NAT, whose address it then has (cgw-options.html, same guide)."""
    cluster = aws.ec2.CustomerGateway("cluster", type="ipsec.1", ip_address=args.address, bgp_asn="65000", opts=opts)
    return aws.ec2.VpnConnection(
        "cluster",
        type="ipsec.1",
        vpn_gateway_id=gateway,
        customer_gateway_id=cluster.id,
        static_routes_only=True,
        local_ipv4_network_cidr=str(args.network),
        remote_ipv4_network_cidr=str(args.link.vpc_cidr),
        tunnel1_ike_versions=list(VERSIONS),
        tunnel1_phase1_encryption_algorithms=list(CIPHERS),
        tunnel1_phase1_integrity_algorithms=list(HASHES),
        tunnel1_phase1_dh_group_numbers=list(GROUPS),
        tunnel1_phase2_encryption_algorithms=list(CIPHERS),
        tunnel1_phase2_integrity_algorithms=list(HASHES),
        tunnel1_phase2_dh_group_numbers=list(GROUPS),
        tunnel2_ike_versions=list(VERSIONS),
        tunnel2_phase1_encryption_algorithms=list(CIPHERS),
        tunnel2_phase1_integrity_algorithms=list(HASHES),
        tunnel2_phase1_dh_group_numbers=list(GROUPS),
        tunnel2_phase2_encryption_algorithms=list(CIPHERS),
        tunnel2_phase2_integrity_algorithms=list(HASHES),
        tunnel2_phase2_dh_group_numbers=list(GROUPS),
        tags={"Name": build_physical_name(args.site.placement)},
        opts=opts,
    )
