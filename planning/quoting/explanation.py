"""What an option costs as figures with their derivation: the readings of its month, and each line of its bill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.units import spell_unit
from planning.sizing.demand import Figure
from planning.spec.lock_content import State
from planning.values.json_format import decimal_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from planning.costs.bill import LineItem
    from planning.quoting.quote import Option

UNIT: Final = "USD a month"
GUARDED: Final = "the most that the spend guard lets through"
ALL_NODES: Final = "every node of every pool for all hours of the month, whatever the workloads need"
READINGS: Final = (
    ("min", "a quiet month: what is up whether anybody works or not"),
    ("expected", "the month that the checklist describes"),
    ("max", "the most that the workloads of the checklist can use"),
)


def option_figures(option: Option) -> Iterator[Figure]:
    """The readings of an option's month, the guarded cap where there is one, and every node for the whole month."""
    month = option.bill.usd_per_month
    for (name, meaning), usd in zip(READINGS, (month.min, month.expected, month.max), strict=True):
        yield _figure(option, f"{name} a month", usd, meaning)
    if option.guarded_usd_per_month is not None:
        yield _figure(option, "guarded cap", option.guarded_usd_per_month, GUARDED)
    yield _figure(option, "every node all month", option.all_nodes_usd_per_month, ALL_NODES)


def _figure(option: Option, name: str, usd: Decimal | None, meaning: str) -> Figure:
    unpriced = len(option.bill.unpriced)
    return Figure(
        subject=option.id,
        name=name,
        value=usd,
        unit=UNIT,
        formula=meaning,
        inputs=(("lines without a price, not counted", str(unpriced)),) if unpriced else (),
        source="",
    )


def bill_figures(option: Option) -> Iterator[Figure]:
    """Each line of an option's bill with what it is made of."""
    for line in option.bill.lines:
        usd = line.usd_per_month
        yield Figure(
            subject=option.id,
            name=line.label,
            value=None if usd is None or line.state is State.UNPRICED else usd.expected,
            unit=UNIT,
            formula=_formula(line),
            inputs=tuple(_inputs(line)),
            source=f"{line.source}, {line.as_of or 'undated'}" if line.source else "",
        )


def _formula(line: LineItem) -> str:
    said = {
        State.PRICED: f"quantity x USD per {spell_unit(line.unit)}",
        State.FREE: "free",
        State.UNPRICED: "no price is known",
    }
    return f"{said[line.state]}; {line.note}" if line.note else said[line.state]


def _inputs(line: LineItem) -> Iterator[tuple[str, str]]:
    quantity = line.quantity
    for (name, _), amount in zip(READINGS, (quantity.min, quantity.expected, quantity.max), strict=True):
        yield f"{name} quantity", decimal_text(amount)
    if line.usd_per_unit is not None:
        yield f"USD per {spell_unit(line.unit)}", decimal_text(line.usd_per_unit)
