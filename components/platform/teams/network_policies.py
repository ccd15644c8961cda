"""What pods of a namespace may talk to beyond their own: the mesh, Kubeflow, the object store, the collector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform.building_blocks import names
from components.platform.building_blocks.network_policies import GATEWAY_PODS, HOME, PROMETHEUS_PODS
from components.platform.building_blocks.object_store_access import PROVIDER, pod_port

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pulumi_kubernetes.networking.v1 import (
        NetworkPolicyPeerArgsDict,
        NetworkPolicyPortArgsDict,
        NetworkPolicySpecArgsDict,
    )

    from components.platform.building_blocks.context import PlatformContext
    from components.platform.teams.namespaces import WorkloadNamespace

ISTIOD: Final = (15010, 15012, 15014)  # istio.io/latest/docs/ops/deployment/application-requirements, "Ports"
# Ports of pods in Kubeflow's namespace: Pipelines (API, metadata), Katib's database, the registry of models.
KUBEFLOW: Final = (8887, 8888, 8080, 6789)
COLLECTOR: Final = (4317, 4318)
API_SERVER: Final = 6443  # where the cluster's own service leads to; 443 is open already


def register_team_network_policies(
    home: WorkloadNamespace, *, context: PlatformContext, parent: pulumi.Resource
) -> None:
    """Open them; everything else stays shut by the namespace's own policies."""
    opened = {**_inward(context), **_outward(context)}
    for name, spec in opened.items():
        kubernetes.networking.v1.NetworkPolicy(
            f"{home.workload}-{name}",
            metadata={"name": name, "namespace": home.namespace},
            spec=spec,
            opts=pulumi.ResourceOptions(parent=parent),
        )


def _inward(context: PlatformContext) -> dict[str, NetworkPolicySpecArgsDict]:
    """The gateway serves their pages, Kubeflow's controllers ask them, Prometheus reads their metrics."""
    callers: dict[str, NetworkPolicyPeerArgsDict] = {
        "from-gateway": _peer(names.ISTIO, GATEWAY_PODS),
        "from-kubeflow": _peer(names.KUBEFLOW),
        "from-prometheus": _peer(names.OBSERVABILITY, PROMETHEUS_PODS),
    }
    if context.has("knative"):
        callers["from-knative"] = _peer(names.KNATIVE)
    return {
        name: {"pod_selector": {}, "policy_types": ["Ingress"], "ingress": [{"from_": [peer]}]}
        for name, peer in callers.items()
    }


def _outward(context: PlatformContext) -> dict[str, NetworkPolicySpecArgsDict]:
    called: dict[str, tuple[NetworkPolicyPeerArgsDict, Sequence[int]]] = {
        "to-mesh": (_peer(names.ISTIO), ISTIOD),
        "to-kubeflow": (_peer(names.KUBEFLOW), KUBEFLOW),
    }
    if context.has("object_store") and context.platform.object_store != PROVIDER:
        called["to-store"] = (_peer(names.OBJECT_STORE), (pod_port(context),))
    if context.has("collector"):
        called["to-collector"] = (_peer(names.OBSERVABILITY), COLLECTOR)
    return {
        # To any address: where nodes run the API server themselves, Cilium counts it to no block.
        "to-api-server": {
            "pod_selector": {},
            "policy_types": ["Egress"],
            "egress": [{"ports": _ports((API_SERVER,))}],
        },
        **{
            name: {"pod_selector": {}, "policy_types": ["Egress"], "egress": [{"to": [peer], "ports": _ports(ports)}]}
            for name, (peer, ports) in called.items()
        },
    }


def _peer(namespace: str, pods: Mapping[str, str] | None = None) -> NetworkPolicyPeerArgsDict:
    home: NetworkPolicyPeerArgsDict = {"namespace_selector": {"match_labels": {HOME: namespace}}}
    return {**home, "pod_selector": {"match_labels": dict(pods)}} if pods else home


def _ports(numbers: Sequence[int]) -> list[NetworkPolicyPortArgsDict]:
    return [{"protocol": "TCP", "port": number} for number in numbers]
