"""The Kubernetes API calls that repair nodes."""

from __future__ import annotations

from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast, final
from urllib.parse import quote

from operations.clouds.kubernetes.client import ClusterWords, KubernetesClient, open_cluster, parse_object
from operations.clouds.kubernetes.objects import ChangedMeanwhileError, ClusterError, kubeconfig_source
from planning.incidents.node import node_of
from planning.incidents.pods import budget_of, pod_of
from planning.values.json_format import to_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.incidents.node import Node
    from planning.incidents.pods import Pod, PodDisruptionBudget
    from planning.spec.cluster import ClusterSpec

# Prometheus of our platform (components.platform.building_blocks.names), asked through the API server.
PROMETHEUS: Final = "/api/v1/namespaces/observability/services/prometheus-prometheus:9090/proxy/api/v1/query"
XIDS: Final = "DCGM_FI_DEV_XID_ERRORS > 0"


@final
class NodeApi:
    """Nodes of a cluster; every call raises ClusterError where it is refused or not answered."""

    def __init__(self, cluster: KubernetesClient) -> None:
        self._cluster = cluster

    def list_nodes(self) -> Sequence[Node]:
        """Every node, whoever's."""
        return [node_of(each) for each in self._cluster.list_objects("/api/v1/nodes")]

    def list_pods_on(self, node: str) -> Sequence[Pod]:
        """Pods on a node, whatever their phase."""
        found = self._cluster.list_objects("/api/v1/pods", fieldSelector=f"spec.nodeName={node}")
        return [pod_of(each) for each in found]

    def list_budgets(self) -> Sequence[PodDisruptionBudget]:
        found = self._cluster.list_objects("/apis/policy/v1/poddisruptionbudgets")
        return [budget_of(each) for each in found]

    def change(self, node: Node, change: Mapping[str, object]) -> None:
        """Apply a merge patch to a node, as it was looked at.

        Raises:
            ChangedMeanwhileError: it has changed since.
        """
        unchanged = {"uid": node.uid, "resourceVersion": node.version}
        metadata = {**to_mapping(change.get("metadata")), **unchanged}
        if not self._cluster.patch(_path(node), {**change, "metadata": metadata}):
            raise ClusterError(f"node {node.name} is not there any more")

    def evict(self, pod: Pod, *, grace_seconds: int) -> str:
        """Ask a pod to end; "" where it will, or is gone, else why not yet."""
        path = f"/api/v1/namespaces/{quote(pod.namespace, safe='')}/pods/{quote(pod.name, safe='')}/eviction"
        body = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": pod.name, "namespace": pod.namespace},
            # With its uid: a new pod under its name on another node must not be ended in its place.
            "deleteOptions": {"gracePeriodSeconds": grace_seconds, "preconditions": {"uid": pod.uid}},
        }
        gone = {HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT}  # or another pod under its name
        expected = {*gone, HTTPStatus.TOO_MANY_REQUESTS}
        status, content = self._cluster.request("POST", path, body=body, expected=expected)
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            return str(parse_object(content).get("message") or "its disruption budget does not allow it")
        return ""

    def delete(self, node: Node) -> None:
        """Delete a node's object, if it is still this one."""
        with suppress(ChangedMeanwhileError):
            self._cluster.delete(_path(node), preconditions={"uid": node.uid})

    def read_xids(self) -> Mapping[str, tuple[int, ...]] | str:
        """Last Xids of the GPUs by node, from Prometheus; else the reason why they are not known."""
        try:
            _, content = self._cluster.request("GET", PROMETHEUS, query=[("query", XIDS)])
        except ClusterError as error:
            return f"Prometheus was not reached through the API server: {error}"
        return by_node(parse_object(content))


def _path(node: Node) -> str:
    return f"/api/v1/nodes/{quote(node.name, safe='')}"


def by_node(answer: Mapping[str, object]) -> Mapping[str, tuple[int, ...]]:
    """Xids by the node that the exporter names, of an answer of Prometheus."""
    found: dict[str, tuple[int, ...]] = {}
    inside = cast("Mapping[str, object]", answer.get("data") or {})
    for each in cast("list[Mapping[str, object]]", inside.get("result") or []):
        labels = cast("Mapping[str, str]", each.get("metric") or {})
        value = cast("list[object]", each.get("value") or [0, "0"])
        number = str(value[-1])
        if number.isdigit() and (node := labels.get("Hostname", "")):
            found[node] = tuple(dict.fromkeys((*found.get(node, ()), int(number))))
    return found


def open_node_api(spec: ClusterSpec) -> NodeApi:
    """The cluster of a placement, by the kubeconfig that its variable names.

    Raises:
        ClusterError: it names none.
    """
    source = kubeconfig_source(spec)
    words = ClusterWords(
        kubeconfig_hint=f"{source.variable} names the kubeconfig of the cluster",
        refused_hint="docs/guides/failed-nodes.md lists the rights that are needed; run again with them",
        silent_hint="look at its address in the kubeconfig, and at your way there (VPN); then run again",
    )
    return NodeApi(open_cluster(source, words))
