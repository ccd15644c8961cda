"""Whether an incident is over: the node works again, or another machine has come in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.incidents import node_labels
from planning.incidents.findings import Standing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.incidents.findings import Verdict
    from planning.incidents.incident import Incident
    from planning.incidents.node import Node
    from planning.spec.cluster import Pool


def over(incident: Incident, nodes: Sequence[Node], *, verdicts: Mapping[str, Verdict], pool: Pool | None) -> str:
    """Why an incident is over, in words; "" where it is not.

    Args:
        pool: of the incident; None where the lock has it no more.
    """
    if not incident.open or incident.cordoned is None:
        return ""
    same = next((each for each in nodes if each.name == incident.node and incident.uid in {"", each.uid}), None)
    if same is not None:
        tested = same.burn_in not in {node_labels.PENDING, node_labels.FAILED}
        works = verdicts[same.name].standing is Standing.WELL and not same.cordoned and tested
        return f"{same.name} works again" if works else ""
    if pool is None:
        return "its machine is gone, and so is its pool"
    members = [each for each in nodes if each.pool == pool.name]
    able = [
        each for each in members if verdicts[each.name].standing is Standing.WELL and (each.held or not each.cordoned)
    ]
    if len(able) < pool.min_nodes:
        return ""
    return f"its machine is gone, and {pool.name} has {len(able)} nodes that work or are held"
