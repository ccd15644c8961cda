"""An estimate is marked wherever it is shown, and what is signed says that it is to be confirmed."""

from __future__ import annotations

import re
from dataclasses import replace

import hand_built
import pytest
import quote_page_kit as kit

from cli.pages.documents.rendering import render_markdown
from cli.pages.quote.comparison import side_by_side
from cli.pages.quote.document import bills, recommendation
from cli.pages.quote.terms import not_priced, signing
from cli.terminal.amounts import describe_month, floor, total, usd_short
from cli.views.quote.derivations import derivation, describe_value, line_amounts
from cli.views.quote.options import option_details
from cli.views.quote.summary import lay_out_quote
from planning.costs.bill import Bill, BillGroup
from planning.documents.blocks import Block, Document
from planning.documents.figures import cite
from planning.quoting.explanation import bill_figures
from planning.quoting.quote import Option, Quote
from planning.quoting.quote_form import option_form

LINE = hand_built.estimated("network/egress", BillGroup.NETWORK)
BILL = hand_built.bill(LINE)


def option() -> Option:
    return replace(hand_built.option(), bill=BILL)


def quote() -> Quote:
    return hand_built.quote(option(), hand_built.option("other"))


def as_text(*blocks: Block) -> str:
    return render_markdown(Document(title=cite("a quote"), lead=(), blocks=blocks, family="quote"))


@pytest.mark.parametrize(
    ("unpriced", "estimated", "said"), [(0, 0, "7"), (0, 2, "~7"), (1, 0, ">= 7"), (1, 1, ">= ~7")]
)
def test_an_amount_says_what_it_holds(unpriced: int, estimated: int, said: str) -> None:
    assert floor("7", unpriced=unpriced, estimated=estimated) == said


def test_the_headline_counts_what_is_estimated() -> None:
    assert describe_month(BILL).startswith("~")
    assert describe_month(BILL).endswith("USD a month expected (1 item estimated)")
    three = Bill(tuple(replace(LINE, key=f"{at}") for at in range(3)))
    both = Bill((*three.lines, hand_built.unpriced("dns", BillGroup.NETWORK)))
    assert describe_month(both) == ">= ~4,380.00 USD a month expected (1 line unpriced, 3 items estimated)"
    assert total(both.usd_per_month.max, bill=both) == ">= ~8,760.00 (1 unpriced, 3 estimated)"
    assert usd_short(three.usd_per_month.min, bill=three) == "~2,190"


def test_the_first_screen_marks_the_option_and_names_its_lines() -> None:
    lines = lay_out_quote(quote(), ceilings=hand_built.ceilings(), asked="demo", width=120)
    text = "\n".join(f"{each.text}{each.tail}" for each in lines)
    assert re.search(r"~[\d,]+ +~[\d,]+ +~[\d,]+", text)
    assert "Estimated (~): A: network egress." in text


def test_a_line_shows_its_range_and_its_basis() -> None:
    assert line_amounts(LINE) == ("~730.00", "~1,460.00", "~2,920.00")
    assert derivation(LINE).startswith("730 hours x ~2.00; estimate, 2026-10-01; estimated: 12 other regions")
    assert dict(option_details(option()))["estimated"] == ("network egress",)


def test_explain_says_what_an_estimate_leans_on() -> None:
    (figure,) = [each for each in bill_figures(option()) if each.name == LINE.label]
    assert describe_value(figure) == "1,460.00 USD a month, estimated"
    assert figure.formula.startswith("quantity x estimated USD per hour; estimated: 12 other regions")
    ends = {"in the least expensive region": "1", "in the most expensive region": "4"}
    assert ends.items() <= dict(figure.inputs).items()


def test_the_document_marks_explains_and_does_not_accept_it() -> None:
    catalog = kit.made("demo").catalog
    assert "items estimated" in as_text(*side_by_side(quote()))
    assert "~" in as_text(*recommendation(quote()))
    whole = as_text(*bills(quote(), catalog))
    assert "~1,460.00" in whole
    said = as_text(*not_priced(quote()))
    assert "| 730.00 to 2,920.00 |" in said
    assert "Estimated prices are to be confirmed." in said
    assert "not accepted here: 1 of A" in as_text(*signing(quote()))


def test_a_quote_without_estimates_says_nothing_of_them() -> None:
    plain = hand_built.quote(hand_built.option())
    assert "stimated" not in as_text(*side_by_side(plain), *not_priced(plain), *signing(plain))


def test_json_lists_it_with_its_range_and_basis() -> None:
    bill = option_form(option())["bill"]
    (listed,) = bill["estimated"]
    assert (listed["key"], listed["usd_per_month"]["max"], listed["basis"]) == (LINE.key, "2920.00", LINE.note)
    (line,) = [each for each in bill["lines"] if each["state"] == "estimated"]
    assert line["usd_per_unit_range"] == {"min": "1", "expected": "2", "max": "4"}
