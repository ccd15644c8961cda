"""FOCUS 1.2 as a check of a file's cells: presence, types, formats, nulls and allowed values, column by column.

The table is the specification's own (FinOps-Open-Cost-and-Usage-Spec/FOCUS_Spec at v1.2, specification/columns).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from functools import cache
from pathlib import Path

RULES = Path(__file__).parents[1] / "planning" / "usage" / "focus_1_2.csv"
# What a provider of ours always supports, so that these conditional columns are due; prices are in the currency of the
# bill, and no capacity reservation is known.
DUE = frozenset(
    (
        *("CommitmentDiscountCategory", "CommitmentDiscountId", "CommitmentDiscountName", "CommitmentDiscountStatus"),
        *("CommitmentDiscountType", "ConsumedQuantity", "ConsumedUnit", "ContractedUnitPrice", "ListUnitPrice"),
        *(
            "PricingCategory",
            "RegionId",
            "RegionName",
            "ResourceId",
            "ResourceName",
            "ResourceType",
            "SkuId",
            "SkuMeter",
        ),
        *("SkuPriceDetails", "SkuPriceId", "SubAccountId", "SubAccountName", "Tags"),
    )
)
COSTS = frozenset(("BilledCost", "ContractedCost", "EffectiveCost", "ListCost"))
PRICES = frozenset(("ContractedUnitPrice", "ListUnitPrice"))
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:E-?\d+)?")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
CUSTOM = re.compile(r"x_[A-Z][A-Za-z0-9]*")
TIMES = "Years|Months|Days|Hours|Minutes|Seconds"
ONE_UNIT = r"(?:[KMGTPE]?i?[Bb]|[A-Z][A-Za-z]*)"
UNIT = re.compile(rf"(?:\d+ )?{ONE_UNIT}(?:-(?:{TIMES})|/(?:\d+ )?[A-Z][a-z]+)?")


@cache
def columns() -> dict[str, dict[str, str]]:
    with RULES.open(encoding="utf-8", newline="") as file:
        return {row["column"]: row for row in csv.DictReader(file)}


def read_table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), strict=True))


def faults(text: str) -> list[str]:
    """Every rule of FOCUS 1.2 that a file breaks; a cost of an unknown price has to be null, by its Null Handling."""
    names, *_ = csv.reader(io.StringIO(text))
    rows = read_table(text)
    return [*_heads(names), *(f"row {at}: {fault}" for at, row in enumerate(rows, 1) for fault in _row(row))]


def _heads(names: list[str]) -> Iterator[str]:
    level = {name: rule["level"] for name, rule in columns().items()}
    yield from (f"{name} is missing" for name, each in level.items() if each == "Mandatory" and name not in names)
    yield from (f"{name} is missing" for name in sorted(DUE.difference(names)))
    yield from (f"{name} is no column" for name in names if name not in level and not CUSTOM.fullmatch(name))
    customs = [name.startswith("x_") for name in names]
    if customs != sorted(customs):
        yield "a custom column stands among those of FOCUS"
    if len(set(names)) < len(names):
        yield "a column stands twice"


def _row(row: Mapping[str, str]) -> Iterator[str]:
    for name, rule in columns().items():
        if name in row:
            yield from (f"{name}: {fault}" for fault in _cell(row[name], rule, row))
    yield from _relations(row)


def _cell(cell: str, rule: Mapping[str, str], row: Mapping[str, str]) -> Iterator[str]:
    unknown = rule["column"] in COSTS and row.get("x_PriceState") == "unpriced"
    if cell == "" or unknown:
        if (rule["nullable"] == "no" and not unknown) or (unknown and cell):
            yield f"{cell!r}"
        return
    allowed = [each for each in rule["allowed"].split(";") if each]
    shown = f"{row['ServiceCategory']}/{cell}" if rule["column"] == "ServiceSubcategory" else cell
    if allowed and shown not in allowed:
        yield f"{cell!r} is not allowed"
    match rule["format"]:
        case "numeric" if not NUMBER.fullmatch(cell) or (rule["negative"] == "no" and Decimal(cell) < 0):
            yield f"{cell!r} is no number"
        case "datetime" if not MOMENT.fullmatch(cell):
            yield f"{cell!r} is no moment in UTC"
        case "currency" if not re.fullmatch("[A-Z]{3}", cell):
            yield f"{cell!r} is no currency"
        case "unit" if not UNIT.fullmatch(cell):
            yield f"{cell!r} is no unit"
        case "keyvalue" if not _is_flat(cell):
            yield f"{cell!r} is no flat JSON object"
        case _:
            pass


def _is_flat(cell: str) -> bool:
    found = json.loads(cell)
    return isinstance(found, dict) and not any(isinstance(each, dict | list) for each in found.values())


def _relations(row: Mapping[str, str]) -> Iterator[str]:
    used, state = row["ChargeCategory"] == "Usage", row.get("x_PriceState", "priced")
    if used != bool(row["ConsumedQuantity"]) and state != "unpriced":
        yield "ConsumedQuantity goes with Usage"
    if bool(row["ConsumedQuantity"]) != bool(row["ConsumedUnit"]) or bool(row["PricingQuantity"]) != bool(
        row["PricingUnit"]
    ):
        yield "a quantity and its unit go together"
    if row["ChargeCategory"] == "Purchase" and row["ChargeFrequency"] == "Usage-Based":
        yield "a purchase is not usage-based"
    if bool(row["RegionId"]) != bool(row["RegionName"]):
        yield "a region has an id and a name"
    for begin, end in (("BillingPeriodStart", "BillingPeriodEnd"), ("ChargePeriodStart", "ChargePeriodEnd")):
        if datetime.fromisoformat(row[begin]) >= datetime.fromisoformat(row[end]):
            yield f"{begin} is not before {end}"
    if state == "unpriced":
        yield from (f"{name} of an unknown price" for name in PRICES if row[name])
        return
    for price, cost in (("ContractedUnitPrice", "ContractedCost"), ("ListUnitPrice", "ListCost")):
        product = Decimal(row[price] or 0) * Decimal(row["PricingQuantity"] or 0)
        if row[price] and abs(product - Decimal(row[cost])) > abs(product) * Decimal("1e-20"):
            yield f"{cost} is not {price} x PricingQuantity"
