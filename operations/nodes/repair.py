"""Repairs one node: cordon, spare, drain, replace. Each step can be interrupted at any time and is then repeated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from catalogs.nodes import Action
from operations.clouds.kubernetes.objects import ChangedMeanwhileError, ClusterError
from operations.nodes.health import find_node, inspect_nodes
from operations.nodes.repair_steps import drain, replace_machine
from planning.incidents import node as node_labels
from planning.incidents.findings import NodeHealth
from planning.incidents.incident import STEPS, Event, next_id, open_for
from planning.incidents.spares import last_system, spare_for
from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from operations.nodes.health import HealthSnapshot, MaintenanceContext
    from operations.nodes.incident_log import IncidentLog
    from operations.nodes.kubernetes_cluster import NodeApi
    from operations.nodes.repair_steps import Waiting
    from planning.incidents.incident import Incident, Step
    from planning.incidents.node import Node
    from planning.incidents.spares import SpareChoice

SPARE_FOR: Final = "atoll/spare-for"  # annotation of a spare that took over: under which incident
TRIES: Final = 4
# What an incident needed that a person opened: whatever is certain needs more than that.
SAID: Final = frozenset({Action.NONE.value, Action.RESTART_APP.value, Action.LOOK.value})
BACK: Final = 'let it work again (docs/guides/failed-nodes.md), or go on with --because "..."'


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairRequest:
    """Which node is repaired, and how.

    Args:
        because: the reason where no fault is known; "" for the fault that was found.
        force: whether pods without a controller are ended, too.
        keep: whether the machine stays: it only needs a reset or a reboot.
        ticket: whether a ticket is written even where an API replaces.
    """

    node: str
    because: str = ""
    force: bool = False
    keep: bool = False
    ticket: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairContext:
    """The stack, its cluster, the log and the clock of a repair."""

    scene: MaintenanceContext
    cluster: NodeApi
    log: IncidentLog
    waiting: Waiting
    say: Callable[[str], None]


def repair_node(asked: RepairRequest, work: RepairContext) -> Incident:
    """Repair a node, and return its incident. Steps that are done are not repeated.

    Raises:
        InputError: no such node, it is not ours, it has to stay, or a step was refused; the log then says which.
    """
    looked = inspect_nodes(work.scene, work.cluster, now=work.log.now())
    node = find_node(looked, asked.node)
    refuse_repair(node, looked, because=asked.because, known=work.log.incidents)
    incident = open_incident(node, looked, work.scene, work.log, because=asked.because)
    for step in STEPS:
        if incident.did(step) and not (step == "cordon" and not node.cordoned):
            continue
        if step == "replace" and asked.keep:
            work.say(f"{node.name} stays: reset or reboot it, burn it in, then `atoll nodes standby`")
            continue
        incident = _run_step(step, incident, asked, work)
    return incident


def refuse_repair(node: Node, looked: HealthSnapshot, *, because: str, known: tuple[Incident, ...]) -> None:
    """Refuse what must stay as it is.

    Raises:
        InputError: it is the last system node, another repair works on it, or it has no certain fault (any more).
    """
    mine = open_for(known, node.name, uid=node.uid)
    if reason := last_system(node, looked.nodes, verdicts=looked.verdicts):
        raise InputError(f"{node.name} is left as it is: {reason}", hint="add another system node first")
    if node.incident and (mine is None or mine.id != node.incident):
        raise InputError(
            f"{node.name} is being mended under incident {node.incident}, which is not in this log",
            hint="go on where that log is; once no other repair is running, "
            f"remove the annotation {node_labels.INCIDENT}",
        )
    if because or (reason := _against(node, looked, mine)) is None:
        return
    raise InputError(f"{node.name} is left as it is: {reason}", hint=BACK if mine else 'say why with --because "..."')


def _against(node: Node, looked: HealthSnapshot, mine: Incident | None) -> str | None:
    """Why a node needs no repair; None where it needs one, or its repair was announced before."""
    verdict = looked.verdicts[node.name]
    if mine is not None and (verdict.standing is NodeHealth.UNKNOWN or mine.action in SAID):
        return None
    if mine is None and node.going:
        return node.going
    return {
        NodeHealth.FAILED: None,
        NodeHealth.DOUBTFUL: f"nothing that is certain is wrong with it ({verdict.words})",
        NodeHealth.UNKNOWN: "its kubelet is silent",
        NodeHealth.WELL: "nothing is known to be wrong with it"
        + (" any more" if mine else "")
        + (f", but Xids are not known: {looked.silence}" if looked.silence else ""),
    }[verdict.standing]


def open_incident(
    node: Node, looked: HealthSnapshot, scene: MaintenanceContext, log: IncidentLog, *, because: str = ""
) -> Incident:
    """The open incident of a node, or a new one."""
    known = log.incidents
    if mine := open_for(known, node.name, uid=node.uid):
        return mine
    verdict, at = looked.verdicts[node.name], log.now()
    xids = tuple(int(each.name.removeprefix("Xid ")) for each in verdict.findings if each.name.startswith("Xid "))
    return log.write(
        Event(
            at=at,
            incident=next_id(known, at=at, uid=node.uid),
            happening="opened",
            node=node.name,
            uid=node.uid,
            placement=scene.spec.placement.name,
            pool=node.pool,
            machine_id=node.machine_id,
            action=verdict.action.value,
            words="; ".join(part for part in (because, verdict.words) if part),
            xids=xids,
        )
    )


def cordon(node: str, incident: Incident, *, scene: MaintenanceContext, cluster: NodeApi, log: IncidentLog) -> str:
    """Cordon a node and annotate it with its incident; returns the outcome in words."""

    def change(now: Node) -> Mapping[str, object]:
        if now.incident not in {"", incident.id}:
            raise InputError(f"{node} is being mended under incident {now.incident} by somebody else")
        # What fails is no spare any more, and what comes back from repair has its burn-in before it again.
        lost: dict[str, str | None] = {node_labels.SPARE: None}
        if now.burn_in == node_labels.PASSED:
            lost[node_labels.BURN_IN] = None
        marks = {"annotations": {node_labels.INCIDENT: incident.id}, "labels": lost}
        return {"metadata": marks, "spec": {"unschedulable": True}}

    change_node(node, change, scene=scene, cluster=cluster, log=log)
    return "given no more work"


def change_node(
    name: str,
    change: Callable[[Node], Mapping[str, object]],
    *,
    scene: MaintenanceContext,
    cluster: NodeApi,
    log: IncidentLog,
) -> None:
    """Patch a node, reading it again where it was changed meanwhile."""
    for _ in range(TRIES):
        node = find_node(inspect_nodes(scene, cluster, now=log.now()), name)
        try:
            cluster.change(node, change(node))
        except ChangedMeanwhileError:
            continue
        return
    raise ClusterError(f"node {name} changes all the time: nothing could be written to it", hint="run again")


def choose_spare(node: Node, looked: HealthSnapshot, scene: MaintenanceContext) -> SpareChoice:
    pool = scene.pools[node.pool]
    return spare_for(node, looked.nodes, verdicts=looked.verdicts, levels=scene.levels, pool=pool)


def _run_step(step: Step, incident: Incident, asked: RepairRequest, work: RepairContext) -> Incident:
    """Run one step and log it, also where it is refused."""
    at = work.log.now()
    try:
        words, spare = _STEPS[step](incident, asked, work)
    except AtollError as error:
        work.log.write(Event(at=at, incident=incident.id, happening="failed", step=step, words=str(error)))
        raise
    work.say(f"{incident.node}: {words}")
    if step == "spare" and not spare:
        return work.log.write(Event(at=at, incident=incident.id, happening="failed", step=step, words=words))
    return work.log.write(Event(at=at, incident=incident.id, happening="done", step=step, words=words, spare=spare))


def _cordon(incident: Incident, asked: RepairRequest, work: RepairContext) -> tuple[str, str]:
    return cordon(asked.node, incident, scene=work.scene, cluster=work.cluster, log=work.log), ""


def _drain(_incident: Incident, asked: RepairRequest, work: RepairContext) -> tuple[str, str]:
    node = find_node(inspect_nodes(work.scene, work.cluster, now=work.log.now()), asked.node)
    return drain(node, work.cluster, waiting=work.waiting, force=asked.force, say=work.say), ""


def _spare(incident: Incident, asked: RepairRequest, work: RepairContext) -> tuple[str, str]:
    """Uncordon a spare; the one of this incident, where there is one already."""
    looked = inspect_nodes(work.scene, work.cluster, now=work.log.now())
    for each in looked.nodes:
        # A kill may have come after the cluster was changed and before the log was.
        if each.annotations.get(SPARE_FOR) == incident.id:
            return f"spare {each.name} took over", each.name
    chosen = choose_spare(find_node(looked, asked.node), looked, work.scene)
    if chosen.node is None:
        return no_spare(chosen, work.scene.pools[incident.pool].spares), ""

    def change(now: Node) -> Mapping[str, object]:
        # Asked of the node as it is now: two repairs may want the same spare.
        if not now.held:
            raise InputError(f"{now.name} is no spare any more: somebody else took it", hint="run again for another")
        marks = {"annotations": {SPARE_FOR: incident.id}, "labels": {node_labels.SPARE: None}}
        return {"metadata": marks, "spec": {"unschedulable": None}}

    change_node(chosen.node.name, change, scene=work.scene, cluster=work.cluster, log=work.log)
    return f"spare {chosen.node.name} took over", chosen.node.name


def no_spare(chosen: SpareChoice, sold: int) -> str:
    """Why none takes over, in words."""
    if chosen.refused:
        return "no spare takes over: " + "; ".join(f"{name}: {reason}" for name, reason in chosen.refused)
    if not sold:
        return "no spare takes over: the lock has none for this pool"
    return f"no spare takes over: none of {sold} is held back (`atoll nodes standby` holds one)"


def _replace(incident: Incident, asked: RepairRequest, work: RepairContext) -> tuple[str, str]:
    looked = inspect_nodes(work.scene, work.cluster, now=work.log.now())
    node = find_node(looked, asked.node)
    verdict = looked.verdicts[node.name]
    words = replace_machine(
        node, incident, scene=work.scene, cluster=work.cluster, verdict=verdict, by_ticket=asked.ticket
    )
    return words, ""


_STEPS: Final[Mapping[Step, Callable[[Incident, RepairRequest, RepairContext], tuple[str, str]]]] = {
    "cordon": _cordon,
    "drain": _drain,
    "spare": _spare,
    "replace": _replace,
}
