"""The thread of a round that gives out the work, counts what came of it and writes it down."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from queue import Empty
from typing import TYPE_CHECKING, Final, TypeVar

from components.agents.mover import transfer
from components.agents.mover.ledger import CopyLedger, Written
from components.agents.mover.manifest import ManifestWriter, row_of
from components.agents.mover.progress import Teller
from components.agents.mover.store.model import BucketEndpoint, Listed, StoreError
from components.agents.mover.store.s3_client import S3Store, connect
from components.agents.mover.transfer_plan import (
    NAMED,
    CopyOptions,
    KeyState,
    RoundReport,
    side_by_side,
    verdict,
    verdict_of_versions,
)
from components.agents.mover.worker_pool import Bandwidth, KeyOutcome, WorkerPool, WorkItem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


__all__ = ("MANIFEST", "CopyOptions", "RoundReport", "copy_round")
MANIFEST: Final = "source.manifest"
TOGETHER: Final = 256  # keys that are intended, and written down, at once
UNDER_WAY: Final = 1024  # keys that are given to the threads and not yet done
ASK_EVERY: Final = 0.5  # seconds without an outcome
WRITE_DOWN_EVERY: Final = 1.0  # seconds
DENIED_MOST: Final = 20  # objects; after that it is the bucket, not the object
Named = TypeVar("Named", str, tuple[str, str])


class CopyRound:
    """One round, seen from the thread that gives out the work."""

    def __init__(
        self,
        *,
        ledger: CopyLedger,
        manifest: ManifestWriter,
        crew: WorkerPool,
        options: CopyOptions,
        say: Callable[[str], None],
    ) -> None:
        self._ledger = ledger
        self._manifest = manifest
        self._crew = crew
        self._options = options
        self._teller = Teller(say, options.watch, expected=options.expected_bytes)
        self._report = RoundReport()
        self._under_way = 0
        self._rows: list[Written] = []
        self._done: list[str] = []
        self._forgotten: list[str] = []
        self._written_down = time.monotonic()
        self._denied = 0
        self._fatal: BaseException | None = None
        self._judge = verdict_of_versions if options.versions else verdict

    def run(self, source: S3Store, target: S3Store) -> RoundReport:
        begun = self._ledger.list_intended()
        try:
            for key in begun:  # what a killed round left half uploaded
                self._give(WorkItem(key, partial(transfer.abandon_uploads, key=key)))
            self._wait(until=0)
            self._give_out(self._align_keys(source, target, frozenset(begun)))
            self._wait(until=0)
        finally:
            self._crew.stopping.set()
            self._write_down()
        report = self._report
        report.seconds = self._teller.seconds
        self._tell(now=True)
        return report

    def _align_keys(self, source: S3Store, target: S3Store, intended: frozenset[str]) -> Iterator[KeyState]:
        versions = self._options.versions
        left, right = (
            self._select_mine(each.list_versions() if versions else each.list_objects()) for each in (source, target)
        )
        return side_by_side(left, right, self._ledger.group_by_key(), intended=intended)

    def _select_mine(self, listed: Iterator[Listed]) -> Iterator[Listed]:
        reserved, shard = self._options.reserved, self._options.shard
        return (each for each in listed if not (reserved and each.key.startswith(reserved)) and shard.holds(each.key))

    def _give_out(self, keys: Iterator[KeyState]) -> None:
        waiting: list[WorkItem] = []
        for key in keys:
            if self._options.stop():
                self._report.stopped = True
                self._crew.stopping.set()
                return
            job = self._plan_job(key)
            if job is not None:
                waiting.append(job)
            if len(waiting) >= TOGETHER:
                self._begin(waiting)
                waiting = []
                self._wait(until=UNDER_WAY)
        self._begin(waiting)

    def _begin(self, jobs: list[WorkItem]) -> None:
        self._ledger.intend(each.key for each in jobs)
        self._under_way += len(jobs)
        self._crew.give(jobs)

    def _give(self, job: WorkItem) -> None:
        self._under_way += 1
        self._crew.give([job])

    def _plan_job(self, key: KeyState) -> WorkItem | None:
        """Work item of a key; None if there is nothing to do."""
        options, report = self._options, self._report
        what, why = self._judge(key)
        if what == "foreign":
            report.foreigns += 1
            _name(report.foreign, (key.name, why))
        elif what == "gone":
            self._forgotten.append(key.name)
        elif what == "delete":
            return WorkItem(key.name, partial(transfer.delete_copy, key=key, versions=options.versions))
        elif what == "copy" and options.versions:
            return WorkItem(key.name, partial(transfer.replay_versions, key=key))
        elif what == "copy":
            return WorkItem(key.name, partial(transfer.copy_object, listed=key.source[-1]))
        elif options.tags_again:
            self._give(WorkItem(key.name, partial(transfer.refresh_tags, key=key)))
            self._wait(until=UNDER_WAY)
        else:
            self._keep(key.written)
        return None

    def _wait(self, *, until: int) -> None:
        """Take outcomes until at most that many keys are in progress.

        Raises:
            StoreError: one of them stops everything; everything that was begun has ended then.
        """
        while self._under_way > (until if self._fatal is None else 0):
            try:
                self._take(self._crew.outcomes.get(timeout=ASK_EVERY))
            except Empty:
                self._tell()
            if not self._report.stopped and self._options.stop():
                self._report.stopped = True
                self._crew.stopping.set()
        if self._fatal is not None:
            raise self._fatal

    def _take(self, outcome: KeyOutcome) -> None:
        report, key = self._report, outcome.key
        self._under_way -= 1
        if outcome.what == "stopped":
            self._stop(outcome.error)
        elif outcome.what == "changed":
            report.changes += 1
            _name(report.changed_during, key)
        elif outcome.what == "failed":
            self._fail(outcome)
        elif outcome.what == "abandoned":
            report.abandoned += outcome.copied
        elif outcome.what == "deleted":
            report.deleted += 1
            self._forgotten.append(key)
        elif outcome.what == "kept":
            self._keep(outcome.rows)
        else:
            report.objects += outcome.copied
            report.size += outcome.size
            report.retagged += outcome.what == "retagged"
            self._rows.extend(outcome.rows)
            self._done.append(key)
            self._show(outcome.rows)
        if time.monotonic() - self._written_down > WRITE_DOWN_EVERY:
            self._write_down()
            self._tell()

    def _keep(self, rows: tuple[Written, ...]) -> None:
        self._report.skipped += len(rows)
        self._report.skipped_size += sum(each.size for each in rows)
        self._show(rows)
        self._tell()

    def _show(self, rows: tuple[Written, ...]) -> None:
        """Add rows to the manifest: order 0 for the newest version."""
        for each in rows:
            self._manifest.add(replace(row_of(each.line), order=len(rows) - 1 - each.number))

    def _fail(self, outcome: KeyOutcome) -> None:
        self._report.failures += 1
        _name(self._report.failed, (outcome.key, outcome.why))
        if isinstance(outcome.error, StoreError) and outcome.error.code == "AccessDenied":
            self._denied += 1
            if self._denied >= DENIED_MOST:
                self._stop(outcome.error)

    def _stop(self, error: BaseException | None) -> None:
        self._crew.stopping.set()
        self._fatal = self._fatal or error

    def _write_down(self) -> None:
        if self._done:
            self._ledger.record_written(self._rows, done=self._done)
        if self._forgotten:
            self._ledger.forget(self._forgotten)
        self._rows, self._done, self._forgotten = [], [], []
        self._written_down = time.monotonic()

    def _tell(self, *, now: bool = False) -> None:
        self._teller.tell(self._report, now=now)


def _name(names: list[Named], name: Named) -> None:
    if len(names) < NAMED:
        names.append(name)


def copy_round(
    source: BucketEndpoint, target: BucketEndpoint, *, folder: Path, options: CopyOptions, say: Callable[[str], None]
) -> RoundReport:
    """Copy what is missing at the target, and delete copies that the source no longer has.

    Raises:
        StoreError: a store, a bucket or keys are at fault, so that going on makes no sense; what was copied is written
            down, and the next round goes on from there.
    """
    with ExitStack() as stack:
        ledger = stack.enter_context(CopyLedger(folder, source=source, target=target, versions=options.versions))
        limit = Bandwidth(options.bandwidth_mib_per_s)
        left, right = connect(source), connect(target)
        stack.callback(left.close)
        stack.callback(right.close)
        if options.versions:
            _need_versions(left, right)
        manifest = ManifestWriter(folder / MANIFEST, bucket=source.bucket, facts={"read": "while it was copied"})
        stack.callback(manifest.abandon)
        if options.tags_counted:
            _require_tags(left)
        crew = WorkerPool(
            source,
            target,
            threads=options.transfers,
            spend=limit.take,
            part_size=transfer.part_size(options.part_size),
            tags_counted=options.tags_counted,
        )
        stack.callback(crew.close)
        stack.callback(crew.stopping.set)
        round_ = CopyRound(ledger=ledger, manifest=manifest, crew=crew, options=options, say=say)
        report = round_.run(left, right)
        if not report.stopped:
            manifest.close()
            report.manifest = str(folder / MANIFEST)
    return report


def _require_tags(source: S3Store) -> None:
    """Refuse a source whose tags cannot be read."""
    # Where tags may not be read, their number is hidden, too, and a copy would lose them without a word.
    for each in source.list_objects():
        try:
            source.get_tags(each.key)
        except StoreError as error:
            if error.code == "AccessDenied":
                raise StoreError(f"tags cannot be read, and would be lost: {error}", code=error.code) from None
            # Deleted since it was listed; the next one answers the question as well.
            if error.code != "NoSuchKey":
                raise
            continue
        return


def _need_versions(*stores: S3Store) -> None:
    for each in stores:
        if not each.is_versioned():
            raise StoreError(
                f"bucket {each.place.bucket} at {each.place.endpoint} keeps no versions, and versions are to be copied",
                code="NotVersioned",
            )
