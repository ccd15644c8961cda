"""A charge: a quantity of something that has a price, before the price is looked up.

A bill is made of charges read from a spec; a takeoff is made of charges read from registered resources.
What a resource's own properties cannot say (volumes, busy hours, services) its component declares as charges
in its inputs, so that both sides can be counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final, cast

from planning.costs.bill import BillGroup
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Mapping

LIST_PRICE: Final = "list"
CHARGES_INPUT: Final = "charges"  # input of an atoll component that holds declared charges


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """How much of what is paid for in a month.

    Args:
        key: stable identity inside one bill, as in "pool/train/machine".
        item: machine name or `catalogs.model.Item` word.
        purchase: a word of terms.csv; "list" for services.
        quantity: units of the price list (hours, GB-months, ...) in a month.
        stated_usd: unit price that the checklist states itself, where no catalog knows it.
        of_bill: the quantity is the rest of the bill in USD, as for a support plan that is a share of the spend.
        note: carried to the line item.
        at: "provider/region" where it is paid somewhere else than the rest of its cluster, as the main cloud's end of
            a tunnel is; "" for the cluster's own place.
        fallback: purchase at whose price the most is reckoned, as a spot pool may end up on demand; "" for none.
    """

    key: str
    label: str
    group: BillGroup
    item: str
    quantity: Range
    purchase: str = LIST_PRICE
    stated_usd: Decimal | None = None
    of_bill: bool = False
    note: str = ""
    at: str = ""
    fallback: str = ""


def to_inputs(charge: Charge) -> dict[str, object]:
    """The charge as plain component inputs: strings for amounts, so that no engine turns them into floats."""
    inputs: dict[str, object] = {
        "key": charge.key,
        "label": charge.label,
        "group": charge.group.value,
        "item": charge.item,
        "purchase": charge.purchase,
        "quantity": range_to_inputs(charge.quantity),
    }
    if charge.stated_usd is not None:
        inputs["statedUsd"] = str(charge.stated_usd)
    if charge.of_bill:
        inputs["ofBill"] = True
    texts = {"note": charge.note, "at": charge.at, "fallback": charge.fallback}
    return {**inputs, **{name: text for name, text in texts.items() if text}}


def from_inputs(inputs: Mapping[str, object]) -> Charge:
    """The charge that `to_inputs` wrote.

    Raises:
        ValueError: a field is missing, unknown to us, or not a number; the message names it.
    """
    try:
        stated = inputs.get("statedUsd")
        return Charge(
            key=str(inputs["key"]),
            label=str(inputs["label"]),
            group=BillGroup(str(inputs["group"])),
            item=str(inputs["item"]),
            purchase=str(inputs["purchase"]),
            quantity=range_from_inputs(inputs["quantity"]),
            stated_usd=None if stated is None else Decimal(str(stated)),
            of_bill=bool(inputs.get("ofBill", False)),
            note=str(inputs.get("note", "")),
            at=str(inputs.get("at", "")),
            fallback=str(inputs.get("fallback", "")),
        )
    except (KeyError, InvalidOperation) as error:
        raise ValueError(f"a declared charge is not readable: {error}") from error


def range_to_inputs(quantity: Range) -> dict[str, str]:
    return {"min": str(quantity.min), "expected": str(quantity.expected), "max": str(quantity.max)}


def range_from_inputs(inputs: object) -> Range:
    """The range that `range_to_inputs` wrote.

    Raises:
        ValueError: not three rising numbers.
    """
    if not isinstance(inputs, dict):
        raise ValueError(f"not a range: {inputs!r}")  # noqa: TRY004 - bad input, like the other faults here
    fields = cast("dict[object, object]", inputs)
    try:
        return Range(*(Decimal(str(fields[name])) for name in ("min", "expected", "max")))
    except (KeyError, InvalidOperation) as error:
        raise ValueError(f"not a range: {inputs!r}") from error
