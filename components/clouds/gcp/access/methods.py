"""Every way into a cluster on Google Cloud: the VPN's gateway, and kubeconfigs by role."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from components.clouds.gcp.access.gateway import Gateway, GatewayArgs
from components.clouds.gcp.access.roles import GroupRights, GroupRightsArgs, Roles, RolesArgs
from components.context.names import workloads

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pulumi

    from components.clouds.gcp.cluster.context import Ground
    from components.clouds.gcp.cluster.control_plane import Cluster


@dataclass(frozen=True, kw_only=True)
class WaysIn:
    """What people get.

    Args:
        kubeconfigs: role to kubeconfig, none of which holds a credential.
        accounts: service accounts by role and workload.
        gateway: public address of the VPN; "" where there is none.
        outputs: what the stack says of it.
    """

    kubeconfigs: Mapping[str, pulumi.Output[str]]
    accounts: Mapping[tuple[str, str], pulumi.Output[str]]
    gateway: pulumi.Input[str] = ""
    outputs: Mapping[str, pulumi.Input[object]] = field(default_factory=dict[str, "pulumi.Input[object]"])


def ways_in(ground: Ground, *, cluster: Cluster) -> WaysIn:
    """Registers them, but for what lies in the cluster."""
    site = ground.site
    roles = Roles(
        "roles",
        RolesArgs(
            placement=site.placement,
            name=cluster.name,
            endpoint=cluster.resource.endpoint,
            certificate=cluster.resource.master_auth.cluster_ca_certificate,
            workloads=workloads(site.spec),
        ),
        opts=site.options(provider=ground.gcp),
    )
    kubeconfigs = {"admin": cluster.kubeconfig, **roles.kubeconfigs}
    accounts = {f"{role}/{workload}": account for (role, workload), account in roles.accounts.items()}
    said: dict[str, pulumi.Input[object]] = {"kubeconfigs": kubeconfigs, "roleAccounts": accounts}
    gateway = _gateway(ground)
    if gateway is None:
        return WaysIn(kubeconfigs=kubeconfigs, accounts=roles.accounts, outputs=said)
    said |= {"vpnAddress": gateway.address, "vpnProfiles": gateway.profiles}
    return WaysIn(kubeconfigs=kubeconfigs, accounts=roles.accounts, gateway=gateway.address, outputs=said)


def rights_inside(ways: WaysIn, *, options: pulumi.ResourceOptions) -> None:
    """What the accounts of the roles may do inside the cluster."""
    if ways.accounts:
        GroupRights("group-rights", GroupRightsArgs(accounts=ways.accounts), opts=options)


def _gateway(ground: Ground) -> Gateway | None:
    site, spec, network = ground.site, ground.site.spec, ground.network
    if spec.vpn is None or spec.vpn.kind != "machine":
        return None
    args = GatewayArgs(
        placement=spec.placement,
        gateway=spec.vpn,
        network=spec.network.cidr,
        network_id=network.id,
        subnet_id=network.subnet_id,
        key_id=ground.key.id,
        users=tuple(user.name for user in spec.access.users),
        rotation=site.settings.vpn_rotation,
        rotations=site.settings.vpn_rotations,
        labels=ground.labels,
    )
    return Gateway("gateway", args, opts=site.options(provider=ground.gcp, depends_on=[*ground.key.granted, network]))
