"""What is put into every cluster, whichever cloud it is on: order, ways in, and what people do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi

from components.acceptance.burn_in_gate import burn_in_part
from components.connectivity.gateway_pod import GatewayPod, GatewayPodArgs
from components.connectivity.images import images
from components.connectivity.ssh import Ssh, SshArgs
from components.context.contract import ContractArgs, SupportServices
from components.context.names import workloads
from components.platform.building_blocks.artifact_mirror import read_program_mirror
from components.platform.gpu.devices import Devices, DevicesArgs, needs_device_plugin
from components.platform.installation import compose
from components.stack.site_to_site import register_link
from components.tenancy.cluster import Tenancy, TenancyArgs
from components.tenancy.cluster_roles import ClusterRoles, ClusterRolesArgs

if TYPE_CHECKING:
    from components.context.placement import ClusterHandle, PlacementContext

NOT_YET: Final = (
    "atoll:reach is cloud: nothing is put into the cluster. Connect to the VPN, remove the setting, update again"
)


def register_cluster_contents(site: PlacementContext, handle: ClusterHandle) -> dict[str, pulumi.Input[object]]:
    """Registers what runs on top of a cluster; what the stack says of it."""
    services = ContractArgs(placement=site.placement, charges=site.ledger.claim("services"))
    SupportServices("services", services, opts=site.options())
    if not site.settings.inside:
        pulumi.log.warn(NOT_YET)
        return {}
    inside = site.options(provider=handle.provider, depends_on=handle.ready)
    _devices(site, options=inside)
    ways = images(read_program_mirror(site.mirror, offline=site.settings.offline))
    order = TenancyArgs(spec=site.spec, identity=handle.identity.kind, volumes=handle.volumes, image=ways.busybox)
    tenancy = Tenancy("tenancy", order, opts=inside)
    ClusterRoles("rights", ClusterRolesArgs(workloads=workloads(site.spec)), opts=inside)
    in_system = site.options(provider=handle.provider, depends_on=[*handle.ready, tenancy])
    _ssh(site, image=ways.busybox, options=in_system)
    burn_in_part(site, in_system)
    return {
        **_gateway(site, handle, image=ways.wireguard, options=in_system),
        **register_link(site, options=in_system),
        **compose(site, handle, after=[tenancy]),
    }


def _gateway(
    site: PlacementContext, handle: ClusterHandle, *, image: str, options: pulumi.ResourceOptions
) -> dict[str, pulumi.Input[object]]:
    """The VPN's gateway where it is no machine of the cloud."""
    spec, settings = site.spec, site.settings
    if spec.vpn is None or spec.vpn.kind != "in_cluster":
        return {}
    args = GatewayPodArgs(
        placement=spec.placement,
        gateway=spec.vpn,
        network=spec.network.cidr,
        users=tuple(user.name for user in spec.access.users),
        rotation=settings.vpn_rotation,
        rotations=settings.vpn_rotations,
        annotations=handle.ingress.public,
        balancer_class=handle.ingress.load_balancer_class,
        charges=site.ledger.claim("vpn"),
        image=image,
    )
    pod = GatewayPod("gateway", args, opts=options)
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
        Ssh("ssh", SshArgs(keys=keys, image=image), opts=options)
