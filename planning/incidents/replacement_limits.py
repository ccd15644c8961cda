"""How many nodes may be taken away: a false alarm must not take a pool, and the platform keeps a node to stand on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.incidents import node_labels
from planning.incidents.findings import Standing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from planning.incidents.findings import Verdict
    from planning.incidents.node import Node

# EKS stops repairing a node group of more than five nodes once more than a fifth of them is unhealthy
# (catalogs/sources.csv, eks-node-repair).
SHARE_PERCENT: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Cordons:
    """Which failed nodes are cordoned now, and why the others are not."""

    nodes: tuple[Node, ...] = ()
    left: tuple[tuple[str, str], ...] = ()


def cordons(
    nodes: Sequence[Node], *, verdicts: Mapping[str, Verdict], at_most: int, share_percent: int, pools: Collection[str]
) -> Cordons:
    """Failed nodes that may be cordoned, pool by pool; those that are certain, and no others.

    Args:
        at_most: nodes of one pool that may be away at once because they failed.
        share_percent: part of a pool that may be; one node always.
        pools: names of the stack's own.
    """
    chosen: list[Node] = []
    left: list[tuple[str, str]] = []
    for pool in sorted(pools):
        members = [each for each in nodes if each.pool == pool]
        away = sum(bool(each.going) or (each.cordoned and not each.held) for each in members)
        room = max(0, min(at_most, max(1, len(members) * share_percent // 100)) - away)
        for each in members:
            if each.cordoned or verdicts[each.name].standing is not Standing.FAILED:
                continue
            if each.going:
                left.append((each.name, each.going))
            elif reason := last_system(each, nodes, verdicts=verdicts, taken=chosen):
                left.append((each.name, reason))
            elif not room:
                left.append((each.name, f"{away} of {len(members)} nodes of {pool} are away already: look yourself"))
            else:
                chosen.append(each)
                room, away = room - 1, away + 1
    return Cordons(nodes=tuple(chosen), left=tuple(left))


def last_system(
    node: Node, nodes: Iterable[Node], *, verdicts: Mapping[str, Verdict], taken: Collection[Node] = ()
) -> str:
    """Why a system node has to stay; "" where another one carries the platform, or it is none."""
    if node.labels.get(node_labels.ROLE) != node_labels.SYSTEM:
        return ""
    gone = {node.name, *(each.name for each in taken)}
    others = [
        each
        for each in nodes
        if each.labels.get(node_labels.ROLE) == node_labels.SYSTEM
        and each.name not in gone
        and not each.cordoned
        and each.ready == "True"
        and verdicts[each.name].standing is not Standing.FAILED
    ]
    return "" if others else "it is the last system node: the platform would have nowhere to run"
