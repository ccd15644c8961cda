"""Namespaces of the workloads: the teams and people of each, and what isolates it.

Pods of a namespace reach the mesh, Kubeflow, the object store and the collector; the people in it cannot open more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.context.names import namespace, workloads
from components.platform.building_blocks import names
from components.platform.building_blocks.names import KUBEFLOW
from components.platform.building_blocks.network_policies import (
    GATEWAY_PODS,
    PROMETHEUS_PODS,
    build_ingress,
    build_peer,
    build_ports,
)
from components.platform.building_blocks.object_store_access import PROVIDER, pod_port
from components.platform.building_blocks.objects import register_admission_policy
from components.tenancy.cluster import owner_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pulumi_kubernetes.admissionregistration.v1 import NamedRuleWithOperationsArgsDict
    from pulumi_kubernetes.networking.v1 import (
        NetworkPolicyPeerArgsDict,
        NetworkPolicySpecArgsDict,
    )

    from components.platform.building_blocks.context import PlatformContext
    from planning.spec.cluster import ClusterSpec
    from planning.spec.platform import TeamShare


# Group of the checklist to the role that Kubeflow knows: a person's page asks for these words.
KUBEFLOW_ROLES: Final[Mapping[str, str]] = {"admin": "admin", "engineer": "edit", "viewer": "view"}


@dataclass(frozen=True, kw_only=True)
class WorkloadNamespace:
    """A namespace of a workload.

    Args:
        owner: e-mail of the Profile's owner.
        people: e-mail of everybody else to their role.
        groups: groups at the identity provider whose members edit.
        teams: in the order of the checklist; the first one's bucket is what pods get by default.
    """

    namespace: str
    workload: str
    owner: str
    people: Mapping[str, str]
    groups: tuple[str, ...]
    teams: tuple[str, ...]


def list_workload_namespaces(spec: ClusterSpec, teams: tuple[TeamShare, ...]) -> Iterator[WorkloadNamespace]:
    for workload in workloads(spec):
        here = [team for team in teams if workload in team.workloads]
        yield WorkloadNamespace(
            namespace=namespace(workload),
            workload=workload,
            owner=owner_of(spec),
            people=_people(spec, workload),
            groups=tuple(dict.fromkeys(team.group for team in here if team.group)),
            teams=tuple(team.name for team in here),
        )


def _people(spec: ClusterSpec, workload: str) -> dict[str, str]:
    """E-mail to role: admins have every namespace, others those of their workloads."""
    owner = owner_of(spec)
    return {
        user.email: KUBEFLOW_ROLES[user.group]
        for user in spec.access.users
        if user.email != owner and (user.group == "admin" or not user.workloads or workload in user.workloads)
    }


NAME: Final = "atoll-doors"
WRITTEN: Final = ("CREATE", "UPDATE", "DELETE")
# Objects that open network access, by API group. The roles of Kubeflow and Kubernetes let every editor of a namespace
# write them, and every notebook's account (common/kubeflow-roles at the release's commit, `kubeflow-kubernetes-edit`).
WAYS: Final[Mapping[str, Sequence[str]]] = {
    "networking.k8s.io": ("ingresses", "networkpolicies"),
    "": ("services",),
}
# Kubeflow's dashboard creates a Profile, and with it a namespace without our policies, quotas and queues, for
# everybody who asks: REGISTRATION_FLOW hides only the page (kubeflow/dashboard, centraldashboard/app/api_workgroup.ts
# and access-management/kfam/api_default.go, whose account may do everything).
PROFILES: Final = "atoll-profiles"
DASHBOARD: Final = f"system:serviceaccount:{KUBEFLOW}:"
NO_PROFILE: Final = "namespaces of people come from the checklist: add a workload or a team to it"
REFUSED: Final = (
    "network policies, ingresses, and services that are reached from outside are the platform's here: "
    "ask whoever runs it for a way"
)


def door_guard(*, parent: pulumi.Resource) -> None:
    """Policy of the workloads' namespaces: only who may write network policies and ingresses anywhere may here.

    So are services with an address outside the cluster, or with external IPs; other services are not restricted.
    """
    rules: list[NamedRuleWithOperationsArgsDict] = [
        {"api_groups": [group], "api_versions": ["v1"], "operations": list(WRITTEN), "resources": list(kinds)}
        for group, kinds in WAYS.items()
    ]
    outside = (
        "object != null && ((has(object.spec.type) && object.spec.type in ['LoadBalancer', 'NodePort']) || "
        "(has(object.spec.externalIPs) && size(object.spec.externalIPs) > 0))"
    )
    everywhere = (
        "authorizer.group(request.resource.group).resource(request.resource.resource)"
        ".check(request.operation.lowerAscii()).allowed()"
    )
    allowed = "(request.resource.resource == 'services' && !variables.outside) || variables.everywhere"
    variables = {"outside": outside, "everywhere": everywhere}
    register_admission_policy(NAME, rules, allowed=allowed, message=REFUSED, variables=variables, parent=parent)


def profile_guard(*, parent: pulumi.Resource) -> None:
    """Policy that denies Profiles, and so namespaces, that Kubeflow's dashboard creates."""
    rule: NamedRuleWithOperationsArgsDict = {
        "api_groups": ["kubeflow.org"],
        "api_versions": ["*"],
        "operations": ["CREATE"],
        "resources": ["profiles"],
    }
    allowed = f"!request.userInfo.username.startsWith('{DASHBOARD}')"
    register_admission_policy(PROFILES, [rule], allowed=allowed, message=NO_PROFILE, queued_only=False, parent=parent)


ISTIOD: Final = (15010, 15012, 15014)  # istio.io/latest/docs/ops/deployment/application-requirements, "Ports"
# Ports of pods in Kubeflow's namespace: Pipelines (API, metadata), Katib's database, the registry of models.
KUBEFLOW_PORTS: Final = (8887, 8888, 8080, 6789)
COLLECTOR: Final = (4317, 4318)
API_SERVER: Final = 6443  # where the cluster's own service leads to; 443 is open already


def register_team_network_policies(
    home: WorkloadNamespace, *, context: PlatformContext, parent: pulumi.Resource
) -> None:
    """Allow what a team's pods need; the namespace's own policies deny the rest."""
    opened = {**_inward(context), **_outward(context)}
    for name, spec in opened.items():
        kubernetes.networking.v1.NetworkPolicy(
            f"{home.workload}-{name}",
            metadata={"name": name, "namespace": home.namespace},
            spec=spec,
            opts=pulumi.ResourceOptions(parent=parent),
        )


def _inward(context: PlatformContext) -> dict[str, NetworkPolicySpecArgsDict]:
    """Ingress from the gateway, Kubeflow's controllers and Prometheus."""
    callers = {
        "from-gateway": build_peer(names.ISTIO, GATEWAY_PODS),
        "from-kubeflow": build_peer(names.KUBEFLOW),
        "from-prometheus": build_peer(names.OBSERVABILITY, PROMETHEUS_PODS),
    }
    if context.has("knative"):
        callers["from-knative"] = build_peer(names.KNATIVE)
    return {name: build_ingress(peer) for name, peer in callers.items()}


def _outward(context: PlatformContext) -> dict[str, NetworkPolicySpecArgsDict]:
    called: dict[str, tuple[NetworkPolicyPeerArgsDict, Sequence[int]]] = {
        "to-mesh": (build_peer(names.ISTIO), ISTIOD),
        "to-kubeflow": (build_peer(names.KUBEFLOW), KUBEFLOW_PORTS),
    }
    if context.has("object_store") and context.platform.object_store != PROVIDER:
        called["to-store"] = (build_peer(names.OBJECT_STORE), (pod_port(context),))
    if context.has("collector"):
        called["to-collector"] = (build_peer(names.OBSERVABILITY), COLLECTOR)
    return {
        # To any address: where nodes run the API server, Cilium matches it with no `ipBlock`.
        "to-api-server": {
            "pod_selector": {},
            "policy_types": ["Egress"],
            "egress": [{"ports": build_ports((API_SERVER,))}],
        },
        **{
            name: {
                "pod_selector": {},
                "policy_types": ["Egress"],
                "egress": [{"to": [peer], "ports": build_ports(ports)}],
            }
            for name, (peer, ports) in called.items()
        },
    }
