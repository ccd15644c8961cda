"""What is put into every cluster, whichever cloud it is on: order, ways in, and what people do."""

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
    from collections.abc import Callable, Mapping, Sequence

    from components.connectivity.pods import AccessImages
    from components.context.placement import ClusterHandle, PlacementContext


OFFLINE_ADDRESS: Final = "192.0.2.1"  # of the range for documentation (RFC 5737), where nothing is asked for


def _aws(args: MainSideArgs, opts: pulumi.ResourceOptions) -> Sequence[Tunnel]:
    from components.clouds.aws.network.main_cloud import MainSide  # noqa: PLC0415 - only the main cloud's SDK is imported

    return MainSide("main-cloud", args, opts=opts).tunnels


def _azure(args: MainSideArgs, opts: pulumi.ResourceOptions) -> Sequence[Tunnel]:
    from components.clouds.azure.network.main_cloud import MainSide  # noqa: PLC0415 - only the main cloud's SDK is imported

    return MainSide("main-cloud", args, opts=opts).tunnels


def _gcp(args: MainSideArgs, opts: pulumi.ResourceOptions) -> Sequence[Tunnel]:
    from components.clouds.gcp.network.main_cloud import MainSide  # noqa: PLC0415 - only the main cloud's SDK is imported

    return MainSide("main-cloud", args, opts=opts).tunnels


MAIN_SIDES: Final[Mapping[str, Callable[[MainSideArgs, pulumi.ResourceOptions], Sequence[Tunnel]]]] = {
    "aws": _aws,
    "azure": _azure,
    "gcp": _gcp,
}


def register_link(
    site: PlacementContext, *, images: AccessImages, options: pulumi.ResourceOptions
) -> dict[str, pulumi.Input[object]]:
    """Registers both ends; what the stack says of them. `options` are those of what goes into the cluster.

    Raises:
        InputError: nobody said from which address the cluster's traffic leaves.
    """
    link = site.spec.network.link
    if link is None:
        return {}
    settings = site.settings
    by_hand = bool(settings.link_peer) and not settings.link_gateway
    args = MainSideArgs(site=site, link=link, address=_address(site))
    tunnels = _by_hand(site) if by_hand else MAIN_SIDES[link.provider](args, site.options())
    there = by_hand or (bool(settings.link_gateway) and find_traits(link.provider).site_vpn == "gateway")
    declared = [*site.ledger.claim("link"), *(_list_gateway_charges(site) if there else ())]
    SitePod("site", args, tunnels=tunnels, charges=declared, images=images, opts=options)
    # What both ends are made with, for those who look after the main cloud, or make its end themselves.
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
    """Charges of a main side that is there already, so that no resource of the stack tells them."""
    ends = tuple(READ_OFF)
    return [to_inputs(charge) for charge in charges(site.spec) if charge.key.endswith(ends)]


def _address(site: PlacementContext) -> str:
    if site.settings.link_address or site.settings.offline:
        return site.settings.link_address or OFFLINE_ADDRESS
    raise InputError(
        "the tunnel to the main cloud needs the public address that the cluster's traffic leaves from",
        hint="pulumi config set atoll:linkAddress <address>: what a pod sees at https://checkip.amazonaws.com",
    )


def _by_hand(site: PlacementContext) -> Sequence[Tunnel]:
    """The end that the customer made: its address and key are settings of the stack.

    Raises:
        InputError: there is no key.
    """
    settings = site.settings
    if settings.link_key == "":
        raise InputError(
            "atoll:linkPeer names the main cloud's gateway, and nobody said the key that it shares",
            hint="pulumi config set --secret atoll:linkKey <pre-shared key>",
        )
    return (Tunnel(address=pulumi.Output.from_input(settings.link_peer), key=pulumi.Output.secret(settings.link_key)),)


NOT_YET: Final = (
    "atoll:reach is cloud: nothing is put into the cluster. Connect to the VPN, remove the setting, update again"
)


def register_cluster_contents(site: PlacementContext, handle: ClusterHandle) -> dict[str, pulumi.Input[object]]:
    """Registers what runs on top of a cluster; what the stack says of it."""
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
    """The VPN's gateway where it is no machine of the cloud."""
    vpn = site.spec.vpn
    if vpn is None or vpn.kind != "in_cluster":
        return {}
    pod = GatewayPod("gateway", vpn, site=site, ingress=handle.ingress, image=image, opts=options)
    return {"vpnAddress": pod.address, "vpnProfiles": pod.profiles}


def _devices(site: PlacementContext, *, options: pulumi.ResourceOptions) -> None:
    """Device plugins, where they are our part; at home they are parts of the platform."""
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
    """Accounts on the nodes, where they are wanted and the provider's nodes can have them."""
    access = site.spec.access
    keys = {user.name: user.ssh_key for user in access.users if user.ssh_key}
    if access.ssh and keys and "ssh" not in site.spec.profile.forbidden:
        Ssh("ssh", keys, image=image, opts=options)
