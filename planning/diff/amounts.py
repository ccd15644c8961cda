"""Amounts of two sides, and by how much they move."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.values.money import round_to, to_cents

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from planning.costs.json_shapes import LineForm, RangeForm
    from planning.diff.form import AmountForm, DeltaForm

Readings = tuple[Decimal, Decimal, Decimal]
NONE: Final[Readings] = (Decimal(0), Decimal(0), Decimal(0))
TENTH: Final = Decimal("0.1")


def amount_of(lines: Iterable[LineForm]) -> AmountForm:
    """What lines cost together, in cents; those without a price are counted, never taken for nothing."""
    total, unpriced = NONE, 0
    for line in lines:
        usd = line["usd_per_month"]
        unpriced += usd is None
        total = total if usd is None else _plus(total, _readings(usd))
    return {"usd_per_month": _form(total), "unpriced": unpriced}


def sum_of(amounts: Iterable[AmountForm | None]) -> AmountForm:
    """Amounts together; a side that is not there adds nothing."""
    total, unpriced = NONE, 0
    for each in amounts:
        if each is not None:
            total, unpriced = _plus(total, _readings(each["usd_per_month"])), unpriced + each["unpriced"]
    return {"usd_per_month": _form(total), "unpriced": unpriced}


def delta_of(old: AmountForm | None, new: AmountForm | None) -> DeltaForm:
    before = _readings(old["usd_per_month"]) if old else NONE
    after = _readings(new["usd_per_month"]) if new else NONE
    moved = (after[0] - before[0], after[1] - before[1], after[2] - before[2])
    return {"usd_per_month": _form(moved), "percent": _percent(moved[1], before[1])}


def drift_of(old: Sequence[LineForm], new: Sequence[LineForm]) -> tuple[DeltaForm, tuple[str, ...]]:
    """What other prices move of the same resources, and what loses its price: that is no saving, and moves nothing."""
    priced = {_strip_tier(line) for line in old if line["usd_per_month"] is not None}
    lost = {_strip_tier(line): line["label"] for line in new if line["usd_per_month"] is None}
    gone = {key: label for key, label in lost.items() if key in priced}
    before, after = ([line for line in lines if _strip_tier(line) not in gone] for lines in (old, new))
    return delta_of(amount_of(before), amount_of(after)), tuple(gone.values())


def _strip_tier(line: LineForm) -> str:
    return line["key"].partition("#")[0]


def read_expected(delta: DeltaForm | None) -> Decimal:
    """The expected reading of a delta; 0 where there is none."""
    return Decimal(delta["usd_per_month"]["expected"]) if delta else Decimal(0)


def has_change(delta: DeltaForm | None) -> bool:
    """Whether any reading moves by a cent."""
    return delta is not None and any(_readings(delta["usd_per_month"]))


def has_increase(delta: DeltaForm | None) -> bool:
    """Whether any reading rises."""
    return delta is not None and any(each > 0 for each in _readings(delta["usd_per_month"]))


def may_increase(old: AmountForm | None, new: AmountForm | None) -> bool:
    """Whether any reading rises, or may: more lines than before have no price."""
    more = new is not None and new["unpriced"] > (old["unpriced"] if old else 0)
    return more or has_increase(delta_of(old, new))


def _percent(moved: Decimal, before: Decimal) -> str | None:
    return str(round_to(moved / before * 100, TENTH) + 0) if before else None  # never "-0.0"


def _plus(one: Readings, other: Readings) -> Readings:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def _readings(form: RangeForm) -> Readings:
    return Decimal(form["min"]), Decimal(form["expected"]), Decimal(form["max"])


def _form(readings: Readings) -> RangeForm:
    low, expected, high = (str(to_cents(each)) for each in readings)
    return {"min": low, "expected": expected, "max": high}
