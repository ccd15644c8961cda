"""Access methods of a cluster on Google Cloud: the VPN gateway, and kubeconfigs by role."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes

from components.clouds.gcp.access.gateway import VpnGateway
from components.clouds.gcp.account.names import ACCOUNT_LENGTH, build_gcp_name
from components.clouds.gcp.cluster.control_plane import build_sign_in
from components.context.kubeconfig import KubeconfigContext
from components.context.names import WORKLOAD_ROLES, namespace, workloads
from components.context.placement import AccessMethods
from components.tenancy.workload import group_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.clouds.gcp.cluster.context import ClusterContext

RBAC: Final = "rbac.authorization.k8s.io"


@final
class Roles(pulumi.ComponentResource):
    """A service account for the engineers of each workload and one for its viewers; IAM decides who may use it.

    GKE gives a service account no groups, so each may impersonate exactly one group (`GroupRights`), which the
    kubeconfig requests.

    Attributes:
        kubeconfigs: role to kubeconfig, with a context for each workload and no credential in it.
        accounts: e-mails by role and workload.
    """

    kubeconfigs: Mapping[str, pulumi.Output[str]]
    accounts: Mapping[tuple[str, str], pulumi.Output[str]]

    def __init__(self, name: str, here: ClusterContext, *, opts: pulumi.ResourceOptions) -> None:
        names = workloads(here.spec)
        super().__init__("atoll:access:Roles", name, {"workloads": list(names)}, opts)
        self.accounts = {
            (role, workload): gcp.serviceaccount.Account(
                f"{role}-{workload}",
                account_id=build_gcp_name(here.site.placement, f"{role}-{workload}", longest=ACCOUNT_LENGTH),
                display_name=f"Atoll: {role} of {workload}",
                opts=pulumi.ResourceOptions(parent=self),
            ).email
            for role in WORKLOAD_ROLES
            for workload in names
        }
        self.kubeconfigs = {
            role: here.cluster.build_kubeconfig([self._build_context(role, workload) for workload in names])
            for role in WORKLOAD_ROLES
        }
        self.register_outputs({})

    def _build_context(self, role: str, workload: str) -> KubeconfigContext:
        sign_in = build_sign_in(account=self.accounts[role, workload], group=group_of(role, workload=workload))
        return KubeconfigContext(name=workload, user=workload, sign_in=sign_in, namespace=namespace(workload))


@final
class GroupRights(pulumi.ComponentResource):
    """The right of each role's service account to act as its group inside the cluster."""

    def __init__(
        self, name: str, accounts: Mapping[tuple[str, str], pulumi.Input[str]], *, opts: pulumi.ResourceOptions
    ) -> None:
        """`accounts` are by role and workload."""
        names = [f"{role}/{workload}" for role, workload in accounts]
        super().__init__("atoll:access:GroupRights", name, {"accounts": names}, opts)
        for (role, workload), account in accounts.items():
            _act_as(group_of(role, workload=workload), f"atoll-{role}-{workload}", account=account, parent=self)
        self.register_outputs({})


def _act_as(group: str, name: str, *, account: pulumi.Input[str], parent: GroupRights) -> None:
    """Let an account act as a group."""
    kubernetes.rbac.v1.ClusterRole(
        name,
        metadata={"name": name},
        rules=[
            {"api_groups": [""], "resources": [kind], "verbs": ["impersonate"], "resource_names": [group]}
            # Impersonating a group requires a user name, too: the group's own name, which has no rights.
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


def register_access(here: ClusterContext) -> tuple[AccessMethods, Roles]:
    roles = Roles("roles", here, opts=here.options())
    kubeconfigs = {"admin": here.cluster.kubeconfig, **roles.kubeconfigs}
    accounts = {f"{role}/{workload}": account for (role, workload), account in roles.accounts.items()}
    outputs: dict[str, pulumi.Input[object]] = {"kubeconfigs": kubeconfigs, "roleAccounts": accounts}
    vpn = here.spec.vpn
    if vpn is None or vpn.kind != "machine":
        return AccessMethods(kubeconfigs=kubeconfigs, outputs=outputs), roles
    waits = [*here.key.granted, here.network]
    gateway = VpnGateway("gateway", vpn, here, opts=here.options(depends_on=waits))
    outputs |= {"vpnAddress": gateway.address, "vpnProfiles": gateway.profiles}
    return AccessMethods(kubeconfigs=kubeconfigs, gateway=gateway.address, outputs=outputs), roles
