"""A month's report: everything that was reckoned, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Final

from planning.service_levels.availability import Availability, AvailabilityPeriod, calculate_availability
from planning.service_levels.credits import CreditStep, LineCredit, ServiceCredit, Sum, owing, sum_credits
from planning.service_levels.exclusions import Exclusion, JudgedExclusion, judge_exclusions, windows_of
from planning.service_levels.month import format_time, midnight
from planning.service_levels.series import USUAL_STEP
from planning.service_levels.service_parts import list_unmeasured_placements, parts_of
from planning.values.errors import InputError
from planning.values.money import to_cents

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from planning.service_levels.form import (
        ExclusionForm,
        HoursForm,
        PartForm,
        PartVerdict,
        PromisedFrom,
        ShortfallPeriodForm,
        SlaForm,
        SlaLineForm,
        TwoForm,
        Verdict,
    )
    from planning.service_levels.month import Month
    from planning.service_levels.series import RecordedSeries
    from planning.service_levels.service_parts import ServicePart
    from planning.spec.lock import Lock

SCHEMA_VERSION: Final = 1
HOUR: Final = 3600
DAY: Final = 86_400
PLACES: Final = Decimal("0.0001")  # of percentages and hours


@dataclass(frozen=True, slots=True, kw_only=True)
class SlaTerms:
    """What the reckoning rests on beside samples and lock.

    Args:
        starts: day on which the work on the accepted cluster began; None where it was not settled.
        table: credits, and whether the agreement has them.
        notice_hours: agreement.maintenance_notice_hours.
        exclusions: of the file, in its order.
        promised: share of the month that the control plane is promised to answer, in percent, and where that stands;
            None for no promise beside the table.
        today: day of the report.
        source: where the samples are from, for the reader.
    """

    starts: date | None
    table: tuple[CreditStep, ...]
    of_agreement: bool
    notice_hours: Decimal | None
    exclusions: tuple[Exclusion, ...]
    today: date
    source: str
    promised: Decimal | None = None
    promised_from: PromisedFrom = "promises"


def report(lock: Lock, recorded: RecordedSeries, *, month: Month, settled: SlaTerms) -> SlaForm:
    """The report of a month.

    Raises:
        InputError: series of pools or tiers that the lock does not have.
    """
    parts = parts_of(lock)
    refuse_strangers(recorded, parts, source=settled.source)
    windows = judge_exclusions(settled.exclusions, month=month, notice_hours=settled.notice_hours)
    begun = midnight(settled.starts) if settled.starts else None
    months = {
        part.key: calculate_availability(
            part, recorded, month=month, starts=begun, windows=windows_of(windows, part.key)
        )
        for part in parts
    }
    found = [_owing(part, months, lock=lock, month=month, settled=settled) for part in parts]
    least = sum_credits(reading for each in found for reading in each.least)
    most = sum_credits(reading for each in found for reading in each.most)
    beside = list_unmeasured_placements(lock)
    forms = [
        _part(each, recorded, lock=lock, month=month, promised=_find_promised_share(each, settled)) for each in found
    ]
    return {
        "schema_version": SCHEMA_VERSION,
        "stack": lock.stack,
        "month": str(month),
        "days": str(month.seconds // DAY),
        "over": midnight(settled.today) >= month.end,
        "counted_from": settled.starts.isoformat()
        if settled.starts and midnight(settled.starts) > month.start
        else None,
        "reckoned_on": settled.today.isoformat(),
        "source": settled.source,
        "step_seconds": recorded.step_seconds,
        "table_from": "agreement" if settled.of_agreement else "promises",
        "table": [{"below_percent": _plain(row.below), "credit_percent": _plain(row.credit)} for row in settled.table],
        "promised_from": settled.promised_from,
        "verdict": _verdict(forms, beside),
        "parts": forms,
        "exclusions": [_exclusion(each) for each in windows],
        "credit_usd": _usd(least.usd, most.usd),
        "untold": [lock.bill[line].key for line in _untold(least, most)],
        "not_recorded": list(beside),
        "notes": [*recorded.notes, *_coarse(recorded.step_seconds)],
    }


def _coarse(step_seconds: int) -> Iterator[str]:
    """What samples further apart than the cluster records them do not show: every second of an outage counts."""
    if step_seconds > USUAL_STEP:
        yield (
            f"samples are {step_seconds} seconds apart, and the cluster records one every {USUAL_STEP}: an outage "
            "between two samples is not seen, and one that is seen counts in whole steps"
        )


def refuse_strangers(recorded: RecordedSeries, parts: Sequence[ServicePart], *, source: str) -> None:
    """Series must be of this cluster.

    Raises:
        InputError: naming every one that is not.
    """
    known = {name for part in parts for name in part.names}
    strangers = sorted(str(name) for name in recorded.runs if name not in known)
    if strangers:
        raise InputError(
            f"{source}: of another stack, or of another lock: this cluster has no {', '.join(strangers)}",
            hint=f"its series are: {', '.join(sorted(map(str, known)))}",
        )


def _owing(
    part: ServicePart, months: dict[str, Availability], *, lock: Lock, month: Month, settled: SlaTerms
) -> ServiceCredit:
    nodes = months.get(f"nodes/{part.series.of}") if part.pools else None
    return owing(months[part.key], nodes=nodes, lock=lock, table=settled.table, month_seconds=month.seconds)


def _verdict(parts: Sequence[PartForm], beside: Sequence[str]) -> Verdict:
    verdicts = {part["verdict"] for part in parts}
    if "short" in verdicts:
        return "short"
    if "below" in verdicts:
        return "below"
    return "cannot tell" if "cannot tell" in verdicts or beside else "met"


def _find_promised_share(found: ServiceCredit, settled: SlaTerms) -> Decimal | None:
    """The share of the month that is promised of a part; of the control plane alone, as the annex has it."""
    return settled.promised if found.attained.part.kind == "control_plane" else None


def _part(
    found: ServiceCredit, recorded: RecordedSeries, *, lock: Lock, month: Month, promised: Decimal | None
) -> PartForm:
    each, part = found.attained, found.attained.part
    there = any(run.end > month.start and run.start < month.end for run in recorded.of(part.series))
    return {
        "key": part.key,
        "title": part.title,
        "kind": part.kind,
        "series": [str(name) for name in part.names],
        "recorded": there,
        "verdict": _part_verdict(found, promised),
        "promised_percent": None if promised is None else _plain(promised),
        "attained_percent": _build_availability_form(each) if part.counted or there else None,
        "hours": _hours_form(each),
        "credit_percent": {"if_up": _plain(found.percent_least), "if_down": _plain(found.percent_most)},
        "lines": [_line(low, high, lock) for low, high in zip(found.least, found.most, strict=True)],
        "credit_usd": _usd(sum_credits(found.least).usd, sum_credits(found.most).usd),
        "unusable_usd": _usd(*found.unusable) if found.unusable else None,
        "spans": [_span(span, month) for span in each.spans if span.standing != "up"],
    }


def _part_verdict(found: ServiceCredit, promised: Decimal | None) -> PartVerdict:
    if not found.attained.part.counted:
        return "not counted"
    if found.percent_least:
        return "short"
    if _is_missed(found.attained.percent_if_up, promised):
        return "below"
    unsure = found.percent_most or _is_missed(found.attained.percent_if_down, promised)
    return "cannot tell" if unsure else "met"


def _is_missed(attained: Fraction | None, promised: Decimal | None) -> bool:
    return attained is not None and promised is not None and attained < Fraction(promised)


def _build_availability_form(each: Availability) -> TwoForm | None:
    up, down = each.percent_if_up, each.percent_if_down
    return (
        None if up is None or down is None else {"if_up": format_rounded_down(up), "if_down": format_rounded_down(down)}
    )


def _hours_form(each: Availability) -> HoursForm:
    return {
        "owed": _hours(each.owed + each.unknown),
        "short": _hours(each.short),
        "excluded": _hours(each.forgiven),
        "not_known": _hours(each.unknown),
    }


def _line(low: LineCredit, high: LineCredit, lock: Lock) -> SlaLineForm:
    line = lock.bill[low.line]
    priced = low.charge is not None and high.charge is not None
    told = low.owed is not None and high.owed is not None
    return {
        "key": line.key,
        "label": line.label,
        "index": low.line,
        "charge_usd": _usd(low.charge, high.charge) if priced else None,
        "credit_usd": _usd(low.owed, high.owed) if told else None,
    }


def _span(span: AvailabilityPeriod, month: Month) -> ShortfallPeriodForm:
    assert span.standing != "up"  # noqa: S101 - those are left out by the caller
    return {
        "start": format_time(span.start),
        "end": format_time(span.end),
        "start_second": span.start - month.start,
        "end_second": span.end - month.start,
        "standing": span.standing,
        "owed": _plain(_decimal(span.owed)),
        "delivered": None if span.delivered is None else _plain(_decimal(span.delivered)),
        "hours": _hours(Fraction(span.seconds)),
    }


def _exclusion(each: JudgedExclusion) -> ExclusionForm:
    said = each.exclusion
    return {
        "cause": said.cause.value,
        "component": said.component,
        "start": format_time(said.start),
        "end": format_time(said.end),
        "reason": said.reason,
        "notice_at": None if said.notice is None else format_time(said.notice),
        "refused": each.refused,
    }


def _untold(least: Sum, most: Sum) -> list[int]:
    return sorted({*least.untold, *most.untold})


def _usd(up: Decimal | None, down: Decimal | None) -> TwoForm:
    """Both in cents; only ever asked for amounts that are known."""
    return {"if_up": str(to_cents(up or Decimal(0))), "if_down": str(to_cents(down or Decimal(0)))}


def format_rounded_down(percent: Fraction) -> str:
    """A percentage with four decimals at most, rounded down: what fell short never reads as if it had not."""
    return _plain(floor(percent / Fraction(PLACES)) * PLACES)


def _hours(seconds: Fraction) -> str:
    return _plain(_decimal(seconds / HOUR).quantize(PLACES))


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}" if value else "0"
