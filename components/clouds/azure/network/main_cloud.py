"""Azure's end of a site-to-site VPN: a gateway in the customer's virtual network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_azure as azure

from components.connectivity.tunnel import Tunnel, generate_preshared_key
from components.context.naming import build_physical_name, tags
from planning.costs.charges import PART
from planning.costs.resources.clouds.azure import SKU
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.connectivity.tunnel import MainSideArgs

GATEWAY_SUBNET: Final = "GatewaySubnet"  # required by Azure
ID_PARTS: Final = 9  # "/subscriptions/<id>/resourceGroups/<name>/providers/Microsoft.Network/virtualNetworks/<name>"
ZONES: Final = ("1", "2", "3")


@final
class MainSide(pulumi.ComponentResource):
    """Gateway and connection in the subscription, resource group and region of the virtual network.

    Azure adds the routes of its subnets itself.
    """

    tunnels: Sequence[Tunnel]

    def __init__(self, name: str, args: MainSideArgs, *, opts: pulumi.ResourceOptions) -> None:
        link = args.link
        facts = {"provider": link.provider, "region": link.region, "vpc": link.vpc_id, "part": PART}
        super().__init__("atoll:network:MainSide", name, facts, opts)
        subscription, group = _home(link.vpc_id)
        there = azure.Provider(
            "main-cloud", subscription_id=subscription, features={}, opts=pulumi.ResourceOptions(parent=self)
        )
        within = pulumi.ResourceOptions(parent=self, provider=there)
        gateway, address = _gateway(args, group=group, opts=within)
        key = generate_preshared_key(parent=self)
        _connection(args, group=group, gateway=gateway, key=key, opts=within)
        self.tunnels = (Tunnel(address=address, key=key),)
        self.register_outputs({"tunnels": [address]})


def _home(network: str) -> tuple[str, str]:
    """Subscription and resource group of "/subscriptions/../resourceGroups/../providers/..".

    Raises:
        InputError: it is not the full id of a virtual network.
    """
    parts = network.split("/")
    if len(parts) != ID_PARTS or parts[1].lower() != "subscriptions":
        raise InputError(
            f'"{network}" is not the id of a virtual network on Azure',
            hint="az network vnet show --query id: it begins with /subscriptions/",
        )
    return parts[2], parts[4]


def _gateway(
    args: MainSideArgs, *, group: str, opts: pulumi.ResourceOptions
) -> tuple[pulumi.Input[str], pulumi.Output[str]]:
    """The gateway and its address: a new one, or the existing one."""
    settings = args.site.settings
    # A virtual network can have only one gateway.
    if settings.link_gateway:
        if not settings.link_peer:
            raise InputError(
                "atoll:linkGateway names the gateway of the virtual network, but its address is not set",
                hint="pulumi config set atoll:linkPeer <public address of the gateway>",
            )
        return settings.link_gateway, pulumi.Output.from_input(settings.link_peer)
    region, marks = args.link.region, tags(args.site.spec)
    address = azure.network.PublicIp(
        "main-cloud",
        location=region,
        resource_group_name=group,
        allocation_method="Static",
        sku="Standard",
        zones=list(ZONES),
        tags=marks,
        opts=opts,
    )
    gateway = azure.network.VirtualNetworkGateway(
        "main-cloud",
        location=region,
        resource_group_name=group,
        type="Vpn",
        vpn_type="RouteBased",
        sku=SKU,
        ip_configurations=[
            {"public_ip_address_id": address.id, "subnet_id": f"{args.link.vpc_id}/subnets/{GATEWAY_SUBNET}"}
        ],
        tags=marks,
        opts=opts,
    )
    return gateway.id, address.ip_address


def _connection(
    args: MainSideArgs,
    *,
    group: str,
    gateway: pulumi.Input[str],
    key: pulumi.Output[str],
    opts: pulumi.ResourceOptions,
) -> None:
    """The cluster initiates. Both ranges are explicit, since strongSwan requests those ranges only.

    Such ranges require explicit ciphers (learn.microsoft.com/azure/vpn-gateway/vpn-gateway-connect-multiple-
    policybased-rm-ps).
    """
    region = args.link.region
    marks = {**tags(args.site.spec), "Name": build_physical_name(args.site.placement)}
    cluster = azure.network.LocalNetworkGateway(
        "cluster",
        location=region,
        resource_group_name=group,
        gateway_address=args.address,
        address_spaces=[str(args.network)],
        tags=marks,
        opts=opts,
    )
    azure.network.VirtualNetworkGatewayConnection(
        "cluster",
        location=region,
        resource_group_name=group,
        type="IPsec",
        connection_protocol="IKEv2",
        connection_mode="ResponderOnly",
        virtual_network_gateway_id=gateway,
        local_network_gateway_id=cluster.id,
        shared_key=key,
        use_policy_based_traffic_selectors=True,
        traffic_selector_policy={
            "local_address_cidrs": [str(args.link.vpc_cidr)],
            "remote_address_cidrs": [str(args.network)],
        },
        ipsec_policy={
            "ike_encryption": "GCMAES256",
            "ike_integrity": "SHA384",
            "dh_group": "ECP384",
            "ipsec_encryption": "GCMAES256",
            "ipsec_integrity": "GCMAES256",
            "pfs_group": "ECP384",
        },
        tags=marks,
        opts=opts,
    )
