"""The stack of a nodes command, and the health of each of its nodes."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from catalogs.providers import find_traits
from components.context.hardware import levels
from operations.project.accepted_lock import read_stack_lock
from operations.project.workspace import require_stack
from planning.checklist.model.vocabulary import HOME
from planning.checklist.reading.checklist_file import read_file
from planning.incidents import node as names
from planning.incidents.findings import diagnose_node
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from decimal import Decimal
    from pathlib import Path

    from operations.nodes.kubernetes_cluster import NodeApi
    from planning.incidents.findings import NodeDiagnosis
    from planning.incidents.node import Node
    from planning.spec.cluster import ClusterSpec, Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceContext:
    """A stack whose nodes are looked after.

    Args:
        folder: of the stack; its log and tickets lie there.
        eks: name of the cluster at AWS, as `components.context.naming.build_physical_name` makes it.
        replace_within_hours: as agreed; None where it was not.
    """

    stack: str
    spec: ClusterSpec
    folder: Path
    eks: str
    replace_within_hours: Decimal | None

    @property
    def pools(self) -> Mapping[str, Pool]:
        return {each.name: each for each in self.spec.pools}

    @property
    def levels(self) -> tuple[str, ...]:
        return levels(self.spec)


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthSnapshot:
    """Nodes of the stack's pools, and how each is doing.

    Args:
        strangers: names of nodes that are not ours.
        silence: why the Xids are not known; "" where they are.
    """

    nodes: tuple[Node, ...]
    verdicts: Mapping[str, NodeDiagnosis]
    strangers: tuple[str, ...]
    xids: Mapping[str, tuple[int, ...]]
    silence: str


def read_context(stack: str, *, placement: str = "") -> MaintenanceContext:
    """The stack; its first cluster unless another is named.

    Raises:
        InputError: there is no such stack, lock or placement.
    """
    project = require_stack(stack)
    lock = read_stack_lock(project, stack)
    spec = _find_placement(lock.placements, placement)
    checklist = project.checklist(stack)
    agreed = read_file(checklist).agreement if checklist.exists() else None
    return MaintenanceContext(
        stack=stack,
        spec=spec,
        folder=project.stacks / stack,
        eks=f"atoll-{stack}" if spec.placement.name == HOME else f"atoll-{stack}-{spec.placement.name}",
        replace_within_hours=agreed.replace_within_hours if agreed else None,
    )


def inspect_nodes(scene: MaintenanceContext, cluster: NodeApi, *, now: datetime) -> HealthSnapshot:
    """The health of all nodes now.

    Raises:
        InputError: they are of another region than the lock's, so the kubeconfig is of another cluster.
    """
    nodes = sorted(cluster.list_nodes(), key=lambda each: each.name)
    ours = tuple(each for each in nodes if each.pool in scene.pools)
    _there(scene.spec, ours)
    told = cluster.read_xids()
    xids: Mapping[str, tuple[int, ...]] = {} if isinstance(told, str) else told
    return HealthSnapshot(
        nodes=ours,
        verdicts={each.name: diagnose_node(each, now=now, xids=xids.get(each.name, ())) for each in ours},
        strangers=tuple(each.name for each in nodes if each.pool not in scene.pools),
        xids=xids,
        silence=told if isinstance(told, str) else "",
    )


def _there(spec: ClusterSpec, nodes: Iterable[Node]) -> None:
    place = spec.placement
    elsewhere = {each.labels.get(names.REGION, place.region) for each in nodes} - {place.region}
    if find_traits(place.target).region_labels and elsewhere:
        raise InputError(
            f"the kubeconfig is of a cluster in {min(elsewhere)}, and placement {place.name} of the lock is in"
            f" {place.region}: nothing was touched",
            hint="name the kubeconfig of that cluster, or with --placement the cluster of this one",
        )


def find_node(looked: HealthSnapshot, name: str) -> Node:
    """The node of a name.

    Raises:
        InputError: there is none, or it is not ours.
    """
    for each in looked.nodes:
        if each.name == name:
            return each
    if name in looked.strangers:
        raise InputError(
            f"node {name} is not of this stack: its label atoll/pool names none of the stack's pools",
            hint="Atoll leaves alone what it did not make",
        )
    raise InputError(f"there is no node {name!r}", hint=_suggest_name(name, [each.name for each in looked.nodes]))


def _suggest_name(name: str, names: Sequence[str]) -> str:
    near = get_close_matches(name, names, n=1)
    return f'did you mean "{near[0]}"?' if near else "atoll nodes list STACK names them"


def _find_placement(placements: Sequence[ClusterSpec], name: str) -> ClusterSpec:
    if not name:
        return placements[0]
    for each in placements:
        if each.placement.name == name:
            return each
    known = ", ".join(each.placement.name for each in placements)
    raise InputError(f"the lock has no placement {name!r}; it has: {known}")
