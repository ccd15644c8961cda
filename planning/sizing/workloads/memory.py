"""Accelerator memory: of training, of adapters, of serving, and of the KV cache."""

from __future__ import annotations

from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING

from planning.checklist.model.vocabulary import Precision
from planning.sizing import assumptions, training_compute
from planning.sizing.demand import figure, unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.workload import Checkpointing, Compute, ModelFacts
    from planning.sizing.demand import SizingFigure


def training_rule(precision: Precision) -> assumptions.SizingAssumption:
    """Bytes per parameter while all weights are trained."""
    return assumptions.TRAINING_BYTES_FP64 if precision is Precision.FP64 else assumptions.TRAINING_BYTES


def checkpoint_rule(precision: Precision) -> assumptions.SizingAssumption:
    """Bytes per parameter in a checkpoint: weights and optimiser states, no gradients."""
    return assumptions.CHECKPOINT_BYTES_FP64 if precision is Precision.FP64 else assumptions.CHECKPOINT_BYTES


def bytes_per_frozen_parameter(precision: Precision) -> Decimal:
    """Bytes per frozen parameter under adapters: never less than half precision."""
    return max(assumptions.INFERENCE_BYTES.value, assumptions.WEIGHT_BYTES[precision].value)


def training_gb(parameters: Decimal | int, *, precision: Precision = Precision.BF16) -> Decimal:
    """GB of accelerator memory to train all of `parameters`, activations included."""
    return parameters * training_rule(precision).value * assumptions.ACTIVATIONS.value / assumptions.GIGA


def adapters_gb(parameters: Decimal | int, *, adapter_share: Decimal, precision: Precision = Precision.BF16) -> Decimal:
    """GB to train adapters of `adapter_share` x `parameters` over frozen weights, activations included."""
    per_parameter = bytes_per_frozen_parameter(precision) + training_rule(precision).value * adapter_share
    return parameters * per_parameter * assumptions.ACTIVATIONS.value / assumptions.GIGA


def inference_gb(parameters: Decimal | int, *, precision: Precision = Precision.BF16) -> Decimal:
    """GB to serve a model, activations included, KV cache apart."""
    return parameters * assumptions.WEIGHT_BYTES[precision].value * assumptions.ACTIVATIONS.value / assumptions.GIGA


def kv_cache_bytes(model: ModelFacts) -> Decimal | None:
    """Bytes of KV cache per token of context, in half precision; None where the model's shape is not given."""
    if model.layers is None or model.kv_heads is None or model.head_dim is None:
        return None
    cells = model.layers * model.kv_heads * model.head_dim
    return assumptions.KV_CACHE_SIDES.value * cells * assumptions.INFERENCE_BYTES.value


def accelerators_for(memory_gb: Decimal, gpu_gb: Decimal | int) -> int:
    """The least number of accelerators of `gpu_gb` GB that hold `memory_gb`."""
    return ceil(memory_gb / gpu_gb)


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
    trained = training_compute.count_trained_parameters(workload)
    if trained is None or not workload.checkpointing.enabled:
        return None
    size_gb = checkpoint_gb(trained, precision=workload.precision)
    return burst_gb_per_s(size_gb, stall_seconds=workload.checkpointing.stall_seconds)


def checkpoint_figures(workload: Compute) -> Iterator[SizingFigure]:
    """Size, burst bandwidth and the share of time lost; nothing where no checkpoints are written."""
    if not workload.checkpointing.enabled:
        return
    trained = training_compute.count_trained_parameters(workload)
    if trained is None:
        source = assumptions.CHECKPOINT_BYTES.source
        yield unknown(subject=workload.name, name=SIZE, unit="GB", missing="model.parameters", source=source)
        return
    yield from _build_known_figures(workload, trained)


def _build_known_figures(workload: Compute, trained: Decimal) -> Iterator[SizingFigure]:
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
    )
