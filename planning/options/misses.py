"""What of a checklist a cluster does not meet, and the smallest change of the checklist that would do."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

from planning.money import HOURS_PER_MONTH
from planning.sizing.rules import HOURS_PER_DAY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from planning.demand import Demand
    from planning.options.candidate import Candidate

_TWO_DIGITS = 10


def without_deadlines(demands: Iterable[Demand]) -> tuple[Demand, ...]:
    """The demands as if each run could take as long as it takes."""
    return tuple(replace(each, deadline_hours=None, most_hours_per_run=None) for each in demands)


def list_misses(candidates: Iterable[Candidate], demands: Iterable[Demand]) -> Iterator[str]:
    """The deadlines, and the runs of a month, that a cluster does not keep; `demands` are the checklist's own."""
    limits = {each.workload: each for each in demands}
    for each in candidates:
        hours, demand = each.fit.hours_per_run, limits[each.demand.workload]
        if hours is None:
            continue
        if demand.deadline_hours is not None and hours > demand.deadline_hours:
            yield f"{demand.workload}: {_hours(hours)} for one run, the deadline is {_hours(demand.deadline_hours)}"
        if demand.most_hours_per_run is not None and hours > demand.most_hours_per_run:
            runs = demand.runs_per_month
            many = "one run takes" if runs == 1 else f"{_plain(runs)} runs a month take"
            yield f"{demand.workload}: {many} {_hours(hours * runs)}, a month has {HOURS_PER_MONTH} h"


def propose_changes(fastest: Iterable[Candidate], demands: Sequence[Demand]) -> Iterator[str]:
    """The smallest changes of the checklist that its fastest cluster meets."""
    limits = {each.workload: each for each in demands}
    for each in fastest:
        hours, demand = each.fit.hours_per_run, limits[each.demand.workload]
        if hours is None:
            continue
        if demand.deadline_hours is not None and hours > demand.deadline_hours:
            days = _unit_text(_two_digits(hours / HOURS_PER_DAY, rounding=ROUND_CEILING))
            yield f'raise the deadline of {demand.workload} to {days} days (workloads[].deadline: "{days}d")'
        if demand.most_hours_per_run is not None and hours > demand.most_hours_per_run:
            runs = _unit_text(_two_digits(HOURS_PER_MONTH / hours, rounding=ROUND_FLOOR))
            yield f"ask for at most {runs} runs of {demand.workload} a month (workloads[].runs_per_month)"


def _hours(hours: Decimal) -> str:
    return f"{_plain(_two_digits(hours, rounding=ROUND_CEILING))} h"


def _two_digits(value: Decimal, *, rounding: str) -> Decimal:
    """A value of at least 10 to whole units, a smaller one to two digits that count."""
    digits = 0 if value >= _TWO_DIGITS else value.adjusted() - 1
    step = Decimal(1).scaleb(digits)
    return (value / step).to_integral_value(rounding) * step


def _plain(value: Decimal) -> str:
    return f"{value.normalize():,f}"


def _unit_text(value: Decimal) -> str:
    """As a checklist takes it: without separators."""
    return f"{value.normalize():f}"
