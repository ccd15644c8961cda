"""Batch: preprocessing, simulation and scoring, sized by what is asked for."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from planning.checklist.model.vocabulary import FabricAsk
from planning.sizing import assumptions
from planning.sizing.demand import Demand, figure
from planning.sizing.workloads.memory import checkpoint_hours
from planning.sizing.workloads.storage import hot_gb
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist
    from planning.checklist.model.workload import Batch
    from planning.sizing.demand import SizingFigure

KIND = "batch"


def demand(workload: Batch, checklist: Checklist) -> Demand:
    """One pool: of accelerators where any are asked for, else of CPU machines."""
    asked = workload.hardware
    return Demand(
        workload=workload.name,
        kind=KIND,
        accelerators=workload.accelerators,
        indivisible_gb=workload.accelerator_memory or Decimal(0),
        copies=Range(Decimal(0), Decimal(1), Decimal(1)),
        busy_hours=workload.hours_per_month,
        checkpoint_hours=checkpoint_hours(workload.checkpointing),
        vcpus=workload.vcpus,
        vcpus_per_accelerator=assumptions.SHARED_CORES.value if workload.accelerators else Decimal(0),
        memory_gib=memory_gib(workload),
        local_nvme_gb=hot_gb(checklist, kind=KIND) if workload.accelerators else Decimal(0),
        spot=workload.spot and workload.checkpointing.enabled,
        rdma=asked is not None and asked.fabric is FabricAsk.RDMA,
        hardware=asked,
    )


def memory_gib(workload: Batch) -> Decimal:
    """Main memory in GiB, the unit machines are sold in."""
    return Decimal(0) if workload.memory is None else workload.memory / assumptions.GB_PER_GIB


def figures(workload: Batch) -> Iterator[SizingFigure]:
    """Every figure of the pool."""
    asked = {
        "cores": (Decimal(workload.vcpus), "vCPUs"),
        "main memory": (memory_gib(workload), "GiB"),
        "accelerators": (Decimal(workload.accelerators), "accelerators"),
        "accelerator memory": (workload.accelerator_memory or Decimal(0), "GB on each"),
        "busy hours": (workload.hours_per_month, "hours a month"),
    }
    for name, (value, unit) in asked.items():
        if value:
            yield figure(
                subject=workload.name,
                name=name,
                value=value,
                unit=unit,
                formula="as asked",
            )
