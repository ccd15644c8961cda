"""In how many places a quote is complete: the counts may only rise, and the page says what the catalog gives."""

from __future__ import annotations

from datetime import date

import pytest

from cli.pages.coverage import COMMAND, make_files, measure
from planning.quoting.coverage import PLACE, Coverage, PlaceCoverage, summarize

# Of 108 places with an accelerator on sale: at least so many fully priced, and so many priced or estimated.
# Raise them with the catalog; where a wrong price is taken out, say so beside the number.
FLOOR = {"training": (68, 80), "notebooks": (80, 94), "inference": (70, 88), PLACE: (75, 94)}


@pytest.fixture(scope="module")
def measured() -> tuple[tuple[PlaceCoverage, ...], date]:
    return measure()


@pytest.mark.parametrize("kind", FLOOR)
def test_no_fewer_places_can_be_quoted_than_before(kind: str, measured: tuple[tuple[PlaceCoverage, ...], date]) -> None:
    counts, (least_priced, least_known) = summarize(measured[0])[kind], FLOOR[kind]
    assert counts[Coverage.PRICED] >= least_priced
    assert counts[Coverage.PRICED] + counts[Coverage.ESTIMATED] >= least_known


def test_the_page_and_its_pictures_are_those_of_the_catalog(
    measured: tuple[tuple[PlaceCoverage, ...], date],
) -> None:
    cells, newest = measured
    for path, text in make_files(cells, prices_as_of=newest).items():
        assert path.read_text("utf-8") == text, f"{path.name}: run {COMMAND}"
