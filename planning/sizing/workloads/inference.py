"""Inference: replicas that each stay inside one node, up between a least and a largest number."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from planning.checklist.model.vocabulary import FabricAsk
from planning.sizing import assumptions
from planning.sizing.demand import Demand, ServingLoad, figure, unknown
from planning.sizing.workloads import memory
from planning.sizing.workloads.storage import hot_gb
from planning.values.money import HOURS_PER_MONTH, Range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist
    from planning.checklist.model.workload import Inference
    from planning.sizing.demand import SizingFigure

KIND = "inference"
CACHE = "KV cache of one replica"


def demand(workload: Inference, checklist: Checklist) -> Demand:
    """The pool of all replicas."""
    always_on = workload.hours_per_week == assumptions.HOURS_PER_WEEK
    asked = workload.hardware
    return Demand(
        workload=workload.name,
        kind=KIND,
        precision=workload.precision,
        accelerators=1,
        memory_gb=memory.inference_gb(workload.model.parameters, precision=workload.precision) + _cache_gb(workload),
        one_node=True,
        copies=copies(workload),
        busy_hours=None if always_on else busy_hours(workload),
        bytes_per_token=bytes_per_token(workload),
        active_parameters=workload.model.active_parameters or workload.model.parameters,
        experts=(workload.model.active_parameters or workload.model.parameters) < workload.model.parameters,
        latency_ms_per_token=workload.latency_ms_per_token,
        load=load(workload),
        local_nvme_gb=hot_gb(checklist, kind=KIND),
        always_on=always_on,
        spot=workload.spot,
        rdma=asked is not None and asked.fabric is FabricAsk.RDMA,
        hardware=asked,
    )


def copies(workload: Inference) -> Range:
    """Replicas up at the same time; half way between the two ends is expected; under a load, the least."""
    asked = load(workload)
    if asked is not None:
        return Range(Decimal(asked.least), Decimal(1), Decimal(1))
    low = Decimal(workload.replicas or 1)
    high = max(low, Decimal(workload.max_replicas or low))
    return Range(low, (low + high) / 2, high)


def load(workload: Inference) -> ServingLoad | None:
    """What the service is asked; None where its copies are given instead."""
    mean = workload.requests_per_second
    if mean is None or workload.input_tokens is None or workload.output_tokens is None:
        return None
    return ServingLoad(
        mean_per_s=mean,
        peak_per_s=max(mean, workload.peak_requests_per_second or mean),
        input_tokens=workload.input_tokens,
        output_tokens=workload.output_tokens,
        latency_s=workload.latency_p95_seconds,
        least=0 if workload.scale_to_zero else 1,
    )


def context_tokens(workload: Inference) -> int:
    """Longest context of one request: as given, and never less than what a request reads and writes."""
    # A request cannot be longer than its context, whatever is stated.
    return max(workload.context_tokens, (workload.input_tokens or 0) + (workload.output_tokens or 0))


def busy_hours(workload: Inference) -> Decimal:
    """Hours a month that the service is up."""
    return workload.hours_per_week / assumptions.HOURS_PER_WEEK * HOURS_PER_MONTH


def bytes_per_token(workload: Inference) -> Decimal:
    """Bytes read for one step of generation: the weights used and, where its size is known, the longest cache."""
    used = workload.model.active_parameters or workload.model.parameters
    return used * assumptions.WEIGHT_BYTES[workload.precision].value + _cache_gb(workload) * assumptions.GIGA


def _cache_gb(workload: Inference) -> Decimal:
    per_token = memory.kv_cache_bytes(workload.model)
    if per_token is None:
        return Decimal(0)
    return per_token * context_tokens(workload) * (workload.batch or 1) / assumptions.GIGA


def figures(workload: Inference) -> Iterator[SizingFigure]:
    """Every figure of the service."""
    yield _memory_figure(workload)
    yield _cache_figure(workload)
    yield figure(
        subject=workload.name,
        name="read per generated token",
        value=bytes_per_token(workload) / assumptions.GIGA,
        unit="GB of accelerator memory",
        formula="parameters used x bytes per parameter + KV cache; / memory bandwidth it bounds the time from below",
        inputs={"KV cache in GB": _cache_gb(workload)},
        source="decoding is bound by memory bandwidth: Pope et al. 2022, Efficiently Scaling Transformer Inference",
    )
    yield _copies_figure(workload)
    yield figure(
        subject=workload.name,
        name="busy hours",
        value=busy_hours(workload),
        unit="hours a month",
        formula="hours per week / 168 x 730",
        inputs={"hours per week": workload.hours_per_week},
    )


def _memory_figure(workload: Inference) -> SizingFigure:
    rule = assumptions.WEIGHT_BYTES[workload.precision]
    return figure(
        subject=workload.name,
        name="accelerator memory of one replica",
        value=memory.inference_gb(workload.model.parameters, precision=workload.precision) + _cache_gb(workload),
        unit="GB",
        formula="parameters x bytes per parameter x 1.25 + KV cache",
        inputs={
            "parameters": workload.model.parameters,
            "bytes per parameter": rule.value,
            "KV cache in GB": _cache_gb(workload),
        },
        source=f"{rule.source}; {assumptions.ACTIVATIONS.source}",
    )


def _cache_figure(workload: Inference) -> SizingFigure:
    model = workload.model
    if memory.kv_cache_bytes(model) is None:
        missing = "model.layers, model.kv_heads and model.head_dim; until then only the 25% allow for it"
        source = assumptions.KV_CACHE_SIDES.source
        return unknown(subject=workload.name, name=CACHE, unit="GB", missing=missing, source=source)
    return figure(
        subject=workload.name,
        name=CACHE,
        value=_cache_gb(workload),
        unit="GB",
        formula="2 x layers x kv_heads x head_dim x 2 bytes x context tokens x batch",
        inputs={
            "layers": model.layers,
            "kv_heads": model.kv_heads,
            "head_dim": model.head_dim,
            "context tokens": context_tokens(workload),
            "batch": workload.batch or 1,
        },
        source=assumptions.KV_CACHE_SIDES.source,
    )


def _copies_figure(workload: Inference) -> SizingFigure:
    asked = load(workload)
    if asked is None:
        return figure(
            subject=workload.name,
            name="replicas expected",
            value=copies(workload).expected,
            unit="replicas up at the same time",
            formula="(replicas + max_replicas) / 2",
            inputs={"replicas": workload.replicas or 1, "max_replicas": workload.max_replicas},
            source=f"{assumptions.OWN}: half way, since the load is not given",
        )
    return figure(
        subject=workload.name,
        name="tokens written at the peak",
        value=asked.peak_per_s * asked.output_tokens,
        unit="tokens per second; how many replicas write them follows from the machine",
        formula="peak requests per second x output tokens",
        inputs={
            "peak requests per second": asked.peak_per_s,
            "requests per second": asked.mean_per_s,
            "input tokens": asked.input_tokens,
            "output tokens": asked.output_tokens,
            "latency at p95 in seconds": asked.latency_s,
        },
        source=f"{assumptions.CHECKLIST}; catalogs/serving_runs.csv, shown in docs/reference/serving-runs.md",
    )
