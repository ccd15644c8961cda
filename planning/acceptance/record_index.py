"""Records sorted by what they are about; what cannot be used is named and left out."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from planning.acceptance.records import fault_of, figure, parse_time
from planning.agents.measurement_records import BY_ID, Per

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from planning.acceptance.expectations import Expectations
    from planning.agents.measurement_records import MeasurementRecord, Results

Key = tuple[str, str]  # check, subject
SKEW: Final = timedelta(minutes=5)
"""By which the clocks of nodes may differ from that of whoever ran the acceptance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedRecord:
    """A record that may be judged, and its place in the results."""

    measured: MeasurementRecord
    index: int

    def figure(self, name: str) -> Decimal | None:
        return figure(self.measured, name)

    def at(self, name: str) -> str:
        """Where a reading stands in the results."""
        for place, each in enumerate(self.measured["readings"]):
            if each["name"] == name:
                return f"measured.{self.index}.readings.{place}.value"
        return f"measured.{self.index}"

    def param(self, name: str) -> str:
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
        """The records of one check of one subject, in the order in which they were written."""
        return self.by_key.get((check, subject), ())


def sort(results: Results, expected: Expectations) -> Sorted:
    """Every record that is sound, of this acceptance, in its time, and about something that the lock has."""
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
    """Why a record is not of the acceptance's time; "" where it is, or where that time is not known."""
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
    """Why the lock has nothing of the kind; "" where it has. Remembers in which pool a node stands."""
    subject = record["subject"]
    if BY_ID[record["check"]].per is not Per.NODE:
        return "" if subject in _subjects(expected) else "the lock has nothing of that name"
    placement, pool = record["params"]["placement"], record["params"]["pool"]
    if expected.pool(placement=placement, name=pool) is None:
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
