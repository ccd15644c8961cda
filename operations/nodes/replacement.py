"""A machine replaced: by the API of whoever runs it, or by a ticket that only has to be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from operations.nodes.incident_log import FOLDER
from operations.nodes.ports import ChangedError, ClusterError
from operations.project.atomic_files import write_all
from operations.project.workspace import shown
from planning.incidents.remedies import FAULT, Remedy, Subject, Way, remedy, ticket

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from operations.nodes.health import Scene
    from operations.nodes.ports import Cluster
    from planning.incidents.findings import Verdict
    from planning.incidents.incident import Incident
    from planning.incidents.node import Node


def remedy_for(node: Node, scene: Scene, *, by_ticket: bool = False) -> Remedy:
    """How a machine is replaced."""
    if by_ticket:
        return Remedy(way=Way.TICKET, words="a ticket is written, as you asked")
    return remedy(scene.spec, node, scene.pools[node.pool])


def replaced(
    node: Node, incident: Incident, *, scene: Scene, cluster: Cluster, verdict: Verdict, by_ticket: bool
) -> str:
    """Have a machine replaced; what was done, in words. What was asked for before is not asked again.

    Raises:
        InputError: the provider refuses.
    """
    way = remedy_for(node, scene, by_ticket=by_ticket).way
    if way is Way.TICKET:
        path = ticket_path(scene.folder, incident)
        write_all({path: ticket(_subject(node, incident, scene, verdict))})
        return f"a ticket for {scene.spec.placement.provider} lies in {shown(path)}: send it"
    return _BY_API[way](node, incident, scene, cluster)


def ticket_path(stack_folder: Path, incident: Incident) -> Path:
    """Where the ticket of an incident lies."""
    return stack_folder / FOLDER / f"{incident.id}.md"


def _subject(node: Node, incident: Incident, scene: Scene, verdict: Verdict) -> Subject:
    return Subject(
        stack=scene.stack,
        spec=scene.spec,
        pool=scene.pools[node.pool],
        node=node,
        verdict=verdict,
        incident=incident,
        replace_within_hours=scene.replace_within_hours,
    )


def _end_instance(node: Node, _incident: Incident, scene: Scene, _cluster: Cluster) -> str:
    from operations.nodes.aws_instances import end_instance  # noqa: PLC0415 - an SDK, where it is asked for

    return end_instance(node.machine_id, region=scene.spec.placement.region, cluster=scene.eks)


def _delete(node: Node, _incident: Incident, _scene: Scene, cluster: Cluster) -> str:
    cluster.delete(node)
    return f"node {node.name} was deleted; Karpenter ends its instance"


def _report(node: Node, incident: Incident, _scene: Scene, cluster: Cluster) -> str:
    if FAULT in node.labels:
        return "its host was reported to Google before"
    reason = "XID" if incident.xids else "unspecified"
    try:
        cluster.change(node, {"metadata": {"labels": {FAULT: reason}}})
    except ChangedError as error:
        raise ClusterError(f"node {node.name} was changed meanwhile", hint="run again") from error
    return f"its host was reported to Google as faulty ({reason}); GKE moves the node to another one"


_BY_API: Final[Mapping[Way, Callable[[Node, Incident, Scene, Cluster], str]]] = {
    Way.AWS_GROUP: _end_instance,
    Way.NODE: _delete,
    Way.GKE_REPORT: _report,
}
