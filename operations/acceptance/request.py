"""The stack that is to be accepted: its lock, its expected values, and its results."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from catalogs.catalog import load
from operations.acceptance.records import MeasurementRecordError, validate_record
from operations.acceptance.result_store import (
    FOLDER,
    META,
    MOST_FAULTS,
    RESULTS,
    Meta,
    build_results,
    merge_records,
    read_meta,
    read_records,
    text_of,
)
from operations.project.accepted_lock import read_accepted_lock
from operations.project.workspace import display_path, require_stack
from planning.acceptance.expectations import build_expectations
from planning.acceptance.judgement import judge
from planning.acceptance.records import parse_time, results_of
from planning.acceptance.report.builder import DOCUMENT, build_report
from planning.checklist.reading.checklist_file import read_file
from planning.inputs.files import parse_json
from planning.relocation.plan_form import lock_digest
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from catalogs.catalog import Catalog
    from planning.acceptance.expectations import Expectations
    from planning.acceptance.report.form import AcceptanceForm
    from planning.agents.measurement_records import MeasurementRecord, Results
    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock


@dataclass(frozen=True, kw_only=True)
class AcceptanceRequest:
    """A stack that is to be accepted."""

    folder: Path
    lock: Lock
    digest: str
    catalog: Catalog
    expected: Expectations

    @property
    def sources(self) -> dict[str, str]:
        return {
            id_: f"{each.text}, {each.url}, {each.as_of or 'no date'}" for id_, each in self.catalog.sources.items()
        }

    def find_spec(self, placement: str) -> ClusterSpec:
        """The cluster of a placement, "" for the primary one. Raises: InputError: the lock has no such placement."""
        names = [each.placement.name for each in self.lock.placements]
        if placement and placement not in names:
            raise InputError(
                f"the lock of {self.lock.stack} has no placement {placement!r}; it has: {', '.join(names)}"
            )
        return self.lock.placements[names.index(placement) if placement else 0]

    def build_form(
        self,
        results: Results,
        *,
        unfinished: Sequence[str] = (),
        only: Collection[str] = (),
        nodes: Collection[str] = (),
    ) -> AcceptanceForm:
        """The judged report, not signed."""
        return build_report(
            judge(results, self.expected),
            results,
            lock=self.lock,
            lock_digest=self.digest,
            expected=self.expected,
            unfinished=unfinished,
            only=only,
            nodes=nodes,
        )


def read_request(stack: str) -> AcceptanceRequest:
    """What a stack is held to.

    Raises:
        InputError: no such stack, or it is not accepted.
    """
    project = require_stack(stack)
    lock = read_accepted_lock(project, stack)
    checklist = read_file(Path(display_path(project.checklist(stack))))
    catalog = load()
    return AcceptanceRequest(
        folder=Path(display_path(project.lock(stack))).parent,
        lock=lock,
        digest=lock_digest(lock),
        catalog=catalog,
        expected=build_expectations(lock, catalog, checklist),
    )


def load_results(paths: Sequence[Path], it: AcceptanceRequest, *, to_sign: bool = False) -> tuple[Results, list[str]]:
    """Results of files and folders as one, and what of them must be told: jobs that failed, files that name no stack.

    Args:
        to_sign: whether somebody signs for them; then every file says what it is of.

    Raises:
        InputError: nothing there, lines that are no records, or a run of another stack or lock, or of none to sign.
    """
    parts: list[list[MeasurementRecord]] = []
    unfinished: list[str] = []
    nameless: list[str] = []
    starts: list[str] = []
    ends: list[str] = []
    for path in (each for given in paths for each in _files(given)):
        if path.suffix != ".jsonl":
            found, digest = _document(path)
            parts.append(found["measured"])
            starts.append(found["started"])
            ends.append(found["ended"])
            _same_stack(path, found["stack"], found["option"], it)
            _same_lock(path, digest, it)
            continue
        parts.append(read_records(path, forgive_last=(path.parent / META).exists()))
        if (path.parent / META).exists():
            meta = _verify_meta(read_meta(path.parent / META), path, it)
            unfinished += meta.failed
            starts.append(meta.started)
            ends.append(meta.ended or meta.started)
        else:
            nameless.append(f"{path} does not say of which stack it is")
    if to_sign and nameless:
        hint = f"name the run's folder, which has a {META} beside its {RESULTS}: --from {it.folder / FOLDER / 'RUN'}"
        raise InputError(f"{'; '.join(nameless)}: such results cannot be signed", hint=hint)
    unfinished += nameless
    return build_results(_meta(it, starts, ends), merge_records(parts)), unfinished


def _meta(it: AcceptanceRequest, starts: Sequence[str], ends: Sequence[str]) -> Meta:
    return Meta(
        run="",
        stack=it.lock.stack,
        option=it.lock.option,
        placement="",
        lock_digest=it.digest,
        started=min(filter(None, starts), default=""),
        ended=max(filter(None, ends), default=""),
    )


def _files(given: Path) -> Iterator[Path]:
    if given.is_dir():
        found = sorted(given.rglob(RESULTS))
        if not found:
            raise InputError(f"{given}: there is no {RESULTS} in it")
        yield from found
    elif given.is_file():
        yield given
    else:
        raise InputError(f"{given}: there is no such file or folder")


def _document(path: Path) -> tuple[Results, str]:
    """Results of a JSON document, of an acceptance's or of a report's, and the lock's digest that the report names."""
    text = text_of(path)
    found = parse_json(text, file=str(path), hint="the results of an acceptance are JSON")
    report = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    inside = json.dumps(report["results"]) if report.get("document") == DOCUMENT and "results" in report else text
    return _sound(results_of(inside, file=str(path)), file=str(path)), str(report.get("lock_digest", ""))


def _sound(results: Results, *, file: str) -> Results:
    """The same results, once each record is one that a run would have kept, and their times are times."""
    faults = [
        Fault(message=f"{name} {results[name][:80]!r} is no time with its zone", file=file)
        for name in ("started", "ended")
        if results[name] and parse_time(results[name]) is None
    ]
    for number, each in enumerate(results["measured"]):
        try:
            validate_record(each)
        except MeasurementRecordError as error:
            faults.append(Fault(message=f"measured.{number}: {error}", file=file))
    if faults:
        raise InputError(f"{file}: not the results of an acceptance", faults=faults[:MOST_FAULTS])
    return results


def _verify_meta(meta: Meta, path: Path, it: AcceptanceRequest) -> Meta:
    _same_stack(path, meta.stack, meta.option, it)
    _same_lock(path, meta.lock_digest, it)
    return meta


def _same_lock(path: Path, digest: str, it: AcceptanceRequest) -> None:
    if digest and digest != it.digest:
        raise InputError(
            f"{path} was measured for another lock of {it.lock.stack}: {digest[:80]}",
            hint="what was accepted since is another cluster: measure that",
        )


def _same_stack(path: Path, stack: str, option: str, it: AcceptanceRequest) -> None:
    if (stack, option) != (it.lock.stack, it.lock.option):
        raise InputError(
            f"{path} was measured for {stack} {option}, and this is {it.lock.stack} {it.lock.option}",
            hint="results say nothing about another cluster",
        )
