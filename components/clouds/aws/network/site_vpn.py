"""The main cloud's end of the tunnel on AWS: a gateway at the customer's VPC and a VPN connection to the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.connectivity.tunnel import Tunnel
from components.context.naming import build_physical_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.connectivity.tunnel import MainSideArgs

# Strongest of what AWS offers (VPN tunnel options, docs.aws.amazon.com/vpn/latest/s2svpn/VPNTunnels.html).
CIPHERS: Final = ("AES256-GCM-16",)
HASHES: Final = ("SHA2-384",)
GROUPS: Final = (20,)  # elliptic curve of 384 bits
VERSIONS: Final = ("ikev2",)


@final
class MainSide(pulumi.ComponentResource):
    """Gateway, connection and routes in the main cloud's account and region.

    Attributes:
        tunnels: the two that AWS gives to each connection.
    """

    tunnels: Sequence[Tunnel]

    def __init__(self, name: str, args: MainSideArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.link.provider, "region": args.link.region, "vpc": args.link.vpc_id}
        super().__init__("atoll:network:MainSide", name, facts, opts)
        account = [args.link.account] if args.link.account else None
        there = aws.Provider(
            "main-cloud",
            region=args.link.region,
            allowed_account_ids=account,
            default_tags={"tags": dict(args.tags)},
            opts=pulumi.ResourceOptions(parent=self),
        )
        within = pulumi.ResourceOptions(parent=self, provider=there)
        gateway = args.gateway or aws.ec2.VpnGateway("main-cloud", vpc_id=args.link.vpc_id, opts=within).id
        connection = _connection(args, gateway=gateway, opts=within)
        _routes(args, gateway=gateway, connection=connection, opts=within)
        self.tunnels = (
            Tunnel(address=connection.tunnel1_address, key=pulumi.Output.secret(connection.tunnel1_preshared_key)),
            Tunnel(address=connection.tunnel2_address, key=pulumi.Output.secret(connection.tunnel2_preshared_key)),
        )
        self.register_outputs({"tunnels": [each.address for each in self.tunnels]})


def _connection(
    args: MainSideArgs, *, gateway: pulumi.Input[str], opts: pulumi.ResourceOptions
) -> aws.ec2.VpnConnection:
    """The cluster calls, also from behind a NAT, whose address stands for it (cgw-options.html of the same guide)."""
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
        tags={"Name": build_physical_name(args.placement)},
        opts=opts,
    )


def _routes(
    args: MainSideArgs,
    *,
    gateway: pulumi.Input[str],
    connection: aws.ec2.VpnConnection,
    opts: pulumi.ResourceOptions,
) -> None:
    """The way to the cluster, told to the gateway and by it to the route tables that the checklist names."""
    aws.ec2.VpnConnectionRoute(
        "cluster", vpn_connection_id=connection.id, destination_cidr_block=str(args.network), opts=opts
    )
    for index, table in enumerate(args.link.route_table_ids):
        aws.ec2.VpnGatewayRoutePropagation(f"cluster-{index}", route_table_id=table, vpn_gateway_id=gateway, opts=opts)
