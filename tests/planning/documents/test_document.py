from __future__ import annotations

from html import unescape

import pytest

from cli.pages.documents.rendering import render_html, render_markdown
from planning.documents.blocks import Blank, Bullets, Document, Heading, Notice, Paragraph, Picture, Table
from planning.documents.figures import (
    Figure,
    Origin,
    UntracedError,
    derive_figure,
    join_sentences,
    of_catalog,
    of_lock,
    say,
)

NODES = of_lock(2, "placements.0.pools.1.working")
EACH = of_catalog(8, "machines.csv aws p5.48xlarge accelerators", source="AWS, EC2 instance types, 2026-01-01")
ALL = derive_figure(16, "working nodes times accelerators of one", NODES, EACH)
NAME = of_lock("H100-SXM-80GB", "placements.0.pools.1.accelerator")


@pytest.fixture
def document() -> Document:
    return Document(
        title=say("Annex"),
        subtitle=say("for <lagoon> & co | all"),
        blocks=(
            Heading(2, say("Compute")),
            Paragraph(say("There are ", ALL, " of ", NAME, ".")),
            Notice(say("Let a lawyer read it.")),
            Bullets((say("read"), say("signed")), boxes=True),
            Table(head=(say("what"), say("how many")), rows=((say("nodes"), say(NODES)),), numbers_from=1),
            Picture(name="dots", alt=say("Dots of ", EACH)),
            Blank(say("Signature")),
        ),
    )


def test_plain_words_hold_no_digits() -> None:
    with pytest.raises(UntracedError, match="no figure"):
        say("below 99 percent")


@pytest.mark.parametrize(("origin", "at"), [(Origin.LOCK, ""), (Origin.CALCULATED, "a times b")])
def test_a_figure_says_where_it_is_from(origin: Origin, at: str) -> None:
    with pytest.raises(UntracedError, match="'7' has no origin"):
        Figure(text="7", origin=origin, at=at)


def test_what_a_reckoned_figure_rests_on_is_in_the_footnotes(document: Document) -> None:
    text = render_markdown(document)
    assert "There are 16<sup>[1, 2]</sup> of H100-SXM-80GB." in text
    assert text.endswith(
        "1. calculated: working nodes times accelerators of one\n2. AWS, EC2 instance types, 2026-01-01\n"
    )


def test_words_from_outside_mean_nothing_to_markdown_or_html(document: Document) -> None:
    assert "for \\<lagoon\\> & co \\| all" in render_markdown(document)
    page = render_html(document, pictures={"dots": "<svg/>"})
    assert "for &lt;lagoon&gt; &amp; co | all" in page
    assert '<div class="wide"><svg/></div>' in page


def test_the_browser_may_fetch_nothing_for_any_page() -> None:
    page = render_html(Document(title=say("a & b"), blocks=()))
    head = page[: page.index("</head>")]
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}"' in unescape(head)
    assert '<meta name="referrer" content="no-referrer"' in head
    assert "<title>a &amp; b</title>" in head


def test_the_page_fetches_nothing_and_its_notes_are_there(document: Document) -> None:
    page = render_html(document)
    assert "://" not in page
    assert 'href="#note-1"' in page
    assert 'id="note-1"' in page


def test_an_enumeration_reads_as_one() -> None:
    assert join_sentences([say("a"), say("b"), say("c")]).text == "a, b and c"
    assert [figure.text for figure in join_sentences([say(NODES), say(ALL)]).figures] == ["2", "16"]


def test_a_footnote_of_a_whole_column_stands_at_its_head() -> None:
    head = (say("what"), say("each"), say("all"))
    mixed = ((say("a"), say(EACH), say(ALL)), (say("b"), say(EACH), say(NODES)), (say("c"), say("none"), say(ALL)))
    table = Table(head=head, rows=mixed, numbers_from=1)
    whole = Document(title=say("x"), subtitle=say("y"), blocks=(table,))
    assert "| what | each<sup>[1]</sup> | all |" in render_markdown(whole)
    assert "| a | 8 | 16<sup>[1, 2]</sup> |\n| b | 8 | 2 |\n| c | none | 16<sup>[1, 2]</sup> |" in render_markdown(
        whole
    )
    page = render_html(whole)
    assert '<th scope="col" class="number">each<sup>[<a href="#note-1">1</a>]</sup></th>' in page
    assert page.count('href="#note-1"') == 3
