"""Choice of spares (healthy, past their burn-in, of the same pool, near on the fabric) and of nodes to cordon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.incidents import node as node_labels
from planning.incidents.findings import NodeHealth

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from planning.incidents.findings import NodeDiagnosis
    from planning.incidents.node import Node
    from planning.spec.cluster import Pool


JOINED: Final = frozenset({"efa", "infiniband", "roce", "gpudirect"})  # as components.context.hardware has it


@dataclass(frozen=True, slots=True, kw_only=True)
class SpareChoice:
    """The spare that takes over.

    Args:
        node: None where none can.
        shared: labels of the fabric that it shares with the failed node, from far to near.
        refused: names and reasons of unsuitable spares of the same pool.
    """

    node: Node | None
    shared: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


def spare_for(
    failed: Node, nodes: Iterable[Node], *, verdicts: Mapping[str, NodeDiagnosis], levels: Sequence[str], pool: Pool
) -> SpareChoice:
    """The nearest suitable spare for a failed node; deterministic.

    Args:
        levels: labels of the fabric, from far to near; the host name does not count.
        pool: of the failed node; where it has a fabric, the spare must be on the same spine.
    """
    fabric, tested = pool.fabric in JOINED, needs_burn_in(pool)
    near = tuple(each for each in levels if each != node_labels.HOST)
    refused: list[tuple[str, str]] = []
    able: list[tuple[int, str, Node, tuple[str, ...]]] = []
    for each in sorted(nodes, key=lambda node: node.name):
        if each.name == failed.name or each.pool != failed.pool or not _is_spare_candidate(each):
            continue
        reason = explain_unfit(each, verdicts[each.name], tested=tested) or (
            _apart(failed, each, near) if fabric else ""
        )
        if reason:
            refused.append((each.name, reason))
            continue
        shared = _list_shared_labels(failed, each, near)
        able.append((-len(shared), each.name, each, shared))
    if not able:
        return SpareChoice(node=None, refused=tuple(refused))
    _, _, node, shared = min(able, key=lambda each: each[:2])
    return SpareChoice(node=node, shared=shared, refused=tuple(refused))


def explain_unfit(node: Node, verdict: NodeDiagnosis, *, tested: bool, repaired: bool = False) -> str:
    """Why a node cannot be a spare; "" where it can.

    Args:
        tested: whether nodes of its pool must pass a burn-in.
        repaired: whether its incident ends by making it a spare.
    """
    if node.burn_in in {node_labels.PENDING, node_labels.FAILED} or (tested and node.burn_in != node_labels.PASSED):
        return f"it has not passed its burn-in ({node_labels.BURN_IN}: {node.burn_in or 'no label'})"
    if verdict.standing is not NodeHealth.WELL:
        return f"it is {verdict.standing}: {verdict.words or 'its kubelet is silent'}"
    if node.incident and not repaired:
        return f"it is being repaired itself, under incident {node.incident}"
    return ""


def needs_burn_in(pool: Pool) -> bool:
    """Whether nodes of a pool must pass a burn-in; autoscaled pools have none."""
    return pool.burn_in and pool.min_nodes > 0


def _is_spare_candidate(node: Node) -> bool:
    return node.held or node.burn_in in {node_labels.PENDING, node_labels.FAILED}


def _apart(failed: Node, spare: Node, near: Sequence[str]) -> str:
    """Why two nodes are not on one spine; "" where they may be."""
    known = [label for label in near if label in failed.labels]
    # Without labels of the fabric the zone decides: no spine spans two zones.
    label = known[0] if known else node_labels.ZONE
    mine, theirs = failed.labels.get(label), spare.labels.get(label)
    if mine is None or mine == theirs:
        return ""
    what = "zone" if label == node_labels.ZONE else "spine"
    return f"it is on another {what} ({label}: {theirs or 'unknown'}, not {mine})"


def _list_shared_labels(failed: Node, spare: Node, near: Sequence[str]) -> tuple[str, ...]:
    shared: list[str] = []
    for label in near:
        value = failed.labels.get(label)
        if value is None:
            continue
        if value != spare.labels.get(label):
            break
        shared.append(label)
    return tuple(shared)


# EKS stops repairing a node group of more than five nodes once more than a fifth of them is unhealthy
# (catalogs/sources.csv, eks-node-repair).
SHARE_PERCENT: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Cordons:
    """Failed nodes to cordon now, and names and reasons of the others."""

    nodes: tuple[Node, ...] = ()
    left: tuple[tuple[str, str], ...] = ()


def cordons(
    nodes: Sequence[Node],
    *,
    verdicts: Mapping[str, NodeDiagnosis],
    at_most: int,
    share_percent: int,
    pools: Collection[str],
) -> Cordons:
    """Choose the certainly failed nodes that may be cordoned, pool by pool.

    Args:
        at_most: nodes of one pool that may be out of service at once.
        share_percent: share of a pool that may be; one node always may.
        pools: names of the stack's own.
    """
    chosen: list[Node] = []
    left: list[tuple[str, str]] = []
    for pool in sorted(pools):
        members = [each for each in nodes if each.pool == pool]
        away = sum(bool(each.going) or (each.cordoned and not each.held) for each in members)
        # One always, or a pool of three could never lose a node.
        room = max(0, min(at_most, max(1, len(members) * share_percent // 100)) - away)
        for each in members:
            if each.cordoned or verdicts[each.name].standing is not NodeHealth.FAILED:
                continue
            if each.going:
                left.append((each.name, each.going))
            elif reason := last_system(each, nodes, verdicts=verdicts, taken=chosen):
                left.append((each.name, reason))
            elif not room:
                left.append(
                    (each.name, f"{away} of {len(members)} nodes of {pool} are out of service already: inspect them")
                )
            else:
                chosen.append(each)
                room, away = room - 1, away + 1
    return Cordons(nodes=tuple(chosen), left=tuple(left))


def last_system(
    node: Node, nodes: Iterable[Node], *, verdicts: Mapping[str, NodeDiagnosis], taken: Collection[Node] = ()
) -> str:
    """Why a system node has to stay; "" where another one remains, or it is no system node."""
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
        and verdicts[each.name].standing is not NodeHealth.FAILED
    ]
    return "" if others else "it is the last system node, and the platform runs on it"
