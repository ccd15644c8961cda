"""Steps of a repair: a node drained within its disruption budgets, and its machine replaced by API or by a ticket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations.clouds.kubernetes.objects import ChangedMeanwhileError, ClusterError, ClusterSilentError
from operations.nodes.incident_log import FOLDER
from operations.project.atomic_files import write_all
from operations.project.workspace import display_path
from planning.incidents.pods import blocking, find_unowned, list_pods_to_drain
from planning.incidents.remedies import FAULT, Remedy, ReplacementMethod, TicketSubject, remedy, ticket
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from operations.nodes.health import MaintenanceContext
    from operations.nodes.kubernetes_cluster import NodeApi
    from planning.incidents.findings import NodeDiagnosis
    from planning.incidents.incident import Incident
    from planning.incidents.node import Node
    from planning.incidents.pods import Pod, PodDisruptionBudget


NAMES_SHOWN: Final = 5


class DrainError(InputError):
    """Pods are left on the node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How a drain waits.

    Args:
        timeout_s: until which every pod has to be gone.
        every_s: between looks.
        grace_s: least time that each pod is given to write a checkpoint, between its SIGTERM and its end.
    """

    timeout_s: float
    every_s: float
    grace_s: int
    clock: Callable[[], float]
    sleep: Callable[[float], None]


def drain(node: Node, cluster: NodeApi, *, waiting: Waiting, force: bool, say: Callable[[str], None]) -> str:
    """Drain a node; returns the outcome in words.

    Args:
        force: whether pods without a controller are ended, too.

    Raises:
        DrainError: pods are left; names them and the reasons.
        ClusterSilentError: the cluster does not answer until the end of the time.
    """
    end = waiting.clock() + waiting.timeout_s
    refused: dict[str, str] = {}
    asked: set[str] = set()
    lone = find_unowned(cluster.list_pods_on(node.name))
    if lone and not force:
        raise DrainError(
            f"nothing starts these pods of {node.name} again: {_name_pods(lone)}",
            hint="save what they hold and delete them, or add --force",
        )
    told = ""
    while True:
        try:
            left = list_pods_to_drain(cluster.list_pods_on(node.name))
            if not left:
                return f"{len(asked)} pods moved away"
            # Pods of a kubelet that is silent never end; waiting for them would never stop.
            if node.ready != "True" and all(each.ending for each in left):
                return f"{len(left)} pods are ending, and the silent kubelet cannot say so: {_name_pods(left)}"
            for each in (each for each in left if not each.ending):
                asked.add(each.uid)
                refused[each.words] = cluster.evict(each, grace_seconds=max(each.grace_seconds, waiting.grace_s))
            if waiting.clock() >= end:
                raise _late(node, left, refused, cluster.list_budgets(), timeout_s=waiting.timeout_s)
            stands = f"{len(left)} pods are still there"
        except ClusterSilentError:  # what was evicted may be the gateway through which we came
            if waiting.clock() >= end:
                raise
            stands = "the cluster does not answer just now; looking again"
        told = _report_change(stands, before=told, say=say, node=node)
        waiting.sleep(waiting.every_s)


def _report_change(stands: str, *, before: str, say: Callable[[str], None], node: Node) -> str:
    """Say how it stands, where that is new."""
    if stands != before:
        say(f"{node.name}: {stands}")
    return stands


def _late(
    node: Node,
    left: Sequence[Pod],
    refused: Mapping[str, str],
    budgets: Sequence[PodDisruptionBudget],
    *,
    timeout_s: float,
) -> DrainError:
    reasons = [f"{each.words} ({_reason(each, refused, budgets)})" for each in left[:NAMES_SHOWN]]
    more = f" and {len(left) - NAMES_SHOWN} more" if len(left) > NAMES_SHOWN else ""
    return DrainError(
        f"{node.name} is not empty after {timeout_s:.0f} s: {', '.join(reasons)}{more}",
        hint="run again to go on from here; where a budget blocks, give its pods another node first (a spare), or"
        " change it; --timeout waits longer",
    )


def _reason(pod: Pod, refused: Mapping[str, str], budgets: Sequence[PodDisruptionBudget]) -> str:
    if pod.ending:
        return f"it is ending, and was given {pod.grace_seconds} s by its own words"
    names = [f"{each.namespace}/{each.name}" for each in blocking(pod, budgets)]
    if names:
        return f"disruption budget {', '.join(names)} allows none to go"
    return refused.get(pod.words) or "it has not ended yet"


def _name_pods(pods: Sequence[Pod]) -> str:
    more = f" and {len(pods) - NAMES_SHOWN} more" if len(pods) > NAMES_SHOWN else ""
    return ", ".join(each.words for each in pods[:NAMES_SHOWN]) + more


def remedy_for(node: Node, scene: MaintenanceContext, *, by_ticket: bool = False) -> Remedy:
    if by_ticket:
        return Remedy(way=ReplacementMethod.TICKET, words="a ticket is written, as you asked")
    return remedy(scene.spec, node, scene.pools[node.pool])


def replace_machine(
    node: Node,
    incident: Incident,
    *,
    scene: MaintenanceContext,
    cluster: NodeApi,
    verdict: NodeDiagnosis,
    by_ticket: bool,
) -> str:
    """Replace a machine, by API or by a ticket; returns the outcome in words.

    Raises:
        InputError: the provider refuses.
    """
    way = remedy_for(node, scene, by_ticket=by_ticket).way
    if way is ReplacementMethod.TICKET:
        path = ticket_path(scene.folder, incident)
        write_all({path: ticket(_subject(node, incident, scene, verdict))})
        return f"a ticket for {scene.spec.placement.provider} lies in {display_path(path)}: send it"
    return _BY_API[way](node, incident, scene, cluster)


def ticket_path(stack_folder: Path, incident: Incident) -> Path:
    """Where the ticket of an incident lies."""
    return stack_folder / FOLDER / f"{incident.id}.md"


def _subject(node: Node, incident: Incident, scene: MaintenanceContext, verdict: NodeDiagnosis) -> TicketSubject:
    return TicketSubject(
        stack=scene.stack,
        spec=scene.spec,
        pool=scene.pools[node.pool],
        node=node,
        verdict=verdict,
        incident=incident,
        replace_within_hours=scene.replace_within_hours,
    )


def _end_instance(node: Node, _incident: Incident, scene: MaintenanceContext, _cluster: NodeApi) -> str:
    from operations.nodes.aws_instances import end_instance  # noqa: PLC0415 - an SDK, where it is asked for

    return end_instance(node.machine_id, region=scene.spec.placement.region, cluster=scene.eks)


def _delete(node: Node, _incident: Incident, _scene: MaintenanceContext, cluster: NodeApi) -> str:
    cluster.delete(node)
    return f"node {node.name} was deleted; Karpenter ends its instance"


def _report(node: Node, incident: Incident, _scene: MaintenanceContext, cluster: NodeApi) -> str:
    if FAULT in node.labels:
        return "its host was reported to Google before"
    reason = "XID" if incident.xids else "unspecified"
    try:
        cluster.change(node, {"metadata": {"labels": {FAULT: reason}}})
    except ChangedMeanwhileError as error:
        raise ClusterError(f"node {node.name} was changed meanwhile", hint="run again") from error
    return f"its host was reported to Google as faulty ({reason}); GKE moves the node to another one"


_BY_API: Final[Mapping[ReplacementMethod, Callable[[Node, Incident, MaintenanceContext, NodeApi], str]]] = {
    ReplacementMethod.AWS_GROUP: _end_instance,
    ReplacementMethod.NODE: _delete,
    ReplacementMethod.GKE_REPORT: _report,
}
