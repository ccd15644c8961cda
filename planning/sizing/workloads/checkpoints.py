"""Checkpoints: how large they are and how fast they must be written so that the job hardly stalls."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from planning.checklist.model.vocabulary import Precision
from planning.sizing import assumptions
from planning.sizing.figures import figure, unknown
from planning.sizing.throughput import training_compute
from planning.sizing.workloads.memory import checkpoint_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.workload import Checkpointing, Compute
    from planning.sizing.demand import Figure

SIZE = "checkpoint size"
SECONDS_PER_MINUTE = 60
MINUTES_PER_HOUR = 60


def checkpoint_gb(parameters: Decimal | int, *, precision: Precision = Precision.BF16) -> Decimal:
    """GB of one checkpoint of `parameters` trained parameters: weights and optimiser states."""
    return parameters * checkpoint_rule(precision).value / assumptions.GIGA


def checkpoint_hours(asked: Checkpointing) -> Decimal:
    """Hours between two checkpoints; 0 where none are written, which no spot machine is bought for."""
    return Decimal(asked.every_minutes) / MINUTES_PER_HOUR if asked.enabled else Decimal(0)


def burst_gb_per_s(size_gb: Decimal, *, stall_seconds: Decimal | int) -> Decimal:
    """GB/s of writes at which a checkpoint of `size_gb` blocks the job for no more than `stall_seconds`."""
    return size_gb / stall_seconds


def burst_of(workload: Compute) -> Decimal | None:
    """GB/s of checkpoint writes of a job; None where it writes none or its size is not known."""
    trained = training_compute.trained_parameters(workload)
    if trained is None or not workload.checkpointing.enabled:
        return None
    size_gb = checkpoint_gb(trained, precision=workload.precision)
    return burst_gb_per_s(size_gb, stall_seconds=workload.checkpointing.stall_seconds)


def checkpoint_figures(workload: Compute) -> Iterator[Figure]:
    """Size, burst bandwidth and the share of time lost; nothing where no checkpoints are written."""
    if not workload.checkpointing.enabled:
        return
    trained = training_compute.trained_parameters(workload)
    if trained is None:
        source = assumptions.CHECKPOINT_BYTES.source
        yield unknown(subject=workload.name, name=SIZE, unit="GB", missing="model.parameters", source=source)
        return
    yield from _known(workload, trained)


def _known(workload: Compute, trained: Decimal) -> Iterator[Figure]:
    rule = checkpoint_rule(workload.precision)
    size_gb = checkpoint_gb(trained, precision=workload.precision)
    stall, minutes = workload.checkpointing.stall_seconds, workload.checkpointing.every_minutes
    yield figure(
        subject=workload.name,
        name=SIZE,
        value=size_gb,
        unit="GB",
        formula="trained parameters x bytes per parameter",
        inputs={"trained parameters": trained, "bytes per parameter": rule.value},
        source=rule.source,
    )
    yield figure(
        subject=workload.name,
        name="checkpoint burst bandwidth",
        value=burst_gb_per_s(size_gb, stall_seconds=stall),
        unit="GB/s written",
        formula="checkpoint size / longest stall",
        inputs={"checkpoint size in GB": size_gb, "longest stall in s": stall},
        source=assumptions.TEXT_IO,
    )
    yield figure(
        subject=workload.name,
        name="time lost to checkpoints",
        value=Decimal(stall) / (minutes * SECONDS_PER_MINUTE),
        unit="of the run",
        formula="longest stall / time between checkpoints",
        inputs={"longest stall in s": stall, "minutes between checkpoints": minutes},
        source=assumptions.CHECKLIST,
    )
