"""The contents of every cluster, on any cloud: tenancy, access, device plugins and the platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi

from catalogs.providers import find_traits
from components.acceptance.burn_in_gate import burn_in_part
from components.connectivity.gateway_pod import GatewayPod
from components.connectivity.pods import read_images
from components.connectivity.ssh import Ssh
from components.connectivity.tunnel import MainSideArgs, SitePod, Tunnel
from components.context.names import workloads
from components.context.placement import declare_contract
from components.platform.gpu.device_plugins import Devices, DevicesArgs, needs_device_plugin
from components.platform.installation import compose
from components.tenancy.cluster import ClusterRoles, ClusterRolesArgs, Tenancy, TenancyArgs
from planning.costs.bill import to_inputs
from planning.costs.charges import READ_OFF, charges
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.connectivity.pods import AccessImages
    from components.context.placement import ClusterHandle, PlacementContext


OFFLINE_ADDRESS: Final = "192.0.2.1"  # of the documentation range (RFC 5737)


def _register_main_side(site: PlacementContext, args: MainSideArgs) -> Sequence[Tunnel]:
    match args.link.provider:  # only the main cloud's SDK is imported
        case "aws":
            from components.clouds.aws.network.main_cloud import MainSide  # noqa: PLC0415 - as above
        case "azure":
            from components.clouds.azure.network.main_cloud import MainSide  # noqa: PLC0415 - as above
        case _:
            from components.clouds.gcp.network.main_cloud import MainSide  # noqa: PLC0415 - as above
    return MainSide("main-cloud", args, opts=site.options()).tunnels


def register_link(
    site: PlacementContext, *, images: AccessImages, options: pulumi.ResourceOptions
) -> dict[str, pulumi.Input[object]]:
    """Registers both ends of the tunnel; the stack's outputs. `options` are of the end in the cluster.

    Raises:
        InputError: the address of the cluster's egress is not set.
    """
    link = site.spec.network.link
    if link is None:
        return {}
    settings = site.settings
    by_hand = bool(settings.link_peer) and not settings.link_gateway
    args = MainSideArgs(site=site, link=link, address=_address(site))
    tunnels = _by_hand(site) if by_hand else _register_main_side(site, args)
    there = by_hand or (bool(settings.link_gateway) and find_traits(link.provider).site_vpn == "gateway")
    declared = [*site.ledger.claim("link"), *(_list_gateway_charges(site) if there else ())]
    SitePod("site", args, tunnels=tunnels, charges=declared, images=images, opts=options)
    # For the customer, who may configure the main cloud's end.
    outputs = {
        "vpc": link.vpc_id,
        "peerAddress": args.address,
        "peerNetwork": str(args.network),
        "network": str(link.vpc_cidr),
        "ike": "IKEv2, AES256-GCM-16, SHA2-384, group 20",
        "esp": "AES256-GCM-16, group 20, tunnel mode",
    }
    return {"link": outputs}


def _list_gateway_charges(site: PlacementContext) -> list[dict[str, object]]:
    """Charges of an existing main side."""
    # Declared here: it is no resource of the stack, and has its price all the same.
    ends = tuple(READ_OFF)
    return [to_inputs(charge) for charge in charges(site.spec) if charge.key.endswith(ends)]


def _address(site: PlacementContext) -> str:
    if site.settings.link_address or site.settings.offline:
        return site.settings.link_address or OFFLINE_ADDRESS
    raise InputError(
        "the tunnel to the main cloud needs the public address of the cluster's egress",
        hint="pulumi config set atoll:linkAddress <address>: what a pod sees at https://checkip.amazonaws.com",
    )


def _by_hand(site: PlacementContext) -> Sequence[Tunnel]:
    """The end that the customer created: its address and key are settings of the stack."""
    settings = site.settings
    if settings.link_key == "":
        raise InputError(
            "atoll:linkPeer names the main cloud's gateway, but its pre-shared key is not set",
            hint="pulumi config set --secret atoll:linkKey <pre-shared key>",
        )
    return (Tunnel(address=pulumi.Output.from_input(settings.link_peer), key=pulumi.Output.secret(settings.link_key)),)


NOT_YET: Final = (
    "atoll:reach is cloud: nothing is installed in the cluster. Connect to the VPN, remove the setting, update again"
)


def register_cluster_contents(site: PlacementContext, handle: ClusterHandle) -> dict[str, pulumi.Input[object]]:
    """Registers the contents of a cluster; the stack's outputs."""
    declare_contract(site, "atoll:contract:Services", "services")  # onboarding and support
    if not site.settings.inside:
        pulumi.log.warn(NOT_YET)
        return {}
    inside = site.options(provider=handle.provider, depends_on=handle.ready)
    _devices(site, options=inside)
    images = read_images(site)
    order = TenancyArgs(spec=site.spec, identity=handle.identity.kind, volumes=handle.volumes, image=images.busybox)
    tenancy = Tenancy("tenancy", order, opts=inside)
    ClusterRoles("rights", ClusterRolesArgs(workloads=workloads(site.spec)), opts=inside)
    in_system = site.options(provider=handle.provider, depends_on=[*handle.ready, tenancy])
    _ssh(site, image=images.busybox, options=in_system)
    burn_in_part(site, in_system)
    return {
        **_gateway(site, handle, image=images.wireguard, options=in_system),
        **register_link(site, images=images, options=in_system),
        **compose(site, handle, after=[tenancy]),
    }


def _gateway(
    site: PlacementContext, handle: ClusterHandle, *, image: str, options: pulumi.ResourceOptions
) -> dict[str, pulumi.Input[object]]:
    """The VPN gateway where it is a pod."""
    vpn = site.spec.vpn
    if vpn is None or vpn.kind != "in_cluster":
        return {}
    pod = GatewayPod("gateway", vpn, site=site, ingress=handle.ingress, image=image, opts=options)
    return {"vpnAddress": pod.address, "vpnProfiles": pod.profiles}


def _devices(site: PlacementContext, *, options: pulumi.ResourceOptions) -> None:
    """Device plugins of a cluster without a platform, which has them as components."""
    spec = site.spec
    if spec.platform is not None:
        return
    args = DevicesArgs(
        profile=spec.profile,
        pools=spec.pools,
        labelled=spec.existing is None,
        mirror=site.mirror,
        offline=site.settings.offline,
    )
    if needs_device_plugin(args):
        Devices("devices", args, opts=options)


def _ssh(site: PlacementContext, *, image: str, options: pulumi.ResourceOptions) -> None:
    """Accounts on the nodes, where they are requested and the provider allows them."""
    access = site.spec.access
    keys = {user.name: user.ssh_key for user in access.users if user.ssh_key}
    if access.ssh and keys and "ssh" not in site.spec.profile.forbidden:
        Ssh("ssh", keys, image=image, opts=options)
