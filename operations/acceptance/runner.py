"""Runs planned jobs stage after stage: creates their objects, waits, reads their logs, and deletes the objects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from components.acceptance.job_context import NAMESPACE, RUN
from components.acceptance.model import JobState, Reference
from operations.acceptance.records import (
    LONGEST_REASON,
    build_duration_record,
    failure_reason,
    list_error_lines,
    parse_log,
)
from operations.clouds.kubernetes.objects import ClusterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from components.acceptance.model import Manifest, PlannedJob
    from operations.acceptance.kubernetes_cluster import AcceptanceCluster, PodSnapshot
    from operations.acceptance.result_store import Meta, ResultStore
    from operations.acceptance.run_lock import Clock, Hold
    from planning.agents.measurement_records import MeasurementRecord

EVERY_SECONDS: Final = 5.0
GONE_WITHIN: Final = 120.0
LOOK_SECONDS: Final = 60.0
SILENT_MOST: Final = 12  # looks in a row without an answer: a minute of an API server that starts again


@dataclass(slots=True)
class RunningJob:
    """A job whose objects were made.

    Args:
        silent: looks in a row without an answer.
        looked: when its pods were looked at last.
        waits: why a pod of it did not run then, in the cluster's words; "" where none waited.
    """

    job: PlannedJob
    began: float
    silent: int = 0
    looked: float = 0.0
    waits: str = ""


@dataclass(kw_only=True)
class AcceptanceRun:
    """One run of an acceptance.

    Args:
        timeout: seconds after which any job is given up, instead of its own; None for its own.
        keep: leave the objects of failed jobs where they are, to be looked at.
        hold: renewed while jobs run, so that no other run begins here.
    """

    cluster: AcceptanceCluster
    store: ResultStore
    meta: Meta
    clock: Clock
    say: Callable[[str], None]
    timeout: int | None = None
    keep: bool = False
    every: float = EVERY_SECONDS
    hold: Hold | None = None

    def run_all(self, jobs: Sequence[PlannedJob], *, ground: Sequence[Manifest]) -> Meta:
        """Run the jobs that are not done; every record is stored as soon as its job ends.

        Raises:
            ClusterError: the cluster refuses or does not answer any more, or another run has taken over.
        """
        left = [each for each in jobs if each.name not in self.meta.done]
        if len(left) < len(jobs):
            self.say(f"{len(jobs) - len(left)} of {len(jobs)} jobs were done before")
        for each in ground:
            self.cluster.apply(each)
        # Objects of a run that was killed hold accelerators, and would let this run's pods wait.
        self.sweep(jobs)
        for stage in sorted({each.stage for each in left}):
            self._stage([each for each in left if each.stage == stage])
        self._note(replace(self.meta, ended=_iso(self.clock.now())))
        return self.meta

    def sweep(self, jobs: Iterable[PlannedJob]) -> int:
        """Delete objects that killed runs have left; returns their number."""
        every = [each for job in jobs for each in job.removed]
        kinds = dict.fromkeys((each.api_version, each.kind, each.namespace) for each in every)
        left = [
            found
            for version, kind, space in kinds
            for found in self.cluster.list_references(api_version=version, kind=kind, namespace=space, selector=RUN)
        ]
        if left:
            self.say(f"removing {len(left)} objects that an earlier run has left")
            self._remove(left)
            self.await_gone(left)
        return len(left)

    def _stage(self, jobs: Sequence[PlannedJob]) -> None:
        opened: list[RunningJob] = []
        try:
            for job in jobs:
                moment = self.clock.monotonic()
                opened.append(RunningJob(job, moment, looked=moment))
                for each in job.objects:
                    self.cluster.apply(each)
                self.say(f"{job.name}: started ({job.subject})")
            while opened:
                if self.hold is not None:
                    self.hold.renew()
                for each in list(opened):
                    if self._is_over(each):
                        opened.remove(each)
                if opened:
                    self.clock.sleep(self.every)
        finally:
            for each in opened:  # jobs of an interrupted stage
                self._remove(each.job.removed)

    def _is_over(self, opened: RunningJob) -> bool:
        """Look at a job; True once it has ended, and its records are stored and its objects deleted."""
        try:
            document = self.cluster.get(opened.job.awaited)
        except ClusterError:
            opened.silent += 1
            # An API server that restarts is away for a moment, and the job goes on without it.
            if opened.silent > SILENT_MOST:
                raise
            return False
        opened.silent = 0
        lasted = self.clock.monotonic() - opened.began
        if document is None:
            self._end(opened.job, lasted=lasted, fault="its object is gone: somebody has deleted it")
            return True
        state = opened.job.judge_state(document)
        late = lasted > (self.timeout or opened.job.seconds)
        if state is JobState.WAITING and not late:
            self._watch(opened)
            return False
        self._end(opened.job, lasted=lasted, fault=self._describe_fault(opened, state, document, lasted))
        return True

    def _describe_fault(
        self, opened: RunningJob, state: JobState, document: Mapping[str, object], lasted: float
    ) -> str:
        """Why a job did not end well; "" where it did. Pods of a job that is too late may be gone by then."""
        if state is JobState.DONE:
            return ""
        if state is JobState.WAITING:
            # Looked at while the pods are there: those of a job that is too late may be gone by then.
            self._look(opened)
        said = failure_reason(document) if state is JobState.FAILED else f"not over after {lasted:.0f} s"
        return ": ".join(filter(None, (said, opened.waits)))

    def _watch(self, opened: RunningJob) -> None:
        """Say once a minute at most why a pod waits, where that is another reason than before."""
        if self.clock.monotonic() - opened.looked < LOOK_SECONDS:
            return
        before = opened.waits
        self._look(opened)
        if opened.waits and opened.waits != before:
            self.say(f"{opened.job.name}: waits: {opened.waits}")

    def _look(self, opened: RunningJob) -> None:
        opened.looked = self.clock.monotonic()
        try:
            opened.waits = next((each.waiting for each in self._list_pods(opened.job) if each.waiting), "")[
                :LONGEST_REASON
            ]
        except ClusterError:  # the reason is a courtesy; the job's own state decides
            return

    def _end(self, job: PlannedJob, *, lasted: float, fault: str) -> None:
        """Store a job's records and delete its objects."""
        records, refused = self._collect_records(job, lasted=lasted, fault=fault)
        self.store.append(records)
        silent = "" if fault or records else "it ended and wrote no record"
        faults = [f"{job.name}: {each}" for each in (fault, silent, *refused) if each]
        done = () if silent or (fault and not records) else (job.name,)
        others = [each for each in self.meta.failed if not each.startswith(f"{job.name}: ")]
        self._note(replace(self.meta, done=(*self.meta.done, *done), failed=(*others, *faults)))
        self.say(f"{job.name}: " + (fault or silent or f"{len(records)} records in {lasted:.0f} s"))
        if not (self.keep and fault):
            self._remove(job.removed)

    def _collect_records(
        self, job: PlannedJob, *, lasted: float, fault: str
    ) -> tuple[list[MeasurementRecord], list[str]]:
        if job.log is None:
            return [build_duration_record(job, at=_iso(self.clock.now()), seconds=lasted, fault=fault)], []
        found: list[MeasurementRecord] = []
        refused: list[str] = []
        for pod in self._list_pods(job):
            try:
                log = self.cluster.read_log(pod, container=job.log.container)
            except ClusterError as error:  # its node may be gone, and other pods can still be read
                refused.append(str(error))
                continue
            records, faults = parse_log(log, job)
            found += records
            refused += [f"{pod.name} wrote {each}" for each in faults]
            refused += list_error_lines(log)
        return found, refused

    def _list_pods(self, job: PlannedJob) -> Sequence[PodSnapshot]:
        return self.cluster.list_pods(namespace=job.log.namespace, selector=job.log.selector) if job.log else ()

    def _remove(self, references: Iterable[Reference]) -> None:
        """Delete all of them; a refusal of one does not keep the others."""
        refused: list[ClusterError] = []
        for each in references:
            try:
                self.cluster.delete(each)
            except ClusterError as error:
                refused.append(error)
        for error in refused:
            self.say(f"left behind: {error}")

    def await_gone(self, references: Sequence[Reference]) -> None:
        """Return when none of them is there any more.

        Raises:
            ClusterError: that takes too long.
        """
        until = self.clock.monotonic() + GONE_WITHIN
        while left := [each for each in references if self.cluster.get(each) is not None]:
            if self.clock.monotonic() > until:
                raise ClusterError(
                    f"{left[0].kind} {left[0].namespace}/{left[0].name} of an earlier run does not go away",
                    hint="look at its finalizers; then run again",
                )
            self.clock.sleep(min(self.every, 1.0))

    def _note(self, meta: Meta) -> None:
        self.meta = meta
        self.store.write_meta(meta)


def take_down(cluster: AcceptanceCluster) -> None:
    """Delete the namespace of the acceptance, and with it whatever is in it."""
    cluster.delete(Reference(api_version="v1", kind="Namespace", name=NAMESPACE))


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")
