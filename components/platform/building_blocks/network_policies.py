"""Network policies of the platform's own namespaces: all traffic is denied, and each component allows what it needs.

`isolate_namespace` allows DNS, traffic between pods of the namespace, egress to the Kubernetes API, and ingress from
Prometheus and the ingress gateway on any port. A component allows the rest itself, as `parent`: `allow` between two
namespaces, `allow_webhook` for calls of the API server, `allow_metrics` in a namespace that upstream's manifests make,
`allow_egress` to addresses outside the cluster.

Network policies do not apply to pods in the host's network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from catalogs.providers import find_traits
from components.context.names import METADATA_ADDRESS
from components.platform.building_blocks import names
from components.tenancy.workload import build_closed_policies

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pulumi_kubernetes.networking.v1 import (
        NetworkPolicyEgressRuleArgsDict,
        NetworkPolicyPeerArgsDict,
        NetworkPolicyPortArgsDict,
        NetworkPolicySpecArgsDict,
    )

    from planning.spec.cluster import ClusterSpec

HOME: Final = "kubernetes.io/metadata.name"  # a label that every namespace has, with its own name
EVERYWHERE: Final = ""  # any namespace of the cluster
API_PORTS: Final = (443, 6443)  # of API servers, once the service's address is translated to theirs
ANYWHERE: Final = "0.0.0.0/0"
PRIVATE: Final = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
GATEWAY_PODS: Final = {"app": "istio-ingressgateway"}
PROMETHEUS_PODS: Final = {"app.kubernetes.io/name": "prometheus"}


def isolate_namespace(namespace: str, *, servers: Sequence[str], parent: pulumi.Resource) -> None:
    """Deny all traffic of a namespace but what every component needs.

    Args:
        servers: ranges in which the Kubernetes API answers, from `api_servers`.
    """
    for name, spec in _shut(servers).items():
        _policy(f"{namespace}-{name}", name, namespace=namespace, spec=spec, parent=parent)


def api_servers(spec: ClusterSpec) -> tuple[str, ...]:
    """Ranges in which pods find the Kubernetes API."""
    # The provider chooses the API's address, and may change it.
    return PRIVATE if find_traits(spec.placement.target).private_api else (ANYWHERE,)


def allow(
    name: str,
    *,
    source: str,
    target: str,
    ports: Sequence[int],
    parent: pulumi.Resource,
    source_pods: Mapping[str, str] | None = None,
    target_pods: Mapping[str, str] | None = None,
) -> None:
    """Allow traffic between two namespaces: egress of the one, ingress of the other.

    Args:
        name: of both policies, as in "mlflow-to-store".
        source: namespace that calls; EVERYWHERE for any, whose egress is not changed.
        target: namespace that answers.
        ports: of the pods that answer, not of their service.
        source_pods: labels of the pods that call; all of them by default.
        target_pods: labels of the pods that answer; all of them by default.
    """
    inward: NetworkPolicySpecArgsDict = {
        "pod_selector": {"match_labels": dict(target_pods or {})},
        "policy_types": ["Ingress"],
        "ingress": [{"from_": [build_peer(source, source_pods)], "ports": build_ports(ports)}],
    }
    _policy(f"{name}-in", f"{name}-in", namespace=target, spec=inward, parent=parent)
    if source == EVERYWHERE:
        return
    out: NetworkPolicySpecArgsDict = {
        "pod_selector": {"match_labels": dict(source_pods or {})},
        "policy_types": ["Egress"],
        "egress": [{"to": [build_peer(target, target_pods)], "ports": build_ports(ports)}],
    }
    _policy(f"{name}-out", f"{name}-out", namespace=source, spec=out, parent=parent)


def allow_webhook(
    name: str,
    *,
    namespace: str,
    ports: Sequence[int],
    parent: pulumi.Resource,
    pods: Mapping[str, str] | None = None,
    after: Sequence[pulumi.Resource] = (),
) -> None:
    """Let the API server call a webhook. No policy can name it, so the ports are open to all.

    Args:
        name: as in "kueue-webhook".
        ports: of the pods, not of their service.
        after: what makes the namespace, where `namespaces.py` does not.
    """
    spec: NetworkPolicySpecArgsDict = {
        "pod_selector": {"match_labels": dict(pods or {})},
        "policy_types": ["Ingress"],
        "ingress": [{"ports": build_ports(ports)}],
    }
    _policy(name, name, namespace=namespace, spec=spec, parent=parent, after=after)


def allow_egress(
    name: str,
    *,
    namespace: str,
    parent: pulumi.Resource,
    ports: Sequence[int] = (443,),
    pods: Mapping[str, str] | None = None,
) -> None:
    """Let pods call any address but that of the node's metadata.

    Args:
        name: as in "velero-bucket".
    """
    spec: NetworkPolicySpecArgsDict = {
        "pod_selector": {"match_labels": dict(pods or {})},
        "policy_types": ["Egress"],
        "egress": [
            {"to": [_block(ANYWHERE)], "ports": build_ports(ports)},
        ],
    }
    _policy(name, name, namespace=namespace, spec=spec, parent=parent)


def allow_metrics(namespace: str, *, parent: pulumi.Resource, after: Sequence[pulumi.Resource] = ()) -> None:
    """Let Prometheus scrape the pods of a namespace that upstream's manifests isolate.

    Args:
        after: what makes the namespace.
    """
    spec = build_ingress(build_peer(names.OBSERVABILITY, PROMETHEUS_PODS))
    name = f"{namespace}-allow-metrics"
    _policy(name, "allow-metrics", namespace=namespace, spec=spec, parent=parent, after=after)


def build_ingress(peer: NetworkPolicyPeerArgsDict) -> NetworkPolicySpecArgsDict:
    return {"pod_selector": {}, "policy_types": ["Ingress"], "ingress": [{"from_": [peer]}]}


def _shut(servers: Sequence[str]) -> dict[str, NetworkPolicySpecArgsDict]:
    return {
        **build_closed_policies(),
        "allow-api-server": {"pod_selector": {}, "policy_types": ["Egress"], "egress": [_to_servers(servers)]},
        "allow-gateway": build_ingress(build_peer(names.ISTIO, GATEWAY_PODS)),
        "allow-metrics": build_ingress(build_peer(names.OBSERVABILITY, PROMETHEUS_PODS)),
    }


def _to_servers(servers: Sequence[str]) -> NetworkPolicyEgressRuleArgsDict:
    """Egress to the API server."""
    ports = build_ports(API_PORTS)
    # No `ipBlock` for any address: Cilium matches nodes, which may run the server, with none.
    return {"ports": ports} if ANYWHERE in servers else {"to": [_block(each) for each in servers], "ports": ports}


def build_peer(namespace: str, pods: Mapping[str, str] | None = None) -> NetworkPolicyPeerArgsDict:
    home: NetworkPolicyPeerArgsDict = {"namespace_selector": {"match_labels": {HOME: namespace} if namespace else {}}}
    return {**home, "pod_selector": {"match_labels": dict(pods)}} if pods else home


def _block(cidr: str) -> NetworkPolicyPeerArgsDict:
    return {"ip_block": {"cidr": cidr, "except_": [METADATA_ADDRESS] if cidr == ANYWHERE else []}}


def build_ports(numbers: Sequence[int]) -> list[NetworkPolicyPortArgsDict]:
    return [{"protocol": "TCP", "port": number} for number in numbers]


def _policy(
    logical: str,
    name: str,
    *,
    namespace: str,
    spec: NetworkPolicySpecArgsDict,
    parent: pulumi.Resource,
    after: Sequence[pulumi.Resource] = (),
) -> None:
    kubernetes.networking.v1.NetworkPolicy(
        logical,
        metadata={"name": name, "namespace": namespace},
        spec=spec,
        opts=pulumi.ResourceOptions(parent=parent, depends_on=list(after)),
    )
