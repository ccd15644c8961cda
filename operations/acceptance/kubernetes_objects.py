"""Nodes and pods of the API in the words of an acceptance."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, cast

from operations.acceptance.ports import PodSeen, Seen
from operations.clouds.kubernetes.placement import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from components.acceptance.model import Manifest

INITIALIZING: Final = "PodInitializing"  # of a container before which another one works
ENDED: Final = frozenset({"Succeeded", "Failed"})


def holders(pods: Iterable[Manifest]) -> Mapping[str, list[str]]:
    """Pods that hold accelerators, by their node."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for each in pods:
        spec, node = _part(each, "spec"), str(_part(each, "spec").get("nodeName") or "")
        if node and _part(each, "status").get("phase") not in ENDED and _holds(spec):
            found[node].append(f"{_part(each, 'metadata').get('namespace')}/{_part(each, 'metadata').get('name')}")
    return found


def node_seen(node: Manifest, held: Mapping[str, Sequence[str]]) -> Seen:
    """A node."""
    metadata, spec = _part(node, "metadata"), _part(node, "spec")
    name = str(metadata.get("name"))
    return Seen(
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


def pod_seen(pod: Manifest) -> PodSeen:
    """A pod."""
    metadata, status = _part(pod, "metadata"), _part(pod, "status")
    return PodSeen(
        namespace=str(metadata.get("namespace")),
        name=str(metadata.get("name")),
        phase=str(status.get("phase") or "Pending"),
        node=str(_part(pod, "spec").get("nodeName") or ""),
        waiting=_waiting(status),
    )


def _waiting(status: Manifest) -> str:
    """The scheduler's reason, or the kubelet's for a container."""
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
