"""A machine replaced: by the API of whoever runs it, or by a ticket that only has to be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from operations.clouds.kubernetes.objects import ChangedMeanwhileError, ClusterError
from operations.nodes.incident_log import FOLDER
from operations.project.atomic_files import write_all
from operations.project.workspace import display_path
from planning.incidents.remedies import FAULT, Remedy, ReplacementMethod, TicketSubject, remedy, ticket

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from operations.nodes.health import MaintenanceContext
    from operations.nodes.kubernetes_cluster import NodeApi
    from planning.incidents.findings import NodeDiagnosis
    from planning.incidents.incident import Incident
    from planning.incidents.node import Node


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
    """Have a machine replaced; what was done, in words. What was asked for before is not asked again.

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
