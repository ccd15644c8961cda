"""Notebooks: engineers who share accelerators and keep them busy for part of the week."""

from __future__ import annotations

from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING

from planning.checklist.model.vocabulary import FabricAsk
from planning.sizing import assumptions
from planning.sizing.demand import Demand, figure
from planning.sizing.workloads.storage import hot_gb
from planning.values.errors import InputError
from planning.values.money import HOURS_PER_MONTH, Range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist
    from planning.checklist.model.workload import Notebooks
    from planning.sizing.demand import SizingFigure

KIND = "notebooks"
MINUTES_PER_HOUR = 60


def demand(workload: Notebooks, checklist: Checklist) -> Demand:
    """The pool that all engineers share; it scales to zero when no engineer works.

    Raises:
        InputError: the checklist has no engineers.
    """
    engineers = _engineers(workload, checklist)
    concurrent = at_once(workload, engineers)
    share = workload.accelerators_per_engineer
    asked = workload.hardware
    return Demand(
        workload=workload.name,
        kind=KIND,
        accelerators=accelerators_at_once(workload, engineers),
        indivisible_gb=workload.memory_per_engineer,
        per_copy=ceil(share) if share > 1 else 0,
        copies=Range(Decimal(0), Decimal(concurrent), Decimal(concurrent)),
        busy_hours=busy_hours(workload),
        idle_hours=Decimal(checklist.platform.idle_minutes) / MINUTES_PER_HOUR,
        vcpus_per_accelerator=assumptions.SHARED_CORES.value,
        local_nvme_gb=hot_gb(checklist, kind=KIND),
        spot=workload.spot,
        rdma=asked is not None and asked.fabric is FabricAsk.RDMA,
        hardware=asked,
    )


def _engineers(workload: Notebooks, checklist: Checklist) -> int:
    if checklist.engineers is None:
        raise InputError(
            f'workload "{workload.name}" is notebooks, but the checklist has no engineers',
            hint="say how many: engineers: {count: 6}",
        )
    return checklist.engineers.count


def at_once(workload: Notebooks, engineers: int) -> int:
    """Engineers who work at the same time."""
    return ceil(engineers * workload.concurrency)


def accelerators_at_once(workload: Notebooks, engineers: int) -> int:
    """Accelerators in use at the same time, before memory is looked at."""
    return ceil(at_once(workload, engineers) * workload.accelerators_per_engineer)


def busy_hours(workload: Notebooks) -> Decimal:
    """Hours a month that the whole pool would have to be up to serve all of the engineers' hours."""
    weekly = min(assumptions.HOURS_PER_WEEK, workload.hours_per_week / workload.concurrency)
    return weekly / assumptions.HOURS_PER_WEEK * HOURS_PER_MONTH


def figures(workload: Notebooks, checklist: Checklist) -> Iterator[SizingFigure]:
    """Every figure of the pool."""
    engineers = _engineers(workload, checklist)
    yield figure(
        subject=workload.name,
        name="engineers at the same time",
        value=at_once(workload, engineers),
        unit="engineers",
        formula="engineers x concurrency, rounded up",
        inputs={"engineers": engineers, "concurrency": workload.concurrency},
    )
    yield figure(
        subject=workload.name,
        name="accelerators at the same time",
        value=accelerators_at_once(workload, engineers),
        unit="accelerators, more where memory allows fewer engineers on each",
        formula="engineers at the same time x accelerators per engineer, rounded up",
        inputs={
            "engineers at the same time": at_once(workload, engineers),
            "accelerators per engineer": workload.accelerators_per_engineer,
        },
    )
    yield figure(
        subject=workload.name,
        name="accelerator memory of one engineer",
        value=workload.memory_per_engineer,
        unit="GB, not divided over accelerators",
        formula="as asked",
        inputs={"memory per engineer in GB": workload.memory_per_engineer},
    )
    yield figure(
        subject=workload.name,
        name="busy hours",
        value=busy_hours(workload),
        unit="hours a month, all nodes of the pool up",
        formula="hours per week and engineer / concurrency / 168 x 730",
        inputs={"hours per week": workload.hours_per_week, "concurrency": workload.concurrency},
        source=f"{assumptions.CHECKLIST}; idle notebooks are culled (Ntropy, March 2022: idle 75% of the time)",
    )
