"""Values get into pages and examples as what they are, whatever they hold."""

from __future__ import annotations

import re
from decimal import Decimal
from html import unescape

import markdown
import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.handbook.renderer import Markdown, amount, in_code, in_prose, in_snippet
from planning.values.errors import AtollError
from planning.values.printable import printable

TEXT = st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_characters="\x7f"), max_size=30)


def shown(text: str) -> str:
    html = markdown.markdown(text, extensions=["tables", "admonition"])
    return " ".join(unescape(re.sub(r"<[^>]*>", "", html)).split())


@given(TEXT)
def test_text_reads_as_it_was_written(text: str) -> None:
    plain = printable(" ".join(text.split()))
    assert shown(f"x {in_prose(text)} y") == " ".join(f"x {plain} y".split())


@given(TEXT.filter(lambda text: text.strip()))
def test_text_in_a_table_stays_in_its_cell(text: str) -> None:
    html = markdown.markdown(f"| a | b |\n|---|---|\n| {in_prose(text)} | end |\n", extensions=["tables"])
    cells = re.findall(r"<td>(.*?)</td>", html, re.DOTALL)
    assert len(cells) == 2
    assert " ".join(unescape(cells[0]).split()) == printable(" ".join(text.split()))


@given(TEXT)
def test_code_is_one_piece(text: str) -> None:
    code = in_code(text)
    assert code.count("`") in {0, 2}
    assert "|" not in code


@given(st.text(max_size=20))
def test_a_snippet_takes_nothing_that_ends_its_string(text: str) -> None:
    try:
        taken = in_snippet(text)
    except AtollError:
        return
    assert not set("\"'`\\\n$;&<>(){}[]#*?!|~") & set(taken)


@pytest.mark.parametrize("value", [True, None, ["a"], {"a": 1}, Markdown("x"), 1.5])
def test_a_snippet_takes_text_and_whole_numbers_only(value: object) -> None:
    with pytest.raises(AtollError):
        in_snippet(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [(30400, "30,400"), (Decimal("2.50"), "2.5"), (Decimal("1E+3"), "1,000"), (0, "0"), (Decimal(100), "100")],
)
def test_numbers_have_their_thousands_apart(value: int | Decimal, text: str) -> None:
    assert amount(value) == text
