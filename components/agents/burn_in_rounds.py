"""The burn-in's hands: has tainted nodes tested round after round, lifts the taint or leaves it, and says so.

It runs alone in a pod: standard library of Python 3.12, and the modules of `planning.acceptance` beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Protocol, cast

from planning.agents.burn_in import STUCK_AFTER, Act, BurnInNode, BurnInRound, RoundState, decide, length
from planning.agents.burn_in_ledger import ledger_of_text, ledger_to_text, parse_burn_in_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from planning.agents.burn_in import BurnInEntry, BurnInPlan

TAINT: Final = "atoll/burn-in"
LABEL: Final = "atoll/burn-in"
PASSED: Final = "passed"
FAILED: Final = "failed"
WHY: Final = "atoll/burn-in-why"
CONTAINER: Final = "measure"
NODE_MARK: Final = "__node__"
JOB_MARK: Final = "__job__"
HOURS_MARK: Final = "__hours__"
MOST_WORDS: Final = 900  # of an Event's message, which may have a thousand
Document = dict[str, object]


class BurnInClusterApi(Protocol):
    """What is needed of the Kubernetes API; each raises OSError or ValueError where it does not answer."""

    def nodes(self) -> Iterator[Mapping[str, object]]:
        """Every node."""
        ...

    def ledger(self) -> str:
        """What was written down; "" for nothing."""
        ...

    def write(self, ledger: str) -> None:
        """Write it down."""
        ...

    def job(self, name: str) -> Mapping[str, object] | None:
        """A job; None where it is not there."""
        ...

    def pod(self, job: str) -> Mapping[str, object] | None:
        """The last pod of a job; None where there is none."""
        ...

    def log(self, pod: str) -> str:
        """What its container has written."""
        ...

    def start(self, job: Mapping[str, object]) -> None:
        """Make a job; nothing where it is there."""
        ...

    def remove(self, job: str) -> None:
        """Take a job away, with its pods; nothing where it is not there."""
        ...

    def patch_node(self, name: str, changes: list[Document]) -> None:
        """A JSON patch, refused whole where one of its tests does not hold."""
        ...

    def say(self, event: Mapping[str, object]) -> None:
        """Make an Event."""
        ...


@dataclass(frozen=True, kw_only=True)
class BurnInContext:
    """One look: at which cluster, by which plan, and when.

    Args:
        jobs: pool to the job of a round, with marks for what differs.
    """

    cluster: BurnInClusterApi
    plan: BurnInPlan
    jobs: Mapping[str, Mapping[str, object]]
    now: datetime


def look(scene: BurnInContext) -> list[str]:
    """One look at every tainted node, and what follows; what was done, in lines.

    Raises:
        OSError, ValueError: nodes or ledger cannot be read or written; nothing was let in then.
    """
    entries = ledger_of_text(scene.cluster.ledger())
    said: list[str] = []
    for document in scene.cluster.nodes():
        node = node_of(document, pools=scene.plan.checks)
        if node is None:
            continue
        try:
            said += _one(scene, entries, document, node)
        except (OSError, ValueError) as error:  # one node that cannot be asked keeps no other from its turn
            said.append(f"{node.name}: {error}")
    return said


def _one(
    scene: BurnInContext, entries: dict[str, BurnInEntry], document: Mapping[str, object], node: BurnInNode
) -> list[str]:
    cluster, entry = scene.cluster, entries.get(node.name)
    seen = round_of(cluster, node, entry) if entry is not None else BurnInRound(went=RoundState.UNKNOWN)
    decision = decide(scene.plan, node, entry, seen, now=scene.now)
    if decision.entry != entry:
        entries[node.name] = decision.entry
        cluster.write(ledger_to_text(entries))  # before anything is done, so that a restart does it again
    if entry is not None and decision.entry.asked != entry.asked:
        cluster.remove(job_name(node, entry.asked))
    return ACTS[decision.act](scene, decision.entry, document, node)


def _start(scene: BurnInContext, entry: BurnInEntry, document: Mapping[str, object], node: BurnInNode) -> list[str]:
    del document
    hours = f"{length(scene.plan, entry).total_seconds() / 3600:g}"
    marks = {NODE_MARK: node.name, JOB_MARK: job_name(node, entry.asked), HOURS_MARK: hours}
    scene.cluster.start(cast("Document", substitute_marks(scene.jobs[node.pool], marks)))
    if entry.unknown == STUCK_AFTER:
        words = f"{entry.unknown} rounds in a row: {entry.why}"
        scene.cluster.say(event(node, "BurnInStuck", words, now=scene.now))
    return [f"{node.name}: round {entry.asked} starts, {entry.tested} of {scene.plan.hours} h are tested"]


def _wait(scene: BurnInContext, entry: BurnInEntry, document: Mapping[str, object], node: BurnInNode) -> list[str]:
    del scene, entry, document, node
    return []


def _lift(scene: BurnInContext, entry: BurnInEntry, document: Mapping[str, object], node: BurnInNode) -> list[str]:
    words = f"{entry.rounds} rounds passed in {entry.tested}"
    scene.cluster.patch_node(node.name, build_untaint_patch(document))
    scene.cluster.say(event(node, "BurnInPassed", words, now=scene.now))
    return [f"{node.name}: passed, {words}"]


def _fail(scene: BurnInContext, entry: BurnInEntry, document: Mapping[str, object], node: BurnInNode) -> list[str]:
    """Said once; the taint stays."""
    if _labels(document).get(LABEL) == FAILED:
        return []
    scene.cluster.patch_node(node.name, build_failure_patch(document, entry.why))
    scene.cluster.say(event(node, "BurnInFailed", entry.why, now=scene.now))
    return [f"{node.name}: failed, {entry.why}"]


ACTS: Final[Mapping[Act, Callable[[BurnInContext, BurnInEntry, Mapping[str, object], BurnInNode], list[str]]]] = {
    Act.START: _start,
    Act.WAIT: _wait,
    Act.LIFT: _lift,
    Act.FAIL: _fail,
}


def node_of(document: Mapping[str, object], *, pools: Mapping[str, object]) -> BurnInNode | None:
    """A node that has the taint and is of a pool of the plan; None for any other."""
    metadata, labels = _mapping(document.get("metadata")), _labels(document)
    pool = str(labels.get("atoll/pool", ""))
    if _place(document) is None or pool not in pools:
        return None
    return BurnInNode(
        name=str(metadata["name"]), uid=str(metadata["uid"]), pool=pool, passed=labels.get(LABEL) == PASSED
    )


def round_of(cluster: BurnInClusterApi, node: BurnInNode, entry: BurnInEntry) -> BurnInRound:
    """The round that was asked for last, as the cluster tells it."""
    job = cluster.job(job_name(node, entry.asked))
    if job is None:
        return BurnInRound(went=RoundState.GONE)
    pod = cluster.pod(job_name(node, entry.asked))
    state = _state(pod)
    ended = _mapping(state.get("terminated"))
    started = _moment(_mapping(state.get("running")).get("startedAt") or ended.get("startedAt"))
    if not _is(job, "Complete") and not _is(job, "Failed"):
        return BurnInRound(went=RoundState.RUNS, started=started)
    name = str(_mapping(_mapping(pod).get("metadata")).get("name") or "")
    checked, failed = parse_burn_in_log(cluster.log(name), subject=f"node/{node.name}") if name else ((), ())
    finished = _moment(ended.get("finishedAt"))
    lasted = finished - started if started is not None and finished is not None else None
    passed = _is(job, "Complete") and not _is(job, "Failed")
    went = RoundState.PASSED if passed else RoundState.UNKNOWN
    return BurnInRound(went=went, started=started, lasted=lasted, failed=failed, checked=checked)


def build_untaint_patch(document: Mapping[str, object]) -> list[Document]:
    """Removes the taint of this very node, and nothing else: refused where node or taints have changed meanwhile."""
    place = _place(document)
    path = f"/spec/taints/{place}"
    return [
        _same(document),
        {"op": "test", "path": f"{path}/key", "value": TAINT},
        *_build_label_patch(document, PASSED),
        {"op": "remove", "path": path},
    ]


def build_failure_patch(document: Mapping[str, object], why: str) -> list[Document]:
    """Says of this very node that it failed, and why; the taint stays."""
    annotations = _mapping(_mapping(document.get("metadata")).get("annotations"))
    room: list[Document] = [] if annotations else [{"op": "add", "path": "/metadata/annotations", "value": {}}]
    words: Document = {
        "op": "add",
        "path": f"/metadata/annotations/{_escape_json_pointer(WHY)}",
        "value": why[:MOST_WORDS],
    }
    return [_same(document), *_build_label_patch(document, FAILED), *room, words]


def event(node: BurnInNode, reason: str, message: str, *, now: datetime) -> Document:
    """An Event about the node, where `kubectl describe node` finds it."""
    at = now.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"generateName": "burn-in-", "namespace": "default"},
        "involvedObject": {"apiVersion": "v1", "kind": "Node", "name": node.name, "uid": node.uid},
        "reason": reason,
        "message": message[:MOST_WORDS],
        "type": "Normal" if reason == "BurnInPassed" else "Warning",
        "source": {"component": "atoll-burn-in"},
        "firstTimestamp": at,
        "lastTimestamp": at,
        "count": 1,
    }


def job_name(node: BurnInNode, asked: int) -> str:
    """Name of a round's job: another node under the same name has others."""
    return f"burn-in-{sha256(node.uid.encode()).hexdigest()[:12]}-{asked}"


def substitute_marks(value: object, marks: Mapping[str, str]) -> object:
    """The same document with words in place of the marks."""
    if isinstance(value, str):
        for mark, word in marks.items():
            value = value.replace(mark, word)
        return value
    if isinstance(value, list):
        return [substitute_marks(each, marks) for each in cast("list[object]", value)]
    if isinstance(value, dict):
        return {name: substitute_marks(each, marks) for name, each in cast("dict[str, object]", value).items()}
    return value


def _place(document: Mapping[str, object]) -> int | None:
    taints = cast("list[object]", _mapping(document.get("spec")).get("taints") or [])
    return next((place for place, each in enumerate(taints) if _mapping(each).get("key") == TAINT), None)


def _same(document: Mapping[str, object]) -> Document:
    return {"op": "test", "path": "/metadata/uid", "value": _mapping(document.get("metadata")).get("uid")}


def _build_label_patch(document: Mapping[str, object], value: str) -> list[Document]:
    room: list[Document] = [] if _labels(document) else [{"op": "add", "path": "/metadata/labels", "value": {}}]
    return [*room, {"op": "add", "path": f"/metadata/labels/{_escape_json_pointer(LABEL)}", "value": value}]


def _escape_json_pointer(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _labels(document: Mapping[str, object]) -> Mapping[str, object]:
    return _mapping(_mapping(document.get("metadata")).get("labels"))


def _state(pod: Mapping[str, object] | None) -> Mapping[str, object]:
    statuses = cast("list[object]", _mapping(_mapping(pod).get("status")).get("containerStatuses") or [])
    mine = [_mapping(each) for each in statuses if _mapping(each).get("name") == CONTAINER]
    return _mapping(mine[0].get("state")) if mine else {}


def _is(job: Mapping[str, object], condition: str) -> bool:
    found = cast("list[object]", _mapping(job.get("status")).get("conditions") or [])
    return any(_mapping(each).get("type") == condition and _mapping(each).get("status") == "True" for each in found)


def _moment(text: object) -> datetime | None:
    return datetime.fromisoformat(text) if isinstance(text, str) else None


def _mapping(value: object) -> Mapping[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
