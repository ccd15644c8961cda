"""What of a checklist a cluster does not meet, and the smallest change of the checklist that would do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from planning.checklist.model.workload import Compute
from planning.quoting.search.checklist_changes import find_changed
from planning.quoting.search.least_cost import find_cheapest
from planning.quoting.search.least_time import find_fastest
from planning.sizing.assumptions import HOURS_PER_DAY
from planning.sizing.throughput.training_compute import runs_per_month
from planning.values.money import HOURS_PER_MONTH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from planning.checklist.model.checklist import Checklist
    from planning.quoting.candidates.candidate import Candidate
    from planning.quoting.search.candidate_set import CandidateSet
    from planning.sizing.demand import Demand

_TWO_DIGITS = 10
MOST_TRIALS: Final = 20  # halvings of one change: a million days, to a day


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


@dataclass(frozen=True, slots=True)
class Limit:
    """A number of a checklist that no cluster keeps, as it is asked for."""

    workload: str
    field: Literal["deadline", "runs_per_month"]
    asked: Decimal

    def describe(self, value: Decimal) -> str:
        """The change to another value."""
        text = f"{value.normalize():f}"
        if self.field == "deadline":
            return f'raise the deadline of {self.workload} to {text} days (workloads[].deadline: "{text}d")'
        return f"ask for at most {text} runs of {self.workload} a month (workloads[].runs_per_month)"


def propose_changes(relaxed: CandidateSet, demands: Sequence[Demand]) -> tuple[str, ...]:
    """The smallest changes of the checklist with which something on sale keeps it, under its ceiling where that can be.

    They begin at what the fastest cluster needs, which grows only where there is a ceiling; each is then brought back
    towards what was asked for as far as a search over the changed checklist finds a cluster.

    Args:
        relaxed: candidates of the checklist `without_deadlines`.
        demands: the checklist's own.
    """
    candidates = relaxed.with_demands(demands)
    if find_cheapest(candidates) is not None:
        return ()
    for usd in dict.fromkeys((candidates.limit, None)):
        fastest = find_fastest(relaxed, limit=usd)
        if isinstance(fastest, str):
            continue
        changes = _missed_limits(fastest.candidates, demands, candidates.checklist)
        works = partial(_is_met, candidates, usd)
        if works(changes):
            return tuple(limit.describe(value) for limit, value in _reduce(changes, works).items())
    return ()


def _missed_limits(
    fastest: Iterable[Candidate], demands: Sequence[Demand], checklist: Checklist
) -> dict[Limit, Decimal]:
    """The limits that a cluster misses, with the values that it keeps."""
    asked = {each.workload: each for each in demands}
    jobs = {each.name: each for each in checklist.workloads}
    found: dict[Limit, Decimal] = {}
    for each in fastest:
        hours, demand, job = each.fit.hours_per_run, asked[each.demand.workload], jobs.get(each.demand.workload)
        if hours is None or not isinstance(job, Compute):
            continue
        if demand.most_hours_per_run is not None and hours > demand.most_hours_per_run:
            limit = Limit(job.name, "runs_per_month", runs_per_month(job))
            found[limit] = _two_digits(HOURS_PER_MONTH / hours, rounding=ROUND_FLOOR)
        if job.deadline is not None and hours > job.deadline * HOURS_PER_DAY:
            limit = Limit(job.name, "deadline", job.deadline)
            found[limit] = _two_digits(hours / HOURS_PER_DAY, rounding=ROUND_CEILING)
    return found


def _is_met(candidates: CandidateSet, usd: Decimal | None, changes: Mapping[Limit, Decimal]) -> bool:
    """Whether something on sale keeps the changed checklist at no more than `usd` a month."""
    return find_cheapest(find_changed(candidates, _apply(candidates.checklist, changes)), limit=usd) is not None


def _apply(checklist: Checklist, changes: Mapping[Limit, Decimal]) -> Checklist:
    updates: dict[str, dict[str, Decimal]] = {}
    for limit, value in changes.items():
        updates.setdefault(limit.workload, {})[limit.field] = value
    workloads = tuple(each.model_copy(update=updates.get(each.name)) for each in checklist.workloads)
    return checklist.model_copy(update={"workloads": workloads})


def _reduce(changes: dict[Limit, Decimal], works: Callable[[Mapping[Limit, Decimal]], bool]) -> dict[Limit, Decimal]:
    """Each change as small as it can be beside the others, which is found by halving; none where it is not needed."""
    found = dict(changes)
    for limit, value in changes.items():
        without = {each: kept for each, kept in found.items() if each is not limit}
        if works(without):
            found = without
            continue
        rounding = ROUND_FLOOR if limit.asked < value else ROUND_CEILING
        fails, holds = limit.asked, value
        for _ in range(MOST_TRIALS):
            middle = _two_digits((fails + holds) / 2, rounding=rounding)
            if not min(fails, holds) < middle < max(fails, holds):
                break
            if works({**without, limit: middle}):
                holds = middle
            else:
                fails = middle
        found[limit] = holds
    return found


def _hours(hours: Decimal) -> str:
    return f"{_plain(_two_digits(hours, rounding=ROUND_CEILING))} h"


def _two_digits(value: Decimal, *, rounding: str) -> Decimal:
    """A value of at least 10 to whole units, a smaller one to two digits that count."""
    digits = 0 if value >= _TWO_DIGITS else value.adjusted() - 1
    step = Decimal(1).scaleb(digits)
    return (value / step).to_integral_value(rounding) * step


def _plain(value: Decimal) -> str:
    return f"{value.normalize():,f}"
