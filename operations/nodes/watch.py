"""Watches nodes: reports those that fail and, on request, cordons those that certainly failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from operations.nodes.health import find_node, inspect_nodes
from operations.nodes.repair import change_node, cordon, open_incident
from planning.incidents import node as node_labels
from planning.incidents.findings import NodeHealth
from planning.incidents.incident import Event, explain_end, open_for
from planning.incidents.pods import list_pods_to_drain
from planning.incidents.spares import cordons, explain_unfit, needs_burn_in
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from operations.nodes.health import HealthSnapshot, MaintenanceContext
    from operations.nodes.incident_log import IncidentLog
    from operations.nodes.kubernetes_cluster import NodeApi
    from planning.incidents.incident import Incident
    from planning.incidents.node import Node


def close_finished_incidents(
    looked: HealthSnapshot, *, scene: MaintenanceContext, cluster: NodeApi, log: IncidentLog, say: Callable[[str], None]
) -> tuple[Incident, ...]:
    """Close every incident that is over, and return them."""
    closed: list[Incident] = []
    for each in log.incidents:
        if each.placement != scene.spec.placement.name:  # its nodes are in another cluster
            continue
        words = explain_end(each, looked.nodes, verdicts=looked.verdicts, pool=scene.pools.get(each.pool))
        if not words:
            continue
        if any(node.name == each.node and node.incident == each.id for node in looked.nodes):
            change_node(each.node, _unmark_patch, scene=scene, cluster=cluster, log=log)
        closed.append(_close(each, log, words))
        say(f"incident {each.id} is closed: {words}")
    return tuple(closed)


def close(incident_id: str, *, because: str, log: IncidentLog) -> Incident:
    """Close an incident by hand.

    Raises:
        InputError: there is none of this id, or it is closed.
    """
    for each in log.incidents:
        if each.id == incident_id:
            if not each.open:
                raise InputError(f"incident {incident_id} was closed at {each.closed:%Y-%m-%d %H:%M:%S} UTC")
            return _close(each, log, because)
    raise InputError(f"there is no incident {incident_id!r}", hint="atoll nodes incidents STACK lists them")


def hold_spare(name: str, *, scene: MaintenanceContext, cluster: NodeApi, log: IncidentLog) -> str:
    """Hold a node back as a spare; returns the outcome in words. A node that is held already stays held.

    Raises:
        InputError: it has not passed its burn-in, is not well, has work, or its pool has its spares.
    """
    looked = inspect_nodes(scene, cluster, now=log.now())
    node = find_node(looked, name)
    if node.held and node.cordoned:
        return f"{name} is held back already"
    mine = open_for(log.incidents, name, uid=node.uid)
    _may_be_held(node, looked, scene=scene, cluster=cluster, mended=mine is not None and node.incident == mine.id)
    change_node(name, _spare_patch, scene=scene, cluster=cluster, log=log)
    if mine is not None:
        _close(mine, log, f"{name} came back, and is held as a spare")
    return f"{name} is held back as a spare of {node.pool}"


def _may_be_held(
    node: Node, looked: HealthSnapshot, *, scene: MaintenanceContext, cluster: NodeApi, mended: bool
) -> None:
    pool = scene.pools[node.pool]
    reason = explain_unfit(node, looked.verdicts[node.name], tested=needs_burn_in(pool), repaired=mended)
    if reason:
        raise InputError(f"{node.name} cannot be a spare: {reason}")
    if not pool.spares:
        raise InputError(f"pool {pool.name} has no spares in the lock: every node of it is to work")
    held = [each.name for each in looked.nodes if each.pool == pool.name and each.held and each.name != node.name]
    if len(held) >= pool.spares:
        raise InputError(f"pool {pool.name} has its {pool.spares} spares already: {', '.join(held)}")
    if working := list_pods_to_drain(cluster.list_pods_on(node.name)):
        raise InputError(
            f"{node.name} has work: {len(working)} pods, one of them {working[0].words}",
            hint=f"choose an idle node, or empty it first: kubectl drain {node.name} --ignore-daemonsets",
        )


def _close(incident: Incident, log: IncidentLog, words: str) -> Incident:
    event = Event(at=log.now(), incident=incident.id, happening="closed", node=incident.node, words=words)
    return log.write(event)


def _unmark_patch(_node: Node) -> Mapping[str, object]:
    return {"metadata": {"annotations": {node_labels.INCIDENT: None}}}


def _spare_patch(_node: Node) -> Mapping[str, object]:
    marks = {"labels": {node_labels.SPARE: node_labels.YES}, "annotations": {node_labels.INCIDENT: None}}
    return {"metadata": marks, "spec": {"unschedulable": True}}


@dataclass(frozen=True, slots=True, kw_only=True)
class CordonLimit:
    """How many nodes of a pool may be cordoned because they failed: the lower limit of the two, at least one."""

    at_most: int
    share_percent: int


def report_unhealthy(looked: HealthSnapshot, say: Callable[[str], None]) -> None:
    """Say which nodes are not well, and why."""
    for node in looked.nodes:
        verdict = looked.verdicts[node.name]
        if verdict.standing is not NodeHealth.WELL:
            away = " (cordoned)" if node.cordoned else ""
            words = verdict.words or "its kubelet is silent: it is said, not cordoned"
            say(f"{node.name} of {node.pool} is {verdict.standing}{away}: {words}")


def cordon_failed_nodes(
    looked: HealthSnapshot,
    *,
    scene: MaintenanceContext,
    cluster: NodeApi,
    log: IncidentLog,
    limit: CordonLimit,
    say: Callable[[str], None],
) -> tuple[str, ...]:
    """Cordon nodes that certainly failed, within the limit; returns their names."""
    close_finished_incidents(looked, scene=scene, cluster=cluster, log=log, say=say)
    found = cordons(
        looked.nodes,
        verdicts=looked.verdicts,
        at_most=limit.at_most,
        share_percent=limit.share_percent,
        pools=scene.pools,
    )
    for name, reason in found.left:
        say(f"{name} is not cordoned: {reason}")
    for node in found.nodes:
        # Written down before the cluster is changed: a node that is cordoned without a line in the log would be
        # nobody's.
        incident = open_incident(node, looked, scene, log)
        words = cordon(node.name, incident, scene=scene, cluster=cluster, log=log)
        log.write(Event(at=log.now(), incident=incident.id, happening="done", step="cordon", words=words))
        say(f"{node.name} is cordoned, incident {incident.id}: `atoll nodes replace {scene.stack} {node.name}` goes on")
    return tuple(each.name for each in found.nodes)
