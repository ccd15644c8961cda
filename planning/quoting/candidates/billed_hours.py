"""Node hours as a cloud bills them: the work, and what each start, idle end and interruption adds to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from functools import cache
from typing import TYPE_CHECKING, Final

from catalogs.model import PurchaseKind
from planning.sizing.assumptions import OWN, SizingAssumption
from planning.sizing.run_time import (
    ATTEMPTS,
    CPU,
    GPU,
    HALF,
    REPEATED,
    SHARED_BY,
    interruptions,
    node_start,
    read_fact,
)
from planning.values.money import HOURS_PER_MONTH, NOTHING, ZERO, Range

if TYPE_CHECKING:
    from catalogs.model import Accelerator, Offer
    from planning.sizing.demand import Demand, Fit
    from planning.sizing.run_time import NodeStart

HOURS_PER_DAY: Final = 24
DAYS: Final = HOURS_PER_MONTH / HOURS_PER_DAY
WORKING_DAYS: Final = SizingAssumption(
    DAYS * 5 / 7, "days a month", f"{OWN}: five days a week; nodes of notebooks and jobs start once"
)
RUNS: Final = frozenset({"training", "fine_tuning"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BilledHours:
    """Node hours of one pool in a month, by what they are paid for.

    Args:
        work: what sizing foresees.
        starts: of all nodes together.
        start: hours of one of them.
        notebooks: hours that idle notebooks keep nodes up until they are stopped.
        lost: hours of work that interruptions undo, and of the restarts after them.
        total: all of it, never above all nodes all month.
    """

    work: Range
    starts: Range
    start: NodeStart
    notebooks: Range
    lost: Range
    total: Range


def total_hours(demand: Demand, fit: Fit, offer: Offer, accelerator: Accelerator | None) -> Range:
    """Node hours of a month that the pool on an offer is billed for; as `BilledHours.total`, for hundreds of offers."""
    work, nodes = fit.node_hours, fit.working + fit.spares
    peak = HOURS_PER_MONTH * nodes
    if work.expected == peak:
        return work
    provider = offer.machine.provider
    start = node_start(provider, CPU if accelerator is None else GPU)
    usual, most = _starts(demand, work, nodes=nodes)
    expected = work.expected + usual * (start.total.expected + demand.idle_hours)
    busiest = work.max + most * (start.total.max + demand.idle_hours)
    if offer.term.kind is PurchaseKind.SPOT:
        rate = interruptions(provider, "" if accelerator is None else accelerator.family)
        lost, most_lost = _estimate_lost_hours(demand, fit, start, rate)
        expected += lost
        busiest += most_lost
    return Range(work.min, min(expected, peak), min(busiest, peak))


def calculate_billed_hours(demand: Demand, fit: Fit, offer: Offer, accelerator: Accelerator | None) -> BilledHours:
    """The same with everything that it is made of."""
    provider = offer.machine.provider
    start = node_start(provider, CPU if accelerator is None else GPU)
    total, starts, lost = total_hours(demand, fit, offer, accelerator), NOTHING, NOTHING
    nodes = fit.working + fit.spares
    if fit.node_hours.expected != HOURS_PER_MONTH * nodes:
        starts = Range(ZERO, *_starts(demand, fit.node_hours, nodes=nodes))
        if offer.term.kind is PurchaseKind.SPOT:
            rate = interruptions(provider, "" if accelerator is None else accelerator.family)
            lost = Range(ZERO, *_estimate_lost_hours(demand, fit, start, rate))
    notebooks = starts.times(demand.idle_hours)
    return BilledHours(work=fit.node_hours, starts=starts, start=start, notebooks=notebooks, lost=lost, total=total)


def with_interruptions(demand: Demand, fit: Fit, offer: Offer, accelerator: Accelerator | None) -> Fit:
    """The fit on an offer: a run on spot nodes takes as much longer as interruptions are expected to undo."""
    if fit.hours_per_run is None or offer.term.kind is not PurchaseKind.SPOT:
        return fit
    return replace(fit, hours_per_run=fit.hours_per_run + estimate_interruption_hours(demand, fit, offer, accelerator))


def estimate_interruption_hours(demand: Demand, fit: Fit, offer: Offer, accelerator: Accelerator | None) -> Decimal:
    """Hours that interruptions add to one run: all nodes wait for the one that is taken away, whichever it is."""
    rate = interruptions(offer.machine.provider, "" if accelerator is None else accelerator.family).expected
    again = node_start(offer.machine.provider, CPU if accelerator is None else GPU).again.expected
    return rate * fit.work_hours * fit.working * (demand.checkpoint_hours * HALF + again)


def _starts(demand: Demand, work: Range, *, nodes: int) -> tuple[Decimal, Decimal]:
    """Starts of nodes in a month, those of the checklist and those of the busiest; a quiet month has none."""
    if demand.kind in RUNS or demand.beside:
        runs = demand.runs_per_month
        return runs * nodes, runs.to_integral_value(ROUND_CEILING) * ATTEMPTS.value * nodes
    if demand.always_on:
        return (work.expected - work.min) / HOURS_PER_DAY, (work.max - work.min) / HOURS_PER_DAY
    if demand.kind == SHARED_BY:
        sessions = sessions_per_month()
        return sessions.expected * nodes, sessions.max * max(nodes, demand.copies.max)
    if demand.kind in REPEATED:
        usual = min(WORKING_DAYS.value, demand.busy_hours or HOURS_PER_MONTH) * nodes
        return usual, usual * ATTEMPTS.value
    usual = work.expected / (demand.busy_hours or HOURS_PER_MONTH) * DAYS
    return usual, max(usual, DAYS * nodes)


@cache
def sessions_per_month() -> Range:
    return read_fact("sessions_per_day", "*", SHARED_BY).times(WORKING_DAYS.value)


def _estimate_lost_hours(demand: Demand, fit: Fit, start: NodeStart, rate: Range) -> tuple[Decimal, Decimal]:
    """Node hours that interruptions cost: half the time between checkpoints on average, all of it at most.

    A job over several nodes waits with all of them until the one that was taken away is replaced.
    """
    waiting = fit.working if demand.kind in RUNS else 1
    between, work, again = demand.checkpoint_hours, fit.node_hours, start.again
    return (
        rate.expected * work.expected * (between * HALF + again.expected) * waiting,
        rate.max * work.max * (between + again.max) * waiting,
    )
