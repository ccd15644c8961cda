"""Gradients between the nodes of a job: they must cross the network faster than they are computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.sizing import assumptions
from planning.sizing.figures import figure
from planning.sizing.throughput import training_compute

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from planning.checklist.model.workload import Compute
    from planning.sizing.demand import Figure

GBIT_PER_GB: Final = assumptions.BITS_PER_BYTE * assumptions.ALL_REDUCE.value
GBIT_PER_GBPS_HOUR: Final = assumptions.NETWORK_SHARE.value * assumptions.SECONDS_PER_HOUR


def exchange_hours(exchange_gb: Decimal, *, nodes: int, network_gbps: Decimal) -> Decimal:
    """Hours for which summing `exchange_gb` over `nodes` fills the network of each, at 80% of what is advertised."""
    return exchange_gb * GBIT_PER_GB * (nodes - 1) / (nodes * network_gbps * GBIT_PER_GBPS_HOUR)


def exchange_figures(workload: Compute) -> Iterator[Figure]:
    """The volume of a run; nothing where nobody can tell."""
    volume, trained = training_compute.exchange_gb(workload), training_compute.trained_parameters(workload)
    if volume is None or trained is None:
        return
    yield figure(
        subject=workload.name,
        name="gradients exchanged between nodes",
        value=volume,
        unit="GB in one run, at least",
        formula="trained parameters x 2 bytes x steps; each node sends it 2 x (n - 1) / n times",
        inputs={"trained parameters": trained, "steps": training_compute.steps_per_run(workload)},
        source=f"{assumptions.TEXT_NETWORK}; {assumptions.STEP_TOKENS.source}; {assumptions.ALL_REDUCE.source}",
    )
