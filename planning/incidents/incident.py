"""Incidents of nodes, read from their log of events."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal

from planning.incidents import node
from planning.incidents.findings import NodeHealth

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from planning.incidents.findings import NodeDiagnosis
    from planning.incidents.node import Node
    from planning.spec.cluster import Pool


Step = Literal["cordon", "drain", "spare", "replace"]
# The spare takes over before the drain: evicted pods, and disruption budgets that wait for them, need its room.
STEPS: Final[tuple[Step, ...]] = ("cordon", "spare", "drain", "replace")
# Step to the field of an incident with its time.
MOMENTS: Final[Mapping[str, str]] = {
    "cordon": "cordoned",
    "drain": "drained",
    "spare": "spared",
    "replace": "replaced",
}
Happening = Literal["opened", "done", "failed", "closed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of the log.

    Args:
        step: "" for an event of the whole incident.
        words: cause of the incident, outcome of a step, or reason of a failure or of the end.
    """

    at: datetime
    incident: str
    happening: Happening
    step: str = ""
    node: str = ""
    uid: str = ""
    placement: str = ""
    pool: str = ""
    machine_id: str = ""
    action: str = ""
    words: str = ""
    spare: str = ""
    xids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One failure of one node, from detection to end; None for steps that have not happened.

    Args:
        uid: of the node's object; its replacement has another.
    """

    id: str
    node: str
    uid: str
    placement: str
    pool: str
    machine_id: str
    cause: str
    action: str
    opened: datetime
    xids: tuple[int, ...] = ()
    cordoned: datetime | None = None
    drained: datetime | None = None
    spared: datetime | None = None
    replaced: datetime | None = None
    closed: datetime | None = None
    spare: str = ""
    remedy: str = ""
    trouble: str = ""
    end: str = ""

    @property
    def open(self) -> bool:
        return self.closed is None

    def did(self, step: Step) -> bool:
        return getattr(self, MOMENTS[step]) is not None


def incidents(events: Iterable[Event]) -> tuple[Incident, ...]:
    """Read the incidents of a log, in the order of their opening; events of unknown incidents are ignored."""
    found: dict[str, Incident] = {}
    for each in events:
        if each.happening == "opened":
            found[each.incident] = _open_incident(each)
        elif each.incident in found:
            found[each.incident] = _apply_event(found[each.incident], each)
    return tuple(found.values())


def open_for(known: Sequence[Incident], node: str, *, uid: str) -> Incident | None:
    """The open incident of a node."""
    # By its uid: an earlier machine may have had the same name.
    return next((each for each in known if each.open and each.node == node and each.uid in {"", uid}), None)


def next_id(known: Sequence[Incident], *, at: datetime, uid: str) -> str:
    """Id of a new incident: its day, its number on that day, and a hash that distinguishes it from other logs.

    Args:
        uid: of the node.
    """
    day = f"{at:%Y%m%d}"
    number = 1 + sum(each.id.startswith(day) for each in known)
    # The hash tells it from the same number of another log.
    return f"{day}-{number}-{sha256(f'{uid} {at.isoformat()}'.encode()).hexdigest()[:6]}"


def _open_incident(event: Event) -> Incident:
    return Incident(
        id=event.incident,
        node=event.node,
        uid=event.uid,
        placement=event.placement,
        pool=event.pool,
        machine_id=event.machine_id,
        cause=event.words,
        action=event.action,
        opened=event.at,
        xids=event.xids,
    )


def _apply_event(incident: Incident, event: Event) -> Incident:
    if event.happening == "closed":
        return replace(incident, closed=event.at, end=event.words, trouble="")
    if event.happening == "failed":
        return replace(incident, trouble=f"{event.step}: {event.words}")
    words = {"spare": {"spare": event.spare}, "replace": {"remedy": event.words}}.get(event.step, {})
    return replace(incident, trouble="", **{MOMENTS[event.step]: event.at, **words})


def explain_end(
    incident: Incident, nodes: Sequence[Node], *, verdicts: Mapping[str, NodeDiagnosis], pool: Pool | None
) -> str:
    """Why an incident is over; "" where it is not.

    Args:
        pool: of the incident; None where it is no longer in the lock.
    """
    if not incident.open or incident.cordoned is None:
        return ""
    same = next((each for each in nodes if each.name == incident.node and incident.uid in {"", each.uid}), None)
    if same is not None:
        tested = same.burn_in not in {node.PENDING, node.FAILED}
        works = verdicts[same.name].standing is NodeHealth.WELL and not same.cordoned and tested
        return f"{same.name} works again" if works else ""
    if pool is None:
        return "its machine is gone, and so is its pool"
    members = [each for each in nodes if each.pool == pool.name]
    able = [
        each for each in members if verdicts[each.name].standing is NodeHealth.WELL and (each.held or not each.cordoned)
    ]
    if len(able) < pool.min_nodes:
        return ""
    return f"its machine is gone, and {pool.name} has {len(able)} nodes that work or are held"
