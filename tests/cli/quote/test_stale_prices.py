"""`--allow-stale`: fresh prices stay fresh, and a quote of stale ones is nothing to sign."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path

import pytest
from command_project import Atoll, valid

from catalogs.ages import MACHINE_AGE
from catalogs.catalog import load

FRESH = "2026-12-20"
LATER = "2036-01-01"
REFUSED = "stale prices: not valid for signing"


@pytest.mark.parametrize("today", ["2026-11-23", FRESH])
def test_allowing_stale_prices_changes_nothing_while_they_are_fresh(today: str, atoll: Atoll) -> None:
    plain = atoll("quote", "demo", "--today", today)
    assert f"priced on {today}, valid until " in plain.out
    assert atoll("quote", "demo", "--today", today, "--allow-stale") == plain


def test_an_accepted_quote_of_fresh_prices_is_of_its_day(atoll: Atoll, project: Path) -> None:
    assert atoll("accept", "demo", "cheapest", "--today", FRESH, "--allow-stale").code == 0
    lock = valid("lock", (project / "stacks" / "demo" / "quote.lock.json").read_text("utf-8"))
    assert (lock["priced_at"], lock["valid_until"]) == (FRESH, "2027-01-03")


def test_a_quote_of_stale_prices_says_so_wherever_it_is_read(atoll: Atoll) -> None:
    table = atoll("quote", "demo", "--today", LATER, "--allow-stale")
    form = valid("quote", atoll("quote", "demo", "--today", LATER, "--allow-stale", "--json").out)
    assert table.code == 0
    assert REFUSED in " ".join(table.out.split("\n\n")[0].split())
    assert "valid until" not in table.out
    assert all(option["notes"][0].startswith("stale prices: ") for option in form["options"])


def test_a_document_of_stale_prices_has_no_last_day_and_no_line_to_sign_on(atoll: Atoll, project: Path) -> None:
    asked = ("quote", "demo", "--allow-stale", "--markdown", "q.md", "--html", "q.html", "--today")
    assert atoll(*asked, LATER).code == 0
    text = (project / "q.md").read_text("utf-8")
    assert REFUSED in text
    assert f"| valid until | {REFUSED} |" in text
    assert "## Not to be signed" in text
    assert not re.search(r"accepted by|valid until 20|signature", text)
    assert REFUSED in (project / "q.html").read_text("utf-8")
    assert atoll(*asked, FRESH).code == 0
    fresh = (project / "q.md").read_text("utf-8")
    assert "accepted by 2027-01-03" in fresh
    assert REFUSED not in fresh


# Of the catalog's newest price, so that the test holds after a refresh; the guide has the same table.
NEWEST = load().prices.newest or date.max
MONTH = timedelta(days=30.5)


@pytest.mark.parametrize(("months", "code"), [(1, 0), (6, 12), (12, 12), (36, 12)])
def test_a_quote_degrades_as_the_guide_says(months: int, code: int, atoll: Atoll) -> None:
    day = str(NEWEST + months * MONTH)
    outcome = atoll("quote", "demo", "--today", day)
    assert outcome.code == code
    if code == 0:
        said = " ".join(outcome.out.split())
        assert "the oldest of them" in said
        assert re.search(r"Prices that may have moved: .* atoll catalog refresh --provider aws", said)
        return
    assert outcome.out == ""
    assert f"the newest is of {NEWEST}" in outcome.err
    assert re.search(r"hint: atoll catalog refresh --provider aws .*--allow-stale goes on with these", outcome.err)
    taken = atoll("quote", "demo", "--today", day, "--allow-stale")
    assert taken.code == 0
    assert REFUSED in " ".join(taken.out.split())


@pytest.mark.parametrize("after", [1, 10, 200])
def test_dated_machine_prices_that_are_too_old_do_not_give_way_to_undated_ones(after: int, atoll: Atoll) -> None:
    day = NEWEST + timedelta(days=MACHINE_AGE.refused_days + after)
    outcome = atoll("quote", "demo", "--today", str(day))
    assert (outcome.code, outcome.out) == (12, "")


def test_who_accepts_is_told_which_prices_may_have_moved(atoll: Atoll) -> None:
    outcome = atoll("accept", "demo", "recommended", "--today", str(NEWEST + MONTH))
    assert outcome.code == 0
    assert "Prices that may have moved: " in outcome.err


def test_what_a_program_reads_names_the_oldest_price_and_those_that_may_have_moved(atoll: Atoll) -> None:
    form = valid("quote", atoll("quote", "demo", "--today", str(NEWEST + timedelta(days=90)), "--json").out)
    oldest, aging = form["oldest_price"], form["aging_prices"]
    assert {"label", "item", "provider", "as_of", "entered", "age_days", "freshness"} == oldest.keys()
    assert [each["age_days"] for each in aging] == sorted((each["age_days"] for each in aging), reverse=True)
    assert "fresh" not in {each["freshness"] for each in aging}
    assert oldest["age_days"] == aging[0]["age_days"]
