"""The burn-in: has tainted nodes tested in rounds, then removes the taint or marks the node as failed.

It runs in a pod of the cluster: standard library of Python 3.12 only, beside its decisions of `planning.agents`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast
from urllib.error import HTTPError
from urllib.parse import quote

from components.agents.cluster_api import API, SECRETS, LedgerCluster, to_mapping, to_mappings
from planning.agents.burn_in import STUCK_AFTER, Act, BurnInNode, BurnInPlan, BurnInRound, RoundState, decide, length
from planning.agents.burn_in_ledger import ledger_of_text, ledger_to_text, parse_burn_in_log

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planning.agents.burn_in import BurnInEntry

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
MOST_LOG: Final = 4_000_000  # bytes of a log that are read
Document = dict[str, object]


class BurnInClusterClient(LedgerCluster):
    """The cluster that the pod runs in, with the rounds in their namespace.

    Args:
        namespace: of the rounds and the ledger.
        ledger: name of the ledger's ConfigMap.
    """

    def __init__(self, namespace: str, ledger: str, *, api: str = API, secrets: Path = SECRETS) -> None:
        super().__init__(f"/api/v1/namespaces/{namespace}/configmaps/{ledger}", api=api, secrets=secrets)
        self._jobs = f"/apis/batch/v1/namespaces/{namespace}/jobs"
        self._pods = f"/api/v1/namespaces/{namespace}/pods"

    def find_job(self, name: str) -> Mapping[str, object] | None:
        """The Job of that name; None for a 404."""
        try:
            return self.read(f"{self._jobs}/{name}")
        except HTTPError as error:
            if error.code == HTTPStatus.NOT_FOUND:
                return None
            raise

    def find_pod(self, job: str) -> Mapping[str, object] | None:
        """The newest pod of a Job; None where it has none."""
        found = self.read(f"{self._pods}?labelSelector={quote(f'batch.kubernetes.io/job-name={job}')}")
        pods = to_mappings(found.get("items"))
        return max(pods, key=lambda pod: str(to_mapping(pod["metadata"]).get("creationTimestamp", "")), default=None)

    def read_log(self, pod: str) -> str:
        path = f"{self._pods}/{pod}/log?container={CONTAINER}&limitBytes={MOST_LOG}"
        return self.call("GET", path).decode("utf-8", errors="replace")

    def start(self, job: Mapping[str, object]) -> None:
        """Create a job, unless it is there."""
        try:
            self.call("POST", self._jobs, job)
        except HTTPError as error:
            # One that exists already is that of the same round.
            if error.code != HTTPStatus.CONFLICT:
                raise

    def remove(self, job: str) -> None:
        """Delete a job with its pods, in the background; nothing where there is none."""
        try:
            self.call("DELETE", f"{self._jobs}/{job}?propagationPolicy=Background")
        except HTTPError as error:
            if error.code != HTTPStatus.NOT_FOUND:
                raise

    def patch_node(self, name: str, changes: list[Document]) -> None:
        """A JSON patch, refused whole where one of its tests does not hold."""
        self.call("PATCH", f"/api/v1/nodes/{name}", changes, kind="json-patch+json")

    def say(self, event: Mapping[str, object]) -> None:
        """Events of nodes lie in the default namespace."""
        self.call("POST", "/api/v1/namespaces/default/events", event)


@dataclass(frozen=True, kw_only=True)
class BurnInContext:
    """Cluster, plan and time of one round of checks.

    Args:
        jobs: pool to the job of a round, with marks for what differs.
    """

    cluster: BurnInClusterClient
    plan: BurnInPlan
    jobs: Mapping[str, Mapping[str, object]]
    now: datetime


def look(scene: BurnInContext) -> list[str]:
    """Check every tainted node once, and act on it; log lines.

    Raises:
        OSError, ValueError: nodes or ledger cannot be read or written; nothing was let in then.
    """
    entries = ledger_of_text(scene.cluster.read_ledger())
    said: list[str] = []
    for document in scene.cluster.list_nodes():
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
        cluster.write_ledger(ledger_to_text(entries))  # before anything is done, so that a restart does it again
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
    """Label the node and write an event, once; the taint stays."""
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
    metadata, labels = to_mapping(document.get("metadata")), _labels(document)
    pool = str(labels.get("atoll/pool", ""))
    if _place(document) is None or pool not in pools:
        return None
    return BurnInNode(
        name=str(metadata["name"]), uid=str(metadata["uid"]), pool=pool, passed=labels.get(LABEL) == PASSED
    )


def round_of(cluster: BurnInClusterClient, node: BurnInNode, entry: BurnInEntry) -> BurnInRound:
    """State of the last round that was started."""
    job = cluster.find_job(job_name(node, entry.asked))
    if job is None:
        return BurnInRound(went=RoundState.GONE)
    pod = cluster.find_pod(job_name(node, entry.asked))
    state = _state(pod)
    ended = to_mapping(state.get("terminated"))
    started = _moment(to_mapping(state.get("running")).get("startedAt") or ended.get("startedAt"))
    if not _is(job, "Complete") and not _is(job, "Failed"):
        return BurnInRound(went=RoundState.RUNS, started=started)
    name = str(to_mapping(to_mapping(pod).get("metadata")).get("name") or "")
    checked, failed = parse_burn_in_log(cluster.read_log(name), subject=f"node/{node.name}") if name else ((), ())
    finished = _moment(ended.get("finishedAt"))
    lasted = finished - started if started is not None and finished is not None else None
    passed = _is(job, "Complete") and not _is(job, "Failed")
    went = RoundState.PASSED if passed else RoundState.UNKNOWN
    return BurnInRound(went=went, started=started, lasted=lasted, failed=failed, checked=checked)


def build_untaint_patch(document: Mapping[str, object]) -> list[Document]:
    """JSON patch that removes the taint."""
    place = _place(document)
    path = f"/spec/taints/{place}"
    return [
        _same(document),
        # By its place in the list: where the taints have changed meanwhile, the server refuses the whole patch.
        {"op": "test", "path": f"{path}/key", "value": TAINT},
        *_build_label_patch(document, PASSED),
        {"op": "remove", "path": path},
    ]


def build_failure_patch(document: Mapping[str, object], why: str) -> list[Document]:
    """JSON patch that labels the node as failed, with the reason; the taint stays."""
    annotations = to_mapping(to_mapping(document.get("metadata")).get("annotations"))
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
    """Name of a round's job."""
    # By the UID: a new node of the same name has other jobs.
    return f"burn-in-{sha256(node.uid.encode()).hexdigest()[:12]}-{asked}"


def substitute_marks(value: object, marks: Mapping[str, str]) -> object:
    """The document with the marks filled in."""
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
    taints = to_mappings(to_mapping(document.get("spec")).get("taints"))
    return next((place for place, each in enumerate(taints) if each.get("key") == TAINT), None)


def _same(document: Mapping[str, object]) -> Document:
    return {"op": "test", "path": "/metadata/uid", "value": to_mapping(document.get("metadata")).get("uid")}


def _build_label_patch(document: Mapping[str, object], value: str) -> list[Document]:
    room: list[Document] = [] if _labels(document) else [{"op": "add", "path": "/metadata/labels", "value": {}}]
    return [*room, {"op": "add", "path": f"/metadata/labels/{_escape_json_pointer(LABEL)}", "value": value}]


def _escape_json_pointer(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _labels(document: Mapping[str, object]) -> Mapping[str, object]:
    return to_mapping(to_mapping(document.get("metadata")).get("labels"))


def _state(pod: Mapping[str, object] | None) -> Mapping[str, object]:
    statuses = to_mappings(to_mapping(to_mapping(pod).get("status")).get("containerStatuses"))
    return to_mapping(next((each.get("state") for each in statuses if each.get("name") == CONTAINER), None))


def _is(job: Mapping[str, object], condition: str) -> bool:
    conditions = to_mappings(to_mapping(job.get("status")).get("conditions"))
    return any(each.get("type") == condition and each.get("status") == "True" for each in conditions)


def _moment(text: object) -> datetime | None:
    return datetime.fromisoformat(text) if isinstance(text, str) else None


def plan_of(text: str) -> tuple[BurnInPlan, dict[str, dict[str, object]]]:
    """The plan of the pod's volume, and the job of each pool.

    Raises:
        KeyError, ValueError: it is not one.
    """
    said = cast("dict[str, object]", json.loads(text))
    checks = cast("dict[str, list[str]]", said["checks"])
    return BurnInPlan(hours=int(str(said["hours"])), checks=checks), cast("dict[str, dict[str, object]]", said["jobs"])


def main() -> None:
    """Check every tainted node, pause, and repeat for ever, or LOOKS times."""
    plan, jobs = plan_of(Path(os.environ["PLAN"]).read_text(encoding="utf-8"))
    secrets = Path(os.environ.get("SECRETS", str(SECRETS)))
    cluster = BurnInClusterClient(
        os.environ["NAMESPACE"], os.environ["LEDGER"], api=os.environ.get("API", API), secrets=secrets
    )
    looks = int(os.environ.get("LOOKS", "0"))
    done = 0
    while not looks or done < looks:
        try:
            said = look(BurnInContext(cluster=cluster, plan=plan, jobs=jobs, now=datetime.now(UTC)))
        except (OSError, ValueError) as error:
            said = [f"the cluster does not answer, and nothing is let in: {error}"]
        sys.stdout.writelines(f"{line}\n" for line in said)
        sys.stdout.flush()
        done += 1
        time.sleep(float(os.environ["SECONDS_BETWEEN"]))


if __name__ == "__main__":
    main()
