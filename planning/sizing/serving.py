"""How many replicas answer a load, learned from published serving benchmarks.

At full load a request costs an accelerator time in proportion to the active parameters over its peak: so much for each
token read, so much for each token written, and more the longer the context is that each written token looks back on.
The three costs are fitted to dense models; families of accelerators, and mixtures of experts on them, differ by a
factor, the median of their own benchmarks. How much of the full load may be used under a bound on the latency follows
from a benchmark over rising concurrency. Requests of a benchmark are all alike, so its means stand for the p95.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from math import ceil
from statistics import quantiles
from typing import TYPE_CHECKING, Final, NamedTuple

from catalogs.measurements import serving_runs
from planning.sizing import assumptions
from planning.sizing.demand import BANDWIDTH_UNKNOWN, LACKS_PRECISION, PEAK_UNKNOWN, TOO_SLOW_PER_ANSWER
from planning.sizing.utilization import dot_product, solve_equations
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from catalogs.measurements import ServingRun
    from catalogs.model import Accelerator
    from planning.sizing.demand import Demand, Rejection, ServingLoad

    Vector = Sequence[float]

FLOPS_PER_TOKEN: Final = 2  # per active parameter, forward only: Kaplan et al. 2020, section 2.1
PER_THOUSAND: Final = 1000
WITHOUT_BENCHMARK: Final = (1.0, 2.0)  # our own assumption: as the fitted dense models, or half as fast
FIRST_TOKEN_MS: Final = 1000.0  # where no latency is asked for: as loaded as the first token comes within a second
MS: Final = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingModel:
    """What the table says.

    Args:
        costs: of a token read, a token written, and a thousand tokens looked back on, in tokens at full peak.
        factors: by family and whether it is a mixture of experts: median and slower quartile of what it takes longer.
        curve: latency over that of a lone request, and the share of the full load at which it is reached.
        unhurried: share of the full load that is used where no latency is asked for.
        bandwidth_share: of the memory bandwidth that a lone request reaches while it decodes.
    """

    costs: tuple[float, ...]
    factors: Mapping[tuple[str, bool], tuple[float, float]]
    curve: tuple[tuple[float, float], ...]
    unhurried: float
    bandwidth_share: float


@cache
def model() -> ServingModel:
    loaded = [run for run in serving_runs() if run.itl_ms is None]
    dense = [run for run in loaded if run.active_b == run.parameters_b and _family(run) != "L40S"]
    rows = [[part / _cost(run) for part in _parts(run.input_tokens, run.output_tokens)] for run in dense]
    size = range(3)
    matrix = [[sum(row[i] * row[j] for row in rows) for j in size] for i in size]
    costs = tuple(solve_equations(matrix, [sum(row[i] for row in rows) for i in size]))
    factors: dict[tuple[str, bool], list[float]] = {}
    for run in loaded:
        key = _family(run), run.active_b < run.parameters_b
        told = dot_product(costs, _parts(run.input_tokens, run.output_tokens))
        factors.setdefault(key, []).append(_cost(run) / told)
    curve = _curve()
    return ServingModel(
        costs=costs,
        factors={
            key: (quartiles[1], quartiles[2]) for key, found in factors.items() if (quartiles := quantiles(found))
        },
        curve=curve,
        unhurried=_find_share_within_latency(curve),
        bandwidth_share=_bandwidth_share(),
    )


def seconds_per_request(
    *, input_tokens: int, output_tokens: int, active: float, peak_tflops: float, family: str, experts: bool
) -> tuple[float, float]:
    """Seconds of one accelerator at full load that a request takes: expected, and by a slower benchmark."""
    known = model()
    tokens = dot_product(known.costs, _parts(input_tokens, output_tokens))
    at_peak = tokens * FLOPS_PER_TOKEN * active / (peak_tflops * 1e12)
    expected, slow = known.factors.get((family, experts), _without_benchmark(experts=experts))
    return at_peak * expected, at_peak * slow


def is_benchmarked(family: str, *, experts: bool) -> bool:
    """Whether anybody has published a benchmark of such a model on this family."""
    return (family, experts) in model().factors


def lone_seconds(*, input_tokens: int, output_tokens: int, prefill_s: float, ms_per_token: float) -> float:
    """Seconds of a request that has the replica for itself; `ms_per_token` is what memory bandwidth allows."""
    known = model()
    return input_tokens * known.costs[0] * prefill_s + output_tokens * ms_per_token / (MS * known.bandwidth_share)


def usable_share(latency_over_lone: float | None) -> float:
    """Share of the full load at which the latency is at most so many times that of a lone request; 0 for below once."""
    known = model()
    if latency_over_lone is None:
        return known.unhurried
    below = [point for point in known.curve if point[0] <= latency_over_lone]
    if not below:
        return 0.0
    low, share = below[-1]
    above = known.curve[len(below) : len(below) + 1]
    if not above:
        return share
    high, more = above[0]
    return share + (more - share) * (latency_over_lone - low) / (high - low)


def _without_benchmark(*, experts: bool) -> tuple[float, float]:
    expected, slow = WITHOUT_BENCHMARK
    if not experts:
        return expected, slow
    slowest = max(found for (_, sparse), (_, found) in model().factors.items() if sparse)
    return min(found for (_, sparse), (found, _) in model().factors.items() if sparse), slowest


def _cost(run: ServingRun) -> float:
    """Accelerator time of one request, in tokens at full peak."""
    seconds = run.accelerators * run.output_tokens / float(run.tokens_per_s)
    return seconds * float(run.peak_tflops) * 1e12 / (FLOPS_PER_TOKEN * float(run.active_b) * 1e9)


def _parts(input_tokens: int, output_tokens: int) -> tuple[float, float, float]:
    return input_tokens, output_tokens, output_tokens * (input_tokens + output_tokens / 2) / PER_THOUSAND


def _family(run: ServingRun) -> str:
    return run.accelerator.split("-", maxsplit=1)[0]


def _rising() -> list[ServingRun]:
    timed = [run for run in serving_runs() if run.itl_ms is not None]
    return sorted(timed, key=lambda run: run.concurrency or 0)


def _seconds(run: ServingRun) -> float:
    return (float(run.ttft_ms or 0) + run.output_tokens * float(run.itl_ms or 0)) / MS


def _curve() -> tuple[tuple[float, float], ...]:
    rising = _rising()
    most = max(float(run.tokens_per_s) for run in rising)
    lone = _seconds(rising[0])
    return tuple((_seconds(run) / lone, float(run.tokens_per_s) / most) for run in rising)


def _find_share_within_latency(curve: Sequence[tuple[float, float]]) -> float:
    return max(
        share for (_, share), run in zip(curve, _rising(), strict=True) if float(run.ttft_ms or 0) <= FIRST_TOKEN_MS
    )


def _bandwidth_share() -> float:
    """Of two H100 of 3,350 GB/s each (catalogs/accelerators.csv) that hold 70B parameters at one byte each."""
    lone = _rising()[0]
    return float(lone.active_b) / (lone.accelerators * 3350) * MS / float(lone.itl_ms or 1)


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
    expected, slow = seconds_per_request(
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
        yield width, usable_share(_latency_over_lone(demand, load, accelerator, width))
        if load.latency_s is None:
            return
        width *= 2


def _latency_over_lone(demand: Demand, load: ServingLoad, accelerator: Accelerator, width: int) -> float | None:
    time = _ms_per_token(demand, accelerator, width)
    peak = accelerator.tflops.get(demand.precision or "")
    if load.latency_s is None or time is None or not peak:
        return None
    active = float(demand.active_parameters or 0)
    lone = lone_seconds(
        input_tokens=load.input_tokens,
        output_tokens=load.output_tokens,
        prefill_s=FLOPS_PER_TOKEN * active / (float(peak) * 1e12 * width),
        ms_per_token=float(time),
    )
    return float(load.latency_s) / lone


def _ms_per_token(demand: Demand, accelerator: Accelerator, width: int) -> Decimal | None:
    bandwidth = accelerator.hbm_gb_per_s
    if demand.bytes_per_token is None or not bandwidth:
        return None
    return demand.bytes_per_token / (width * bandwidth * assumptions.BYTES_PER_GB_AND_MS)
