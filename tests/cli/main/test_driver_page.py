"""The quote document of a quote made by hand: escaped, whole, and no fault where there is nothing to say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import hand_built
import pytest
import quote_page_kit as kit

from catalogs.model import Method, Source
from cli.pages.documents.rendering import is_link, render_markdown
from cli.pages.quote.sheets import find_note
from planning.costs.bill import Bill
from planning.documents.blocks import Document, footnotes
from planning.documents.figures import cite
from planning.quoting.quote import Option, Quote

if TYPE_CHECKING:
    from command_project import Atoll

EVIL = "<script>alert('1 & 2')</script> | [x](javascript:alert)"


def made(quote: Quote) -> kit.Made:
    return kit.Made(quote, kit.made("demo").checklist, kit.market().catalog)


def bare(option: Option) -> Option:
    """Without accelerators, runs, buying or notes."""
    system = tuple(pool for pool in option.spec.pools if not pool.accelerators)
    cluster = option.spec.model_copy(update={"pools": system})
    return replace(option, placements=(cluster,), worth=(), runs=(), buying=None, lock_in="", notes=(), leaves_out=())


def test_the_page_shows_every_option_line_and_source() -> None:
    found = made(hand_built.quote())
    text = kit.read_out(found.tree)
    for option in found.quote.options:
        assert option.id in text
        assert all(line.label in text for line in option.bill.lines)
    assert "list-2026-10" in text
    assert "To come under the ceiling: allow spot machines" in text


def test_words_are_escaped() -> None:
    option = replace(hand_built.option(), id="a<b", notes=(EVIL,), lock_in='"quoted" <b>', leaves_out=(EVIL,))
    found = made(replace(hand_built.quote(option), reason=EVIL, refusals=((EVIL, 1),), stack="<i>"))
    assert "<script" not in found.html
    assert EVIL in kit.read_out(found.tree)
    assert "<script" not in found.markdown.replace("\\<", "")
    assert r"\[x\](javascript:alert)" in found.markdown


@pytest.mark.parametrize(
    "text", ["| a | b |", "# not a heading", "`code`", "*bold* _under_", "a\n\n## b", "[x](y)", "<b>", "&lt;"]
)
def test_markdown_shows_text_as_it_is(text: str) -> None:
    shown = render_markdown(Document(title=cite(text), blocks=(), family="quote")).removeprefix("# ").removesuffix("\n")
    assert "\n" not in shown
    unescaped = shown.replace("&amp;", "&")
    for mark in "\\`*_[]<>|~#":
        unescaped = unescaped.replace(f"\\{mark}", mark)
    assert unescaped == " ".join(text.split())


@pytest.mark.parametrize(
    "options",
    [
        (),
        (bare(hand_built.option()),),
        (bare(replace(hand_built.option(), bill=Bill(()))),),
        (
            replace(
                hand_built.option(), bill=Bill((hand_built.unpriced("network/egress", hand_built.BillGroup.NETWORK),))
            ),
        ),
        (replace(hand_built.option(), bill=Bill((hand_built.free("control_plane", hand_built.BillGroup.SECURITY),))),),
    ],
    ids=["no option", "no accelerator", "no line", "nothing priced", "all free"],
)
def test_nothing_to_draw_is_no_fault(options: tuple[Option, ...]) -> None:
    found = made(replace(hand_built.quote(hand_built.option()), options=options, figures=(), advice=()))
    assert found.tree.tag == "html"
    assert "NaN" not in found.html
    assert found.markdown.startswith("# GPU cluster for lagoon-labs: a quote\n")


def test_an_empty_quote_says_so_and_has_no_place_to_sign() -> None:
    found = made(replace(hand_built.quote(), options=()))
    text = kit.read_out(found.tree)
    assert "Nothing on sale satisfies the checklist." in text
    assert "Accepted" not in text


def test_a_line_without_a_price_is_never_zero() -> None:
    found = made(hand_built.quote())
    cells = ["".join(each.itertext()) for each in found.tree.iter("td") if "undetermined" in each.get("class", "")]
    assert "unpriced" in cells
    assert "0.00" not in cells
    assert "network egress | no price for it in this region" in found.markdown


def test_a_source_is_one_footnote_however_often_it_is_named() -> None:
    source = Source(id="s", text="a page", url="javascript:alert(1)", as_of=None, method=Method.LIST)
    cited = tuple(cite("x", source=find_note({"s": source}, each)) for each in ("s", "other", "s", "", "checklist"))
    document = Document(title=cite("x"), blocks=(), lead=cited)
    assert [(note.text, note.dated) for note in footnotes(document)] == [
        ("a page", "undated"),
        ("other", ""),
        ("the checklist", ""),
    ]


@pytest.mark.parametrize(("url", "followed"), [("https://a.example", True), ("javascript:f()", False), ("", False)])
def test_only_addresses_of_the_web_are_links(url: str, *, followed: bool) -> None:
    assert is_link(url) is followed


class TestFiles:
    def test_both_documents_are_written_and_named(self, atoll: Atoll, project: Path) -> None:
        outcome = atoll("quote", "demo", "--today", "2026-11-21", "--html", "a/q.html", "--markdown", "q.md")
        assert outcome.code == 0
        assert (project / "a" / "q.html").read_text(encoding="utf-8").startswith("<!doctype html>")
        assert (project / "q.md").read_text(encoding="utf-8").startswith("# GPU cluster for acme")
        assert "written: a/q.html" in outcome.err
        assert "written: q.md" in outcome.err

    def test_a_folder_is_refused_before_anything_is_reckoned(self, atoll: Atoll, project: Path) -> None:
        for option in ("--html", "--markdown"):
            outcome = atoll("quote", "nowhere", option, str(project))
            assert outcome.code == 1
            assert "is a folder" in outcome.err

    def test_one_file_for_both_is_refused(self, atoll: Atoll, project: Path) -> None:
        outcome = atoll("quote", "demo", "--html", "q.html", "--markdown", f"{project}/./q.html")
        assert outcome.code == 1
        assert "name the same file" in outcome.err
        assert not (project / "q.html").exists()

    def test_a_path_that_cannot_be_written_leaves_nothing_behind(self, atoll: Atoll, project: Path) -> None:
        (project / "file").write_text("here first", encoding="utf-8")
        outcome = atoll(
            "quote", "demo", "--today", "2026-11-21", "--html", "new/q.html", "--markdown", "file/below/q.md"
        )
        assert outcome.code == 1
        assert "Traceback" not in outcome.err
        assert "error: " in outcome.err
        assert not (project / "new").exists()
        assert (project / "file").read_text(encoding="utf-8") == "here first"
