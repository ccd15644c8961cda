"""Every way into a cluster on Google Cloud: the VPN's gateway, and kubeconfigs by role."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes

from components.clouds.gcp.access.gateway import VpnGateway, VpnGatewayArgs
from components.clouds.gcp.account.names import ACCOUNT_LENGTH, build_gcp_name
from components.clouds.gcp.cluster.control_plane import KubeconfigUser, kubeconfig
from components.context.names import namespace, workloads
from components.tenancy.workload import group_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.clouds.gcp.cluster.context import ClusterContext
    from components.clouds.gcp.cluster.control_plane import Cluster
    from planning.spec.cluster import Placement


BY_WORKLOAD: Final = ("engineer", "viewer")
RBAC: Final = "rbac.authorization.k8s.io"


@dataclass(frozen=True, kw_only=True)
class RolesArgs:
    """The cluster, and the workloads whose people get in.

    Args:
        name: of the cluster.
    """

    placement: Placement
    name: str
    endpoint: pulumi.Input[str]
    certificate: pulumi.Input[str]
    workloads: Sequence[str]


@final
class Roles(pulumi.ComponentResource):
    """A service account for the engineers of each workload and one for its viewers; IAM decides who may take it.

    GKE knows a service account by its e-mail and by no group, so each may act as one group and nobody else
    (`GroupRights`); the kubeconfig says so.

    Attributes:
        kubeconfigs: role to kubeconfig, with a context for each workload and no credential in it.
        accounts: e-mails, "engineer/train" to e-mail.
    """

    kubeconfigs: Mapping[str, pulumi.Output[str]]
    accounts: Mapping[tuple[str, str], pulumi.Output[str]]

    def __init__(self, name: str, args: RolesArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:access:Roles", name, {"workloads": list(args.workloads)}, opts)
        self.accounts = {
            (role, workload): _account(role, workload, args, parent=self)
            for role in BY_WORKLOAD
            for workload in args.workloads
        }
        self.kubeconfigs = {role: self._kubeconfig(role, args) for role in BY_WORKLOAD}
        self.register_outputs({})

    def _kubeconfig(self, role: str, args: RolesArgs) -> pulumi.Output[str]:
        users = {
            workload: KubeconfigUser(
                account=self.accounts[role, workload],
                group=group_of(role, workload=workload),
                namespace=namespace(workload),
            )
            for workload in args.workloads
        }
        return kubeconfig(name=args.name, endpoint=args.endpoint, certificate=args.certificate, users=users)


def _account(role: str, workload: str, args: RolesArgs, *, parent: Roles) -> pulumi.Output[str]:
    made = gcp.serviceaccount.Account(
        f"{role}-{workload}",
        account_id=build_gcp_name(args.placement, f"{role}-{workload}", longest=ACCOUNT_LENGTH),
        display_name=f"Atoll: {role} of {workload}",
        opts=pulumi.ResourceOptions(parent=parent),
    )
    return made.email


@dataclass(frozen=True, kw_only=True)
class GroupRightsArgs:
    """Accounts by role and workload."""

    accounts: Mapping[tuple[str, str], pulumi.Input[str]]


@final
class GroupRights(pulumi.ComponentResource):
    """The right of each role's service account to act as its group inside the cluster."""

    def __init__(self, name: str, args: GroupRightsArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        accounts = [f"{role}/{workload}" for role, workload in args.accounts]
        super().__init__("atoll:access:GroupRights", name, {"accounts": accounts}, opts)
        for (role, workload), account in args.accounts.items():
            _act_as(group_of(role, workload=workload), f"atoll-{role}-{workload}", account=account, parent=self)
        self.register_outputs({})


def _act_as(group: str, name: str, *, account: pulumi.Input[str], parent: GroupRights) -> None:
    """Acting as a group takes a user's name too: the group's own, which has no rights of its own."""
    kubernetes.rbac.v1.ClusterRole(
        name,
        metadata={"name": name},
        rules=[
            {"api_groups": [""], "resources": [kind], "verbs": ["impersonate"], "resource_names": [group]}
            for kind in ("users", "groups")
        ],
        opts=pulumi.ResourceOptions(parent=parent),
    )
    kubernetes.rbac.v1.ClusterRoleBinding(
        name,
        metadata={"name": name},
        role_ref={"api_group": RBAC, "kind": "ClusterRole", "name": name},
        subjects=[{"api_group": RBAC, "kind": "User", "name": account}],
        opts=pulumi.ResourceOptions(parent=parent),
    )


@dataclass(frozen=True, kw_only=True)
class AccessMethods:
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


def register_access(ground: ClusterContext, *, cluster: Cluster) -> AccessMethods:
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
        return AccessMethods(kubeconfigs=kubeconfigs, accounts=roles.accounts, outputs=said)
    said |= {"vpnAddress": gateway.address, "vpnProfiles": gateway.profiles}
    return AccessMethods(kubeconfigs=kubeconfigs, accounts=roles.accounts, gateway=gateway.address, outputs=said)


def register_cluster_access(ways: AccessMethods, *, options: pulumi.ResourceOptions) -> None:
    """What the accounts of the roles may do inside the cluster."""
    if ways.accounts:
        GroupRights("group-rights", GroupRightsArgs(accounts=ways.accounts), opts=options)


def _gateway(ground: ClusterContext) -> VpnGateway | None:
    site, spec, network = ground.site, ground.site.spec, ground.network
    if spec.vpn is None or spec.vpn.kind != "machine":
        return None
    args = VpnGatewayArgs(
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
    return VpnGateway(
        "gateway", args, opts=site.options(provider=ground.gcp, depends_on=[*ground.key.granted, network])
    )
