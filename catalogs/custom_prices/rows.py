"""Rows of an own price book as values, and which of them a price falls under."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final, final

from catalogs.model import OWN_PREFIX
from catalogs.parsing import EVERYWHERE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import date

    from catalogs.model import Price

Key = tuple[str, str, str, str, str]  # provider, item, region, purchase, above

FIRST_TIER: Final = "0"
_SOURCE: Final = re.compile(rf"{OWN_PREFIX}[\w.-]+:\d+")


def find_own_sources(words: str) -> frozenset[str]:
    """The rows of an own book that the source and the note of a price name."""
    return frozenset(_SOURCE.findall(words)) if OWN_PREFIX in words else frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRow:
    """One row of the customer's book: `usd`, or `factor` on the list price; never both.

    Args:
        number: line of the file.
        book: name of the book.
        key: the item may be "*", the first letters of several with "*" behind them, or a family of accelerators.
        change: as the file says it: "-12%".
        on_top: whether the change applies to what other rows leave, rather than instead of them.
    """

    number: int
    book: str
    key: Key
    unit: str
    usd: Decimal | None
    factor: Decimal | None
    as_of: date | None
    change: str = ""
    on_top: bool = False

    @property
    def exact(self) -> bool:
        """Whether the row is a price of one key, so that it can stand in for a list row or add one."""
        return self.usd is not None and EVERYWHERE not in self.key[1:4]

    @property
    def source(self) -> str:
        return f"{OWN_PREFIX}{self.book}:{self.number}"

    def line(self) -> str:
        as_of = self.as_of.isoformat() if self.as_of else "unknown"
        return ",".join((*self.key[:4], self.unit, str(self.usd), self.key[4] or FIRST_TIER, self.source, as_of))


def spell_amount(value: Decimal) -> str:
    """One spelling of each number: 0 for "0", "00" and "0.0"."""
    return format(value.normalize(), "f")


@final
class ItemWords:
    """What an item may be called in a book, most specific first: itself, its family, its first letters, "*".

    Args:
        used: items of the rows, with their provider.
        families: of a provider: accelerator family by machine.
    """

    def __init__(self, used: Iterable[tuple[str, str]], *, families: Callable[[str], Mapping[str, str]]) -> None:
        self._used = frozenset(used)
        self._families = families
        self._found: dict[tuple[str, str], tuple[str, ...]] = {}

    def of(self, provider: str, item: str) -> tuple[str, ...]:
        key = (provider, item)
        if key not in self._found:
            family = self._families(provider).get(item, "")
            words = (item, family, *(f"{item[:at]}{EVERYWHERE}" for at in range(len(item), -1, -1)))
            self._found[key] = tuple(word for word in words if (provider, word) in self._used)
        return self._found[key]

    def keys(self, key: Key) -> Iterator[Key]:
        """Keys of rows that cover a price, most specific first: item before purchase before region before tier."""
        provider, its_item, its_region, its_purchase, its_above = key
        for item in self.of(provider, its_item):
            for purchase in (its_purchase, EVERYWHERE):
                for region in (its_region, EVERYWHERE):
                    for above in (its_above, ""):
                        yield (provider, item, region, purchase, above)


@final
class OwnPrices:
    """The rows of one own price book, ready to be applied.

    Args:
        rows: every row that is not `exact`; exact rows have replaced list rows already.
    """

    def __init__(self, rows: Iterable[OwnRow], *, words: ItemWords) -> None:
        self._words = words
        self._rows: dict[Key, OwnRow] = {}
        self._on_top: dict[Key, list[OwnRow]] = {}
        for row in rows:
            if row.on_top:
                self._on_top.setdefault(row.key, []).append(row)
            else:
                self._rows[row.key] = row

    def apply_to(self, price: Price) -> Price:
        """The price under the rows that cover it; the same price where none does.

        The most specific row that stands alone goes first, then those on top, most specific first. A price of one's
        own is what is paid: no discount applies to it.
        """
        if price.source.startswith(OWN_PREFIX):
            return price
        key = (price.provider, price.item, price.region, price.purchase, spell_amount(price.above))
        keys = list(self._words.keys(key))
        first = next((self._rows[each] for each in keys if each in self._rows), None)
        if first is not None and first.usd is not None:
            return replace(price, usd=first.usd, source=first.source, as_of=first.as_of, entered=None)
        changes = [first] if first else []
        changes += [row for each in keys for row in self._on_top.get(each, ())]
        if not changes:
            return price
        usd = price.usd
        for row in changes:
            usd *= row.factor if row.factor is not None else Decimal(1)
        return replace(
            price,
            usd=usd,
            source=changes[0].source,
            list_usd=price.usd,
            list_source=price.source,
            discounts=tuple(f"{row.change} ({row.source})" for row in changes),
        )
