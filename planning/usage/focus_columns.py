"""Rows of a cloud's bill in the columns of FOCUS, whatever the cloud calls them.

FOCUS 1.0 to 1.2 (focus.finops.org); AWS adds x_UsageType (Data Exports, "FOCUS 1.2 with AWS columns"); Google Cloud's
FOCUS export puts the SKU into ChargeDescription; CoreWeave's FOCUS export API has quantities without costs. CUR 2.0 and
the detailed BigQuery export are read through the names below (AWS and Google Cloud billing documentation, 2026-11).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

START: Final = "ChargePeriodStart"
QUANTITY: Final = "ConsumedQuantity"
UNIT: Final = "ConsumedUnit"
CATEGORY: Final = "ChargeCategory"
DESCRIPTION: Final = "ChargeDescription"
USAGE_TYPE: Final = "x_UsageType"
SERVICE: Final = "ServiceName"
TAGS: Final = "Tags"
ROW: Final = "row"  # not of FOCUS: what tells one row from every other, where a reader knows it
NEEDED: Final = (START, QUANTITY)

# Names of other exports -> the FOCUS column that says the same.
ALIASES: Final[Mapping[str, str]] = {
    "line_item_usage_start_date": START,
    "lineItem/UsageStartDate": START,
    "usage_start_time": START,
    "line_item_usage_amount": QUANTITY,
    "lineItem/UsageAmount": QUANTITY,
    "usage.amount": QUANTITY,
    "usage_amount": QUANTITY,
    "pricing_unit": UNIT,
    "pricing/unit": UNIT,
    "usage.unit": UNIT,
    "usage_unit": UNIT,
    "line_item_line_item_type": CATEGORY,
    "lineItem/LineItemType": CATEGORY,
    "cost_type": CATEGORY,
    "line_item_product_code": SERVICE,
    "lineItem/ProductCode": SERVICE,
    "line_item_usage_type": USAGE_TYPE,
    "lineItem/UsageType": USAGE_TYPE,
    "line_item_line_item_description": DESCRIPTION,
    "lineItem/LineItemDescription": DESCRIPTION,
    "sku.description": DESCRIPTION,
    "sku_description": DESCRIPTION,
    "resource_tags": TAGS,
    "labels": TAGS,
}
TAG_COLUMNS: Final = ("resourceTags/user:", "resource_tags_user_")  # CUR has a column for each tag


def in_focus(names: Iterable[str]) -> dict[str, str]:
    """Column of the file to the FOCUS column that it is; columns that say nothing to us are left out."""
    known = {START, QUANTITY, UNIT, CATEGORY, DESCRIPTION, USAGE_TYPE, SERVICE, TAGS}
    return {name: name if name in known else ALIASES[name] for name in names if name in known or name in ALIASES}


def missing(names: Iterable[str]) -> tuple[str, ...]:
    """FOCUS columns without which a file says nothing of use."""
    found = set(in_focus(names).values())
    kinds = () if {USAGE_TYPE, DESCRIPTION} & found else (f"{USAGE_TYPE} or {DESCRIPTION}",)
    return (*(name for name in NEEDED if name not in found), *kinds)
