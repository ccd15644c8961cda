"""Reads the results of an acceptance, checks every record, and indexes them by check and subject."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final, cast

from planning.agents.measurement_records import BY_ID, SCHEMA_VERSION, MeasuredValue, MeasurementRecord, Per, Results
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.acceptance.expectations import Expectations
    from planning.agents.measurement_records import AcceptanceCheck

TEXTS: Final = ("check", "subject", "at", "tool")
LONGEST: Final = 80  # characters of a faulty text that a message repeats
MOST_DIGITS: Final = 30
WHOLE: Final = frozenset({"nodes", "payload_bytes", "files", "bytes"})  # params that count
COUNT: Final = re.compile(r"[0-9]{1,19}")  # 2^63 has 19 digits

Json = dict[str, object]


def results_of(text: str, *, file: str) -> Results:
    """Read a file of results.

    Raises:
        InputError: not JSON, not results, or records that are none; every fault at once.
    """
    body = _json(text)
    if body is None:
        raise InputError(f"{file}: not the results of an acceptance, which are a JSON object")
    if body.get("schema_version") != SCHEMA_VERSION:
        raise InputError(f"{file}: results of schema {body.get('schema_version')!r}; this Atoll reads {SCHEMA_VERSION}")
    listed = body.get("measured")
    faults = [f"{name} is no text" for name in ("stack", "option", "started", "ended") if not _is_text(body.get(name))]
    records: list[MeasurementRecord] = []
    for number, each in enumerate(cast("list[object]", listed) if isinstance(listed, list) else ()):
        record = _record(cast("Json", each) if isinstance(each, dict) else None)
        if isinstance(record, str):
            faults.append(f"measured.{number}: {record}")
        else:
            records.append(record)
    if not isinstance(listed, list):
        faults.append("measured is no list")
    if faults:
        told = tuple(Fault(message=fault, file=file) for fault in faults)
        raise InputError(f"{file}: not the results of an acceptance", faults=told)
    return Results(
        schema_version=SCHEMA_VERSION,
        stack=str(body["stack"]),
        option=str(body["option"]),
        started=str(body["started"]),
        ended=str(body["ended"]),
        measured=records,
    )


def fault_of(record: MeasurementRecord) -> str:
    """The fault of a record of the right shape; "" without one."""
    check = BY_ID.get(record["check"])
    if check is None:
        return f"unknown check {record['check'][:LONGEST]!r}"
    per, _, name = record["subject"].partition("/")
    if per != check.per or not name:
        return f"{check.id} is about a {check.per}, not about {record['subject'][:LONGEST]!r}"
    if parse_time(record["at"]) is None:
        return f"{record['at'][:LONGEST]!r} is no time"
    if fault := _param_fault(check, record["params"]):
        return fault
    silent = [] if record["failed"] else [name for name in check.readings if figure(record, name) is None]
    return f"no figure of {', '.join(silent)}" if silent else ""


def _param_fault(check: AcceptanceCheck, params: Mapping[str, str]) -> str:
    lacking = [name for name in check.params if not params.get(name)]
    if lacking:
        return f"it does not say its {', '.join(lacking)}"
    strange = [name for name in check.params if name in WHOLE and not COUNT.fullmatch(params[name])]
    return f"{', '.join(strange)} is no whole number" if strange else ""


def figure(record: MeasurementRecord, name: str) -> Decimal | None:
    """One reading; None where it is missing, in another unit, no number, or given twice."""
    check = BY_ID.get(record["check"])
    unit = check.readings.get(name) if check is not None else None
    found = [each["value"] for each in record["readings"] if each["name"] == name and each["unit"] == unit]
    return number(found[0]) if len(found) == 1 else None


def number(text: str) -> Decimal | None:
    """A finite decimal that is not negative; None for anything else."""
    try:
        value = Decimal(text) if len(text) <= MOST_DIGITS else None
    except InvalidOperation:
        return None
    if value is None or not value.is_finite() or value < 0 or abs(value.adjusted()) > MOST_DIGITS:
        return None
    return value


def parse_time(text: str) -> datetime | None:
    """A time of ISO 8601 with its zone; None for anything else."""
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC) if found.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None


def _record(body: Json | None) -> MeasurementRecord | str:
    if body is None:
        return "not JSON, or cut short"
    wrong = [name for name in TEXTS if not _is_text(body.get(name))]
    readings, failed, params = (body.get(name) for name in ("readings", "failed", "params"))
    known = _readings(readings)
    if known is None:
        wrong.append("readings")
    if not isinstance(failed, list) or not all(_is_text(each) for each in cast("list[object]", failed)):
        wrong.append("failed")
    if not isinstance(params, dict) or not all(_is_text(each) for each in cast("Json", params).values()):
        wrong.append("params")
    if wrong or known is None:
        return f"no record: {', '.join(wrong)} is missing or of another kind"
    return MeasurementRecord(
        check=str(body["check"]),
        subject=str(body["subject"]),
        at=str(body["at"]),
        tool=str(body["tool"]),
        readings=known,
        failed=cast("list[str]", failed),
        params=cast("dict[str, str]", params),
    )


def _readings(value: object) -> list[MeasuredValue] | None:
    if not isinstance(value, list):
        return None
    found: list[MeasuredValue] = []
    for each in cast("list[object]", value):
        if not isinstance(each, dict):
            return None
        cells = cast("Mapping[str, object]", each)
        if not all(_is_text(cells.get(name)) for name in ("name", "value", "unit")):
            return None
        found.append(MeasuredValue(name=str(cells["name"]), value=str(cells["value"]), unit=str(cells["unit"])))
    return found


def _json(text: str) -> Json | None:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("Json", body) if isinstance(body, dict) else None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


Key = tuple[str, str]  # check, subject
SKEW: Final = timedelta(minutes=5)  # tolerated between the clocks of nodes and of the machine that ran the acceptance


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedRecord:
    """A record that may be judged, and its place in the results."""

    measured: MeasurementRecord
    index: int

    def read_figure(self, name: str) -> Decimal | None:
        return figure(self.measured, name)

    def at(self, name: str) -> str:
        """Path of a reading in the results."""
        for place, each in enumerate(self.measured["readings"]):
            if each["name"] == name:
                return f"measured.{self.index}.readings.{place}.value"
        return f"measured.{self.index}"

    def read_param(self, name: str) -> str:
        return self.measured["params"].get(name, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """Records by check and subject.

    Args:
        nodes: name of each node to its placement and pool.
    """

    by_key: Mapping[Key, Sequence[IndexedRecord]]
    nodes: Mapping[str, tuple[str, str]]
    faults: tuple[str, ...]

    def of(self, check: str, subject: str) -> Sequence[IndexedRecord]:
        return self.by_key.get((check, subject), ())


def index_records(results: Results, expected: Expectations) -> Sorted:
    """Index the valid records: of this acceptance, within its time, and of subjects of the lock."""
    faults: list[str] = []
    by_key: dict[Key, list[IndexedRecord]] = defaultdict(list)
    nodes: dict[str, tuple[str, str]] = {}
    seen: set[str] = set()
    started, ended = parse_time(results["started"]), parse_time(results["ended"])
    if started is None or ended is None or ended < started:
        faults.append("the results do not say from when to when they were measured")
    strangers = _strangers(results, expected)
    if strangers:
        return Sorted(by_key={}, nodes={}, faults=(*faults, strangers))
    for index, record in enumerate(results["measured"]):
        told = f"{record['check']} of {record['subject']}"
        fault = fault_of(record) or _late(record, results) or _unknown(record, expected, nodes)
        same = json.dumps(record, sort_keys=True)
        if not fault and same in seen:
            fault = "the very same record is there twice; it counts once"
        if fault:
            faults.append(f"{told}: {fault}")
            continue
        seen.add(same)
        by_key[record["check"], record["subject"]].append(IndexedRecord(measured=record, index=index))
    return Sorted(by_key=by_key, nodes=nodes, faults=tuple(faults))


def _late(record: MeasurementRecord, results: Results) -> str:
    """Why a record is outside the acceptance's time; "" where it is inside, or that time is unknown."""
    at, started, ended = parse_time(record["at"]), parse_time(results["started"]), parse_time(results["ended"])
    if at is None or started is None or ended is None or (started - at <= SKEW and at - ended <= SKEW):
        return ""
    return f"of {record['at']}, which is not between {results['started']} and {results['ended']}"


def _strangers(results: Results, expected: Expectations) -> str:
    if results["stack"] != expected.stack:
        return f"these are results of the stack {results['stack']!r}, not of {expected.stack!r}: none is used"
    if results["option"] != expected.option:
        return f"these are results of the option {results['option']!r}, not of {expected.option!r}: none is used"
    return ""


def _unknown(record: MeasurementRecord, expected: Expectations, nodes: dict[str, tuple[str, str]]) -> str:
    """Why a subject is not of the lock; "" where it is. Adds a node's pool to `nodes`."""
    subject = record["subject"]
    if BY_ID[record["check"]].per is not Per.NODE:
        return "" if subject in _subjects(expected) else "the lock has nothing of that name"
    placement, pool = record["params"]["placement"], record["params"]["pool"]
    if expected.find_pool(placement=placement, name=pool) is None:
        return f"the lock has no pool of accelerators {pool!r} in {placement!r}"
    name = subject.partition("/")[2]
    stands = nodes.setdefault(name, (placement, pool))
    return "" if stands == (placement, pool) else f"it stands in {stands[1]!r} of {stands[0]!r} by another record"


def _subjects(expected: Expectations) -> set[str]:
    return {
        *(pool.subject for pool in expected.pools),
        *(tier.subject for tier in expected.tiers),
        *(each.subject for each in expected.once),
    }
