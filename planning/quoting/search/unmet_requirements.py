"""What of a checklist a cluster does not meet, and the smallest change of the checklist that would do."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from planning.checklist.model.vocabulary import HOME
from planning.checklist.model.workload import Compute, FineTuning, Training
from planning.quoting.search.candidate_set import CandidateSet
from planning.quoting.search.least_cost import find_cheapest
from planning.quoting.search.least_time import find_fastest
from planning.sizing.assumptions import HOURS_PER_DAY
from planning.sizing.checklist_demands import size
from planning.sizing.demand import Rejection
from planning.sizing.training_compute import runs_per_month
from planning.values.money import HOURS_PER_MONTH, to_cents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from catalogs.model import Offer
    from planning.checklist.model.checklist import Checklist
    from planning.checklist.model.workload import Workload
    from planning.quoting.candidates.candidate import Candidate
    from planning.sizing.demand import Demand


LONGER: Final = 2  # a deadline twice as far
CONTRACT_MONTHS: Final = 12


@dataclass(frozen=True, slots=True)
class ChecklistChange:
    """One change to a checklist; `make` returns None where it changes nothing."""

    words: str
    make: Callable[[Checklist], Checklist | None]


def advice(candidates: CandidateSet, *, floor: Decimal) -> tuple[str, ...]:
    """Changes that make the cheapest cluster cheaper than `floor` USD a month, cheapest result first.

    Those that bring it under the ceiling say so; where none does, raising the ceiling is what remains.
    """
    limit = candidates.checklist.ceiling.usd_per_month
    found = sorted((usd, words) for words, usd in _try_changes(candidates) if usd < floor)
    fitting = [
        f"{words}: the cheapest is then about {to_cents(usd):,} USD a month"
        for usd, words in found
        if limit is None or usd <= limit
    ]
    raised = f"raise the ceiling to {to_cents(floor):,} USD a month, which the cheapest option needs"
    return (*fitting, raised)


def find_changed(candidates: CandidateSet, changed: Checklist) -> CandidateSet:
    """The candidates of the same share after a change of its checklist."""
    demands = size(changed, beside=candidates.name != HOME).demands
    return CandidateSet(
        candidates.market,
        changed,
        demands=demands,
        today=candidates.today,
        refusals=Counter(),
        name=candidates.name,
        undated=candidates.undated,
    )


def _try_changes(candidates: CandidateSet) -> Iterator[tuple[str, Decimal]]:
    for change in CHANGES:
        changed = change.make(candidates.checklist)
        if changed is None or changed == candidates.checklist:
            continue
        other = find_changed(candidates, changed)
        pick = find_cheapest(other)
        if pick is not None:
            yield change.words, other.bound(pick.rank)


def _double_deadlines(checklist: Checklist) -> Checklist:
    def later(each: Workload) -> Workload:
        if not isinstance(each, (Training, FineTuning)) or each.deadline is None:
            return each
        return each.model_copy(update={"deadline": each.deadline * LONGER})

    return checklist.model_copy(update={"workloads": tuple(later(each) for each in checklist.workloads)})


def _each_workload(checklist: Checklist, **fields: object) -> Checklist:
    workloads = tuple(each.model_copy(update=fields) for each in checklist.workloads)
    return checklist.model_copy(update={"workloads": workloads})


def _serve_anywhere(checklist: Checklist) -> Checklist:
    where = checklist.where.model_copy(update={"wanted": (), "excluded": (), "regions": ()})
    return checklist.model_copy(update={"where": where})


def _sign_contract(checklist: Checklist) -> Checklist | None:
    if checklist.contract.months:
        return None
    return checklist.model_copy(update={"contract": checklist.contract.model_copy(update={"months": CONTRACT_MONTHS})})


CHANGES: Final = (
    ChecklistChange("allow spot machines (workloads[].spot: true)", partial(_each_workload, spot=True)),
    ChecklistChange("double the deadlines (workloads[].deadline)", _double_deadlines),
    ChecklistChange(
        "ask for no particular hardware (remove workloads[].hardware)", partial(_each_workload, hardware=None)
    ),
    ChecklistChange(
        "let any provider and region serve (remove where.wanted, where.excluded and where.regions)", _serve_anywhere
    ),
    ChecklistChange("sign for 12 months (contract.months: 12)", _sign_contract),
)


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
class UnmetLimit:
    """A number of a checklist that no cluster keeps, as it is asked for."""

    workload: str
    field: Literal["deadline", "runs_per_month"]
    asked: Decimal

    def describe(self, value: Decimal) -> str:
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
        changes = _find_unmet_limits(fastest.candidates, demands, candidates.checklist)
        works = partial(_is_met, candidates, usd)
        if works(changes):
            return tuple(limit.describe(value) for limit, value in _reduce(changes, works).items())
    return ()


def _find_unmet_limits(
    fastest: Iterable[Candidate], demands: Sequence[Demand], checklist: Checklist
) -> dict[UnmetLimit, Decimal]:
    """The limits that a cluster misses, with the values that it keeps."""
    asked = {each.workload: each for each in demands}
    jobs = {each.name: each for each in checklist.workloads}
    found: dict[UnmetLimit, Decimal] = {}
    for each in fastest:
        hours, demand, job = each.fit.hours_per_run, asked[each.demand.workload], jobs.get(each.demand.workload)
        if hours is None or not isinstance(job, Compute):
            continue
        if demand.most_hours_per_run is not None and hours > demand.most_hours_per_run:
            limit = UnmetLimit(job.name, "runs_per_month", runs_per_month(job))
            found[limit] = _two_digits(HOURS_PER_MONTH / hours, rounding=ROUND_FLOOR)
        if job.deadline is not None and hours > job.deadline * HOURS_PER_DAY:
            limit = UnmetLimit(job.name, "deadline", job.deadline)
            found[limit] = _two_digits(hours / HOURS_PER_DAY, rounding=ROUND_CEILING)
    return found


def _is_met(candidates: CandidateSet, usd: Decimal | None, changes: Mapping[UnmetLimit, Decimal]) -> bool:
    """Whether something on sale keeps the changed checklist at no more than `usd` a month."""
    return find_cheapest(find_changed(candidates, _apply(candidates.checklist, changes)), limit=usd) is not None


def _apply(checklist: Checklist, changes: Mapping[UnmetLimit, Decimal]) -> Checklist:
    updates: dict[str, dict[str, Decimal]] = {}
    for limit, value in changes.items():
        updates.setdefault(limit.workload, {})[limit.field] = value
    workloads = tuple(each.model_copy(update=updates.get(each.name)) for each in checklist.workloads)
    return checklist.model_copy(update={"workloads": workloads})


def _reduce(
    changes: dict[UnmetLimit, Decimal], works: Callable[[Mapping[UnmetLimit, Decimal]], bool]
) -> dict[UnmetLimit, Decimal]:
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


def count_closed(candidates: CandidateSet) -> Counter[str]:
    """How many places each reason closes, where no place at all is open; empty otherwise.

    Of places that were asked for, where there are any: that others were not wanted is what the customer said.
    """
    regions, wanted = candidates.market.catalog.regions, candidates.checklist.where.wanted
    places = [place for place in regions if place[0] in wanted] or list(regions)
    reasons = [reason for place in places if (reason := candidates.refusal(place))]
    return Counter(reasons) if len(reasons) == len(places) else Counter()


def explain_unbought(candidates: CandidateSet) -> str:
    """What of the machines that fit at open places cannot be had: ways to buy, or addresses; "" for nothing."""
    for demand in candidates.demands:
        if demand.accelerators and not candidates.gpu[demand.workload]:
            sold = {offer.term.kind.value for offer in _list_fitting(candidates, demand)}
            if sold and not sold & {kind.value for kind in candidates.permits[demand.workload].kinds}:
                how = " or ".join(sorted(sold)).replace("_", " ")
                return (
                    f"machines that fit {demand.workload} are sold {how} only; what may be bought follows from "
                    "contract.months, contract.reserve, spot and hardware.purchase"
                )
    return "; ".join(candidates.buildable.crowded.values())


def _list_fitting(candidates: CandidateSet, demand: Demand) -> Iterator[Offer]:
    for stock in candidates.market.stocks:
        if not isinstance(candidates.sits(demand, stock), Rejection):
            provider = stock.machine.provider
            open_regions = (region for region in stock.regions if candidates.admits((provider, region)))
            yield from (offer for region in open_regions for offer in stock.offers(region))
