"""HTML and SVG as text: elements with escaped attributes and escaped words."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final, NewType

from planning.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Markup = NewType("Markup", str)
Attribute = str | int | float
_VOID: Final = frozenset({"line", "rect", "circle", "meta", "path"})


def element(name: str, /, *content: Markup, **attributes: Attribute) -> Markup:
    """An element; "_" in an attribute's name stands for "-", one at its end is dropped ("class_")."""
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{given}/>")
    return Markup(f"<{name}{given}>{''.join(content)}</{name}>")


def words(text: str) -> Markup:
    """Text that is nothing but text."""
    return Markup(escape(printable(text)))


def joined(parts: Iterable[Markup]) -> Markup:
    """Parts one after the other."""
    return Markup("\n".join(parts))


def cells(kind: str, texts: Iterable[str], *, numbers_from: int) -> Markup:
    """A table row; from column `numbers_from` on, figures that stand right."""
    return element(
        "tr",
        *(
            element(kind, words(text), class_="number") if index >= numbers_from else element(kind, words(text))
            for index, text in enumerate(texts)
        ),
    )


def wide(content: Markup, **attributes: Attribute) -> Markup:
    """Content that scrolls sideways by itself where the screen is narrower."""
    return element("div", content, class_="wide", **attributes)


def note_marks(numbers: Sequence[int]) -> Markup:
    """The numbers of footnotes, as links to them; in brackets, for "10<sup>3</sup>" is a power."""
    if not numbers:
        return Markup("")
    links = (element("a", words(str(each)), href=f"#note-{each}") for each in numbers)
    return element("sup", Markup(f"[{', '.join(links)}]"))


def _value(value: Attribute) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else escape(printable(str(value)))
