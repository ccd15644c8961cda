"""Whether price rows are sound: a fast look at load, and every fault by line once that look finds one.

Looking at 43,000 rows takes a tenth of a whole quote. While the files are, byte for byte, those that were found
sound, the look is not taken again; a changed byte anywhere and every row is looked at, as if there were no stamp.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast

from catalogs import parsing
from catalogs.parsing import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


HEADER = ",".join(COLUMNS)
FIRST_LINE = 2  # line 1 is the header
_ENDLESS = float("inf")

Fault = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Words:
    """The words that price rows use, gathered in the one pass that reads them all."""

    purchases: set[tuple[str, str, str]] = field(default_factory=set[tuple[str, str, str]])  # with provider, region
    sources: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])  # source, and the row's own date


def looks_sound(lines: Sequence[str], words: Words) -> bool:
    """Whether every row has its columns, a number that is not negative, and a key of its own; fills `words`.

    Rows must be sorted: only neighbours are compared.
    """
    last: tuple[str, ...] = ()
    try:
        for line in lines:
            provider, item, region, purchase, _, usd, above, source, as_of = line.split(",")
            key = (item, region, purchase, above, provider)
            if key == last or not 0 <= float(usd) < _ENDLESS:
                return False
            last = key
            words.purchases.add((purchase, provider, region))
            words.sources.add((source, as_of))
    except ValueError:
        return False
    return True


def collect_words(lines: Sequence[str]) -> Words:
    words = Words()
    looks_sound(lines, words)
    return words


def faults(lines: Iterable[str]) -> list[Fault]:
    """Every fault of a price file's rows, with its line number."""
    found: list[Fault] = []
    first_seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=FIRST_LINE):
        cells = line.split(",")
        if len(cells) != len(COLUMNS):
            found.append((number, f"{len(cells)} columns; a price row has {len(COLUMNS)}"))
            continue
        key = ",".join((*cells[:4], cells[6]))
        if key in first_seen:
            found.append((number, f"key {key} stands in line {first_seen[key]}; one key may have one row"))
        first_seen.setdefault(key, number)
        found.extend((number, text) for text in _bad_values(dict(zip(COLUMNS, cells, strict=True))))
    return found


def _bad_values(cells: dict[str, str]) -> Iterator[str]:
    for column in ("provider", "item", "region", "purchase", "unit", "source"):
        if not cells[column]:
            yield f"{column} is missing"
    for column in ("usd", "above"):
        try:
            parsing.money(cells[column])
        except ValueError as fault:
            yield f"{column}: {fault}"
    try:
        parsing.day(cells["as_of"])
    except ValueError as fault:
        yield f"as_of: {fault}"


NAME: Final = "checked.json"


def words_found(path: Path, *, digest: str) -> Words | None:
    """The words of the rows, if the stamp at a path is of files with this digest; else None."""
    try:
        stamp = cast("dict[str, object]", json.loads(path.read_bytes()))
        if stamp["digest"] != digest:
            return None
        purchases = cast("list[tuple[str, str, str]]", stamp["purchases"])
        sources = cast("list[tuple[str, str]]", stamp["sources"])
        return Words(
            purchases={(word, provider, region) for word, provider, region in purchases},
            sources={(source, as_of) for source, as_of in sources},
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def text(*, digest: str, words: Words) -> str:
    stamp = {"digest": digest, "purchases": sorted(words.purchases), "sources": sorted(words.sources)}
    return json.dumps(stamp, separators=(",", ":")) + "\n"
