"""`--allow-stale`: fresh prices stay fresh, and a quote of stale ones is nothing to sign."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_project import Atoll, valid

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
