"""Verdicts of an acceptance: one for each check of each subject, and one for each node."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from planning.acceptance.limits import plain
from planning.agents.measurement_records import BY_ID

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from planning.acceptance.limits import AcceptanceLimit
    from planning.acceptance.records import IndexedRecord


class CheckOutcome(StrEnum):
    """Outcome of one check. `NOTED`: measured without a limit, and without effect on the acceptance."""

    PASSED = "passed"
    FAILED = "failed"
    UNDETERMINED = "undetermined"
    MISSING = "missing"
    NOTED = "noted"


WORST_FIRST: Final = (CheckOutcome.FAILED, CheckOutcome.MISSING, CheckOutcome.UNDETERMINED, CheckOutcome.PASSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckVerdict:
    """One check of one subject.

    Args:
        subject: "node/ip-10-64-1-7".
        pool: subject of a node's pool, "pool/home/gpu"; "" for tiers, networks and services.
        sentence: the finding, with its figures.
        reading: name of the figure that decided; "" without one.
        measured: in `unit`; None where nothing was measured.
        params: parameters of the run.
        at: path of the reading in the results, "measured.12.readings.0.value"; "" without one.
    """

    check: str
    subject: str
    pool: str = ""
    title: str
    outcome: CheckOutcome
    sentence: str
    reading: str = ""
    unit: str = ""
    measured: Decimal | None = None
    least: Decimal | None = None
    most: Decimal | None = None
    theory: Decimal | None = None
    params: tuple[tuple[str, str], ...] = ()
    why: str = ""
    source: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeVerdict:
    """One node: it fails with any of its checks; `reasons` say why it did not pass."""

    name: str
    placement: str
    pool: str
    outcome: CheckOutcome
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """Verdicts of one acceptance.

    Args:
        outcome: the worst of all verdicts.
        nodes: every node with a record of a known pool, by name.
        faults: records that were not used, and why.
    """

    stack: str
    option: str
    outcome: CheckOutcome
    verdicts: tuple[CheckVerdict, ...]
    nodes: tuple[NodeVerdict, ...]
    faults: tuple[str, ...]

    @property
    def failed_nodes(self) -> tuple[str, ...]:
        return tuple(node.name for node in self.nodes if node.outcome is CheckOutcome.FAILED)

    def of(self, outcome: CheckOutcome) -> tuple[CheckVerdict, ...]:
        return tuple(each for each in self.verdicts if each.outcome is outcome)


def worst(outcomes: Iterable[CheckOutcome]) -> CheckOutcome:
    """The worst outcome, noted ones aside; undetermined where nothing was judged."""
    found = set(outcomes)
    return next((each for each in WORST_FIRST if each in found), CheckOutcome.UNDETERMINED)


GIB: Final = 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    check: str
    subject: str
    pool: str = ""
    params: tuple[tuple[str, str], ...] = ()

    @property
    def title(self) -> str:
        return ", ".join((BY_ID[self.check].title, *(_format_param(name, value) for name, value in self.params)))


def build_missing(about: About, *, why: str = "nothing was measured") -> CheckVerdict:
    return _verdict(about, CheckOutcome.MISSING, why)


def build_undetermined(about: About, *, why: str) -> CheckVerdict:
    """The check was run without a conclusive result."""
    return _verdict(about, CheckOutcome.UNDETERMINED, why)


def build_pass(about: About, *, why: str) -> CheckVerdict:
    return _verdict(about, CheckOutcome.PASSED, why)


def build_failure(about: About, *, why: str) -> CheckVerdict:
    return _verdict(about, CheckOutcome.FAILED, why)


def find_complaint(about: About, records: Sequence[IndexedRecord]) -> CheckVerdict | None:
    """A failure in the tools' own words, if any of them found a fault."""
    words = list(dict.fromkeys(_with_nodes(word, record) for record in records for word in record.measured["failed"]))
    return build_failure(about, why="; ".join(words)) if words else None


def judge_records(about: About, records: Sequence[IndexedRecord], limit: AcceptanceLimit) -> CheckVerdict:
    """Judge the worst of several records of one check."""
    if not records:
        return build_missing(about)
    complaint = find_complaint(about, records)
    if complaint is not None:
        return complaint
    read = [(value, record) for record in records if (value := record.read_figure(limit.reading)) is not None]
    if not read:
        return build_missing(about)
    worst, record = min(read, key=lambda each: _rank(each[0], limit))
    found = judge_figure(about, worst, limit)
    told = found.sentence if found.outcome is CheckOutcome.PASSED else _with_nodes(found.sentence, record)
    return replace(found, at=record.at(limit.reading), sentence=told)


def judge_figure(about: About, value: Decimal, limit: AcceptanceLimit) -> CheckVerdict:
    amount = f"{plain(value)} {limit.unit}".strip()
    outcome, sentence = _outcome(value, amount, limit)
    return replace(
        _verdict(about, outcome, sentence),
        reading=limit.reading,
        unit=limit.unit,
        measured=value,
        least=limit.least,
        most=limit.most,
        theory=limit.theory,
        why=limit.why,
        source=limit.source,
    )


def _outcome(value: Decimal, amount: str, limit: AcceptanceLimit) -> tuple[CheckOutcome, str]:
    if limit.optional:
        return CheckOutcome.NOTED, f"{amount}: {limit.why}"
    if not limit.known:
        return CheckOutcome.UNDETERMINED, f"{amount}; the limit is unknown: {limit.why}"
    if limit.bound is not None and value > limit.bound:
        bound = f"{plain(limit.bound)} {limit.unit}"
        return CheckOutcome.UNDETERMINED, f"{amount} is more than the hardware can do, {bound}: measure it again"
    share = f", {plain(value * 100 / limit.theory)}% of {plain(limit.theory)}" if limit.theory else ""
    if limit.least is not None and value < limit.least:
        return _too_little(f"{amount}{share}", limit, least=limit.least)
    if limit.most is not None and value > limit.most:
        return CheckOutcome.FAILED, f"{amount}; at most {plain(limit.most)} is asked: {limit.why}"
    return CheckOutcome.PASSED, f"{amount}{share}"


def _too_little(amount: str, limit: AcceptanceLimit, *, least: Decimal) -> tuple[CheckOutcome, str]:
    if limit.beyond:
        return CheckOutcome.UNDETERMINED, f"{amount}, less than {plain(least)}: {limit.beyond}"
    return CheckOutcome.FAILED, f"{amount}; at least {plain(least)} is asked: {limit.why}"


def _format_param(name: str, value: str) -> str:
    if name == "nodes":
        return f"{value} nodes"
    if name == "payload_bytes":
        return f"payload of {plain(Decimal(value) / GIB)} GiB"
    return f"{name} {value}"


def _with_nodes(word: str, record: IndexedRecord) -> str:
    on = record.read_param("on")
    return f"{word} (over {on})" if on else word


def _rank(value: Decimal, limit: AcceptanceLimit) -> tuple[int, Decimal]:
    """Sort key, worst first: too slow, then not credible, then passed."""
    if limit.most is not None and limit.least is None:
        return 0, -value
    if limit.bound is not None and value > limit.bound and limit.least is not None:
        return 1, value
    too_slow = limit.least is not None and value < limit.least
    return (0 if too_slow else 2), value


def _verdict(about: About, outcome: CheckOutcome, sentence: str) -> CheckVerdict:
    return CheckVerdict(
        check=about.check,
        subject=about.subject,
        pool=about.pool,
        title=about.title,
        outcome=outcome,
        sentence=sentence,
        params=about.params,
    )
