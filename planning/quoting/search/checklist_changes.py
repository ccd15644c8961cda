"""What to change in a checklist when nothing fits its ceiling: each change tried on its own, the cheapest first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.checklist.model.vocabulary import HOME
from planning.checklist.model.workload import FineTuning, Training
from planning.quoting.search.candidate_set import CandidateSet
from planning.quoting.search.least_cost import find_cheapest
from planning.sizing.checklist_demands import size
from planning.values.money import to_cents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from decimal import Decimal

    from planning.checklist.model.checklist import Checklist
    from planning.checklist.model.workload import Workload

LONGER: Final = 2  # a deadline twice as far
CONTRACT_MONTHS: Final = 12


@dataclass(frozen=True, slots=True)
class Change:
    """One change to a checklist; `make` returns None where it changes nothing."""

    words: str
    make: Callable[[Checklist], Checklist | None]


def advice(candidates: CandidateSet, *, floor: Decimal) -> tuple[str, ...]:
    """Changes that make the cheapest cluster cheaper than `floor` USD a month, cheapest result first.

    Those that bring it under the ceiling say so; where none does, raising the ceiling is what remains.
    """
    limit = candidates.checklist.ceiling.usd_per_month
    found = sorted((usd, words) for words, usd in _tried(candidates) if usd < floor)
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
    )


def _tried(candidates: CandidateSet) -> Iterator[tuple[str, Decimal]]:
    for change in CHANGES:
        changed = change.make(candidates.checklist)
        if changed is None or changed == candidates.checklist:
            continue
        other = find_changed(candidates, changed)
        pick = find_cheapest(other)
        if pick is not None:
            yield change.words, other.bound(pick.rank)


def _spot(checklist: Checklist) -> Checklist:
    return _each_workload(checklist, lambda each: each.model_copy(update={"spot": True}))


def _later(checklist: Checklist) -> Checklist:
    def later(each: Workload) -> Workload:
        if not isinstance(each, (Training, FineTuning)) or each.deadline is None:
            return each
        return each.model_copy(update={"deadline": each.deadline * LONGER})

    return _each_workload(checklist, later)


def _each_workload(checklist: Checklist, change: Callable[[Workload], Workload]) -> Checklist:
    return checklist.model_copy(update={"workloads": tuple(change(each) for each in checklist.workloads)})


def _any_hardware(checklist: Checklist) -> Checklist:
    return _each_workload(checklist, lambda each: each.model_copy(update={"hardware": None}))


def _anywhere(checklist: Checklist) -> Checklist:
    return _where(checklist, wanted=(), excluded=(), regions=())


def _where(checklist: Checklist, **parts: tuple[str, ...]) -> Checklist:
    return checklist.model_copy(update={"where": checklist.where.model_copy(update=parts)})


def _contract(checklist: Checklist) -> Checklist | None:
    if checklist.contract.months:
        return None
    return checklist.model_copy(update={"contract": checklist.contract.model_copy(update={"months": CONTRACT_MONTHS})})


CHANGES: Final = (
    Change("allow spot machines (workloads[].spot: true)", _spot),
    Change("double the deadlines (workloads[].deadline)", _later),
    Change("ask for no particular hardware (remove workloads[].hardware)", _any_hardware),
    Change("let any provider and region serve (remove where.wanted, where.excluded and where.regions)", _anywhere),
    Change("sign for 12 months (contract.months: 12)", _contract),
)
