"""A live cluster over the API that its kubeconfig names."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast, final
from urllib.parse import quote

from components.acceptance.model import Reference, reference
from operations.clouds.kubernetes.client import ClusterWords, KubernetesClient, open_cluster
from operations.clouds.kubernetes.objects import (
    ClusterError,
    kubeconfig_source,
    labels_of,
    metadata,
    name_of,
    namespace_of,
    value_at,
)
from operations.clouds.kubernetes.placement import RESOURCES
from planning.values.json_format import to_mapping, to_mappings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from components.acceptance.model import Manifest
    from planning.spec.cluster import ClusterSpec


INITIALIZING: Final = "PodInitializing"  # of a container before which another one works
ENDED: Final = frozenset({"Succeeded", "Failed"})
OWNER: Final = "atoll-acceptance"
MOST_LOG_BYTES: Final = 8 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSnapshot:
    """A node as the cluster tells it.

    Args:
        taints: their keys.
        accelerators: how many pods may have there, by their resource's name.
        uid: another node of the same name has another one.
        holders: pods that hold accelerators there, "namespace/name".
    """

    name: str
    labels: Mapping[str, str]
    ready: bool
    cordoned: bool
    taints: tuple[str, ...]
    accelerators: Mapping[str, int]
    uid: str = ""
    holders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSnapshot:
    """A pod of a job.

    Args:
        waiting: why it does not run, in the cluster's words; "" where it does.
    """

    namespace: str
    name: str
    phase: str
    node: str
    waiting: str = ""


def holders(pods: Iterable[Mapping[str, object]]) -> Mapping[str, list[str]]:
    """Pods that hold accelerators, by their node."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for each in pods:
        node = str(value_at(each, ("spec", "nodeName")) or "")
        if node and value_at(each, ("status", "phase")) not in ENDED and _holds_accelerators(each):
            found[node].append(f"{namespace_of(each)}/{name_of(each)}")
    return found


def _holds_accelerators(pod: Mapping[str, object]) -> bool:
    containers = to_mappings(value_at(pod, ("spec", "containers")))
    limits = [to_mapping(value_at(each, ("resources", "limits"))) for each in containers]
    return any(str(each[name]) != "0" for each in limits for name in RESOURCES & each.keys())


def parse_node(node: Mapping[str, object], held: Mapping[str, Sequence[str]]) -> NodeSnapshot:
    conditions = to_mappings(value_at(node, ("status", "conditions")))
    return NodeSnapshot(
        name=name_of(node),
        labels=cast("Mapping[str, str]", labels_of(node)),
        ready=any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions),
        cordoned=bool(value_at(node, ("spec", "unschedulable"))),
        taints=tuple(str(each.get("key")) for each in to_mappings(value_at(node, ("spec", "taints")))),
        accelerators={
            key: int(str(amount))
            for key, amount in to_mapping(value_at(node, ("status", "allocatable"))).items()
            if key in RESOURCES and str(amount).isdigit() and int(str(amount))
        },
        uid=str(metadata(node).get("uid") or ""),
        holders=tuple(held.get(name_of(node), ())),
    )


def parse_pod(pod: Mapping[str, object]) -> PodSnapshot:
    status = to_mapping(pod.get("status"))
    return PodSnapshot(
        namespace=namespace_of(pod),
        name=name_of(pod),
        phase=str(status.get("phase") or "Pending"),
        node=str(value_at(pod, ("spec", "nodeName")) or ""),
        waiting=_explain_waiting(status),
    )


def _explain_waiting(status: Mapping[str, object]) -> str:
    for each in to_mappings(status.get("conditions")):
        if each.get("type") == "PodScheduled" and each.get("status") == "False":
            return f"{each.get('reason', '')}: {each.get('message', '')}"
    for each in (*to_mappings(status.get("initContainerStatuses")), *to_mappings(status.get("containerStatuses"))):
        state = to_mapping(value_at(each, ("state", "waiting")))
        if state and state.get("reason") != INITIALIZING:
            return f"{state.get('reason', '')}: {state.get('message', '')}".removesuffix(": ")
    return ""


@final
class AcceptanceCluster:
    """What an acceptance asks of a cluster; every call raises ClusterError where it is refused or not answered."""

    def __init__(self, cluster: KubernetesClient) -> None:
        self._cluster = cluster
        self._plurals: dict[tuple[str, str], str] = {}

    def list_nodes(self) -> Sequence[NodeSnapshot]:
        """Every node, and who holds its accelerators."""
        held = holders(self._cluster.list_objects("/api/v1/pods"))
        return [parse_node(each, held) for each in self._cluster.list_objects("/api/v1/nodes")]

    def apply(self, manifest: Manifest) -> None:
        """Make an object, or bring it to what is given.

        Raises:
            ClusterError: refused, a kind that is not served, or no answer.
        """
        path = self._find_path(reference(manifest))
        if path is None:
            raise ClusterError(f"the cluster does not serve {manifest['apiVersion']} {manifest['kind']}")
        self._cluster.apply(path, manifest, owner=OWNER)

    def get(self, wanted: Reference) -> Mapping[str, object] | None:
        """The object as it stands; None where it, or its kind, is not there."""
        path = self._find_path(wanted)
        return None if path is None else self._cluster.get(path)

    def delete(self, wanted: Reference) -> None:
        """Delete the object and what it owns; nothing where it is not there."""
        path = self._find_path(wanted)
        if path is not None:
            # The API deletes a Job without its pods unless it is told otherwise.
            self._cluster.delete(path, propagationPolicy="Background")

    def list_references(self, *, api_version: str, kind: str, namespace: str, selector: str) -> Sequence[Reference]:
        """Objects of a kind that bear labels; none where the kind is not served."""
        path = self._find_collection(api_version, kind, namespace)
        found = self._cluster.list_objects(path, labelSelector=selector) if path else []
        return [reference({"apiVersion": api_version, "kind": kind, **each}) for each in found]

    def list_pods(self, *, namespace: str, selector: str) -> Sequence[PodSnapshot]:
        path = f"/api/v1/namespaces/{quote(namespace, safe='')}/pods"
        return [parse_pod(each) for each in self._cluster.list_objects(path, labelSelector=selector)]

    def read_log(self, pod: PodSnapshot, *, container: str) -> str:
        """The first bytes of what a container of a pod has written; "" where it has not begun."""
        path = f"/api/v1/namespaces/{quote(pod.namespace, safe='')}/pods/{quote(pod.name, safe='')}/log"
        query = [("container", container), ("limitBytes", str(MOST_LOG_BYTES))] if container else []
        # The kubelet answers 400 while the container is still being created.
        not_begun = {HTTPStatus.NOT_FOUND, HTTPStatus.BAD_REQUEST}
        status, content = self._cluster.request("GET", path, query=query, accept="*/*", expected=not_begun)
        return "" if status in not_begun else content[:MOST_LOG_BYTES].decode("utf-8", "replace")

    def _find_path(self, wanted: Reference) -> str | None:
        """Where the API serves an object; None where it does not serve its kind."""
        collection = self._find_collection(wanted.api_version, wanted.kind, wanted.namespace)
        return f"{collection}/{quote(wanted.name, safe=':')}" if collection else None

    def _find_collection(self, version: str, kind: str, namespace: str) -> str | None:
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        if (version, kind) not in self._plurals:
            served = to_mappings((self._cluster.get(root) or {}).get("resources"))
            # `namespaces/status` has the kind of `namespaces`: what has a slash is a part of an object.
            whole = [each for each in served if "/" not in str(each["name"])]
            self._plurals |= {(version, str(each["kind"])): str(each["name"]) for each in whole}
        plural = self._plurals.get((version, kind))
        within = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
        return f"{root}{within}/{plural}" if plural else None


def open_acceptance_cluster(spec: ClusterSpec) -> AcceptanceCluster:
    """The cluster of a placement, by the kubeconfig that its variable names.

    Raises:
        ClusterError: the variable is not set, or names no kubeconfig.
    """
    source = kubeconfig_source(spec)
    words = ClusterWords(
        kubeconfig_hint=f"export {source.variable}=FILE, as `atoll outputs` or `atoll access` writes it",
        refused_hint="the kubeconfig's user must be allowed to do it; docs/guides/acceptance.md lists what is needed",
    )
    return AcceptanceCluster(open_cluster(source, words))
