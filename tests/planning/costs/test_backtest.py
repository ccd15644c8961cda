"""The floor under the estimates: how good they are over all prices that are known."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from test_estimates import Rows, row

from catalogs.catalog import Catalog, load
from planning.costs import estimates_page
from planning.costs.backtest import Trial, by, sum_up, try_all
from planning.costs.estimates import Estimates

PAGE = Path(__file__).parents[3] / "docs/reference/estimates.md"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load()


@pytest.fixture(scope="module")
def trials(catalog: Catalog) -> list[Trial]:
    return list(try_all(Estimates(catalog.prices), providers=catalog.providers))


def test_estimates_are_as_good_as_they_are_said_to_be(trials: list[Trial]) -> None:
    found = sum_up(trials)
    assert found.trials >= 1000
    assert found.inside >= Decimal("0.96")
    assert found.median_error <= Decimal("0.05")
    assert found.nearly_all_error <= Decimal("0.19")


def test_they_are_no_worse_where_the_other_regions_differ(trials: list[Trial]) -> None:
    found = sum_up([each for each in trials if not each.alike])
    assert found.inside >= Decimal("0.95")
    assert found.median_error <= Decimal("0.05")
    assert found.nearly_all_error <= Decimal("0.19")


def test_nothing_with_an_accelerator_is_among_them(trials: list[Trial], catalog: Catalog) -> None:
    assert not {item for _, item in catalog.machines} & {each.item for each in trials}


def test_the_page_of_estimates_is_the_one_that_the_prices_make(catalog: Catalog) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == estimates_page.render(catalog), f"make it again: {estimates_page.COMMAND}"


def test_a_trial_leaves_its_own_price_out() -> None:
    rows = [row("a", "1"), row("b", "2"), row("c", "3"), row("d", "30")]
    found = {each.region: each for each in try_all(Estimates(Rows(rows)), providers=["aws"])}
    assert {region: each.inside for region, each in found.items()} == {"a": False, "b": True, "c": True, "d": False}
    assert found["d"].error == Decimal(28) / 30
    assert found["d"].width == 3


def test_tiers_that_begin_elsewhere_are_compared_at_the_same_quantity() -> None:
    rows = [each for name in "abc" for each in (row(name, "4"), row(name, "2", above=10))]
    odd = [row("odd", "4"), row("odd", "3", above=5)]
    found = {each.region: each for each in try_all(Estimates(Rows([*rows, *odd])), providers=["aws"])}
    assert not found["odd"].inside
    assert found["odd"].error == Decimal(1) / 3


def test_figures_of_no_trial_are_no_figures() -> None:
    with pytest.raises(ValueError, match="nothing to sum up"):
        sum_up([])
    assert by([], "provider") == {}
