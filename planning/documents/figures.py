"""Figures with their origin. Plain words may hold no digit, so that every figure in a document can be traced."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from catalogs.catalog import Catalog
    from catalogs.model import Promise


DIGIT: Final = re.compile(r"\d")
PLACE: Final = re.compile(r"\{([^{}]*)\}")


class Origin(StrEnum):
    LOCK = "lock"
    CHECKLIST = "checklist"
    CATALOG = "catalog"
    MEASURED = "measured"
    CALCULATED = "calculated"
    CITED = "cited"  # from a quote or a plan, whose JSON has the origin of each figure


class UntracedError(ValueError):
    """A figure without an origin: a programming error."""


class Footnote(NamedTuple):
    """A source; pages link its address."""

    text: str
    url: str = ""
    dated: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure, a date, or a name with digits in it, as it is shown.

    Args:
        text: "1,021.76", "H100-SXM-80GB", "2026-11-22".
        origin: what kind of thing it was read from.
        at: where in it. Lock and checklist: the path, "placements.0.pools.1.max_nodes". Catalog: file, key and
            column, "promises.csv all_reduce_share value". Measured: file and path. Calculated: the formula in words.
        source: what a footnote says: text, page and date; "" where `origin` and `at` say it all.
        inputs: what it was calculated from; for calculated figures only.
    """

    text: str
    origin: Origin
    at: str
    source: str | Footnote = ""
    inputs: tuple[Figure, ...] = ()

    def __post_init__(self) -> None:
        if not self.at or (self.origin is Origin.CALCULATED and not self.inputs):
            raise UntracedError(f"{self.text!r} has no origin: {self.origin} {self.at!r}")


Part = str | Figure


@dataclass(frozen=True, slots=True)
class Sentence:
    """Plain words and figures, in the order in which they are read.

    Args:
        tone: how it is meant, as classes of the page's style sheet: a verdict ("within", "over", "undetermined"),
            "faint", "sum", "box" to be ticked, "drawn" for what explains a chart, and so on.
        hover: words that a page shows over it.
        below: small print under it.

    Raises:
        UntracedError: a digit in the plain words.
    """

    parts: tuple[Part, ...]
    tone: str = ""
    hover: str = ""
    below: str = ""

    def __post_init__(self) -> None:
        loose = [part for part in self.parts if isinstance(part, str) and DIGIT.search(part)]
        if loose:
            raise UntracedError(f"digits that are no figure: {loose}")

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    @property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(part for part in self.parts if isinstance(part, Figure))

    def __add__(self, other: Sentence) -> Sentence:
        return Sentence((*self.parts, *other.parts))


def say(*parts: Part | Sentence) -> Sentence:
    """A sentence of plain words, figures and other sentences.

    Raises:
        UntracedError: a digit in the plain words.
    """
    found: list[Part] = []
    for part in parts:
        found += part.parts if isinstance(part, Sentence) else (part,)
    return Sentence(tuple(found))


def compose(template: str, *values: Part | Sentence) -> Sentence:
    """A sentence with a value in the place of each "{}".

    Raises:
        UntracedError: a digit in the template.
        ValueError: more or fewer places than values.
    """
    first, *rest = template.split("{}")
    pairs = (part for pair in zip(values, rest, strict=True) for part in pair)
    return say(*(part for part in (first, *pairs) if part))


def read_figure(root: object, path: str, *, origin: Origin = Origin.LOCK) -> Figure:
    """The figure at a path of a lock or a checklist: "placements.0.pools.1.max_nodes".

    Raises:
        AttributeError: there is no such field; a fault of ours, as is an index beyond the last.
    """
    found = root
    for step in path.split("."):
        found = cast("Sequence[object]", found)[int(step)] if step.isdecimal() else getattr(found, step)
    known = found if isinstance(found, str | int | Decimal | date) else str(found)
    return Figure(text=format_value(known), origin=origin, at=path)


def compose_from(
    root: object, template: str, *values: Part | Sentence, at: str = "", origin: Origin = Origin.LOCK
) -> Sentence:
    """A sentence with the figure of each path in braces, as in "{placement.region}", and a value for each "{}".

    Args:
        root: a lock or a checklist.
        at: where in it the paths begin: "placements.0.".

    Raises:
        UntracedError: a digit in the words.
        AttributeError: there is no such field; a fault of ours.
    """
    words = PLACE.split(template)
    figures = (read_figure(root, f"{at}{path}", origin=origin) for path in words[1::2] if path)
    filled = iter(values)
    parts = (next(filled) if not path else next(figures) for path in words[1::2])
    return compose("{}".join(words[::2]), *parts)


def cite(text: str, *, source: str | Footnote = "", tone: str = "", hover: str = "", below: str = "") -> Sentence:
    """Words quoted from a quote or a plan, digits included."""
    parts = (Figure(text=text, origin=Origin.CITED, at="cited", source=source),) if text else ()
    return Sentence(parts, tone, hover, below)


def join_sentences(sentences: Iterable[Sentence], *, last: str = " and ") -> Sentence:
    """One enumeration: "a, b and c"."""
    every = list(sentences)
    found: list[Part | Sentence] = []
    for position, sentence in enumerate(every):
        if position:
            found.append(last if position == len(every) - 1 else ", ")
        found.append(sentence)
    return say(*found)


Value = str | int | Decimal | date


def format_value(value: Value) -> str:
    """A value with thousands separators and without trailing zeros; the unit is for the caller to add."""
    if isinstance(value, Decimal):
        return f"{value.normalize():,f}" if value else "0"
    return f"{value:,}" if isinstance(value, int) else str(value)


def of_lock(value: Value, at: str, *, text: str = "") -> Figure:
    """A figure of quote.lock.json.

    Args:
        at: its path, "placements.0.pools.1.max_nodes".
        text: how it is shown, where not by `format_value`; it must hold the same value.
    """
    return Figure(text=text or format_value(value), origin=Origin.LOCK, at=at)


def of_checklist(value: Value, at: str, *, text: str = "") -> Figure:
    return Figure(text=text or format_value(value), origin=Origin.CHECKLIST, at=at)


def of_catalog(value: Value, at: str, *, source: str, text: str = "") -> Figure:
    """A figure of the catalog.

    Args:
        at: file, key and column: "accelerators.csv H100-SXM-80GB bf16".
        source: text, page and date of the row, as `source_text` says them.
    """
    return Figure(text=text or format_value(value), origin=Origin.CATALOG, at=at, source=source)


def source_text(catalog: Catalog, source: str, *, as_of: date | None = None) -> str:
    """What a footnote says of a source of the catalog: its text, its page and its date, "undated" without one.

    Args:
        as_of: the row's own date, which goes before the source's.

    Raises:
        KeyError: the catalog has no such source; a fault of ours.
    """
    known = catalog.sources[source]
    return ", ".join(part for part in (known.text, known.url, str(as_of or known.as_of or "undated")) if part)


def of_promise(promise: Promise, *, source: str, text: str = "") -> Figure:
    return of_catalog(promise.value, f"promises.csv {promise.name} value", source=source, text=text)


def derive_figure(value: Value, formula: str, *inputs: Figure, text: str = "") -> Figure:
    """A figure that follows from others.

    Args:
        formula: in words: "working nodes times accelerators of one node".
    """
    return Figure(text=text or format_value(value), origin=Origin.CALCULATED, at=formula, inputs=inputs)
