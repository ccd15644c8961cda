"""In how many places a quote is complete: the counts may only rise, and the page says what the catalog gives."""

from __future__ import annotations

from datetime import date

import pytest

from cli.pages.coverage import COMMAND, make_files, measure
from planning.quoting.coverage import PLACE, Coverage, PlaceCoverage, summarize

# Of 108 places with an accelerator on sale: at least so many fully priced, and so many priced or estimated.
# Raise them with the catalog; where a wrong price is taken out, say so beside the number.
FLOOR = {"training": (74, 86), "notebooks": (86, 100), "inference": (76, 94), PLACE: (81, 100)}


@pytest.fixture(scope="module")
def measured() -> tuple[tuple[PlaceCoverage, ...], date]:
    return measure()


@pytest.mark.parametrize("kind", FLOOR)
def test_no_fewer_places_can_be_quoted_than_before(kind: str, measured: tuple[tuple[PlaceCoverage, ...], date]) -> None:
    counts, (least_priced, least_known) = summarize(measured[0])[kind], FLOOR[kind]
    assert counts[Coverage.PRICED] >= least_priced
    assert counts[Coverage.PRICED] + counts[Coverage.ESTIMATED] >= least_known


# A 13B model trained from the start, and eight notebooks, in the places where most customers of Europe are.
EUROPE = (("aws", "eu-west-1"), ("aws", "eu-central-1"), ("gcp", "europe-west4"), ("azure", "westeurope"))
DECIDED = (*EUROPE, ("coreweave", "north-america"), ("nebius", "eu-north1"), ("nebius", "us-central1"))
ASKED = ("training", "notebooks")
MOST_OPEN = 2  # small items of a micro-cloud that sells by quotation; the verdict says the headroom


@pytest.mark.parametrize("place", DECIDED)
def test_a_quote_is_decided_where_most_customers_are(
    place: tuple[str, str], measured: tuple[tuple[PlaceCoverage, ...], date]
) -> None:
    found = {each.kind: each for each in measured[0] if (each.provider, each.region) == place}
    assert {kind: found[kind].is_decided for kind in ASKED} == dict.fromkeys(ASKED, True)


def test_no_verdict_of_a_cloud_waits_for_a_price_but_where_two_items_are_open(
    measured: tuple[tuple[PlaceCoverage, ...], date],
) -> None:
    asked = [each for each in measured[0] if each.kind in ASKED and each.state is not Coverage.NOTHING]
    assert {each.provider for each in asked if not each.is_decided} <= {"hyperstack"}
    assert max(len(each.open_items) for each in asked) <= MOST_OPEN


def test_the_page_and_its_pictures_are_those_of_the_catalog(
    measured: tuple[tuple[PlaceCoverage, ...], date],
) -> None:
    cells, newest = measured
    for path, text in make_files(cells, prices_as_of=newest).items():
        assert path.read_text("utf-8") == text, f"{path.name}: run {COMMAND}"
