"""Connection to the customer's own network on Google Cloud: peering, or Google's end of a site-to-site VPN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import build_gcp_name, label
from components.connectivity.tunnel import Tunnel, generate_preshared_key
from components.context.naming import build_physical_name, tags
from planning.costs.charges import PART
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.connectivity.tunnel import MainSideArgs
    from components.context.placement import PlacementContext
    from planning.spec.cluster import Peering as PeeringSpec

# Forwarding rules of a Classic VPN gateway (.../vpn/how-to/creating-static-vpns): name, protocol, port.
WAYS_IN: Final = (("esp", "ESP", None), ("ike", "UDP", "500"), ("nat-t", "UDP", "4500"))


@final
class VpcPeering(pulumi.ComponentResource):
    """Our half of the peering, and the other half within the same project; else the customer creates it.

    Google Cloud exchanges routes to subnets itself; custom routes pass in both directions, so that a VPN or an
    interconnect of the customer's network reaches the cluster. A peering is global.

    Attributes:
        accepted: whether the other half is created here.
        peer: the customer's network.
    """

    id: pulumi.Output[str]
    accepted: bool
    peer: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        peering: PeeringSpec,
        *,
        site: PlacementContext,
        project: pulumi.Input[str],
        project_setting: str,
        network_id: pulumi.Input[str],
        opts: pulumi.ResourceOptions,
    ) -> None:
        """`project` is our own, `project_setting` the stack's setting, which may be empty."""
        super().__init__("atoll:network:Peering", name, site.describe(peer=peering.vpc_id), opts)
        cidr, theirs = site.spec.network.cidr, peering.vpc_cidr
        if theirs is not None and theirs.overlaps(cidr):
            raise InputError(f"{cidr} overlaps {theirs} of the peered VPC", hint="choose another where.cidr")
        # A short name belongs to the account of the lock, else to our project.
        self.peer = (
            pulumi.Output.from_input(peering.vpc_id)
            if "/" in peering.vpc_id
            else pulumi.Output.concat("projects/", peering.account or project, "/global/networks/", peering.vpc_id)
        )
        self.accepted = peering.account in {None, project_setting}
        ours = _half("main-cloud", build_gcp_name(site.placement), one=network_id, other=self.peer, parent=self)
        if self.accepted:
            back = build_gcp_name(site.placement, "back")
            # Google Cloud changes one half of a pair at a time.
            _half("main-cloud-back", back, one=self.peer, other=network_id, parent=self, after=ours)
        self.id = ours.id
        self.register_outputs({"id": self.id, "accepted": self.accepted})


def _half(
    name: str,
    said: str,
    *,
    one: pulumi.Input[str],
    other: pulumi.Input[str],
    parent: VpcPeering,
    after: pulumi.Resource | None = None,
) -> gcp.compute.NetworkPeering:
    return gcp.compute.NetworkPeering(
        name,
        name=said,
        network=one,
        peer_network=other,
        export_custom_routes=True,
        import_custom_routes=True,
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[after] if after is not None else []),
    )


@final
class MainSide(pulumi.ComponentResource):
    """The main cloud's end of the tunnel: a Classic VPN gateway in the customer's network, tunnel and route.

    HA VPN takes its routes over BGP only, which strongSwan does not speak; Classic VPN remains for static routes
    (docs.cloud.google.com/network-connectivity/docs/vpn/concepts/choosing-networks-routing).

    It has no cipher setting: Cloud VPN accepts the cluster's proposal, AES256-GCM-16 with group 20
    (.../vpn/concepts/supported-ike-ciphers, for Classic VPN and HA VPN alike).
    """

    tunnels: Sequence[Tunnel]

    def __init__(self, name: str, args: MainSideArgs, *, opts: pulumi.ResourceOptions) -> None:
        link = args.link
        facts = {"provider": link.provider, "region": link.region, "vpc": link.vpc_id, "part": PART}
        super().__init__("atoll:network:MainSide", name, facts, opts)
        if args.site.settings.link_gateway:
            raise InputError(
                "atoll:linkGateway names a gateway, but on Google Cloud the tunnel gets one of its own",
                hint="pulumi config rm atoll:linkGateway",
            )
        # The project in the network's full name, else the checklist's; None for the one of the credentials.
        parts = link.vpc_id.split("/")
        there = gcp.Provider(
            "main-cloud",
            project=parts[1] if len(parts) > 1 else link.account,
            region=link.region,
            default_labels={key.replace(":", "-"): label(value) for key, value in tags(args.site.spec).items()},
            opts=pulumi.ResourceOptions(parent=self),
        )
        within = pulumi.ResourceOptions(parent=self, provider=there)
        key = generate_preshared_key(parent=self)
        address = _create_tunnel(args, key=key, opts=within)
        self.tunnels = (Tunnel(address=address, key=key),)
        self.register_outputs({"tunnels": [address]})


def _create_tunnel(args: MainSideArgs, *, key: pulumi.Output[str], opts: pulumi.ResourceOptions) -> pulumi.Output[str]:
    """The gateway, and the tunnel with its route to the cluster; returns the gateway's address."""
    region, said = args.link.region, f"tunnel of {build_physical_name(args.site.placement)}"
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
