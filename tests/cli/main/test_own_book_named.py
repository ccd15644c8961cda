"""What a command says of a price book of one's own: the future refused, idle lines named, prices in the bill."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Final

import pytest

from catalogs.model import CatalogError
from operations.plans.price_book import price_book

if TYPE_CHECKING:
    from pathlib import Path

    from command_project import Atoll

HEADER: Final = "provider,item,region,purchase,unit,usd,above,source,as_of\n"
DAY: Final = "2026-11-21"


def write(project: Path, *rows: str) -> None:
    (project / "own.csv").write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")


def test_lines_that_price_nothing_are_named_and_the_others_are_not(project: Path, atoll: Atoll) -> None:
    write(project, "aws,*,*,*,,-8%,,contract 7,", "runpod,*,*,*,,-8%,,contract 8,", "aws,log_storage,*,list,,-1%,,c,")
    outcome = atoll("quote", "demo", "--price-book", "own.csv", "--today", DAY)
    assert outcome.code == 0
    assert "lines 3, 4 price nothing here" in outcome.err


def test_a_book_of_which_every_line_prices_something_is_not_remarked(project: Path, atoll: Atoll) -> None:
    write(project, "aws,*,*,*,,-8%,,contract 7,")
    outcome = atoll("quote", "demo", "--price-book", "own.csv", "--today", DAY, "--json")
    assert "price book" not in outcome.err
    lines = json.loads(outcome.out)["options"][0]["bill"]["lines"]
    assert "own-2" in {line["source"] for line in lines}


def test_a_price_of_another_unit_never_becomes_a_quote(project: Path, atoll: Atoll) -> None:
    write(project, "aws,p5.48xlarge,*,on_demand,fortnight,13000,,contract 7,2026-11-01")
    outcome = atoll("quote", "demo", "--price-book", "own.csv", "--today", DAY)
    assert outcome.code == 1
    assert "own.csv:2: unit 'fortnight'" in outcome.err


def test_a_price_of_the_future_is_refused_as_of_the_day_that_is_asked(project: Path) -> None:
    write(project, "aws,p5.48xlarge,us-east-1,on_demand,hour,20,,contract 7,2026-11-22")
    with pytest.raises(CatalogError, match="is after 2026-11-21"):
        price_book(own=str(project / "own.csv"), today=date.fromisoformat(DAY))
    assert price_book(own=str(project / "own.csv"), today=date(2026, 11, 22))
