"""The bill of the source beside the bill of its clone, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic.dataclasses import dataclass

from planning.costs.json_shapes import publish_as
from planning.diff.bill_lines import amount_of, components, delta_of
from planning.diff.form import AmountForm, ComponentDiffForm, DeltaForm
from planning.values.json_format import decimal_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from decimal import Decimal

    from planning.costs.json_shapes import LineForm, RangeForm
    from planning.spec.lock import Lock, LockedLine


@dataclass(frozen=True, slots=True, kw_only=True, config=publish_as("OneSidedForm"))
class OneSided:
    """A line that has a price on one side only."""

    key: str
    label: str
    priced_on: str
    """"old" or "new"."""


@dataclass(frozen=True, slots=True, kw_only=True, config=publish_as("PriceLinesForm"))
class PriceLines:
    """Both bills."""

    old: AmountForm
    new: AmountForm
    delta: DeltaForm
    comparable: DeltaForm  # a price that is lost is no saving
    """Without the lines that have a price on one side only."""
    components: tuple[ComponentDiffForm, ...]
    """Every component of which a line moves, the largest move first."""
    one_sided: tuple[OneSided, ...]
    notes: tuple[str, ...]


def price_lines(old: Lock, new: Lock) -> PriceLines:
    """Both accepted bills, side by side."""
    before, after = (tuple(map(_form, each.bill)) for each in (old, new))
    one_sided = tuple(_one_sided(before, after))
    left_out = {each.key for each in one_sided}
    known = [[line for line in lines if _strip_tier(line["key"]) not in left_out] for lines in (before, after)]
    return PriceLines(
        old=amount_of(before),
        new=amount_of(after),
        delta=delta_of(amount_of(before), amount_of(after)),
        comparable=delta_of(*map(amount_of, known)),
        components=tuple(components(before, after)),
        one_sided=one_sided,
        notes=tuple(_notes(old, new)),
    )


def _one_sided(old: Sequence[LineForm], new: Sequence[LineForm]) -> Iterator[OneSided]:
    """Things that both bills have, and only one of them has a price of."""
    priced_before, priced_after = (_things(lines, priced=True) for lines in (old, new))
    open_before, open_after = (_things(lines, priced=False) for lines in (old, new))
    for key, label in open_after.items():
        if key in priced_before:
            yield OneSided(key=key, label=label, priced_on="old")
    for key, label in open_before.items():
        if key in priced_after:
            yield OneSided(key=key, label=label, priced_on="new")


def _things(lines: Iterable[LineForm], *, priced: bool) -> dict[str, str]:
    found = (line for line in lines if (line["usd_per_month"] is not None) is priced)
    return {_strip_tier(line["key"]): line["label"] for line in found}


def _strip_tier(key: str) -> str:
    return key.partition("#")[0]


def _notes(old: Lock, new: Lock) -> Iterator[str]:
    """What else differs between the two bills than the place."""
    if old.prices_digest != new.prices_digest:
        yield (
            f"the bills are of two price lists ({old.prices} of {old.prices_as_of or 'no date'} and {new.prices} of "
            f"{new.prices_as_of or 'no date'}): part of the difference is time, not place"
        )
    if old.contract_months != new.contract_months:
        yield f"the contracts differ: {old.contract_months} and {new.contract_months} months"


def _form(line: LockedLine) -> LineForm:
    """A locked line as the comparison of bills reads lines; a lock keeps no group and no note."""
    return {
        "key": line.key,
        "label": line.label,
        "group": "",
        "item": line.item,
        "state": "unpriced" if line.usd_per_month is None else "free" if line.state == "free" else "priced",
        "quantity": _range(line.quantity),
        "unit": line.unit,
        "usd_per_unit": None if line.usd_per_unit is None else decimal_text(line.usd_per_unit),
        "usd_per_month": None if line.usd_per_month is None else _range(line.usd_per_month),
        "source": line.source,
        "as_of": None if line.as_of is None else line.as_of.isoformat(),
        "note": "",
    }


def _range(readings: tuple[Decimal, Decimal, Decimal]) -> RangeForm:
    low, expected, high = map(decimal_text, readings)
    return {"min": low, "expected": expected, "max": high}
