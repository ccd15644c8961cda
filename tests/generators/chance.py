"""Draws from any source of numbers between 0 and 1; the least number gives the plainest value, so failures shrink."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import TypeVar

T = TypeVar("T")

_SIGNIFICANT = 3  # digits of a drawn amount; people write no more

# Texts that a valid checklist may hold and that a document or a terminal could take for markup.
TEXTS = (
    "Acme research",
    "Zoë Łukasiewicz",
    "with [brackets] and [/red]",
    "pipe | <b>tag</b> & 'quotes' \"both\"",
    "*stars* _lines_ `ticks` # not a heading",
    "C:\\folder\\{name}",
)


@dataclass(frozen=True, slots=True)
class Chance:
    """What the generator draws with."""

    source: Random

    def flag(self, share: float = 0.5) -> bool:
        """True in that share of the draws."""
        return self.source.random() >= 1 - share

    def among(self, choices: Sequence[T]) -> T:
        """One of them."""
        return choices[min(int(self.source.random() * len(choices)), len(choices) - 1)]

    def some(self, choices: Sequence[T], *, least: int = 0, most: int | None = None) -> list[T]:
        """Different ones of them."""
        left = list(choices)
        count = self.whole(least, min(len(left), most if most is not None else len(left)))
        return [left.pop(left.index(self.among(left))) for _ in range(count)]

    def whole(self, low: int, high: int) -> int:
        """A whole number, each as likely as any other."""
        return min(low + int(self.source.random() * (high - low + 1)), high)

    def scaled(self, low: float, high: float) -> Decimal:
        """An amount with three digits, each order of magnitude as likely as any other."""
        drawn = Decimal(math.exp(math.log(low) + self.source.random() * (math.log(high) - math.log(low))))
        return min(max(_rounded(drawn), Decimal(str(low))), Decimal(str(high)))

    def scaled_whole(self, low: int, high: int) -> int:
        """A whole number, each order of magnitude as likely as any other."""
        return int(self.scaled(low, high))

    def share(self, low: str, high: str) -> str:
        """A share or a percentage between two bounds, as text."""
        least, most = Decimal(low), Decimal(high)
        return plain(least + _rounded(Decimal(self.source.random()) * (most - least)))

    def amount(self, low: float, high: float) -> str:
        """An amount as text, without an exponent."""
        return plain(self.scaled(low, high))

    def gigabytes(self, low: float = 1, high: float = 5e6) -> str:
        """A size with a unit."""
        size = self.scaled(low, high)
        unit, factor = self.among((("GB", 1), ("TB", 1000), ("GiB", 1), ("MB", Decimal("0.001"))))
        return f"{plain(size / factor)}{unit}"

    def count(self, low: float, high: float) -> str | int:
        """A count, written with a letter or out."""
        drawn = self.scaled(low, high)
        unit, factor = self.among((("B", 10**9), ("M", 10**6), ("T", 10**12), ("", 1)))
        return f"{plain(drawn / factor)}{unit}" if unit else int(drawn)

    def days(self, low_hours: float = 1, high_hours: float = 8760) -> str:
        """A length of time with its unit."""
        hours = self.scaled(low_hours, high_hours)
        unit, factor = self.among((("d", 24), ("h", 1), ("w", 168)))
        return f"{plain(max(_rounded(hours / factor), Decimal('0.001')))}{unit}"

    def text(self) -> str:
        """A name that a person has written."""
        return self.among(TEXTS)

    def fields(self, **drawn: tuple[float, Callable[[], object]]) -> dict[str, object]:
        """Each field in its share of the draws."""
        return {name: make() for name, (share, make) in drawn.items() if self.flag(share)}


def rising(first: str, second: str, third: str, *, names: Sequence[str]) -> Mapping[str, object]:
    """Three amounts of one unit under three names, least first."""
    return dict(zip(names, sorted((first, second, third), key=Decimal), strict=True))


def plain(number: Decimal) -> str:
    """Written out, without an exponent and without zeros that say nothing."""
    return f"{number.normalize():f}"


def _rounded(number: Decimal) -> Decimal:
    return Decimal(f"{number:.{_SIGNIFICANT}g}")
