"""The main cloud's end of the tunnel on Google Cloud: a Classic VPN gateway at the customer's network.

HA VPN takes its routes over BGP only, which strongSwan does not speak; static routes are what Classic VPN is kept for
(docs.cloud.google.com/network-connectivity/docs/vpn/concepts/choosing-networks-routing).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import label
from components.connectivity.tunnel import Tunnel, generate_preshared_key
from components.context.naming import build_physical_name
from planning.costs.charges.cluster import PART
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.connectivity.tunnel import MainSideArgs

# What a Classic gateway needs to be reached (.../vpn/how-to/creating-static-vpns): name, protocol, port.
WAYS_IN: Final = (("esp", "ESP", None), ("ike", "UDP", "500"), ("nat-t", "UDP", "4500"))


@final
class MainSide(pulumi.ComponentResource):
    """Gateway, tunnel and route in the main cloud's project and region.

    Its ciphers are not said: Cloud VPN takes the one that the cluster proposes, AES256-GCM-16 with group 20
    (.../vpn/concepts/supported-ike-ciphers, for Classic VPN and HA VPN alike).

    Attributes:
        tunnels: the one that there is.
    """

    tunnels: Sequence[Tunnel]

    def __init__(self, name: str, args: MainSideArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        link = args.link
        facts = {"provider": link.provider, "region": link.region, "vpc": link.vpc_id, "part": PART}
        super().__init__("atoll:network:MainSide", name, facts, opts)
        if args.gateway:
            raise InputError(
                "atoll:linkGateway names a gateway, and on Google Cloud the tunnel gets one of its own",
                hint="pulumi config rm atoll:linkGateway",
            )
        there = gcp.Provider(
            "main-cloud",
            project=_project(args),
            region=link.region,
            default_labels={key.replace(":", "-"): label(value) for key, value in args.tags.items()},
            opts=pulumi.ResourceOptions(parent=self),
        )
        within = pulumi.ResourceOptions(parent=self, provider=there)
        key = generate_preshared_key(parent=self)
        address = _tunnel(args, key=key, opts=within)
        self.tunnels = (Tunnel(address=address, key=key),)
        self.register_outputs({"tunnels": [address]})


def _project(args: MainSideArgs) -> str | None:
    """The project of the network, by its whole name or as the checklist says; else the one of the credentials."""
    whole = args.link.vpc_id.split("/")
    return whole[1] if len(whole) > 1 else args.link.account


def _tunnel(args: MainSideArgs, *, key: pulumi.Output[str], opts: pulumi.ResourceOptions) -> pulumi.Output[str]:
    """The gateway with its address, which is answered, and the tunnel with the way to the cluster through it."""
    region, said = args.link.region, f"tunnel of {build_physical_name(args.placement)}"
    gateway = gcp.compute.VPNGateway("main-cloud", network=args.link.vpc_id, region=region, description=said, opts=opts)
    address = gcp.compute.Address("main-cloud", region=region, address_type="EXTERNAL", description=said, opts=opts)
    ways_in = [
        gcp.compute.ForwardingRule(
            f"main-cloud-{way}",
            region=region,
            ip_protocol=protocol,
            port_range=port,
            ip_address=address.address,
            target=gateway.id,
            description=said,
            opts=opts,
        )
        for way, protocol, port in WAYS_IN
    ]
    tunnel = gcp.compute.VPNTunnel(
        "cluster",
        region=region,
        target_vpn_gateway=gateway.id,
        peer_ip=args.address,
        ike_version=2,
        shared_secret=key,
        local_traffic_selectors=[str(args.link.vpc_cidr)],
        remote_traffic_selectors=[str(args.network)],
        description=said,
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=ways_in)),
    )
    gcp.compute.Route(
        "cluster",
        network=args.link.vpc_id,
        dest_range=str(args.network),
        next_hop_vpn_tunnel=tunnel.id,
        description=said,
        opts=opts,
    )
    return address.address
