"""One look at the nodes after another: what fails is said; where it was asked for, what is certain is cordoned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from operations.nodes.incident_closure import settle
from operations.nodes.repair import cordon, opened
from planning.incidents.findings import Standing
from planning.incidents.incident import Event
from planning.incidents.replacement_limits import cordons

if TYPE_CHECKING:
    from collections.abc import Callable

    from operations.nodes.health import Look, Scene
    from operations.nodes.incident_log import IncidentLog
    from operations.nodes.ports import Cluster


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How many nodes of a pool may be away because they failed: the lesser of the two, one always."""

    at_most: int
    share_percent: int


def said(looked: Look, say: Callable[[str], None]) -> None:
    """Say which nodes are not well, and why."""
    for node in looked.nodes:
        verdict = looked.verdicts[node.name]
        if verdict.standing is not Standing.WELL:
            away = " (cordoned)" if node.cordoned else ""
            words = verdict.words or "its kubelet is silent: it is said, not cordoned"
            say(f"{node.name} of {node.pool} is {verdict.standing}{away}: {words}")


def act(
    looked: Look, *, scene: Scene, cluster: Cluster, log: IncidentLog, limit: Limit, say: Callable[[str], None]
) -> tuple[str, ...]:
    """Cordon what certainly failed, within the limit; names of what was cordoned."""
    settle(looked, scene=scene, cluster=cluster, log=log, say=say)
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
        incident = opened(node, looked, scene, log)
        words = cordon(node.name, incident, scene=scene, cluster=cluster, log=log)
        log.write(Event(at=log.now(), incident=incident.id, happening="done", step="cordon", words=words))
        say(f"{node.name} is cordoned, incident {incident.id}: `atoll nodes mend {scene.stack} {node.name}` goes on")
    return tuple(each.name for each in found.nodes)
