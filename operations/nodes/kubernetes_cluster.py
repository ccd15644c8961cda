"""A cluster over the API that its kubeconfig names."""

from __future__ import annotations

import os
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast, final
from urllib.parse import quote

from operations.clouds.kubernetes import client as api_server
from operations.clouds.kubernetes.placement import VARIABLE
from operations.nodes.ports import ChangedError, NodeApiError, SilentError
from planning.incidents.node import node_of
from planning.incidents.pods import budget_of, pod_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubernetes import client

    from planning.incidents.node import Node
    from planning.incidents.pods import Pod, PodDisruptionBudget
    from planning.spec.cluster import ClusterSpec

PAGE: Final = 500
# Prometheus of our platform (components.platform.building_blocks.names), asked through the API server.
PROMETHEUS: Final = "/api/v1/namespaces/observability/services/prometheus-prometheus:9090/proxy/api/v1/query"
XIDS: Final = "DCGM_FI_DEV_XID_ERRORS > 0"


@final
class KubernetesNodeApi:
    """A cluster, by its API."""

    def __init__(self, api: client.ApiClient) -> None:
        self._api = api

    def nodes(self) -> Sequence[Node]:
        """As `Cluster.nodes`."""
        return [node_of(each) for each in self._listed("/api/v1/nodes")]

    def pods_on(self, node: str) -> Sequence[Pod]:
        """As `Cluster.pods_on`."""
        return [pod_of(each) for each in self._listed("/api/v1/pods", ("fieldSelector", f"spec.nodeName={node}"))]

    def budgets(self) -> Sequence[PodDisruptionBudget]:
        """As `Cluster.budgets`."""
        return [budget_of(each) for each in self._listed("/apis/policy/v1/poddisruptionbudgets")]

    def change(self, node: Node, change: Mapping[str, object]) -> None:
        """As `Cluster.change`."""
        held = {"uid": node.uid, "resourceVersion": node.version}
        meta = cast("Mapping[str, object]", change.get("metadata", {}))
        path = f"/api/v1/nodes/{quote(node.name, safe='')}"
        status, answer = self._call(
            "PATCH", path, body={**change, "metadata": {**meta, **held}}, sent_as=api_server.MERGE
        )
        if status == HTTPStatus.CONFLICT:
            raise ChangedError
        self._judged("PATCH", path, status, answer)

    def evict(self, pod: Pod, *, grace_seconds: int) -> str:
        """As `Cluster.evict`."""
        within, name = quote(pod.namespace, safe=""), quote(pod.name, safe="")
        path = f"/api/v1/namespaces/{within}/pods/{name}/eviction"
        body = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": pod.name, "namespace": pod.namespace},
            "deleteOptions": {"gracePeriodSeconds": grace_seconds, "preconditions": {"uid": pod.uid}},
        }
        status, answer = self._call("POST", path, body=body, sent_as=api_server.JSON)
        if status in {HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT}:  # gone, or another pod under its name
            return ""
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            return str(answer.get("message") or "its disruption budget does not allow it")
        self._judged("POST", path, status, answer)
        return ""

    def delete(self, node: Node) -> None:
        """As `Cluster.delete`."""
        path = f"/api/v1/nodes/{quote(node.name, safe='')}"
        status, answer = self._call("DELETE", path, body={"preconditions": {"uid": node.uid}}, sent_as=api_server.JSON)
        if status not in {HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT}:
            self._judged("DELETE", path, status, answer)

    def xids(self) -> Mapping[str, tuple[int, ...]] | str:
        """As `Cluster.xids`."""
        try:
            status, answer = self._call("GET", PROMETHEUS, query=[("query", XIDS)])
        except NodeApiError as error:
            return str(error)
        if status >= HTTPStatus.MULTIPLE_CHOICES:
            return f"Prometheus was not reached through the API server: {status} {answer.get('reason', '')}".rstrip()
        return by_node(answer)

    def _listed(self, path: str, *query: tuple[str, str]) -> Sequence[Mapping[str, object]]:
        found: list[Mapping[str, object]] = []
        more = ""
        while True:
            status, page = self._call("GET", path, query=[*query, ("limit", str(PAGE)), ("continue", more)])
            self._judged("GET", path, status, page)
            found += cast("list[Mapping[str, object]]", page.get("items") or [])
            more = str(cast("Mapping[str, object]", page.get("metadata") or {}).get("continue") or "")
            if not more:
                return found

    def _call(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, object] | None = None,
        sent_as: str = "",
        query: Sequence[tuple[str, str]] = (),
    ) -> tuple[int, Mapping[str, object]]:
        """Status and answer.

        Raises:
            SilentError: nobody answers.
        """
        try:
            status, content = api_server.answer(self._api, method, path, query=query, body=body, sent_as=sent_as)
        except api_server.SILENT as error:
            raise SilentError(
                f"the cluster does not answer: {type(error).__name__}",
                hint="look at its address in the kubeconfig, and at your way there (VPN); then run again",
            ) from error
        return status, api_server.parse_object(content)

    @staticmethod
    def _judged(method: str, path: str, status: int, answer: Mapping[str, object]) -> None:
        if status >= HTTPStatus.MULTIPLE_CHOICES:
            reason = answer.get("reason") or "no reason given"
            raise NodeApiError(
                f"the cluster refused {method} {path}: {status} {reason}",
                hint="docs/guides/failed-nodes.md lists the rights that are needed; run again with them",
            )


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


def open_node_api(spec: ClusterSpec) -> KubernetesNodeApi:
    """The cluster of a placement, by the kubeconfig that its variable names.

    Raises:
        ClusterError: it names none.
    """
    existing = spec.existing
    variable = existing.kubeconfig_env if existing else VARIABLE
    named = os.environ.get(variable, "")
    hint = f"{variable} names the kubeconfig of the cluster"
    if not named:
        raise NodeApiError(f"{variable} is not set", hint=hint)
    try:
        return KubernetesNodeApi(api_server.open_api(named, context=existing.context if existing else None))
    except api_server.NoKubeconfigError as error:
        raise NodeApiError(str(error), hint=hint) from error
    except api_server.UNUSABLE as error:
        raise NodeApiError(f"the cluster cannot be opened: {api_server.reason_of(error)}", hint=hint) from error
