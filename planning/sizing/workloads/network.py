"""Network: which advertised rate delivers the rate that is needed, at the edge and towards the storage."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.checklist.model.workload import FineTuning, Training
from planning.sizing import assumptions
from planning.sizing.demand import figure
from planning.sizing.workloads.memory import burst_of
from planning.sizing.workloads.storage import read_gb_per_s

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist
    from planning.sizing.demand import SizingFigure

SUBJECT: Final = "network"


def calculate_advertised_gbps(needed_gbps: Decimal) -> Decimal:
    """The label to ask for: a network delivers at most 80% of it."""
    return needed_gbps / assumptions.NETWORK_SHARE.value


def figures(checklist: Checklist) -> Iterator[SizingFigure]:
    """Every figure of the edge and of the way to the storage."""
    traffic = checklist.traffic
    for name, rate in (("sustained", traffic.sustained), ("burst", traffic.burst)):
        if rate is not None:
            yield _label_figure(f"{name} rate to ask for at the edge", {"rate in Gbps": rate}, needed=rate)
    reads = read_gb_per_s(checklist.dataset) if checklist.dataset is not None else Decimal(0)
    writes = _largest_burst(checklist)
    if reads or writes:
        yield _label_figure(
            "rate to ask for between nodes and storage",
            {"data set reads in GB/s": reads, "largest checkpoint burst in GB/s": writes},
            needed=(reads + writes) * assumptions.BITS_PER_BYTE,
        )


def _largest_burst(checklist: Checklist) -> Decimal:
    jobs = (workload for workload in checklist.workloads if isinstance(workload, Training | FineTuning))
    return max((burst_of(job) or Decimal(0) for job in jobs), default=Decimal(0))


def _label_figure(name: str, inputs: dict[str, Decimal], *, needed: Decimal) -> SizingFigure:
    return figure(
        subject=SUBJECT,
        name=name,
        value=calculate_advertised_gbps(needed),
        unit="Gbps, all nodes together",
        formula="what is needed / 0.8" if len(inputs) == 1 else "(reads + writes) x 8 / 0.8",
        inputs=dict(inputs),
        source=assumptions.NETWORK_SHARE.source,
    )
