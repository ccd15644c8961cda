"""More nodes than the least: which pools may have them, and how many are tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from planning.demand import Misfit
from planning.money import ZERO
from planning.sizing.fit import fit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from catalogs.model import Accelerator, Machine
    from planning.demand import Demand, Fit
    from planning.options.candidate import Candidate
    from planning.options.market import Stock

# Scaling over nodes is published for clusters a few times larger, not for any size: our own bound.
MOST_GROWTH: Final = 8
MULTIPLES: Final = range(2, MOST_GROWTH + 1)
# Starting a GPU node and loading its images and data takes minutes; below an hour more nodes gain little.
SHORTEST_RUN_HOURS: Final = 1
TOO_SHORT: Final = Misfit("a run of less than an hour gains nothing by more nodes")


def can_grow(demand: Demand) -> bool:
    """Whether the number of nodes is ours to choose."""
    asked = demand.hardware
    sized = asked is not None and (asked.nodes is not None or asked.count is not None)
    return demand.flops is not None and not sized


@final
class Sizes:
    """How demands sit on other numbers of nodes than the least, worked out once for each machine type.

    Args:
        grow: whether pools may have more nodes than the least at all.
    """

    def __init__(self, *, grow: bool) -> None:
        self._grow = grow
        self._least: dict[tuple[str, str, str], int] = {}
        self._fits: dict[tuple[str, str, str, int], Fit | Misfit] = {}
        self._quickest: dict[tuple[str, str, str], Decimal] = {}

    def list_useful(self, demand: Demand, sits: Fit, stock: Stock, *, beside: bool) -> Iterator[Fit]:
        """The least number of nodes, and more where that can cost less.

        A spare is a smaller share of more nodes, and pools that stand beside a shorter run end earlier.
        """
        machine = stock.machine
        self._least[demand.workload, machine.provider, machine.name] = sits.working
        yield sits
        if not self._grow or not can_grow(demand) or not (beside or sits.spares > demand.spare_share * sits.working):
            return
        for times in MULTIPLES:
            size = self.fit(demand, machine, stock.accelerator, nodes=sits.working * times)
            if not isinstance(size, Misfit) and (beside or size.node_hours.expected < sits.node_hours.expected):
                yield size

    def grows(self, candidate: Candidate) -> bool:
        """Whether other numbers of nodes of a candidate are tried, from the least on."""
        demand = candidate.demand
        if not self._grow or len(candidate.parts) > 1 or not can_grow(demand):
            return False
        least = self._least[demand.workload, candidate.machine.provider, candidate.machine.name]
        return candidate.fit.working == least

    def quickest(self, candidate: Candidate) -> Decimal:
        """The least hours of a run among all numbers of nodes of a candidate that grows."""
        demand, machine = candidate.demand, candidate.machine
        key = (demand.workload, machine.provider, machine.name)
        if key not in self._quickest:
            nodes = (candidate.fit.working * times for times in MULTIPLES)
            sizes = [self.fit(demand, machine, candidate.accelerator, nodes=count) for count in nodes]
            hours = (each.hours_per_run for each in (candidate.fit, *sizes) if not isinstance(each, Misfit))
            self._quickest[key] = min(each for each in hours if each is not None)
        return self._quickest[key]

    def fit(self, demand: Demand, machine: Machine, accelerator: Accelerator | None, *, nodes: int) -> Fit | Misfit:
        """How a demand sits on more nodes than the least, or why so many are not tried."""
        key = (demand.workload, machine.provider, machine.name, nodes)
        if key not in self._fits:
            sits = fit(demand, machine, accelerator, nodes=nodes)
            gains = isinstance(sits, Misfit) or (sits.hours_per_run or ZERO) >= SHORTEST_RUN_HOURS
            self._fits[key] = sits if gains else TOO_SHORT
        return self._fits[key]
