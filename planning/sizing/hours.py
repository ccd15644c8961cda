"""Node hours of a month."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.money import HOURS_PER_MONTH, Range

if TYPE_CHECKING:
    from planning.demand import Demand, Fit

NEVER: Final = Decimal(0)


def node_hours(
    demand: Demand, *, working: int, low: int, expected: Decimal, spares: int, hours_per_run: Decimal | None
) -> Range:
    """Hours of all nodes, spares included.

    Always on: from the least to the largest number of copies, around the clock. Else from none at all, over the
    hours the work takes (the whole month where nobody can tell), to every node around the clock.
    """
    peak = HOURS_PER_MONTH * (working + spares)
    if demand.always_on:
        return Range(HOURS_PER_MONTH * (low + spares), HOURS_PER_MONTH * (expected + spares), peak)
    busy = demand.busy_hours if hours_per_run is None else hours_per_run * demand.runs_per_month
    if busy is None or busy > HOURS_PER_MONTH:
        busy = HOURS_PER_MONTH
    return Range(NEVER, busy * (expected + spares), peak)


def hours_beside(leader: Fit) -> Decimal:
    """Hours a month that a pool `beside` another is up: as long as the leader's nodes are."""
    return leader.node_hours.expected / (leader.working + leader.spares)
