"""What a command says of a price book of one's own: the future refused, idle lines named, prices in the bill."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Final

import pytest

from operations.plans.price_book import price_book
from planning.values.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from command_project import Atoll

HEADER: Final = "provider,item,region,purchase,unit,usd,above,source,as_of\n"
DAY: Final = "2026-11-21"


def write(project: Path, *rows: str) -> None:
    (project / "own.csv").write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")


def test_rows_that_price_nothing_are_named_with_what_they_would_price_and_the_others_are_not(
    project: Path, atoll: Atoll
) -> None:
    write(
        project,
        "aws,*,*,*,,-8%,,contract 7,",
        "runpod,*,*,*,,-8%,,contract 8,",
        "aws,log_storage,*,list,,-1%,,c,",
        "aws,disk,us-east-1,list,GB-month,,,,",
    )
    outcome = atoll("quote", "demo", "--price-book", "own.csv", "--today", DAY)
    assert outcome.code == 0
    assert [line for line in outcome.err.splitlines() if line.startswith("price book")] == [
        "price book own, line 3: nothing here buys it: every item of runpod",
        "price book own, line 4: nothing here buys it: log_storage of aws",
        "price book own, line 5: no price is filled in: disk of aws in us-east-1",
    ]


def test_of_many_rows_that_price_nothing_the_first_are_described_and_the_others_counted(
    project: Path, atoll: Atoll
) -> None:
    names = [each.name for each in price_book().machines.values() if each.provider == "lambda"][:14]
    write(project, *(f"lambda,{name},any,*,,-8%,,contract 7," for name in names))
    told = atoll("quote", "demo", "--price-book", "own.csv", "--today", DAY).err.splitlines()
    found = [line for line in told if line.startswith("price book")]
    assert len(found) == 13
    assert found[-1] == "price book own, lines 14 to 15: not used either"


def test_a_book_of_which_every_row_prices_something_is_not_remarked(project: Path, atoll: Atoll) -> None:
    write(project, "aws,*,*,*,,-8%,,contract 7,")
    outcome = atoll("quote", "demo", "--price-book", "own.csv", "--today", DAY, "--json")
    assert "price book" not in outcome.err
    lines = json.loads(outcome.out)["options"][0]["bill"]["lines"]
    assert "book:own:2" in {line["source"] for line in lines}


def test_a_discount_is_shown_beside_the_list_price(project: Path, atoll: Atoll) -> None:
    write(project, "aws,*,*,*,,-8%,,contract 7,")
    found = atoll("quote", "demo", "--price-book", "own.csv", "--today", DAY, "--option", "recommended")
    assert "x 0.092; book:own:2" in found.out
    assert "list 0.1 USD, -8% (book:own:2)" in " ".join(found.out.split())
    told = atoll("explain", "demo", "recommended", "--price-book", "own.csv", "--today", DAY)
    assert "list USD per hour = 0.1; USD per hour = 0.092" in told.out


def test_a_quote_is_valid_no_longer_than_the_prices_of_ones_own_that_it_rests_on(project: Path, atoll: Atoll) -> None:
    header = "provider,item,region,purchase,unit,usd,source,as_of,valid_until\n"
    rows = ("aws,*,*,*,,-8%,,,2026-11-25", "runpod,*,*,*,,-8%,,,2026-11-22")
    (project / "own.csv").write_text(header + "\n".join(rows), encoding="utf-8")
    quoted = json.loads(atoll("quote", "demo", "--price-book", "own.csv", "--today", DAY, "--json").out)
    assert (quoted["valid_until"], quoted["own_prices"]) == ("2026-11-25", "own")
    later = atoll("quote", "demo", "--price-book", "own.csv", "--today", "2026-11-26")
    assert "price book own, line 2: it ended on 2026-11-25: every item of aws" in later.err
    assert "valid until 2026-12-10; price book current, own over it, prices up to" in " ".join(later.out.split())


def test_prices_of_ones_own_expire_like_list_prices(project: Path, atoll: Atoll) -> None:
    write(project, "aws,nat_gateway,*,list,hour,0.04,,contract 7,2023-01-01", "aws,*,*,*,,-8%,,contract 8,2026-11-01")
    option = atoll("quote", "demo", "--price-book", "own.csv", "--today", DAY, "--json", "--allow-stale")
    old = [line for line in json.loads(option.out)["options"][0]["bill"]["lines"] if line["item"] == "nat_gateway"]
    assert [(line["source"], line["as_of"]) for line in old] == [("book:own:2", "2023-01-01")]
    refused = atoll("accept", "demo", "recommended", "--price-book", "own.csv", "--today", DAY)
    assert refused.code == 12
    assert "is of 2023-01-01" in refused.err


def test_a_dated_book_of_the_catalog_takes_prices_of_ones_own(project: Path, atoll: Atoll) -> None:
    write(project, "aws,*,*,*,,-8%,,contract 7,")
    shown = atoll("catalog", "show", "p5.48xlarge", "--prices", "2025-01-28", "--price-book", "own.csv")
    assert "90.4544   hour   book:own:2, 2025-01-28" in shown.out


def test_a_price_of_another_unit_never_becomes_a_quote(project: Path, atoll: Atoll) -> None:
    write(project, "aws,p5.48xlarge,*,on_demand,fortnight,13000,,contract 7,2026-11-01")
    outcome = atoll("quote", "demo", "--price-book", "own.csv", "--today", DAY)
    assert outcome.code == 1
    assert outcome.err.splitlines() == [
        "own.csv:2:29: unit 'fortnight': p5.48xlarge is priced per 'hour'",
        "  2 | aws,p5.48xlarge,*,on_demand,fortnight,13000,,contract 7,2026-11-01",
        "    |                             ^",
        "  hint: one of hour, month, year, GPU-hour, GPU-month, GPU-year; convert the price to that unit",
        "error: own.csv: 1 fault",
    ]


def test_a_price_of_the_future_is_refused_as_of_the_day_that_is_asked(project: Path) -> None:
    write(project, "aws,p5.48xlarge,us-east-1,on_demand,hour,20,,contract 7,2026-11-22")
    with pytest.raises(InputError) as told:
        price_book(own=str(project / "own.csv"), today=date.fromisoformat(DAY))
    assert "is after 2026-11-21" in told.value.faults[0].message
    assert price_book(own=str(project / "own.csv"), today=date(2026, 11, 22))
