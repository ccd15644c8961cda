"""Every way into a cluster on AWS: the VPN's gateway, what it may reach, and kubeconfigs by role."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from components.clouds.aws.access.gateway import Gateway, GatewayArgs, admit
from components.clouds.aws.access.roles import Roles, RolesArgs
from components.context.names import workloads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pulumi
    import pulumi_aws as aws

    from components.clouds.aws.account.key import Key
    from components.clouds.aws.cluster.control_plane import Cluster
    from components.clouds.aws.network.vpc import Network
    from components.context.placement import Site


@dataclass(frozen=True, kw_only=True)
class WaysIn:
    """What people get.

    Args:
        kubeconfigs: role to kubeconfig, none of which holds a credential.
        gateway: public address of the VPN; "" where there is none.
        door: what leads to the private API; whatever is put into the cluster goes before it does.
        outputs: what the stack says of it.
    """

    kubeconfigs: Mapping[str, pulumi.Output[str]]
    gateway: pulumi.Input[str] = ""
    door: Sequence[pulumi.Resource] = ()
    outputs: Mapping[str, pulumi.Input[object]] = field(default_factory=dict[str, "pulumi.Input[object]"])


def ways_in(site: Site, *, cloud: aws.Provider, key: Key, network: Network, cluster: Cluster) -> WaysIn:
    """Registers them."""
    roles = Roles(
        "roles",
        RolesArgs(
            placement=site.placement,
            name=cluster.name,
            cluster_name=cluster.resource.name,
            endpoint=cluster.resource.endpoint,
            certificate=cluster.resource.certificate_authority.data,
            workloads=workloads(site.spec),
        ),
        opts=site.options(provider=cloud),
    )
    kubeconfigs = {"admin": cluster.kubeconfig, **roles.kubeconfigs}
    said: dict[str, pulumi.Input[object]] = {"kubeconfigs": kubeconfigs, "roleArns": roles.arns}
    gateway = _gateway(site, cloud=cloud, key=key, network=network)
    if gateway is None:
        return WaysIn(kubeconfigs=kubeconfigs, outputs=said)
    admit(gateway, to=cluster.security_group, ssh=site.spec.access.ssh)
    said |= {"vpnAddress": gateway.address, "vpnProfiles": gateway.profiles}
    return WaysIn(kubeconfigs=kubeconfigs, gateway=gateway.address, door=(gateway,), outputs=said)


def _gateway(site: Site, *, cloud: aws.Provider, key: Key, network: Network) -> Gateway | None:
    spec, settings = site.spec, site.settings
    if spec.vpn is None or spec.vpn.kind != "machine":
        return None
    args = GatewayArgs(
        placement=spec.placement,
        gateway=spec.vpn,
        network=spec.network.cidr,
        vpc_id=network.vpc_id,
        subnet_id=network.public_subnets[0],
        key_arn=key.arn,
        key_alias=key.alias,
        users=tuple(user.name for user in spec.access.users),
        rotation=settings.vpn_rotation,
        rotations=settings.vpn_rotations,
    )
    return Gateway("gateway", args, opts=site.options(provider=cloud, depends_on=[key.named, network]))
