"""Nodes and incidents as JSON."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from planning.incidents.spares import needs_burn_in
from planning.values.json_format import fill_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planning.incidents.findings import NodeDiagnosis
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
        "nodes": [_fill_node(each, verdicts[each.name], pools[each.pool]) for each in nodes],
    }


def incidents_form(stack: str, incidents: Iterable[Incident]) -> IncidentsForm:
    found = [fill_form(IncidentForm, each, **_moments(each)) for each in incidents]
    return {"schema_version": SCHEMA_VERSION, "stack": stack, "incidents": found}


def _fill_node(node: Node, verdict: NodeDiagnosis, pool: Pool) -> NodeForm:
    return fill_form(
        NodeForm,
        node,
        standing=verdict.standing.value,
        spare=node.held,
        burn_in=node.burn_in or ("unknown" if needs_burn_in(pool) else ""),
        findings=[fill_form(FindingForm, each, **_moments(each)) for each in verdict.findings],
    )


def _moments(result: Any) -> dict[str, object]:  # noqa: ANN401 - a finding or an incident
    """Times of a result, to the second."""
    found = ((each.name, getattr(result, each.name)) for each in fields(result))
    return {name: at.isoformat(timespec="seconds") for name, at in found if isinstance(at, datetime)}
