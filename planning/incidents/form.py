"""Nodes and incidents as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from planning.incidents.spares import needs_burn_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from planning.incidents.findings import Finding, NodeDiagnosis
    from planning.incidents.incident import Incident
    from planning.incidents.node import Node
    from planning.spec.cluster import Pool

SCHEMA_VERSION: Final = 1
_CLOSED: Final = ConfigDict(extra="forbid")


@with_config(_CLOSED)
class FindingForm(TypedDict):
    """One thing that is wrong with a node."""

    name: str
    meaning: str
    action: str
    certain: bool
    since: str | None
    detail: str
    source: str


@with_config(_CLOSED)
class NodeForm(TypedDict):
    """One node; `burn_in` is "pending", "passed", "failed", "unknown", or "" where its pool has none."""

    name: str
    pool: str
    standing: str
    cordoned: bool
    spare: bool
    burn_in: str
    incident: str
    machine_id: str
    findings: list[FindingForm]


@with_config(_CLOSED)
class NodesForm(TypedDict):
    """atoll nodes list --json. `silence` says why the Xids are not known; "" where they are."""

    schema_version: int
    stack: str
    at: str
    silence: str
    strangers: list[str]
    nodes: list[NodeForm]


@with_config(_CLOSED)
class IncidentForm(TypedDict):
    """One incident; null for what has not happened."""

    id: str
    node: str
    placement: str
    pool: str
    machine_id: str
    cause: str
    action: str
    xids: list[int]
    opened: str
    cordoned: str | None
    drained: str | None
    spared: str | None
    replaced: str | None
    closed: str | None
    spare: str
    remedy: str
    trouble: str
    end: str


@with_config(_CLOSED)
class IncidentsForm(TypedDict):
    """atoll nodes incidents --json."""

    schema_version: int
    stack: str
    incidents: list[IncidentForm]


def nodes_form(
    stack: str,
    nodes: Iterable[Node],
    *,
    verdicts: Mapping[str, NodeDiagnosis],
    pools: Mapping[str, Pool],
    strangers: Iterable[str],
    silence: str,
    at: datetime,
) -> NodesForm:
    return {
        "schema_version": SCHEMA_VERSION,
        "stack": stack,
        "at": at.isoformat(timespec="seconds"),
        "silence": silence,
        "strangers": list(strangers),
        "nodes": [_node(each, verdicts[each.name], pools[each.pool]) for each in nodes],
    }


def incidents_form(stack: str, incidents: Iterable[Incident]) -> IncidentsForm:
    return {"schema_version": SCHEMA_VERSION, "stack": stack, "incidents": [_incident(each) for each in incidents]}


def _node(node: Node, verdict: NodeDiagnosis, pool: Pool) -> NodeForm:
    return {
        "name": node.name,
        "pool": node.pool,
        "standing": verdict.standing.value,
        "cordoned": node.cordoned,
        "spare": node.held,
        "burn_in": node.burn_in or ("unknown" if needs_burn_in(pool) else ""),
        "incident": node.incident,
        "machine_id": node.machine_id,
        "findings": [_finding(each) for each in verdict.findings],
    }


def _finding(finding: Finding) -> FindingForm:
    return {
        "name": finding.name,
        "meaning": finding.meaning,
        "action": finding.action.value,
        "certain": finding.certain,
        "since": _at(finding.since),
        "detail": finding.detail,
        "source": finding.source,
    }


def _incident(incident: Incident) -> IncidentForm:
    return {
        "id": incident.id,
        "node": incident.node,
        "placement": incident.placement,
        "pool": incident.pool,
        "machine_id": incident.machine_id,
        "cause": incident.cause,
        "action": incident.action,
        "xids": list(incident.xids),
        "opened": incident.opened.isoformat(timespec="seconds"),
        "cordoned": _at(incident.cordoned),
        "drained": _at(incident.drained),
        "spared": _at(incident.spared),
        "replaced": _at(incident.replaced),
        "closed": _at(incident.closed),
        "spare": incident.spare,
        "remedy": incident.remedy,
        "trouble": incident.trouble,
        "end": incident.end,
    }


def _at(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")
