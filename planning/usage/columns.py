"""Columns of bills: FOCUS 1.0 to 1.4 (focus.finops.org), and what other exports call the same.

From 1.0 on no column was renamed; 1.3 named the providers anew, and 1.4 dropped ProviderName and PublisherName. So a
file is known by the columns it has, not by a version that it says. AWS adds x_UsageType (Data Exports, "FOCUS with AWS
columns"); Google Cloud's FOCUS export puts the SKU into ChargeDescription; CoreWeave's has quantities without costs.
CUR 2.0 and the detailed BigQuery export have other names (AWS and Google Cloud billing documentation, 2026-11).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from planning.inputs.fact_tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


START: Final = "ChargePeriodStart"
END: Final = "ChargePeriodEnd"
QUANTITY: Final = "ConsumedQuantity"
UNIT: Final = "ConsumedUnit"
PRICING_QUANTITY: Final = "PricingQuantity"
PRICING_UNIT: Final = "PricingUnit"
PRICING_CATEGORY: Final = "PricingCategory"
CATEGORY: Final = "ChargeCategory"
DESCRIPTION: Final = "ChargeDescription"
USAGE_TYPE: Final = "x_UsageType"
SERVICE: Final = "ServiceName"
TAGS: Final = "Tags"
BILLED_COST: Final = "BilledCost"
EFFECTIVE_COST: Final = "EffectiveCost"
CONTRACTED_COST: Final = "ContractedCost"
LIST_COST: Final = "ListCost"
CURRENCY: Final = "BillingCurrency"
PROVIDER: Final = "ProviderName"
REGION: Final = "RegionId"
SKU: Final = "SkuId"
SKU_DETAILS: Final = "SkuPriceDetails"
CLUSTER: Final = "x_ClusterName"  # CoreWeave's, like the next
CAPACITY_PLAN: Final = "x_CapacityPlan"
CREDITS: Final = "credits"  # BigQuery's detailed export keeps what a row's cost is lowered by inside the row
ROW: Final = "row"  # not of FOCUS: what tells one row from every other, where a reader knows it
POOL: Final = "pool"  # not of FOCUS: the value of the tag atoll:pool

KNOWN: Final = (
    *(START, END, QUANTITY, UNIT, PRICING_QUANTITY, PRICING_UNIT, PRICING_CATEGORY, CATEGORY, DESCRIPTION, USAGE_TYPE),
    *(SERVICE, TAGS, BILLED_COST, EFFECTIVE_COST, CONTRACTED_COST, LIST_COST, CURRENCY, PROVIDER, REGION, SKU),
    *(SKU_DETAILS, CLUSTER, CAPACITY_PLAN, CREDITS),
)
LONGEST: Final = 400  # characters of a cell by which a row is known; what is longer is cut, so that memory is bounded
COSTS: Final = (EFFECTIVE_COST, BILLED_COST, CONTRACTED_COST, LIST_COST)  # the first that a row has is what it cost
TAG_COLUMNS: Final = ("resourceTags/user:", "resource_tags_user_")  # CUR has a column for each tag


@cache
def _read_columns() -> dict[str, str]:
    aliases = {row["column"]: row["focus_column"] for row in read_rows("resources/usage_columns.csv")}
    return aliases | {name: name for name in KNOWN}


def in_focus(names: Iterable[str]) -> dict[str, str]:
    """Column of the file to the FOCUS column that it is; columns that say nothing to us are left out."""
    columns = _read_columns()
    return {name: columns[name] for name in names if name in columns}


def missing(names: Iterable[str]) -> tuple[str, ...]:
    """FOCUS columns without which a file says nothing of use."""
    found = set(in_focus(names).values())
    wanted = ((START,), (QUANTITY, PRICING_QUANTITY), (USAGE_TYPE, DESCRIPTION, SKU))
    return tuple(" or ".join(each) for each in wanted if not found.intersection(each))


def read_quantity(row: Mapping[str, str]) -> tuple[str, str]:
    """What was used, and its unit; what was priced where only that is said, as in CoreWeave's export."""
    if row.get(QUANTITY) or not row.get(PRICING_QUANTITY):
        return row.get(QUANTITY, ""), row.get(UNIT, "")
    return row[PRICING_QUANTITY], row.get(PRICING_UNIT, "")
