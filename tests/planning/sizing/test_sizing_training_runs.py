"""The table of published runs, what is learned from it, and how far that errs."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from math import log
from pathlib import Path

import pytest
from sizing_fakes import H100, NODE, TRAIN, checklist, training

from catalogs.catalog import load
from catalogs.measurements import TrainingRun, training_runs
from catalogs.parsing import build_fact
from planning.quoting.explanation import explain
from planning.sizing import assumptions, utilization
from planning.sizing.checklist_demands import size
from planning.sizing.demand import Fit
from planning.sizing.fit import fit
from planning.sizing.reference_pages import training_runs as training_page
from planning.sizing.run_time import RunTime, estimate_run_time

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "training-runs.md"
A100 = replace(H100, name="A100-SXM-80GB", family="A100", tflops={"bf16": Decimal(312)})
B200 = replace(H100, name="B200-SXM-180GB", family="B200", tflops={"bf16": Decimal(2250), "fp8": Decimal(4500)})
PUBLISHED = replace(TRAIN, mfu=None, active_parameters=Decimal("7e9"))


def share(peak: str, precision: str = "bf16", active: str = "7e9", *, experts: bool = False) -> Decimal:
    return utilization.predict_share(Decimal(peak), precision, Decimal(active), experts=experts).expected


def test_the_table_has_sixty_measurements_with_sources_and_fresh_runs() -> None:
    runs = training_runs()
    catalog = load()
    assert len([run for run in runs if run.use == "fit"]) >= 60
    assert len([run for run in runs if run.use == "fresh"]) >= 20
    assert {run.kind for run in runs if run.use != "fit"} == {"run"}
    for run in runs:
        assert catalog.sources[run.source].url.startswith("https://"), run.name
        assert catalog.accelerators[run.accelerator].tflops[run.precision] == run.peak_tflops, run.name
        assert run.active_b <= run.parameters_b, run.name
        assert 0.03 < utilization.calculate_share_of_run(run) < 0.66, run.name


def test_the_estimate_is_closer_to_runs_it_never_saw_than_the_naive_rule() -> None:
    for use, errors in (("fit", utilization.model().errors), ("fresh", utilization.fresh_errors())):
        runs = [run for run in training_runs() if run.use == use and run.kind == "run"]
        naive = [log(utilization.calculate_share_of_run(run) / training_page.NAIVE_SHARE) for run in runs]
        assert len(errors) == len(runs)
        assert utilization.count_close(errors) > utilization.count_close(naive), use
        assert utilization.median_doublings(errors) < utilization.median_doublings(naive), use
        assert utilization.count_covered(errors) / len(errors) >= 0.75, use


def test_the_range_holds_eighty_percent_of_the_organizations_that_the_estimate_had_not_seen() -> None:
    known, low, high = utilization.model(), *utilization.error_range()
    fresh = [run.organization for run in training_runs() if run.use == "fresh"]
    errors: dict[str, list[float]] = {}
    for organization, error in (
        *zip(known.organizations, known.errors, strict=True),
        *zip(fresh, utilization.fresh_errors(), strict=True),
    ):
        errors.setdefault(organization, []).append(error)
    shares = [sum(low <= error <= high for error in each) / len(each) for each in errors.values()]
    assert len(shares) > 20
    assert 0.8 <= sum(shares) / len(shares) < 0.86


@pytest.mark.parametrize("organization", ["Meta", "MosaicML"])
def test_a_run_is_estimated_without_any_row_of_its_organization(
    monkeypatch: pytest.MonkeyPatch, organization: str
) -> None:
    runs = training_runs()
    whole = [run for run in runs if run.use == "fit" and run.kind == "run"]
    in_order = [
        run for name in dict.fromkeys(run.organization for run in whole) for run in whole if run.organization == name
    ]
    unseen = [
        error
        for run, error in zip(in_order, utilization.model().errors, strict=True)
        if run.organization == organization
    ]
    monkeypatch.setattr(
        utilization, "training_runs", lambda: tuple(run for run in runs if run.organization != organization)
    )
    utilization.model.cache_clear()
    try:
        direct = [
            log(utilization.calculate_share_of_run(run) / utilization.predict_share_of_run(run))
            for run in whole
            if run.organization == organization
        ]
    finally:
        utilization.model.cache_clear()
    assert direct == pytest.approx(unseen, rel=1e-6)


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
        found = utilization.predict_share(peak, "bf16", None, experts=False)
        assert 0 < found.min < found.expected < found.max <= 1


def test_a_stated_share_is_used_as_it_is_and_a_published_one_loses_nothing_to_scaling_again() -> None:
    stated, published = estimate_run_time(TRAIN, NODE, H100), estimate_run_time(PUBLISHED, NODE, H100)
    assert isinstance(stated, RunTime)
    assert isinstance(published, RunTime)
    assert (stated.scaling, stated.mfu) == (assumptions.SCALING.value, None)
    assert published.scaling == 1
    assert published.mfu is not None
    assert published.count_hours(4) == published.one_node_hours / 4


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
    assert error.value < Decimal("0.4")
    assert {" of " in text for name, text in error.inputs if not name.startswith("median")} == {True}
    stated = {figure.name for figure in size(checklist(training(mfu="0.4"))).figures}
    assert "error of that share" not in stated


@pytest.mark.parametrize(
    ("column", "text"), [("mfu", "0.4"), ("accelerator_hours", ""), ("kind", "guess"), ("use", ""), ("year", "")]
)
def test_a_row_with_a_fault_is_refused(column: str, text: str) -> None:
    row = {
        "name": "a",
        "model": "a",
        "organization": "a",
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
        "notes": "",
    }
    assert build_fact(TrainingRun, row).accelerator_hours == 2
    with pytest.raises(ValueError, match=r"."):
        build_fact(TrainingRun, {**row, column: text})


def test_the_committed_page_is_the_tables() -> None:
    assert PAGE.read_text() == training_page.text(), f"run: {training_page.COMMAND}"
