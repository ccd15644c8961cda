"""Measurement records as JSON lines of pods and files, checked before they are believed."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final, cast

from components.acceptance.model import Reference
from components.agents import cluster_api
from components.context.names import BURN_IN_LEDGER, BURN_IN_NAMESPACE
from planning.agents.burn_in import BurnInVerdict
from planning.agents.burn_in_ledger import ledger_of_text
from planning.agents.measurement_records import CHECKS, AcceptanceCheck, MeasuredValue, MeasurementRecord, Per, subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.acceptance.model import PlannedJob
    from operations.acceptance.kubernetes_cluster import AcceptanceCluster, NodeSnapshot
    from planning.agents.burn_in import BurnInEntry


MOST_BYTES: Final = 65_536  # of one line; the longest honest one, a burn-in with its failures, has about 4,000
MOST_FAILED: Final = 200
MOST_WORDS: Final = 2_000
MOST_PARAMS: Final = 32
MOST_AMOUNT: Final = 10**15
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/ -]{0,252}")
HALF: Final = re.compile("[\\ud800-\\udfff]")  # half a character: JSON can say it, no file can keep it
KEYS: Final = frozenset(MeasurementRecord.__annotations__)
READING_KEYS: Final = frozenset(MeasuredValue.__annotations__)
BY_ID: Final[Mapping[str, AcceptanceCheck]] = {each.id: each for each in CHECKS}


class MeasurementRecordError(ValueError):
    """A line that is no record, and why."""


def to_line(record: MeasurementRecord) -> str:
    """A record as it is kept: one line, keys in order."""
    return json.dumps(record, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n"


def parse(line: str) -> MeasurementRecord:
    """The record in a line.

    Raises:
        RecordError: too long, not JSON, or not a record of a check that we know; every fault of it in one sentence.
    """
    if len(line.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise MeasurementRecordError(f"longer than {MOST_BYTES} bytes")
    try:
        found = cast("object", json.loads(line, object_pairs_hook=reject_duplicate_keys))
    except RecursionError as error:
        raise MeasurementRecordError("nested too deeply") from error
    except ValueError as error:
        raise MeasurementRecordError(f"not JSON: {error}") from error
    return validate_record(found)


def validate_record(found: object) -> MeasurementRecord:
    """The same object, once it is a record.

    Raises:
        RecordError: it is none.
    """
    if not isinstance(found, dict):
        raise MeasurementRecordError("not a JSON object")
    fields = cast("dict[str, object]", found)
    if missing := sorted(KEYS - fields.keys()):
        raise MeasurementRecordError(f"without {', '.join(missing)}")
    if unknown := sorted(fields.keys() - KEYS):
        raise MeasurementRecordError(f"with {', '.join(unknown)[:MOST_WORDS]}, which no record has")
    if faults := list(_faults(fields)):
        raise MeasurementRecordError("; ".join(faults))
    return cast("MeasurementRecord", cast("object", fields))


def reject_duplicate_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON none of whose keys stands twice.

    Raises:
        RecordError: one does.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        raise MeasurementRecordError("a key twice")
    return found


def _faults(fields: Mapping[str, object]) -> Iterator[str]:
    check = BY_ID.get(str(fields["check"]))
    if check is None or not isinstance(fields["check"], str):
        yield f"check {str(fields['check'])[:80]!r} is none of {', '.join(BY_ID)}"
        return
    yield from _subject_faults(fields["subject"], check)
    yield from _time_faults(fields["at"])
    if not _words(fields["tool"]):
        yield "tool is no text"
    yield from _reading_faults(fields["readings"], check)
    failed = fields["failed"]
    if not isinstance(failed, list) or not all(map(_words, cast("list[object]", failed))):
        yield "failed is no list of sentences"
    elif len(cast("list[object]", failed)) > MOST_FAILED:
        yield f"failed has more than {MOST_FAILED} sentences"
    yield from _param_faults(fields["params"])


def _subject_faults(subject: object, check: AcceptanceCheck) -> Iterator[str]:
    kind, _, name = subject.partition("/") if isinstance(subject, str) else ("", "", "")
    if kind != check.per or not NAME.fullmatch(name):
        yield f"subject {str(subject)[:80]!r} is not {check.per}/NAME, as {check.id} has it"


def _time_faults(at: object) -> Iterator[str]:
    try:
        found = datetime.fromisoformat(at) if isinstance(at, str) else None
    except ValueError:
        found = None
    if found is None or found.utcoffset() != timedelta():
        yield f"at {str(at)[:80]!r} is no time of UTC, as 2026-11-22T09:00:00+00:00"


def _reading_faults(readings: object, check: AcceptanceCheck) -> Iterator[str]:
    if not isinstance(readings, list):
        yield "readings is no list"
        return
    names: list[str] = []
    for each in cast("list[object]", readings):
        if not isinstance(each, dict) or each.keys() != READING_KEYS:
            yield "a reading has name, value and unit"
            return
        reading = cast("dict[str, object]", each)
        name = str(reading["name"])
        names.append(name)
        if name not in check.readings:
            yield f"{check.id} has no reading {name[:80]!r}"
        elif reading["unit"] != check.readings[name]:
            yield f"{name} is in {check.readings[name]!r}, not {str(reading['unit'])[:80]!r}"
        if not _amount(reading["value"]):
            yield f"{name[:80]}: {str(reading['value'])[:80]!r} is no amount"
    if len(names) > len(set(names)):
        yield "a reading twice"


def _param_faults(params: object) -> Iterator[str]:
    if not isinstance(params, dict) or len(cast("dict[object, object]", params)) > MOST_PARAMS:
        yield f"params is no object of at most {MOST_PARAMS} texts"
        return
    for key, value in cast("dict[object, object]", params).items():
        if not _words(key) or not _words(value):
            yield f"params: {str(key)[:80]!r} is no text"


def _words(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MOST_WORDS and not HALF.search(value)


def _amount(value: object) -> bool:
    """Whether it is a decimal text of an amount that a machine can have: finite, and not below 0."""
    if not isinstance(value, str) or len(value) > 40:  # noqa: PLR2004 - digits of any reading
        return False
    try:
        found = Decimal(value)
    except InvalidOperation:
        return False
    return found.is_finite() and 0 <= found < MOST_AMOUNT


OBSERVER: Final = "atoll accept-test"
MOST_RECORDS: Final = 1_000  # of one job; the longest, a fabric's, tells node counts times payloads
LAMENT: Final = "could not measure "  # as each program of components.agents.measure begins such a line
MOST_REFUSED: Final = 5
LONGEST_REASON: Final = 500


def parse_log(log: str, job: PlannedJob) -> tuple[list[MeasurementRecord], list[str]]:
    """Records of a log, and why others in it were not believed."""
    found: dict[str, MeasurementRecord] = {}
    refused: list[str] = []
    for line in log.split("\n"):
        # Tools write their own lines into the same log.
        if not line.startswith("{"):
            continue
        try:
            record = parse(line)
        except MeasurementRecordError as error:
            refused.append(f"what is no record: {error}"[:LONGEST_REASON])
            continue
        # A pod may only speak of what it was sent to measure: a node must not report for another.
        if record["check"] not in job.checks or record["subject"] != job.subject:
            refused.append(f"a record about {record['check']} of {record['subject']}, which is not its own")
        elif len(found) < MOST_RECORDS:
            found[line] = record
        else:
            refused.append(f"more than {MOST_RECORDS} records")
            break
    return list(found.values()), refused[:MOST_REFUSED]


def list_error_lines(log: str) -> list[str]:
    """What our programs say they could not measure, and why."""
    found = dict.fromkeys(line[:LONGEST_REASON] for line in log.split("\n") if line.startswith(LAMENT))
    return list(found)[:MOST_REFUSED]


def build_duration_record(job: PlannedJob, *, at: str, seconds: float, fault: str) -> MeasurementRecord:
    """The record of a job that no pod of ours measures: the seconds until it was done."""
    return {
        "check": job.checks[0],
        "subject": job.subject,
        "at": at,
        "tool": OBSERVER,
        "readings": [] if fault else [{"name": "seconds", "value": f"{seconds:.1f}", "unit": "s"}],
        "failed": [fault[:LONGEST_REASON]] if fault else [],
        "params": {},
    }


def failure_reason(document: Mapping[str, object]) -> str:
    """Why an object says that it has failed, in its own words."""
    status = cast("dict[str, object]", document.get("status") or {})
    found = status.get("conditions")
    rows = cast("list[dict[str, object]]", found) if isinstance(found, list) else []
    said = [each for each in rows if each.get("status") == "True" and each.get("type") in {"Failed", "Error"}]
    words = [f"{each.get('reason', '')}: {each.get('message', '')}" for each in said or rows[-1:]]
    return "; ".join(words)[:LONGEST_REASON] or f"it failed: {str(status)[:LONGEST_REASON]}"


LEDGER: Final = Reference(api_version="v1", kind="ConfigMap", namespace=BURN_IN_NAMESPACE, name=BURN_IN_LEDGER)
TOOL: Final = "atoll burn-in"
HOUR: Final = timedelta(hours=1)


def read_burn_in_records(
    cluster: AcceptanceCluster,
    *,
    seen: Sequence[NodeSnapshot],
    pools: Mapping[str, Sequence[str]],
    placement: str,
    now: datetime,
) -> tuple[list[MeasurementRecord], list[str]]:
    """Records of nodes whose burn-in has ended, and sentences about those where it has not.

    Args:
        pools: names of the nodes of each pool.

    Raises:
        ClusterError: the ledger cannot be read.
    """
    found = cluster.get(LEDGER)
    if found is None:
        return [], []
    try:
        entries = ledger_of_text(str(cast("dict[str, object]", found.get("data") or {}).get(cluster_api.LEDGER, "")))
    except ValueError as error:
        return [], [f"burn-in: {error}"[:LONGEST_REASON]]
    uids = {each.name: each.uid for each in seen}
    records: list[MeasurementRecord] = []
    waiting: list[str] = []
    for pool, names in pools.items():
        for name in names:
            entry = entries.get(name)
            if entry is None or entry.uid != uids.get(name):
                continue
            if entry.verdict is BurnInVerdict.PENDING:
                waiting.append(f"node {name}: its burn-in goes on, {_hours(entry)} h of it are over")
            else:
                records.append(_record(name, entry, pool=pool, placement=placement, now=now))
    return records, waiting


def _record(name: str, entry: BurnInEntry, *, pool: str, placement: str, now: datetime) -> MeasurementRecord:
    return {
        "check": "burn_in",
        "subject": subject(Per.NODE, name),
        "at": now.astimezone(UTC).isoformat(timespec="seconds"),
        "tool": TOOL,
        "readings": [
            {"name": "hours", "value": str(_hours(entry)), "unit": "h"},
            {"name": "rounds", "value": str(entry.rounds), "unit": ""},
        ],
        "failed": [entry.why[:LONGEST_REASON]] if entry.verdict is BurnInVerdict.FAILED else [],
        "params": {"placement": placement, "pool": pool},
    }


def _hours(entry: BurnInEntry) -> Decimal:
    return (Decimal(int(entry.tested.total_seconds())) / int(HOUR.total_seconds())).quantize(Decimal("0.1"))
