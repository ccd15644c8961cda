"""Rights that reach beyond one workload's namespace: the little that everybody reads, and what the admins turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.tenancy.workload import EVERYWHERE, ROLES, group_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pulumi_kubernetes.rbac.v1 import PolicyRuleArgsDict

READ: Final = ("get", "list", "watch")
RBAC: Final = "rbac.authorization.k8s.io"
READER: Final = "atoll-reader"
ADMIN: Final = "atoll-admin"


def _read(group: str, *resources: str) -> PolicyRuleArgsDict:
    return {"api_groups": [group], "resources": list(resources), "verbs": list(READ)}


# Names of places and machines, never what is in them: no pods, no secrets, no configuration of another team.
READING: Final[Sequence[PolicyRuleArgsDict]] = (
    _read("", "nodes", "namespaces"),
    _read("storage.k8s.io", "storageclasses"),
    _read("scheduling.k8s.io", "priorityclasses"),
    _read("metrics.k8s.io", "nodes"),
)
# Whoever runs the cluster cordons and drains nodes, which means to see and evict pods; secrets stay closed.
TURNING: Final[Sequence[PolicyRuleArgsDict]] = (
    _read("", "pods", "persistentvolumes", "events"),
    _read("apps", "daemonsets", "deployments", "replicasets", "statefulsets"),
    _read("batch", "jobs"),
    {"api_groups": [""], "resources": ["nodes"], "verbs": ["patch"]},
    {"api_groups": [""], "resources": ["pods/eviction"], "verbs": ["create"]},
    {"api_groups": [""], "resources": ["pods"], "verbs": ["delete"]},
)
GRANTED: Final[Mapping[str, Sequence[PolicyRuleArgsDict]]] = {READER: READING, ADMIN: TURNING}


@dataclass(frozen=True, kw_only=True)
class ClusterRolesArgs:
    """Workloads that have people."""

    workloads: Sequence[str]


@final
class ClusterRoles(pulumi.ComponentResource):
    """Two roles of the whole cluster and who has them."""

    def __init__(self, name: str, args: ClusterRolesArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:access:Rights", name, {"workloads": list(args.workloads)}, opts)
        admins = group_of(EVERYWHERE, workload="")
        everyone = [
            group_of(role, workload=workload) for workload in args.workloads for role in ROLES if role != EVERYWHERE
        ]
        for granted, groups in ((READER, [admins, *everyone]), (ADMIN, [admins])):
            _grant(granted, groups, parent=self)
        self.register_outputs({})


def _grant(name: str, groups: Sequence[str], *, parent: ClusterRoles) -> None:
    made = kubernetes.rbac.v1.ClusterRole(
        name,
        metadata={"name": name},
        rules=list(GRANTED[name]),
        opts=pulumi.ResourceOptions(parent=parent),
    )
    kubernetes.rbac.v1.ClusterRoleBinding(
        name,
        metadata={"name": name},
        role_ref={"api_group": RBAC, "kind": "ClusterRole", "name": name},
        subjects=[{"api_group": RBAC, "kind": "Group", "name": group} for group in groups],
        opts=pulumi.ResourceOptions(parent=made),
    )
