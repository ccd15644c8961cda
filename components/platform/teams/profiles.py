"""Teams: a Profile for each of their namespaces, permissions of their people, and PodDefaults."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.objects import register_object
from components.platform.teams.namespaces import (
    WorkloadNamespace,
    door_guard,
    list_workload_namespaces,
    profile_guard,
    register_team_network_policies,
)
from components.platform.teams.pod_defaults import defaults, pipelines
from components.tenancy.workload import ROLES, group_of

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Charges, PlatformContext, PlatformResource


PROFILES: Final = "kubeflow.org/v1"
RULES: Final = "security.istio.io/v1"
RBAC: Final = "rbac.authorization.k8s.io"
GATEWAY: Final = f"cluster.local/ns/{names.ISTIO}/sa/istio-ingressgateway-service-account"
PIPELINES_PAGES: Final = f"cluster.local/ns/{names.KUBEFLOW}/sa/ml-pipeline-ui"
CULLER: Final = f"cluster.local/ns/{names.KUBEFLOW}/sa/{names.CULLER}"
# Paths that report the use of a notebook.
USE_PATHS: Final = ("*/api/kernels", "*/api/terminals")


def rights(home: WorkloadNamespace, *, parent: pulumi.Resource) -> None:
    """The Profile, which takes over a namespace annotated with its owner; then contributors and groups."""
    owner = {"owner": {"apiGroup": RBAC, "kind": "User", "name": home.owner}}
    register_object(PROFILES, "Profile", home.namespace, owner, parent=parent, logical=f"{home.workload}-profile")
    for email, role in home.people.items():
        _contributor(home, email, role, parent=parent)
    for group in home.groups:
        _members(home, group, "edit", parent=parent)
    for role, held in ROLES.items():
        _members(home, group_of(role, workload=home.workload), held, parent=parent)
    _allow_culler_requests(home, parent=parent)


def binding_name(email: str, role: str) -> str:
    """Name of a person's binding."""
    # By Kubeflow's scheme, so that its page can remove people.
    return re.sub(r"[^a-z0-9]+", "-", f"user-{email}-clusterrole-{role}".lower())


def _contributor(home: WorkloadNamespace, email: str, role: str, *, parent: pulumi.Resource) -> None:
    name = binding_name(email, role)
    metadata = {"name": name, "namespace": home.namespace, "annotations": {"user": email, "role": role}}
    kubernetes.rbac.v1.RoleBinding(
        f"{home.workload}-{name}",
        metadata={"name": name, "namespace": home.namespace, "annotations": {"user": email, "role": role}},
        role_ref={"api_group": RBAC, "kind": "ClusterRole", "name": f"kubeflow-{role}"},
        subjects=[{"api_group": RBAC, "kind": "User", "name": email}],
        opts=pulumi.ResourceOptions(parent=parent),
    )
    kubernetes.apiextensions.CustomResource(
        f"{home.workload}-{name}-requests",
        api_version=RULES,
        kind="AuthorizationPolicy",
        metadata=metadata,
        spec={
            "rules": [
                {
                    "from": [{"source": {"principals": [GATEWAY, PIPELINES_PAGES]}}],
                    "when": [{"key": "request.headers[kubeflow-userid]", "values": [email]}],
                }
            ]
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _members(home: WorkloadNamespace, group: str, held: str, *, parent: pulumi.Resource) -> None:
    """Binding for the Kubernetes API only: Kubeflow's pages do not know groups (kubeflow#4188).

    Kubeflow's kinds are in its own roles only, so members of a group with a cluster role need both.
    """
    name = re.sub(r"[^a-z0-9]+", "-", f"group-{group}".lower()).strip("-")
    kubernetes.rbac.v1.RoleBinding(
        f"{home.workload}-{name}",
        metadata={"name": name, "namespace": home.namespace},
        role_ref={"api_group": RBAC, "kind": "ClusterRole", "name": f"kubeflow-{held}"},
        subjects=[{"api_group": RBAC, "kind": "Group", "name": group}],
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _allow_culler_requests(home: WorkloadNamespace, *, parent: pulumi.Resource) -> None:
    """Allow the culler to read the activity of notebooks; the Profile's own policy allows /healthz already."""
    rule = {
        "from": [{"source": {"principals": [CULLER]}}],
        "to": [{"operation": {"methods": ["GET"], "paths": list(USE_PATHS)}}],
    }
    register_object(
        RULES,
        "AuthorizationPolicy",
        names.CULLER,
        {"action": "ALLOW", "rules": [rule]},
        namespace=home.namespace,
        parent=parent,
        logical=f"{home.workload}-culler",
    )


def _inputs(context: PlatformContext, charges: Charges) -> dict[str, object]:
    homes = list_workload_namespaces(context.spec, context.platform.teams)
    teams = [team.name for team in context.platform.teams]
    return {"charges": charges, "namespaces": [home.namespace for home in homes], "teams": teams}


@component("teams", "atoll:platform:Teams", inputs=_inputs)
def build(own: PlatformResource) -> None:
    """One Profile for each namespace of a workload, which exists before the Profile and outlives it.

    Quotas of accelerators are the namespace's own (`components.tenancy.workload`), and the queues' beyond them.
    """
    context = own.context
    for home in list_workload_namespaces(context.spec, context.platform.teams):
        register_team_network_policies(home, context=context, parent=own)
        if context.has("dashboard"):  # it brings Profiles and PodDefaults
            rights(home, parent=own)
            defaults(home, context=context, parent=own)
            pipelines(home, context=context, parent=own)
    door_guard(parent=own)
    profile_guard(parent=own)
