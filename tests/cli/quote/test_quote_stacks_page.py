"""The page of every stack: one file, nothing fetched, read aloud, and the same chapters as in Markdown."""

from __future__ import annotations

import re

import pytest
import quote_page_kit as kit

from cli.pages.documents.rendering import ALONE

EVERY_STACK = pytest.mark.parametrize("stack", kit.STACKS)


def test_every_stack_is_looked_at() -> None:
    assert len(kit.STACKS) >= 11


@EVERY_STACK
def test_nothing_is_fetched(stack: str) -> None:
    made = kit.made(stack)
    outside = [
        element
        for element in made.tree.iter()
        for name, value in element.attrib.items()
        if re.search(r"//|url\(|javascript:|data:", value) or name in {"src", "srcset", "xlink:href", "action"}
    ]
    assert all(each.tag == "a" and each.get("rel") == "noreferrer" for each in outside)
    assert all(each.get("href", "").startswith(("https://", "http://")) for each in outside)
    style = "".join(each.text or "" for each in made.tree.iter("style"))
    assert not re.search(r"@import|url\(|https?:", style)
    assert {each.tag for each in made.tree.iter()}.isdisjoint({"script", "link", "img", "iframe", "object", "embed"})
    assert any(each.get("content") == ALONE for each in made.tree.iter("meta"))


@EVERY_STACK
def test_every_name_is_unique_and_every_link_inside_leads_somewhere(stack: str) -> None:
    tree = kit.made(stack).tree
    names = [each.get("id", "") for each in tree.iter() if each.get("id")]
    assert len(names) == len(set(names))
    inside = [each.get("href", "")[1:] for each in tree.iter("a") if each.get("href", "").startswith("#")]
    assert inside
    assert set(inside) <= set(names)


@EVERY_STACK
def test_every_chart_says_what_it_shows(stack: str) -> None:
    charts = list(kit.made(stack).tree.iter("svg"))
    assert len(charts) >= 4
    for chart in charts:
        title, said = chart.find("title"), chart.find("desc")
        assert title is not None
        assert said is not None
        assert title.text
        assert said.text
        assert chart.get("aria-labelledby") == f"{title.get('id')} {said.get('id')}"
        assert chart.get("role") == "img"


@EVERY_STACK
def test_no_part_of_a_chart_lies_outside_of_it(stack: str) -> None:
    for chart in kit.made(stack).tree.iter("svg"):
        _, _, width, height = (float(each) for each in chart.get("viewBox", "").split())
        for each in chart.iter():
            x, y = (float(each.get(name, "0")) for name in ("x", "y"))
            assert 0 <= x + float(each.get("width", "0")) <= width + 0.1
            assert 0 <= y <= height
            assert 0 <= float(each.get("cx", "0")) <= width
            assert float(each.get("width", "0")) >= 0


@EVERY_STACK
def test_both_documents_have_the_same_chapters_options_and_lines(stack: str) -> None:
    made = kit.made(stack)
    headings = [each.text or "" for tag in ("h2", "h3") for each in made.tree.iter(tag)]
    written = [line.lstrip("# ") for line in made.markdown.splitlines() if line.startswith(("## ", "### "))]
    plain = [re.sub(r"\\(.)", r"\1", each) for each in written]
    assert sorted(headings) == sorted(plain)
    text = kit.read_out(made.tree)
    for option in made.quote.options:
        for line in option.bill.lines:
            assert line.label in text
        assert f"{option.id}" in text
    for words in ("Accepted", "What is not priced", "Prices, and until when they hold", str(made.quote.valid_until)):
        assert words in text


@EVERY_STACK
def test_every_row_of_markdown_has_as_many_cells_as_its_head(stack: str) -> None:
    width = 0
    for line in kit.made(stack).markdown.splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) - 1 if line.startswith("|") else 0
        assert not width or not cells or cells == width, line
        width = cells
