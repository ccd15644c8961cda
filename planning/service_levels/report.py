"""The monthly report: all calculated results, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Final

from planning.service_levels.availability import AvailabilityPeriod, calculate_availability
from planning.service_levels.credits import (
    CreditStep,
    LineCredit,
    ServiceCredit,
    calculate_credit,
    node_hours,
    sum_credits,
    to_decimal,
)
from planning.service_levels.exclusions import Exclusion, JudgedExclusion, judge_exclusions, merge_windows
from planning.service_levels.form import CreditStepForm, ExclusionForm, PartForm, ShortfallPeriodForm, SlaLineForm
from planning.service_levels.month import format_time, midnight
from planning.service_levels.series import USUAL_STEP
from planning.service_levels.service_parts import list_parts, list_unmeasured_placements
from planning.values.errors import InputError
from planning.values.json_format import decimal_text, fill_form, to_json
from planning.values.money import to_cents

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from planning.service_levels.form import PartVerdict, PromisedFrom, SlaForm, TwoForm, Verdict
    from planning.service_levels.month import Month
    from planning.service_levels.series import RecordedSeries
    from planning.service_levels.service_parts import ServicePart
    from planning.spec.lock import Lock

SCHEMA_VERSION: Final = 1
DAY: Final = 86_400
PLACES: Final = Decimal("0.0001")  # of percentages and hours


@dataclass(frozen=True, slots=True, kw_only=True)
class SlaTerms:
    """Terms of the agreement and circumstances of the report.

    Args:
        starts: day on which the work on the accepted cluster began; None where it is an open term.
        of_agreement: whether `table` is the agreement's; otherwise it is that of promises.csv.
        notice_hours: agreement.maintenance_notice_hours.
        today: day of the report.
        source: origin of the samples, for the reader.
        promised: availability in percent that the control plane is promised beside the table; None without a promise.
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
    parts = list_parts(lock)
    refuse_strangers(recorded, parts, source=settled.source)
    windows = judge_exclusions(settled.exclusions, month=month, notice_hours=settled.notice_hours)
    found = _calculate_credits(lock, parts, recorded, month=month, settled=settled, windows=windows)
    least = sum_credits(reading for each in found for reading in each.least)
    most = sum_credits(reading for each in found for reading in each.most)
    beside = list_unmeasured_placements(lock)
    forms = [_fill_part(each, recorded, lock=lock, month=month, settled=settled) for each in found]
    starts = settled.starts
    return {
        "schema_version": SCHEMA_VERSION,
        "stack": lock.stack,
        "month": str(month),
        "days": str(month.seconds // DAY),
        "over": midnight(settled.today) >= month.end,
        "counted_from": starts.isoformat() if starts and midnight(starts) > month.start else None,
        "reckoned_on": settled.today.isoformat(),
        "source": settled.source,
        "step_seconds": recorded.step_seconds,
        "table_from": "agreement" if settled.of_agreement else "promises",
        "table": [fill_form(CreditStepForm, row) for row in settled.table],
        "promised_from": settled.promised_from,
        "verdict": _verdict(forms, beside),
        "parts": forms,
        "exclusions": [_fill_exclusion(each) for each in windows],
        "credit_usd": _usd(least.usd, most.usd),
        "untold": [lock.bill[line].key for line in sorted({*least.untold, *most.untold})],
        "not_recorded": list(beside),
        "notes": [*recorded.notes, *_coarse(recorded.step_seconds)],
    }


def _calculate_credits(
    lock: Lock,
    parts: Sequence[ServicePart],
    recorded: RecordedSeries,
    *,
    month: Month,
    settled: SlaTerms,
    windows: Sequence[JudgedExclusion],
) -> list[ServiceCredit]:
    begun = midnight(settled.starts) if settled.starts else None
    months = {
        part.key: calculate_availability(
            part, recorded, month=month, starts=begun, windows=merge_windows(windows, part.key)
        )
        for part in parts
    }
    return [
        calculate_credit(
            months[part.key],
            nodes=months.get(f"nodes/{part.series.of}") if part.pools else None,
            lock=lock,
            table=settled.table,
            month_seconds=month.seconds,
        )
        for part in parts
    ]


def _coarse(step_seconds: int) -> Iterator[str]:
    """Note on samples that are further apart than those that the cluster records."""
    if step_seconds > USUAL_STEP:
        yield (
            f"samples are {step_seconds} seconds apart, and the cluster records one every {USUAL_STEP}: an outage "
            "between two samples is not seen, and one that is seen counts in whole steps"
        )


def refuse_strangers(recorded: RecordedSeries, parts: Sequence[ServicePart], *, source: str) -> None:
    """Refuse series of another cluster.

    Raises:
        InputError: naming every one.
    """
    known = {name for part in parts for name in part.names}
    strangers = sorted(str(name) for name in recorded.runs if name not in known)
    if strangers:
        raise InputError(
            f"{source}: of another stack, or of another lock: this cluster has no {', '.join(strangers)}",
            hint=f"its series are: {', '.join(sorted(map(str, known)))}",
        )


def _verdict(parts: Sequence[PartForm], beside: Sequence[str]) -> Verdict:
    verdicts = {part["verdict"] for part in parts}
    if "short" in verdicts:
        return "short"
    if "below" in verdicts:
        return "below"
    return "undetermined" if "undetermined" in verdicts or beside else "met"


def _fill_part(
    found: ServiceCredit, recorded: RecordedSeries, *, lock: Lock, month: Month, settled: SlaTerms
) -> PartForm:
    each, part = found.attained, found.attained.part
    there = any(run.end > month.start and run.start < month.end for run in recorded.of(part.series))
    # A share of the month is promised of the control plane alone, as the annex has it.
    promised = settled.promised if part.kind == "control_plane" else None
    up, down = each.percent_if_up, each.percent_if_down
    attained: TwoForm | None = None
    if up is not None and down is not None and (part.counted or there):
        attained = {"if_up": format_rounded_down(up), "if_down": format_rounded_down(down)}
    return fill_form(
        PartForm,
        part,
        series=[str(name) for name in part.names],
        recorded=there,
        verdict=_part_verdict(found, promised),
        promised_percent=to_json(promised),
        attained_percent=attained,
        hours={
            "owed": _hours(each.owed + each.unknown),
            "short": _hours(each.short),
            "excluded": _hours(each.forgiven),
            "not_known": _hours(each.unknown),
        },
        credit_percent={"if_up": decimal_text(found.percent_least), "if_down": decimal_text(found.percent_most)},
        lines=[_fill_line(low, high, lock) for low, high in zip(found.least, found.most, strict=True)],
        credit_usd=_usd(sum_credits(found.least).usd, sum_credits(found.most).usd),
        unusable_usd=found.unusable and _usd(*found.unusable),
        spans=[_fill_span(span, month) for span in each.spans if span.standing != "up"],
    )


def _part_verdict(found: ServiceCredit, promised: Decimal | None) -> PartVerdict:
    if not found.attained.part.counted:
        return "not counted"
    if found.percent_least:
        return "short"
    if _is_missed(found.attained.percent_if_up, promised):
        return "below"
    unsure = found.percent_most or _is_missed(found.attained.percent_if_down, promised)
    return "undetermined" if unsure else "met"


def _is_missed(attained: Fraction | None, promised: Decimal | None) -> bool:
    return attained is not None and promised is not None and attained < Fraction(promised)


def _fill_line(low: LineCredit, high: LineCredit, lock: Lock) -> SlaLineForm:
    priced = low.charge is not None and high.charge is not None
    known = low.owed is not None and high.owed is not None
    return fill_form(
        SlaLineForm,
        lock.bill[low.line],
        index=low.line,
        charge_usd=_usd(low.charge, high.charge) if priced else None,
        credit_usd=_usd(low.owed, high.owed) if known else None,
    )


def _fill_span(span: AvailabilityPeriod, month: Month) -> ShortfallPeriodForm:
    return fill_form(
        ShortfallPeriodForm,
        span,
        start=format_time(span.start),
        end=format_time(span.end),
        start_second=span.start - month.start,
        end_second=span.end - month.start,
        owed=decimal_text(to_decimal(span.owed)),
        delivered=None if span.delivered is None else decimal_text(to_decimal(span.delivered)),
        hours=_hours(Fraction(span.seconds)),
    )


def _fill_exclusion(each: JudgedExclusion) -> ExclusionForm:
    stretch = each.exclusion
    return fill_form(
        ExclusionForm,
        stretch,
        start=format_time(stretch.start),
        end=format_time(stretch.end),
        notice_at=None if stretch.notice is None else format_time(stretch.notice),
        refused=each.refused,
    )


def _usd(up: Decimal | None, down: Decimal | None) -> TwoForm:
    return {"if_up": str(to_cents(up or Decimal(0))), "if_down": str(to_cents(down or Decimal(0)))}


def format_rounded_down(percent: Fraction) -> str:
    """A percentage with four decimals at most."""
    # Rounded down, so that a missed level never reads as a met one.
    return decimal_text(floor(percent / Fraction(PLACES)) * PLACES)


def _hours(seconds: Fraction) -> str:
    return decimal_text(to_decimal(node_hours(seconds)).quantize(PLACES))
