"""Every number of a quote document is one of its JSON, its checklist or the catalog, on the page and in Markdown."""

from __future__ import annotations

import pytest
import quote_page_kit as kit

from cli.terminal.amounts import usd

EVERY_STACK = pytest.mark.parametrize("stack", kit.STACKS)


@EVERY_STACK
def test_no_number_of_the_page_is_from_nowhere(stack: str) -> None:
    made = kit.made(stack)
    text = kit.read_out(made.tree)
    assert sum(1 for _ in kit.numbers(text)) > 200
    assert kit.strangers(text, kit.Known(made)) == []


@EVERY_STACK
def test_no_number_of_the_markdown_is_from_nowhere(stack: str) -> None:
    made = kit.made(stack)
    text = kit.read_out_markdown(made.markdown)
    assert sum(1 for _ in kit.numbers(text)) > 200
    assert kit.strangers(text, kit.Known(made)) == []


@EVERY_STACK
def test_a_total_that_is_cents_off_is_found(stack: str) -> None:
    made = kit.made(stack)
    total = made.quote.options[0].bill.usd_per_month.expected
    right, wrong = usd(total), usd(total + kit.Decimal("0.07"))
    text = kit.read_out_markdown(made.markdown)
    assert right in text
    found = kit.strangers(text.replace(right, wrong), kit.Known(made))
    assert found
    assert all(wrong in each for each in found)


@EVERY_STACK
def test_the_dots_are_the_machines_on_sale(stack: str) -> None:
    made = kit.made(stack)
    dots = [group for group in made.tree.iter("g") if any(each.get("class") == "dot" for each in group)]
    expected = [
        f"{each.provider} {each.machine}, {each.accelerator}, {each.region}: {usd(each.usd_per_1000_tflops_hour)} USD"
        for standing in made.standings
        for each in standing.machines
    ]
    assert sorted(dot.findtext("title", "") for dot in dots) == sorted(expected)


@EVERY_STACK
def test_every_footnote_that_is_named_is_there_with_its_text_address_and_day(stack: str) -> None:
    made = kit.made(stack)
    named = {each.get("href", "") for mark in made.tree.iter("sup") for each in mark}
    notes = {f"#{each.get('id')}": "".join(each.itertext()) for each in made.tree.iter("li")}
    assert named == set(notes)
    for option in made.quote.options:
        for line in option.bill.lines:
            source = made.catalog.sources.get(line.source)
            if source is not None:
                day = source.as_of.isoformat() if source.as_of else "undated"
                assert f"{source.text}, {source.url}, {day}" in notes.values()
