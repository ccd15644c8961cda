"""The node hours that a pool's component foresees, held against the number of nodes that may really start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.values.money import HOURS_PER_MONTH, ZERO, Range

if TYPE_CHECKING:
    from decimal import Decimal

    from planning.costs.resources.properties import Properties

MAX_NODES: Final = "maxNodes"  # input of a pool's component: the nodes for which its hours are foreseen
WHOLE: Final = 1


def busiest_hours(pool: Properties, *, nodes: Decimal, share: Decimal | int = WHOLE) -> Decimal:
    """Node hours of the busiest month of the nodes that may start.

    Nodes that the pool does not foresee count all month, and so do all of them where it does not say how many it
    foresees: a raised limit is never free.

    Args:
        pool: inputs of the pool's component.
        nodes: most that may start.
        share: of the pool that these nodes are.

    Raises:
        UnreadableError: the pool's own hours cannot be read.
    """
    every = nodes * HOURS_PER_MONTH
    foreseen = pool.at(MAX_NODES)
    if not foreseen.said:
        return every
    beyond = max(nodes - foreseen.number() * share, ZERO)
    return min(every, pool.at("nodeHours").at("max").number() * share + beyond * HOURS_PER_MONTH)


def between(pool: Properties, *, fewest: Decimal, most: Decimal) -> Range:
    """Node hours that a pool foresees for the one group of nodes that it has.

    Raises:
        UnreadableError: the pool's own hours cannot be read.
    """
    low, high = fewest * HOURS_PER_MONTH, most * HOURS_PER_MONTH
    expected = min(max(pool.at("nodeHours").at("expected").number(), low), high)
    return Range(low, expected, max(busiest_hours(pool, nodes=most), expected))
