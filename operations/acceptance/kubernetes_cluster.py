"""A live cluster over the API that its kubeconfig names."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast, final
from urllib.parse import quote, urlencode

from components.acceptance.model import Reference, reference
from operations.acceptance.ports import AcceptanceClusterError, NodeSnapshot, PodSnapshot
from operations.clouds.kubernetes import client as api_server
from operations.clouds.kubernetes.placement import RESOURCES, VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kubernetes import client

    from components.acceptance.model import Manifest
    from planning.spec.cluster import ClusterSpec


INITIALIZING: Final = "PodInitializing"  # of a container before which another one works
ENDED: Final = frozenset({"Succeeded", "Failed"})


def holders(pods: Iterable[Manifest]) -> Mapping[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for each in pods:
        spec, node = _part(each, "spec"), str(_part(each, "spec").get("nodeName") or "")
        if node and _part(each, "status").get("phase") not in ENDED and _holds(spec):
            found[node].append(f"{_part(each, 'metadata').get('namespace')}/{_part(each, 'metadata').get('name')}")
    return found


def parse_node(node: Manifest, held: Mapping[str, Sequence[str]]) -> NodeSnapshot:
    metadata, spec = _part(node, "metadata"), _part(node, "spec")
    name = str(metadata.get("name"))
    return NodeSnapshot(
        name=name,
        labels=cast("Mapping[str, str]", metadata.get("labels") or {}),
        ready=any(
            each.get("type") == "Ready" and each.get("status") == "True"
            for each in _rows(_part(node, "status"), "conditions")
        ),
        cordoned=bool(spec.get("unschedulable")),
        taints=tuple(str(each.get("key")) for each in _rows(spec, "taints")),
        accelerators={
            key: int(str(amount))
            for key, amount in _part(_part(node, "status"), "allocatable").items()
            if key in RESOURCES and str(amount).isdigit() and int(str(amount))
        },
        uid=str(metadata.get("uid") or ""),
        holders=tuple(held.get(name, ())),
    )


def parse_pod(pod: Manifest) -> PodSnapshot:
    metadata, status = _part(pod, "metadata"), _part(pod, "status")
    return PodSnapshot(
        namespace=str(metadata.get("namespace")),
        name=str(metadata.get("name")),
        phase=str(status.get("phase") or "Pending"),
        node=str(_part(pod, "spec").get("nodeName") or ""),
        waiting=_waiting(status),
    )


def _waiting(status: Manifest) -> str:
    for each in _rows(status, "conditions"):
        if each.get("type") == "PodScheduled" and each.get("status") == "False":
            return f"{each.get('reason', '')}: {each.get('message', '')}"
    for each in (*_rows(status, "initContainerStatuses"), *_rows(status, "containerStatuses")):
        state = _part(_part(each, "state"), "waiting")
        if state and state.get("reason") != INITIALIZING:
            return f"{state.get('reason', '')}: {state.get('message', '')}".removesuffix(": ")
    return ""


def _holds(spec: Manifest) -> bool:
    limits = [_part(_part(each, "resources"), "limits") for each in _rows(spec, "containers")]
    return any(str(each[name]) != "0" for each in limits for name in RESOURCES & each.keys())


def _part(whole: Mapping[str, object], name: str) -> Manifest:
    return cast("dict[str, object]", whole.get(name) or {})


def _rows(whole: Mapping[str, object], name: str) -> list[Manifest]:
    return cast("list[dict[str, object]]", whole.get(name) or [])


OWNER: Final = "atoll-acceptance"
PAGE: Final = 500
MOST_LOG_BYTES: Final = 8 * 2**20
MAY: Final = "the kubeconfig's user must be allowed to do it; docs/guides/acceptance.md lists what is needed"


@final
class KubernetesAcceptanceCluster:
    """A cluster, by its API."""

    def __init__(self, api: client.ApiClient) -> None:
        self._api = api
        self._plurals: dict[tuple[str, str], str] = {}

    def nodes(self) -> Sequence[NodeSnapshot]:
        """Every node, and who holds its accelerators."""
        held = holders(self._pages("/api/v1/pods"))
        return [parse_node(each, held) for each in self._pages("/api/v1/nodes")]

    def apply(self, manifest: Manifest) -> None:
        """Make an object, or bring it to what is given.

        Raises:
            ClusterError: refused, a kind that is not served, or no answer.
        """
        path = self._path(reference(manifest))
        if path is None:
            raise AcceptanceClusterError(f"the cluster does not serve {manifest['apiVersion']} {manifest['kind']}")
        query = f"?fieldManager={OWNER}&force=true&fieldValidation=Strict"
        status, found = self._object("PATCH", path + query, body=json.dumps(manifest), kind=api_server.APPLY)
        if status >= HTTPStatus.MULTIPLE_CHOICES:
            raise AcceptanceClusterError(f"the cluster refused {path}: {status} {found.get('message', '')}", hint=MAY)

    def get(self, wanted: Reference) -> Manifest | None:
        """The object as it stands; None where it, or its kind, is not there."""
        path = self._path(wanted)
        if path is None:
            return None
        status, found = self._object("GET", path)
        if status == HTTPStatus.NOT_FOUND:
            return None
        return _fine(status, found, path)

    def delete(self, wanted: Reference) -> None:
        """Delete the object and what it owns; nothing where it is not there."""
        path = self._path(wanted)
        if path is None:
            return
        status, found = self._object("DELETE", f"{path}?propagationPolicy=Background")
        if status != HTTPStatus.NOT_FOUND:
            _fine(status, found, path)

    def listed(self, *, api_version: str, kind: str, namespace: str, selector: str) -> Sequence[Reference]:
        """Objects of a kind that bear labels; none where the kind is not served."""
        plural = self._plural(api_version, kind)
        if plural is None:
            return []
        where = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
        found = self._pages(f"{_root(api_version)}{where}/{plural}", selector=selector)
        return [reference({"apiVersion": api_version, "kind": kind, **each}) for each in found]

    def pods(self, *, namespace: str, selector: str) -> Sequence[PodSnapshot]:
        found = self._pages(f"/api/v1/namespaces/{quote(namespace, safe='')}/pods", selector=selector)
        return [parse_pod(each) for each in found]

    def log(self, pod: PodSnapshot, *, container: str) -> str:
        """The first bytes of what a container of a pod has written; "" where it has not begun."""
        query = urlencode({"container": container, "limitBytes": MOST_LOG_BYTES} if container else {})
        path = f"/api/v1/namespaces/{quote(pod.namespace, safe='')}/pods/{quote(pod.name, safe='')}/log?{query}"
        status, content = self._call("GET", path, accept="*/*")
        if status in {HTTPStatus.NOT_FOUND, HTTPStatus.BAD_REQUEST}:
            return ""
        if status >= HTTPStatus.MULTIPLE_CHOICES:
            raise AcceptanceClusterError(f"the log of {pod.namespace}/{pod.name} cannot be read: {status}", hint=MAY)
        return content[:MOST_LOG_BYTES].decode("utf-8", "replace")

    def _pages(self, path: str, *, selector: str = "") -> list[Manifest]:
        found: list[Manifest] = []
        more = ""
        while True:
            asked = {"limit": str(PAGE), "labelSelector": selector, "continue": more}
            query = urlencode({key: value for key, value in asked.items() if value})
            page = _fine(*self._object("GET", f"{path}?{query}"), path)
            found += cast("list[Manifest]", page.get("items") or [])
            more = str(cast("Manifest", page.get("metadata") or {}).get("continue") or "")
            if not more:
                return found

    def _path(self, wanted: Reference) -> str | None:
        """Where the API serves an object; None where it does not serve its kind."""
        plural = self._plural(wanted.api_version, wanted.kind)
        if plural is None:
            return None
        where = f"/namespaces/{quote(wanted.namespace, safe='')}" if wanted.namespace else ""
        return f"{_root(wanted.api_version)}{where}/{plural}/{quote(wanted.name, safe=':')}"

    def _plural(self, version: str, kind: str) -> str | None:
        if (version, kind) not in self._plurals:
            status, found = self._object("GET", _root(version))
            served = cast("list[Mapping[str, str]]", found.get("resources") or [])
            if status >= HTTPStatus.MULTIPLE_CHOICES and status != HTTPStatus.NOT_FOUND:
                _fine(status, found, _root(version))
            known = {(version, each["kind"]): each["name"] for each in served if "/" not in each["name"]}
            self._plurals |= known
        return self._plurals.get((version, kind))

    def _object(self, method: str, path: str, *, body: str | None = None, kind: str = "") -> tuple[int, Manifest]:
        status, content = self._call(method, path, body=body, kind=kind)
        return status, api_server.parse_object(content)

    def _call(
        self, method: str, path: str, *, body: str | None = None, kind: str = "", accept: str = api_server.JSON
    ) -> tuple[int, bytes]:
        """Status and content of an answer.

        Raises:
            ClusterError: there is none.
        """
        try:
            return api_server.answer(self._api, method, path, body=body, sent_as=kind, accept=accept)
        except api_server.SILENT as error:
            raise AcceptanceClusterError(
                f"the cluster does not answer: {type(error).__name__}", hint="look at its address in the kubeconfig"
            ) from error


def open_cluster(spec: ClusterSpec) -> KubernetesAcceptanceCluster:
    """The cluster of a placement, by the kubeconfig that its variable names.

    Raises:
        ClusterError: the variable is not set, or names no kubeconfig.
    """
    variable = spec.existing.kubeconfig_env if spec.existing else VARIABLE
    hint = f"export {variable}=FILE, as `atoll outputs` or `atoll access` writes it"
    named = os.environ.get(variable, "")
    if not named:
        raise AcceptanceClusterError(f"{variable} is not set, and it names the kubeconfig of the cluster", hint=hint)
    try:
        return KubernetesAcceptanceCluster(
            api_server.open_api(named, context=spec.existing.context if spec.existing else None)
        )
    except api_server.NoKubeconfigError as error:
        raise AcceptanceClusterError(f"what {variable} names is no kubeconfig", hint=hint) from error
    except api_server.UNUSABLE as error:
        raise AcceptanceClusterError(
            f"the cluster cannot be opened: {api_server.reason_of(error)}", hint=hint
        ) from error


def _root(version: str) -> str:
    return f"/apis/{version}" if "/" in version else f"/api/{version}"


def _fine(status: int, found: Manifest, path: str) -> Manifest:
    if status >= HTTPStatus.MULTIPLE_CHOICES:
        raise AcceptanceClusterError(f"the cluster refused {path}: {status} {found.get('message', '')}", hint=MAY)
    return found
