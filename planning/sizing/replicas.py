"""Replicas that answer a load on an accelerator: from published benchmarks, within the latency that is asked for."""

from __future__ import annotations

from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple

from planning.sizing import assumptions, serving
from planning.sizing.demand import (
    BANDWIDTH_UNKNOWN,
    LACKS_PRECISION,
    PEAK_UNKNOWN,
    TOO_SLOW_PER_ANSWER,
)
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalogs.model import Accelerator
    from planning.sizing.demand import Demand, Rejection, ServingLoad

PLACES: Final = Decimal("0.0001")


class Replicas(NamedTuple):
    """How a load is spread.

    Args:
        copies: replicas at no load, on average, and at the peak by the slower benchmarks.
        accelerators: of one replica.
        ms_per_token: decode time of a lone request that memory bandwidth allows; None where it is not known.
    """

    copies: Range
    accelerators: int
    ms_per_token: Decimal | None


def replicas_for(
    demand: Demand, load: ServingLoad, accelerator: Accelerator, *, least: int, most: int
) -> Replicas | Rejection:
    """Replicas of `least` to `most` accelerators that answer the load, or why there are none."""
    peak = accelerator.tflops.get(demand.precision or "")
    if not peak or demand.active_parameters is None:
        return LACKS_PRECISION if accelerator.tflops else PEAK_UNKNOWN
    if load.latency_s is not None and not accelerator.hbm_gb_per_s:
        return BANDWIDTH_UNKNOWN
    width, share = max(_widths(demand, load, accelerator, least=least, most=most), key=lambda each: (each[1], -each[0]))
    if not share:
        return TOO_SLOW_PER_ANSWER
    expected, slow = serving.seconds_per_request(
        input_tokens=load.input_tokens,
        output_tokens=load.output_tokens,
        active=float(demand.active_parameters),
        peak_tflops=float(peak),
        family=accelerator.family,
        experts=demand.experts,
    )
    low = Decimal(load.least)
    mean = max(low, (load.mean_per_s * Decimal(expected / (width * share))).quantize(PLACES))
    high = Decimal(max(1, ceil(load.peak_per_s * Decimal(slow / (width * share)))))
    return Replicas(Range(low, min(mean, high), high), width, _ms_per_token(demand, accelerator, width))


def _widths(
    demand: Demand, load: ServingLoad, accelerator: Accelerator, *, least: int, most: int
) -> Iterator[tuple[int, float]]:
    """Accelerators of a replica, and the share of the full load that the latency then allows."""
    width = least
    while width <= most:
        yield width, serving.usable_share(_latency_over_lone(demand, load, accelerator, width))
        if load.latency_s is None:
            return
        width *= 2


def _latency_over_lone(demand: Demand, load: ServingLoad, accelerator: Accelerator, width: int) -> float | None:
    time = _ms_per_token(demand, accelerator, width)
    peak = accelerator.tflops.get(demand.precision or "")
    if load.latency_s is None or time is None or not peak:
        return None
    active = float(demand.active_parameters or 0)
    lone = serving.lone_seconds(
        input_tokens=load.input_tokens,
        output_tokens=load.output_tokens,
        prefill_s=serving.FLOPS_PER_TOKEN * active / (float(peak) * 1e12 * width),
        ms_per_token=float(time),
    )
    return float(load.latency_s) / lone


def _ms_per_token(demand: Demand, accelerator: Accelerator, width: int) -> Decimal | None:
    bandwidth = accelerator.hbm_gb_per_s
    if demand.bytes_per_token is None or not bandwidth:
        return None
    return demand.bytes_per_token / (width * bandwidth * assumptions.BYTES_PER_GB_AND_MS)
