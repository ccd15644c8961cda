"""Kubeconfigs by role on Google Cloud: a service account puts its taker into one group of one workload, for an hour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes

from components.clouds.gcp.account.names import ACCOUNT_LENGTH, shown
from components.clouds.gcp.cluster.kubeconfig import User, kubeconfig
from components.context.names import namespace
from components.tenancy.workload import group_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
            workload: User(
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
        account_id=shown(args.placement, f"{role}-{workload}", longest=ACCOUNT_LENGTH),
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
