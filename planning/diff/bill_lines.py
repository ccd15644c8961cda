"""The lines of two bills, side by side under the components that they belong to."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal

from planning.costs.bill import component_of
from planning.values.money import round_to, to_cents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from planning.costs.json_shapes import LineForm, RangeForm
    from planning.diff.form import AmountForm, ComponentDiffForm, DeltaForm, LineDiffForm


Change = Literal["added", "removed", "quantity", "price", "both", "unpriced"]
Pair = tuple["LineForm | None", "LineForm | None"]


def components(old: Sequence[LineForm], new: Sequence[LineForm]) -> list[ComponentDiffForm]:
    """Every component of which a line moves, the largest move first; the lines that do not move are in its amounts."""
    pairs: dict[str, list[Pair]] = {}
    for key, pair in _pair_lines(old, new).items():
        pairs.setdefault(component_of(key), []).append(pair)
    found = [form for name, mine in pairs.items() if (form := _component(name, mine)) is not None]
    return sorted(found, key=lambda form: (-abs(read_expected(form["delta"])), form["name"]))


def _pair_lines(old: Sequence[LineForm], new: Sequence[LineForm]) -> dict[str, Pair]:
    before = {line["key"]: line for line in old}
    after = {line["key"]: line for line in new}
    return {key: (before.get(key), after.get(key)) for key in dict.fromkeys((*before, *after))}


def _component(name: str, pairs: Sequence[Pair]) -> ComponentDiffForm | None:
    """One component; None where nothing of it moves."""
    lines = [line for pair in pairs for line in _line(pair)]
    if not lines:
        return None
    before = [old for old, _ in pairs if old is not None]
    after = [new for _, new in pairs if new is not None]
    old = amount_of(before) if before else None
    new = amount_of(after) if after else None
    lines.sort(key=lambda form: (-abs(read_expected(form["delta"])), form["key"]))
    return {"name": name, "old": old, "new": new, "delta": delta_of(old, new), "lines": lines}


def _line(pair: Pair) -> Iterator[LineDiffForm]:
    """One line, where it moves."""
    before, after = pair
    stands = after or before
    if stands is None:
        return
    old = amount_of([before]) if before else None
    new = amount_of([after]) if after else None
    delta = delta_of(old, new)
    change = _change(before, after)
    if change is None and not has_change(delta):
        return
    yield {
        "key": stands["key"],
        "label": stands["label"],
        "change": change or "price",
        "old": old,
        "new": new,
        "delta": delta,
        "quantity": [each["quantity"]["expected"] if each else "" for each in pair],
        "unit": stands["unit"],
        "usd_per_unit": [(each["usd_per_unit"] or "") if each else "" for each in pair],
        "source": stands["source"],
    }


def _change(before: LineForm | None, after: LineForm | None) -> Change | None:
    """What of a line differs; None where it is the same."""
    if before is None or after is None:
        return "added" if before is None else "removed"
    quantity = before["quantity"] != after["quantity"]
    price = before["usd_per_unit"] != after["usd_per_unit"] or before["item"] != after["item"]
    if "unpriced" in (before["state"], after["state"]) and (quantity or price or before["state"] != after["state"]):
        return "unpriced"
    if quantity and price:
        return "both"
    return "quantity" if quantity else "price" if price else None


Readings = tuple[Decimal, Decimal, Decimal]
NONE: Final[Readings] = (Decimal(0), Decimal(0), Decimal(0))
TENTH: Final = Decimal("0.1")


def amount_of(lines: Iterable[LineForm]) -> AmountForm:
    """What lines cost together, in cents; those without a price are counted, never taken for nothing."""
    total, unpriced, estimated = NONE, 0, 0
    for line in lines:
        usd = line["usd_per_month"]
        unpriced += usd is None
        estimated += line["state"] == "estimated"
        total = total if usd is None else _plus(total, _readings(usd))
    return {"usd_per_month": _range_form(total), "unpriced": unpriced, "estimated": estimated}


def sum_of(amounts: Iterable[AmountForm | None]) -> AmountForm:
    """Amounts together; a side that is not there adds nothing."""
    there = [each for each in amounts if each is not None]
    total = NONE
    for each in there:
        total = _plus(total, _readings(each["usd_per_month"]))
    return {
        "usd_per_month": _range_form(total),
        "unpriced": sum(each["unpriced"] for each in there),
        "estimated": sum(each["estimated"] for each in there),
    }


def delta_of(old: AmountForm | None, new: AmountForm | None) -> DeltaForm:
    before = _readings(old["usd_per_month"]) if old else NONE
    after = _readings(new["usd_per_month"]) if new else NONE
    moved = (after[0] - before[0], after[1] - before[1], after[2] - before[2])
    return {"usd_per_month": _range_form(moved), "percent": _percent(moved[1], before[1])}


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


def _range_form(readings: Readings) -> RangeForm:
    low, expected, high = (str(to_cents(each)) for each in readings)
    return {"min": low, "expected": expected, "max": high}
