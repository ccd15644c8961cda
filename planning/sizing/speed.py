"""How long a run takes on a number of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final

from planning.sizing import rules
from planning.sizing.misfits import LACKS_PRECISION, PEAK_UNKNOWN, RATE_UNPLACED, rate_elsewhere

if TYPE_CHECKING:
    from decimal import Decimal

    from catalogs.model import Accelerator, Machine
    from planning.demand import Demand, Misfit

SCALING: Final = rules.SCALING.value
FLOPS_PER_TFLOPS_HOUR: Final = rules.TERA * rules.SECONDS_PER_HOUR
SECONDS_PER_HOUR: Final = rules.SECONDS_PER_HOUR


@dataclass(frozen=True, slots=True)
class Speed:
    """Time of one run on `n` equal nodes: that of one node, / n, / 0.9 as soon as there are two."""

    one_node_hours: Decimal

    def hours(self, nodes: int) -> Decimal:
        """Hours of one run on `nodes` nodes; never rises with them."""
        return self.one_node_hours if nodes == 1 else self.one_node_hours / (nodes * SCALING)

    def nodes_within(self, hours: Decimal) -> int:
        """The least number of nodes on which one run takes at most `hours`."""
        if self.one_node_hours <= hours:
            return 1
        return max(2, ceil(self.one_node_hours / (hours * SCALING)))


def spread(demand: Demand, machine: Machine, accelerator: Accelerator) -> Speed | Misfit | None:
    """The speed of a job on nodes of this machine type; None where time does not follow from its work.

    A measured rate goes before FLOPs, and holds for the accelerator family it was measured on only.
    """
    rate = demand.rate_per_accelerator
    if rate is not None and demand.samples_per_run is not None:
        if demand.measured_on is None:
            return RATE_UNPLACED
        if not is_measured_on(demand.measured_on, accelerator):
            return rate_elsewhere(demand.measured_on)
        return Speed(demand.samples_per_run / (rate * machine.accelerators * SECONDS_PER_HOUR))
    if demand.flops is None or demand.precision is None:
        return None
    peak = accelerator.tflops.get(demand.precision)
    if not peak:
        return LACKS_PRECISION if accelerator.tflops else PEAK_UNKNOWN
    return Speed(demand.flops / (peak * machine.accelerators * demand.mfu * FLOPS_PER_TFLOPS_HOUR))


def is_measured_on(measured_on: str, accelerator: Accelerator) -> bool:
    """Whether a rate measured on `measured_on` (a family, or an accelerator's name) holds for this accelerator."""
    family = accelerator.family
    return measured_on in (family, accelerator.name) or measured_on.startswith(f"{family}-")
