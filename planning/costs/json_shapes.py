"""JSON of a bill, which quotes, plans, diffs and relocations share; `atoll schema --of` publishes its shape.

Money and quantities are decimals in strings, so that no reader turns them into floats.
An unknown price is null, never 0.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias, cast

from pydantic import ConfigDict, JsonValue, PlainSerializer, with_config
from typing_extensions import TypedDict

from planning.values.json_format import fill_form, to_json
from planning.values.money import to_cents

if TYPE_CHECKING:
    from planning.costs.bill import Bill, LineItem
    from planning.values.money import Range

CLOSED: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)


def publish_as(title: str) -> ConfigDict:
    """Of a result that is printed as it is: its name in the published schema, whatever its class is called.

    What has a default is printed as well, so that the schema requires it.
    """
    return ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
        title=title,
        json_schema_serialization_defaults_required=True,
        json_schema_extra=_drop_defaults,
    )


def _drop_defaults(schema: dict[str, JsonValue]) -> None:
    for field in cast("dict[str, dict[str, JsonValue]]", schema["properties"]).values():
        field.pop("default", None)


# A day in ISO 8601; null where it is not known.
Day: TypeAlias = Annotated[date | None, PlainSerializer(to_json, return_type=str | None)]


@with_config(CLOSED)
class RangeForm(TypedDict):
    """Three readings of one quantity or amount, rising."""

    min: str
    expected: str
    max: str


@with_config(CLOSED)
class LineForm(TypedDict):
    """One line of a bill."""

    key: str
    """Stable inside one bill."""
    label: str
    group: str
    item: str
    """Machine, or a word of the price list."""
    state: Literal["priced", "free", "estimated", "unpriced"]
    quantity: RangeForm
    """Units a month."""
    unit: str
    usd_per_unit: str | None
    usd_per_unit_range: RangeForm | None
    """Of an estimate: in the least expensive region, as expected, in the most expensive one; else null."""
    usd_per_month: RangeForm | None
    """Not rounded; null where the price is unknown."""
    source: str
    as_of: str | None
    """Day of the price; null where its source has no date."""
    note: str


@with_config(CLOSED)
class UnpricedForm(TypedDict):
    """Something that costs money at an unknown price."""

    key: str
    label: str
    reason: str


@with_config(CLOSED)
class EstimatedForm(TypedDict):
    """Something whose price is an estimate, to be confirmed before anybody signs."""

    key: str
    label: str
    usd_per_month: RangeForm
    basis: str
    """What the estimate leans on."""


@with_config(CLOSED)
class BillForm(TypedDict):
    """Every line and their sum."""

    lines: list[LineForm]
    usd_per_month: RangeForm
    """Sum of the priced and estimated lines, in cents: a floor while `unpriced` is not empty."""
    unpriced: list[UnpricedForm]
    estimated: list[EstimatedForm]


def range_form(quantity: Range) -> RangeForm:
    return fill_form(RangeForm, quantity)


def cents_form(usd: Range) -> RangeForm:
    """A range of USD, rounded to cents."""
    return {"min": str(to_cents(usd.min)), "expected": str(to_cents(usd.expected)), "max": str(to_cents(usd.max))}


def line_form(line: LineItem) -> LineForm:
    return fill_form(LineForm, line)


def bill_form(bill: Bill) -> BillForm:
    """A bill with its sum and what has no price."""
    return {
        "lines": [line_form(line) for line in bill.lines],
        "usd_per_month": cents_form(bill.usd_per_month),
        "unpriced": [{"key": line.key, "label": line.label, "reason": line.note} for line in bill.unpriced],
        "estimated": [
            {"key": line.key, "label": line.label, "usd_per_month": cents_form(line.usd_per_month), "basis": line.note}
            for line in bill.estimated
            if line.usd_per_month is not None
        ],
    }
