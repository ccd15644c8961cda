"""Node hours of a month: a quiet one, the checklist's, and the most that the checklist's own work can use."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, Final

from planning.sizing.assumptions import OWN, Rule
from planning.values.money import HOURS_PER_MONTH, Range

if TYPE_CHECKING:
    from planning.sizing.demand import Demand, Fit

NEVER: Final = Decimal(0)
ATTEMPTS: Final = Rule(
    Decimal(2), "times", f"{OWN}: in the busiest month each run fails once at its end and is repeated in full"
)
REPEATED: Final = frozenset(
    {"training", "fine_tuning", "batch"}
)  # kinds of work that has an end, and may fail before it
SHARED_BY: Final = "notebooks"


def node_hours(
    demand: Demand, *, working: int, low: int, expected: Decimal, spares: int, hours_per_run: Decimal | None
) -> Range:
    """Hours of all nodes, spares included.

    Always on: from the least to the largest number of copies, around the clock. Else from none at all, over the
    hours the work takes (the whole month where nobody can tell), to the most that it can take: whole runs with their
    repetitions, each engineer's hours on a node of their own, all replicas at every busy hour.
    """
    nodes = working + spares
    peak = HOURS_PER_MONTH * nodes
    if demand.always_on:
        return Range(HOURS_PER_MONTH * (low + spares), HOURS_PER_MONTH * (expected + spares), peak)
    runs = demand.runs_per_month
    if hours_per_run is None and demand.busy_hours is not None:
        hours_per_run = demand.busy_hours / runs
    if hours_per_run is None:
        return Range(NEVER, HOURS_PER_MONTH * (expected + spares), peak)
    usual = min(hours_per_run * runs, HOURS_PER_MONTH) * (expected + spares)
    return Range(NEVER, usual, min(peak, max(usual, _most(demand, hours_per_run, nodes=nodes))))


def _most(demand: Demand, hours_per_run: Decimal, *, nodes: int) -> Decimal:
    """Node hours of the busiest month, before the month ends."""
    if demand.kind == SHARED_BY:
        return hours_per_run * max(demand.copies.max, nodes)
    if demand.kind not in REPEATED:
        return hours_per_run * nodes
    return hours_per_run * demand.runs_per_month.to_integral_value(ROUND_CEILING) * ATTEMPTS.value * nodes


def hours_beside(leader: Fit) -> Decimal:
    """Hours a month that a pool `beside` another is up: as long as the leader's nodes are."""
    return leader.node_hours.expected / (leader.working + leader.spares)


def all_month(demand: Demand) -> Demand:
    """The demand as if it were up all month: what an hour of it costs shows in its month."""
    return replace(demand, busy_hours=HOURS_PER_MONTH)
