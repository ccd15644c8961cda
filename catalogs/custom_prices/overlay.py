"""An own price book laid over the list: lines that it replaces and adds, and rows that would change nothing."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final, final

from catalogs.custom_prices.rows import FIRST_TIER, spell_amount
from catalogs.model import UNNAMED_MACHINE, PurchaseKind
from catalogs.parsing import EVERYWHERE, LIST, within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from catalogs.custom_prices.rows import ItemWords, Key, OwnRow

NO_SUCH_TIER: Final = "no row prices what lies below; add one with above 0"


@final
class Overlay:
    """The rows of a book over the sorted lines of a list.

    Args:
        words: which rows an item falls under.
        reserved: of a provider: words of purchases for a term.
    """

    def __init__(
        self,
        rows: Sequence[OwnRow],
        lines: Sequence[str],
        *,
        words: ItemWords,
        reserved: Callable[[str], AbstractSet[str]],
    ) -> None:
        self._rows = rows
        self._words = words
        bases = set(_find_bases(rows, lines, words=words, reserved=reserved))
        self._lines = sorted([*bases, *lines]) if bases else lines
        self.lines = self._merge()

    def _merge(self) -> list[str]:
        """The list with the customer's exact prices in their place, and those that stand nowhere yet; sorted."""
        exact = [row for row in self._rows if row.exact]
        replaced = {line for row in exact for line in _list_covered_lines(self._lines, row)}
        merged = sorted([line for line in self._lines if line not in replaced] + [row.line() for row in exact])
        return sorted([*merged, *(added.line() for row in self._rows for added in _additions(row, merged))])

    def faults(self) -> Iterator[tuple[OwnRow, str, str]]:
        """Rows that would change nothing or count in another unit, with the column and what is wrong."""
        yield from self._idle()
        yield from self._list_unfounded_tiers()

    def _idle(self) -> Iterator[tuple[OwnRow, str, str]]:
        units = self._units_changed()
        for row in self._rows:
            if row.exact:
                continue
            per = units.get(row.key, set())
            if row.unit and per - {row.unit}:
                others = ", ".join(sorted(per - {row.unit}))
                said = f"unit {row.unit!r}: the row also covers prices per {others}; leave it empty, or narrow the row"
                yield row, "unit", said
            if not per and not any(_additions(row, self._lines)):
                yield row, "item", _say_no_effect(row)

    def _units_changed(self) -> dict[Key, set[str]]:
        """The units of all list prices that each row covers; no key for a row that covers none."""
        changing = {row.key for row in self._rows if not row.exact}
        units: dict[Key, set[str]] = {}
        for provider in sorted({key[0] for key in changing}):
            for line in within(self._lines, f"{provider},"):
                _, item, region, purchase, unit, _, above, _ = line.split(",", 7)
                for key in self._words.keys((provider, item, region, purchase, spell_amount(Decimal(above)))):
                    if key in changing:
                        units.setdefault(key, set()).add(unit)
        return units

    def _list_unfounded_tiers(self) -> Iterator[tuple[OwnRow, str, str]]:
        """Rows of a tier below which nothing is priced, or of a machine, which has no tiers."""
        for row in self._rows:
            above = row.key[4]
            places = (row.key,) if row.exact else tuple(each.key for each in _additions(row, self._lines))
            if row.exact and row.key[3] != LIST and above not in ("", FIRST_TIER):
                yield row, "above", f"above {above}: a machine has one price for every hour; leave it empty"
                continue
            for place in places:
                tiers = (line.split(",")[6] for line in within(self.lines, ",".join((*place[:4], ""))))
                if not any(Decimal(each) == 0 for each in tiers):
                    yield row, "above", f"above {above}: {NO_SUCH_TIER}"
                    break


def _find_bases(
    rows: Sequence[OwnRow], lines: Sequence[str], *, words: ItemWords, reserved: Callable[[str], AbstractSet[str]]
) -> Iterator[str]:
    """The prices that a change of a term applies to where the list has none for it: those on demand.

    Several providers publish a term as "up to 60%" off only: a quotation then says by how much.
    """
    changed = {
        row.key
        for row in rows
        if row.factor is not None and not row.on_top and not row.key[4] and row.key[3] in reserved(row.key[0])
    }
    for provider in {key[0] for key in changed}:
        purchases = {key[3] for key in changed if key[0] == provider}
        for line in within(lines, f"{provider},"):
            _, item, region, kind, rest = line.split(",", 4)
            for purchase in purchases if kind == PurchaseKind.ON_DEMAND else ():
                start = f"{provider},{item},{region},{purchase},"
                keys = words.keys((provider, item, region, purchase, ""))
                if not changed.isdisjoint(keys) and not within(lines, start):
                    yield f"{start}{rest}"


def _list_covered_lines(lines: Sequence[str], row: OwnRow) -> list[str]:
    found = within(lines, ",".join((*row.key[:4], "")))
    return [line for line in found if row.key[4] in ("", spell_amount(Decimal(line.split(",")[6])))]


def _additions(row: OwnRow, lines: Sequence[str]) -> Iterator[OwnRow]:
    """Rows for the places that a price of every region reaches, and where the list has no row of this purchase.

    A service has one row for every region, as in the list, and so have nodes without a name. A machine has one in
    each region where it is sold at all, since a price says nothing of where else it may be had.
    """
    provider, item, region, purchase, above = row.key
    if row.usd is None or region != EVERYWHERE or EVERYWHERE in (item, purchase):
        return
    its = within(lines, f"{provider},{item},")
    present = {tuple(line.split(",", 4)[2:4]) for line in its}
    is_one_row = purchase == LIST or item == UNNAMED_MACHINE
    places = [EVERYWHERE] if is_one_row else sorted({place for place, _ in present})
    for place in places:
        if (place, purchase) not in present:
            yield replace(row, key=(provider, item, place, purchase, above))


def _say_no_effect(row: OwnRow) -> str:
    provider, item, region, purchase, above = row.key
    place = "" if region == EVERYWHERE else f" in {region}"
    tier = f" from {above} on" if above not in ("", FIRST_TIER) else ""
    what = "anything" if item == EVERYWHERE else item
    how = "" if purchase in (EVERYWHERE, LIST) else f" ({purchase})"
    return f"the row changes nothing: the list has no price of {what} at {provider}{place}{how}{tier}"
