"""More nodes than the least: which pools may have them, and how many are tried."""

from __future__ import annotations

from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING, Final, final

from catalogs.model import PurchaseKind
from planning.quoting.candidates.billed_hours import with_interruptions
from planning.sizing.demand import Rejection
from planning.sizing.fit import find_basis
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from catalogs.model import Accelerator, Machine, Offer
    from planning.quoting.candidates.candidate import Candidate
    from planning.quoting.candidates.market import Stock
    from planning.sizing.demand import Demand, Fit
    from planning.sizing.fit import FitBasis

# Scaling over nodes is published for clusters a few times larger, not for any size: our own bound.
MOST_GROWTH: Final = 8
MULTIPLES: Final = range(2, MOST_GROWTH + 1)
MARGIN: Final = Decimal("0.9")  # of a deadline: our own reserve for a slow start or a repeated step
# Starting a GPU node and loading its images and data takes minutes; below an hour more nodes gain little.
SHORTEST_RUN_HOURS: Final = 1
TOO_SHORT: Final = Rejection("a run of less than an hour gains nothing by more nodes")


def can_grow(demand: Demand) -> bool:
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
        self._bases: dict[tuple[str, str, str], FitBasis | Rejection] = {}
        self._fits: dict[tuple[str, str, str, int], Fit | Rejection] = {}
        self._quickest: dict[tuple[str, str, str, bool], Decimal] = {}

    def list_useful(self, demand: Demand, sits: Fit, stock: Stock, *, beside: bool) -> Iterator[Fit]:
        """The least number of nodes, the least that ends with time to spare, and more where that can cost less.

        The least nodes of a large job end just in time: without the second, none would keep a margin. A spare is a
        smaller share of more nodes, and pools that stand beside a shorter run end earlier.
        """
        machine = stock.machine
        yield sits
        spare_time = self.with_margin(demand, sits, stock)
        if spare_time is not None:
            yield spare_time
        if not self._grow or not can_grow(demand) or not (beside or sits.spares > demand.spare_share * sits.working):
            return
        for times in MULTIPLES:
            size = self.fit(demand, machine, stock.accelerator, nodes=sits.working * times)
            if not isinstance(size, Rejection) and (beside or size.node_hours.expected < sits.node_hours.expected):
                yield size

    def with_margin(self, demand: Demand, sits: Fit, stock: Stock, *, spot: Offer | None = None) -> Fit | None:
        """The least nodes that leave a tenth of the deadline, where the least that meet it do not; else None.

        Args:
            spot: an offer on which interruptions make the run longer.
        """

        def count_hours(size: Fit) -> Decimal | None:
            return (size if spot is None else with_interruptions(demand, size, spot, stock.accelerator)).hours_per_run

        hours, deadline = count_hours(sits), demand.deadline_hours
        if hours is None or deadline is None or hours <= deadline * MARGIN or not can_grow(demand):
            return None
        first = ceil(sits.working * hours / (deadline * MARGIN))
        for nodes in range(first, sits.working * 2 + 1):
            size = self.fit(demand, stock.machine, stock.accelerator, nodes=nodes)
            if isinstance(size, Rejection):
                return None
            needed = count_hours(size)
            if needed is not None and needed <= deadline * MARGIN:
                return size
        return None

    def grows(self, candidate: Candidate) -> bool:
        """Whether other numbers of nodes of a candidate are tried, from the least on."""
        demand = candidate.demand
        return self._grow and len(candidate.parts) == 1 and can_grow(demand) and candidate.fit.is_least

    def quickest(self, candidate: Candidate) -> Decimal:
        """The least hours of a run among all numbers of nodes of a candidate that grows."""
        demand, machine, offer = candidate.demand, candidate.machine, candidate.parts[0].offer
        key = (demand.workload, machine.provider, machine.name, offer.term.kind is PurchaseKind.SPOT)
        if key not in self._quickest:
            nodes = (candidate.fit.working * times for times in MULTIPLES)
            sizes = [self.fit(demand, machine, candidate.accelerator, nodes=count) for count in nodes]
            sits = [
                with_interruptions(demand, each, offer, candidate.accelerator)
                for each in sizes
                if not isinstance(each, Rejection)
            ]
            self._quickest[key] = min(each.hours_per_run or ZERO for each in (candidate.fit, *sits))
        return self._quickest[key]

    def fit(self, demand: Demand, machine: Machine, accelerator: Accelerator | None, *, nodes: int) -> Fit | Rejection:
        """How a demand sits on more nodes than the least, or why so many are not tried."""
        key = (demand.workload, machine.provider, machine.name, nodes)
        if key not in self._fits:
            basis = self._basis(demand, machine, accelerator)
            sits = basis if isinstance(basis, Rejection) else basis.fit(nodes)
            gains = isinstance(sits, Rejection) or (sits.hours_per_run or ZERO) >= SHORTEST_RUN_HOURS
            self._fits[key] = sits if gains else TOO_SHORT
        return self._fits[key]

    def fit_least(self, demand: Demand, machine: Machine, accelerator: Accelerator) -> Callable[[], Fit] | Rejection:
        """How a demand for accelerators sits on the least number of nodes, made once it is asked for."""
        basis = self._basis(demand, machine, accelerator)
        return basis if isinstance(basis, Rejection) else basis.fit_least()

    def _basis(self, demand: Demand, machine: Machine, accelerator: Accelerator | None) -> FitBasis | Rejection:
        key = (demand.workload, machine.provider, machine.name)
        if key not in self._bases:
            self._bases[key] = find_basis(demand, machine, accelerator)
        return self._bases[key]
