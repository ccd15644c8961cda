"""Replicas that follow from a load: from published benchmarks, within the latency, between nothing and the peak."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizing_fakes import H100, NODE, Fields, checklist, inference

from catalogs.catalog import load as load_catalog
from catalogs.measurements import ServingRun, serving_runs
from catalogs.parsing import build_fact
from planning.checklist.rules.workloads import load_is_whole
from planning.quoting.explanation import explain
from planning.sizing import fit as fitting
from planning.sizing import serving
from planning.sizing.checklist_demands import size
from planning.sizing.demand import Demand, Fit
from planning.sizing.fit import fit
from planning.sizing.reference_pages import serving_runs as serving_page

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "serving-runs.md"
LOAD: Fields = {"requests_per_second": 40, "peak_requests_per_second": 160, "input_tokens": 1000, "output_tokens": 500}


def demand(**fields: object) -> Demand:
    return size(checklist(inference(precision="fp8", **{**LOAD, **fields}))).demands[0]


def fits(asked: Demand) -> Fit:
    found = fit(asked, NODE, H100)
    assert isinstance(found, Fit), found
    return found


def test_the_table_has_thirty_benchmarks_with_sources() -> None:
    catalog = load_catalog()
    runs = serving_runs()
    assert len(runs) >= 30
    assert len({run.name for run in runs}) == len(runs)
    for run in runs:
        assert catalog.sources[run.source].url.startswith("https://"), run.name
        assert catalog.accelerators[run.accelerator].tflops[run.precision] == run.peak_tflops, run.name


def test_the_estimate_of_dense_models_is_within_a_quarter_for_most_benchmarks() -> None:
    off: list[float] = []
    for run in serving_runs():
        if run.itl_ms is None and run.active_b == run.parameters_b and not run.accelerator.startswith(("L40S", "A100")):
            seconds, _ = serving.seconds_per_request(
                input_tokens=run.input_tokens,
                output_tokens=run.output_tokens,
                active=float(run.active_b) * 1e9,
                peak_tflops=float(run.peak_tflops),
                family=run.accelerator.split("-", maxsplit=1)[0],
                experts=False,
            )
            off.append(abs(seconds * float(run.tokens_per_s) / (run.accelerators * run.output_tokens) - 1))
    assert len(off) > 40
    assert median(off) < 0.15
    assert sum(each <= 0.25 for each in off) / len(off) >= 0.8


def test_an_estimate_holds_for_lengths_that_no_benchmark_has() -> None:
    short, long = (
        serving.seconds_per_request(
            input_tokens=tokens, output_tokens=tokens, active=8e9, peak_tflops=1979, family="H100", experts=False
        )[0]
        for tokens in (700, 1400)
    )
    assert 2 < long / short < 4


def test_replicas_follow_the_load_between_one_and_the_peak() -> None:
    found = fits(demand())
    assert found.min_nodes == 1
    assert found.node_hours.min <= found.node_hours.expected <= found.node_hours.max
    assert fits(demand(peak_requests_per_second=1600)).working > found.working
    assert fits(demand(requests_per_second=160)).node_hours.expected > found.node_hours.expected


def test_nothing_is_up_where_the_last_copy_goes_too() -> None:
    assert fits(demand(scale_to_zero=True)).min_nodes == 0
    assert fits(demand(scale_to_zero=True)).node_hours.min == 0


def test_a_service_that_sleeps_at_night_has_the_same_peak() -> None:
    day, always = fits(demand(hours_per_week=50)), fits(demand())
    assert day.working == always.working
    assert day.min_nodes == 0
    assert day.node_hours.expected < always.node_hours.expected


def test_a_tighter_latency_takes_more_accelerators_and_an_impossible_one_fits_nowhere() -> None:
    hurried, relaxed = fits(demand(latency_p95_seconds=8)), fits(demand(latency_p95_seconds=60))
    assert hurried.working >= relaxed.working
    assert not isinstance(fit(demand(latency_p95_seconds="0.1"), NODE, H100), Fit)


def test_an_accelerator_without_benchmarks_says_so() -> None:
    other = replace(H100, name="X1", family="X1")
    found = fit(demand(), NODE, other)
    assert isinstance(found, Fit)
    assert fitting.UNBENCHMARKED_NOTE in found.note
    assert fitting.UNBENCHMARKED_NOTE not in fits(demand()).note


def test_the_figures_say_what_the_replicas_rest_on() -> None:
    (figure,) = explain(size(checklist(inference(**LOAD))), name="tokens written at the peak")
    assert figure.value == 80_000
    assert "serving_runs.csv" in figure.source


@settings(derandomize=True, deadline=None)
@given(
    st.decimals("0.01", 500, places=2),
    st.decimals(1, 50, places=1),
    st.integers(1, 20_000),
    st.integers(1, 4000),
    st.one_of(st.none(), st.integers(1, 600)),
)
def test_ranges_rise_and_more_load_never_takes_less(
    mean: Decimal, factor: Decimal, read: int, written: int, latency: int | None
) -> None:
    fields = {"input_tokens": read, "output_tokens": written, "latency_p95_seconds": latency}
    low = fit(demand(requests_per_second=mean, peak_requests_per_second=mean, **fields), NODE, H100)
    high = fit(demand(requests_per_second=mean, peak_requests_per_second=mean * factor, **fields), NODE, H100)
    assert isinstance(low, Fit) == isinstance(high, Fit)
    if isinstance(low, Fit) and isinstance(high, Fit):
        assert low.min_nodes <= low.working <= high.working
        assert low.node_hours.max <= high.node_hours.max


@pytest.mark.parametrize(
    ("fields", "at"),
    [
        ({**LOAD, "replicas": 2}, ["replicas"]),
        ({**LOAD, "max_replicas": 2, "batch": 4}, ["max_replicas", "batch"]),
        ({"requests_per_second": 1}, ["requests_per_second", "requests_per_second"]),
        ({"input_tokens": 1}, ["input_tokens"]),
        ({"latency_p95_seconds": 1, "replicas": 1}, ["latency_p95_seconds"]),
        ({**LOAD, "peak_requests_per_second": 1}, ["peak_requests_per_second"]),
        (LOAD, []),
        ({"replicas": 2, "batch": 4}, []),
        ({}, []),
    ],
)
def test_a_load_is_whole_and_stands_instead_of_copies(fields: Fields, at: list[str]) -> None:
    found = [str(broken.path[-1]) for broken in load_is_whole(checklist(inference(**fields)))]
    assert found == at


def test_one_latency_without_the_other_is_refused() -> None:
    row = {
        "name": "a",
        "model": "a",
        "accelerator": "a",
        "precision": "fp8",
        "peak_tflops": "1",
        "parameters_b": "1",
        "active_b": "1",
        "accelerators": "1",
        "engine": "a",
        "concurrency": "",
        "input_tokens": "1",
        "output_tokens": "1",
        "tokens_per_s": "1",
        "ttft_ms": "",
        "itl_ms": "",
        "source": "a",
        "as_of": "",
    }
    assert build_fact(ServingRun, row).concurrency is None
    with pytest.raises(ValueError, match="neither"):
        build_fact(ServingRun, {**row, "ttft_ms": "1"})


def test_the_committed_page_is_the_tables() -> None:
    assert PAGE.read_text() == serving_page.text(), f"run: {serving_page.COMMAND}"
