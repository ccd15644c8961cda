"""The lines of two bills, side by side under the components that they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from planning.costs.bill import component_of
from planning.diff.amounts import amount_of, delta_of, has_change, read_expected

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.costs.json_shapes import LineForm
    from planning.diff.form import ComponentDiffForm, LineDiffForm

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
