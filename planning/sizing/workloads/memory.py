"""Accelerator memory: of training, of adapters, of serving, and of the KV cache."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from planning.checklist.model.vocabulary import Precision
from planning.sizing import assumptions

if TYPE_CHECKING:
    from decimal import Decimal

    from planning.checklist.model.workload import ModelFacts


def training_rule(precision: Precision) -> assumptions.Rule:
    """Bytes per parameter while all weights are trained."""
    return assumptions.TRAINING_BYTES_FP64 if precision is Precision.FP64 else assumptions.TRAINING_BYTES


def checkpoint_rule(precision: Precision) -> assumptions.Rule:
    """Bytes per parameter in a checkpoint: weights and optimiser states, no gradients."""
    return assumptions.CHECKPOINT_BYTES_FP64 if precision is Precision.FP64 else assumptions.CHECKPOINT_BYTES


def frozen_bytes(precision: Precision) -> Decimal:
    """Bytes per frozen parameter under adapters: never less than half precision."""
    return max(assumptions.INFERENCE_BYTES.value, assumptions.WEIGHT_BYTES[precision].value)


def training_gb(parameters: Decimal | int, *, precision: Precision = Precision.BF16) -> Decimal:
    """GB of accelerator memory to train all of `parameters`, activations included."""
    return parameters * training_rule(precision).value * assumptions.ACTIVATIONS.value / assumptions.GIGA


def adapters_gb(parameters: Decimal | int, *, adapter_share: Decimal, precision: Precision = Precision.BF16) -> Decimal:
    """GB to train adapters of `adapter_share` x `parameters` over frozen weights, activations included."""
    per_parameter = frozen_bytes(precision) + training_rule(precision).value * adapter_share
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


def accelerators_for_training(parameters: Decimal | int, gpu_gb: Decimal | int) -> int:
    """The least number of accelerators to train `parameters` in mixed half precision."""
    return accelerators_for(training_gb(parameters), gpu_gb)


def accelerators_for_inference(
    parameters: Decimal | int, gpu_gb: Decimal | int, *, precision: Precision = Precision.BF16
) -> int:
    """The least number of accelerators to serve `parameters`, without a KV cache beyond the 25%."""
    return accelerators_for(inference_gb(parameters, precision=precision), gpu_gb)
