"""The table of published runs, what is learned from it, and how far that errs."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from sizing_fakes import H100, NODE, TRAIN, checklist, training

from catalogs.reader import load
from catalogs.training_runs import training_run, training_runs
from planning.demand import Fit
from planning.sizing import rules, training_page, utilization
from planning.sizing.derive import size
from planning.sizing.explain import explain
from planning.sizing.fit import fit
from planning.sizing.speed import Speed, spread

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "training-runs.md"
A100 = replace(H100, name="A100-SXM-80GB", family="A100", tflops={"bf16": Decimal(312)})
B200 = replace(H100, name="B200-SXM-180GB", family="B200", tflops={"bf16": Decimal(2250), "fp8": Decimal(4500)})
PUBLISHED = replace(TRAIN, mfu=None, active_parameters=Decimal("7e9"))


def share(peak: str, precision: str = "bf16", active: str = "7e9", *, experts: bool = False) -> Decimal:
    return utilization.expected_share(Decimal(peak), precision, Decimal(active), experts=experts).expected


def test_the_table_has_sixty_measurements_with_sources_and_runs_held_out() -> None:
    runs = training_runs()
    catalog = load()
    assert len([run for run in runs if run.use == "fit"]) >= 60
    assert 20 <= len([run for run in runs if run.use == "check"]) <= 40
    assert {run.kind for run in runs if run.use == "check"} == {"run"}
    for run in runs:
        assert catalog.sources[run.source].url.startswith("https://"), run.name
        assert catalog.accelerators[run.accelerator].tflops[run.precision] == run.peak_tflops, run.name
        assert run.active_b <= run.parameters_b, run.name
        assert 0.03 < utilization.reached(run) < 0.66, run.name


def test_the_estimate_is_closer_to_runs_it_never_saw_than_the_naive_rule() -> None:
    errors = utilization.held_out_errors()
    assert utilization.count_close(errors) / len(errors) >= 0.7
    assert utilization.median_doublings(errors) < 0.26


def test_leaving_a_run_out_of_the_sums_is_fitting_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = training_runs()
    left = next(run for run in runs if run.use == "fit" and run.kind == "run")
    told = utilization.model().errors[0]
    monkeypatch.setattr(utilization, "training_runs", lambda: tuple(run for run in runs if run is not left))
    utilization.model.cache_clear()
    try:
        found = utilization.held_out_errors()
        direct = utilization.reached(left) / utilization.estimated(left)
    finally:
        utilization.model.cache_clear()
    assert found
    assert direct == pytest.approx(2.718281828**told, rel=1e-6)


def test_the_share_falls_with_the_peak_and_with_experts_and_rises_with_the_model() -> None:
    assert share("312") > share("989") > share("2250")
    assert share("989", active="70e9") > share("989", active="7e9") > share("989", active="1e9")
    assert share("989", experts=True) < share("989")
    assert share("1979", "fp8") * 1979 > share("989") * 989


def test_nothing_is_extrapolated() -> None:
    assert share("10") == share("312")
    assert share("989", active="9e13") == share("989", active="530e9")
    assert share("989", active="1") == share("989", active="0.124e9")


def test_a_share_has_a_range_that_holds_it() -> None:
    for peak in (Decimal(312), Decimal(989), Decimal(5000)):
        found = utilization.expected_share(peak, "bf16", None, experts=False)
        assert 0 < found.min < found.expected < found.max <= 1


def test_a_stated_share_is_used_as_it_is_and_a_published_one_loses_nothing_to_scaling_again() -> None:
    stated, published = spread(TRAIN, NODE, H100), spread(PUBLISHED, NODE, H100)
    assert isinstance(stated, Speed)
    assert isinstance(published, Speed)
    assert (stated.scaling, stated.mfu) == (rules.SCALING.value, None)
    assert published.scaling == 1
    assert published.mfu is not None
    assert published.hours(4) == published.one_node_hours / 4


@pytest.mark.parametrize("accelerator", [A100, H100, B200])
def test_a_fit_says_the_share_that_its_time_rests_on(accelerator: object) -> None:
    found = fit(PUBLISHED, NODE, accelerator)  # type: ignore[arg-type]
    assert isinstance(found, Fit)
    assert found.mfu is not None
    assert found.mfu.min < found.mfu.expected < found.mfu.max


def test_the_figures_say_share_range_and_error_or_what_the_customer_says() -> None:
    figures = {figure.name: figure for figure in explain(size(checklist(training())), subject="train")}
    inputs = dict(figures["share of peak reached"].inputs)
    assert Decimal(inputs["low"]) < (figures["share of peak reached"].value or 0) < Decimal(inputs["high"])
    error = figures["error of that share"]
    assert error.value is not None
    assert error.value < Decimal("0.3")
    assert " of " in dict(error.inputs)["within 25%, runs held out"]
    stated = {figure.name for figure in size(checklist(training(mfu="0.4"))).figures}
    assert "error of that share" not in stated


@pytest.mark.parametrize(
    ("column", "text"), [("mfu", "0.4"), ("accelerator_hours", ""), ("kind", "guess"), ("use", ""), ("year", "")]
)
def test_a_row_with_a_fault_is_refused(column: str, text: str) -> None:
    row = {
        "name": "a",
        "model": "a",
        "accelerator": "H100-SXM-80GB",
        "precision": "bf16",
        "peak_tflops": "989",
        "parameters_b": "7",
        "active_b": "7",
        "accelerators": "8",
        "fabric": "",
        "framework": "",
        "sequence": "",
        "tokens_per_s": "",
        "mfu": "",
        "tokens_b": "1",
        "accelerator_hours": "2",
        "kind": "run",
        "use": "fit",
        "year": "2024",
        "source": "a",
        "as_of": "2024-01-01",
    }
    assert training_run(row).accelerator_hours == 2
    with pytest.raises(ValueError, match=r"."):
        training_run({**row, column: text})


def test_the_committed_page_is_the_tables() -> None:
    assert PAGE.read_text() == training_page.text(), f"run: {training_page.COMMAND}"
