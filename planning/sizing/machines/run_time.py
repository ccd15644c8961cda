"""How long a run takes on a number of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final

from planning.sizing import assumptions
from planning.sizing.machines.rejection_reasons import LACKS_PRECISION, PEAK_UNKNOWN, RATE_UNPLACED, rate_elsewhere
from planning.sizing.throughput.interconnect import interconnect

if TYPE_CHECKING:
    from decimal import Decimal

    from catalogs.model import Accelerator, Machine
    from planning.sizing.demand import Demand, Misfit
    from planning.sizing.throughput.interconnect import Interconnect
    from planning.values.money import Range

SCALING: Final = assumptions.SCALING.value
FLOPS_PER_TFLOPS_HOUR: Final = assumptions.TERA * assumptions.SECONDS_PER_HOUR
SECONDS_PER_HOUR: Final = assumptions.SECONDS_PER_HOUR
LARGEST_CLUSTER: Final = int(assumptions.LARGEST_CLUSTER.value)


@dataclass(frozen=True, slots=True)
class Speed:
    """Time of one run on `n` equal nodes: that of one node, / n, / scaling as soon as there are two, and what is lost.

    Args:
        one_node_hours: of one run on one node.
        scaling: 0.9 where the share of peak or the rate is the customer's; 1 where published runs over several nodes
            say it, which have lost it already.
        mfu: share of peak of published runs, with its range; None where the customer says it.
        links: what crosses the network between the nodes; None where nobody can tell.
        free_nodes: a number of nodes up to which nothing is lost, so that most are looked at no closer.
    """

    one_node_hours: Decimal
    scaling: Decimal = SCALING
    mfu: Range | None = None
    links: Interconnect | None = None
    free_nodes: int = 1

    def computing_hours(self, nodes: int) -> Decimal:
        """Hours of one run on `nodes` nodes that never wait for each other."""
        return self.one_node_hours if nodes == 1 else self.one_node_hours / (nodes * self.scaling)

    def lost_hours(self, nodes: int) -> Decimal:
        """Hours of one run that `nodes` nodes wait for the network."""
        if self.links is None or nodes <= self.free_nodes:
            return assumptions.NOTHING
        return self.links.lost_hours(nodes, self.computing_hours(nodes))

    def hours(self, nodes: int) -> Decimal:
        """Hours of one run on `nodes` nodes."""
        if self.links is None or nodes <= self.free_nodes:
            return self.computing_hours(nodes)
        return self.computing_hours(nodes) + self.lost_hours(nodes)

    def is_starved(self, nodes: int) -> bool:
        """Whether `nodes` nodes wait longer than they compute, or one fewer would be as quick."""
        if self.links is None or nodes <= self.free_nodes:
            return False
        lost = self.lost_hours(nodes)
        return bool(lost) and (lost > self.computing_hours(nodes) or self.hours(nodes - 1) <= self.hours(nodes))

    def nodes_within(self, hours: Decimal) -> int:
        """The least number of nodes on which one run takes at most `hours`; where none do, one that is starved."""
        if self.one_node_hours <= hours:
            return 1
        least = max(2, ceil(self.one_node_hours / (hours * self.scaling)))
        # Nodes x hours never falls as nodes are added, so that what one step says is a lower bound for the next.
        while self.links is not None and self.free_nodes < least <= LARGEST_CLUSTER:
            computing, lost = self.computing_hours(least), self.lost_hours(least)
            needed = computing + lost
            if needed <= hours or lost > computing:
                return least
            least = max(least + 1, ceil(least * needed / hours))
        return least


def spread(demand: Demand, machine: Machine, accelerator: Accelerator) -> Speed | Misfit | None:
    """The speed of a job on nodes of this machine type; None where time does not follow from its work.

    A measured rate goes before FLOPs, and holds for the accelerator family it was measured on only.
    """
    rate = demand.rate_per_accelerator
    if rate is not None and demand.samples_per_run is not None:
        placed = _placed(demand.measured_on, accelerator)
        hours = demand.samples_per_run / (rate * machine.accelerators * SECONDS_PER_HOUR)
        return placed or _linked(hours, demand, machine, accelerator)
    if demand.flops is None or demand.precision is None:
        return None
    peak = accelerator.tflops.get(demand.precision)
    if not peak:
        return LACKS_PRECISION if accelerator.tflops else PEAK_UNKNOWN
    at_peak = demand.flops / (peak * machine.accelerators * FLOPS_PER_TFLOPS_HOUR)
    if demand.mfu is not None:
        return _linked(at_peak / demand.mfu, demand, machine, accelerator)
    share = _published_share(demand, peak)
    return _linked(at_peak / share.expected, demand, machine, accelerator, share=share)


def _linked(
    hours: Decimal, demand: Demand, machine: Machine, accelerator: Accelerator, *, share: Range | None = None
) -> Speed:
    """The speed of nodes that are joined by this machine type's network."""
    scaling = SCALING if share is None else assumptions.ONE
    links = interconnect(demand, machine, accelerator)
    free = 1 if links is None else max(1, links.nodes_without_loss(hours / scaling))
    return Speed(hours, scaling=scaling, mfu=share, links=links, free_nodes=free)


def _placed(measured_on: str | None, accelerator: Accelerator) -> Misfit | None:
    """Why a measured rate says nothing about this accelerator; None where it holds."""
    if measured_on is None:
        return RATE_UNPLACED
    return None if is_measured_on(measured_on, accelerator) else rate_elsewhere(measured_on)


def _published_share(demand: Demand, peak: Decimal) -> Range:
    """Imported where it is needed: a customer who says the share never pays for reading the table of runs."""
    from planning.sizing.throughput.utilization import expected_share  # noqa: PLC0415

    return expected_share(peak, str(demand.precision), demand.active_parameters, experts=demand.experts)


def is_measured_on(measured_on: str, accelerator: Accelerator) -> bool:
    """Whether a rate measured on `measured_on` (a family, or an accelerator's name) holds for this accelerator."""
    family = accelerator.family
    return measured_on in (family, accelerator.name) or measured_on.startswith(f"{family}-")
