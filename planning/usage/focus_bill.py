"""A bill as rows of FOCUS 1.2, so that a plan lies beside what providers export.

Columns, types and allowed values: FinOps-Open-Cost-and-Usage-Spec/FOCUS_Spec at v1.2. FOCUS describes what was charged;
here it says what is planned, and where the two do not fit:

- a cost is empty where its price is unknown, though FOCUS wants one: its Null Handling forbids 0 as a placeholder;
- the billing account is the stack, for nothing is billed yet; columns of commitments, resources and sub accounts, which
  readers of FOCUS 1.0 ask for, are empty;
- customs, with `x_`, say what FOCUS has no word for: state, range, source and date of a price, and what it is of.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final

from catalogs.model import OWN_PREFIX
from planning.checklist.model.vocabulary import HOME
from planning.costs.bill import BillGroup, component_of, placement_of
from planning.costs.charges import charges
from planning.costs.pricing import STATED_SOURCE, place_of
from planning.documents.csv_text import csv_text
from planning.inputs.fact_tables import read_rows
from planning.spec.lock_content import State
from planning.usage.columns import (
    BILLED_COST,
    CATEGORY,
    CONTRACTED_COST,
    CURRENCY,
    DESCRIPTION,
    EFFECTIVE_COST,
    END,
    LIST_COST,
    PRICING_CATEGORY,
    PRICING_QUANTITY,
    PRICING_UNIT,
    PROVIDER,
    QUANTITY,
    REGION,
    SERVICE,
    SKU,
    SKU_DETAILS,
    START,
    TAGS,
    UNIT,
)
from planning.values.json_format import decimal_text
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date
    from decimal import Decimal

    from planning.costs.bill import Bill, LineItem
    from planning.spec.cluster import ClusterSpec, Pool


COLUMNS: Final = (
    BILLED_COST,
    "BillingAccountId",
    "BillingAccountName",
    CURRENCY,
    "BillingPeriodEnd",
    "BillingPeriodStart",
    CATEGORY,
    "ChargeClass",
    DESCRIPTION,
    "ChargeFrequency",
    END,
    START,
    "CommitmentDiscountCategory",
    "CommitmentDiscountId",
    "CommitmentDiscountName",
    "CommitmentDiscountStatus",
    "CommitmentDiscountType",
    QUANTITY,
    UNIT,
    CONTRACTED_COST,
    "ContractedUnitPrice",
    EFFECTIVE_COST,
    "InvoiceIssuerName",
    LIST_COST,
    "ListUnitPrice",
    PRICING_CATEGORY,
    PRICING_QUANTITY,
    PRICING_UNIT,
    PROVIDER,
    "PublisherName",
    REGION,
    "RegionName",
    "ResourceId",
    "ResourceName",
    "ResourceType",
    "ServiceCategory",
    SERVICE,
    "ServiceSubcategory",
    SKU,
    "SkuMeter",
    SKU_DETAILS,
    "SkuPriceId",
    "SubAccountId",
    "SubAccountName",
    TAGS,
    "x_Component",
    "x_CostHigh",
    "x_CostLow",
    "x_LineKey",
    "x_Option",
    "x_PriceDate",
    "x_PriceNote",
    "x_PriceSource",
    "x_PriceState",
    "x_Stack",
)
USD: Final = "USD"
SELLER: Final = "Atoll"  # of services whose price the checklist states: the provider of the cluster does not sell them
# Units of our price lists in FOCUS's words (Unit Format): plural units, or one unit by plural times.
_UNITS: Final[Mapping[str, str]] = {
    "hour": "Hours",
    "month": "Months",
    "GB": "GB",
    "GB-month": "GB-Months",
    "IOPS-month": "IOPS-Months",
    "MBps-month": "MBps-Months",
    "1k requests": "1000 Requests",
    "key-month": "Key-Months",
    "zone-month": "Zone-Months",
    "USD of monthly bill": USD,
}
# By the kind of a pool; what is booked ahead at the rate of the day is no commitment that lowers another price.
_PRICING: Final[Mapping[str, str]] = {"spot": "Dynamic", "reserved": "Committed"}
_STANDARD: Final = "Standard"
_TIER: Final = re.compile(r"(?:#\d+)+$")


@dataclass(frozen=True, kw_only=True)
class PlannedMonth:
    """A bill for one calendar month of one stack and option.

    Args:
        titles: what providers are called, by their names.
        today: any day of the month.
    """

    stack: str
    option: str
    bill: Bill
    placements: Sequence[ClusterSpec]
    titles: Mapping[str, str]
    today: date

    def rows(self) -> Iterator[dict[str, str]]:
        """One row for each line of the bill, in its order; their costs add up to it."""
        for line in self.bill.lines:
            yield {**self._shared, **self._describe_charge(line), **_describe_cost(line), **self._describe_source(line)}

    @cached_property
    def _shared(self) -> dict[str, str]:
        first = self.today.replace(day=1)
        after = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
        begin, end = (f"{each.isoformat()}T00:00:00Z" for each in (first, after))
        return {
            "BillingAccountId": self.stack,
            "BillingAccountName": self.stack,
            CURRENCY: USD,
            "BillingPeriodStart": begin,
            "BillingPeriodEnd": end,
            START: begin,
            END: end,
            "x_Stack": self.stack,
            "x_Option": self.option,
        }

    def _describe_charge(self, line: LineItem) -> dict[str, str]:
        bought = line.group is BillGroup.SERVICES
        quantity, unit = decimal_text(line.quantity.expected), _UNITS.get(line.unit, line.unit)
        pool = self._pools.get(component_of(line.key))
        kind = pool.kind if pool is not None and pool.machine == line.item else ""
        tags = {"atoll:stack": self.stack, **({"atoll:pool": pool.name} if pool else {})}  # as on the resources
        return {
            CATEGORY: "Purchase" if bought else "Usage",
            DESCRIPTION: line.label,
            "ChargeFrequency": "Recurring" if bought else "Usage-Based",
            QUANTITY: "" if bought or not unit else quantity,
            UNIT: "" if bought else unit,
            PRICING_CATEGORY: _PRICING.get(kind, _STANDARD),
            PRICING_QUANTITY: quantity if unit else "",
            PRICING_UNIT: unit,
            **_describe_service(line),
            **self._describe_sku(line, pool),
            TAGS: json.dumps(tags),
        }

    def _describe_sku(self, line: LineItem, pool: Pool | None) -> dict[str, str]:
        (provider, region), purchase = self._place(line)
        stated = line.source == STATED_SOURCE
        title = SELLER if stated else self.titles.get(provider, provider)
        machine = {"InstanceType": line.item} if _is_machine(line) else {}
        counted = {"GpuCount": pool.accelerators} if pool and machine and pool.machine == line.item else {}
        return {
            PROVIDER: title,
            "PublisherName": title,
            "InvoiceIssuerName": title,
            REGION: "" if stated else region,
            "RegionName": "" if stated else region,
            SKU: line.item,
            "SkuMeter": line.item,
            SKU_DETAILS: json.dumps({**machine, **counted}) if machine else "",
            "SkuPriceId": "/".join(each for each in (provider, region, line.item, purchase) if each),
        }

    def _describe_source(self, line: LineItem) -> dict[str, str]:
        low, high = (line.usd_per_month.min, line.usd_per_month.max) if line.usd_per_month else (None, None)
        return {
            "x_Component": component_of(line.key),
            "x_CostLow": _amount(low),
            "x_CostHigh": _amount(high),
            "x_LineKey": line.key,
            "x_PriceDate": line.as_of.isoformat() if line.as_of else "",
            "x_PriceNote": line.note,
            "x_PriceSource": line.source,
            "x_PriceState": line.state.value,
        }

    @cached_property
    def _pools(self) -> dict[str, Pool]:
        """By the component that they are."""
        return {
            f"{'' if each.placement.name == HOME else f'{each.placement.name}/'}pool/{pool.name}": pool
            for each in self.placements
            for pool in each.pools
        }

    @cached_property
    def _charges(self) -> dict[str, tuple[tuple[str, str], str]]:
        """Place and purchase by the key of a charge."""
        return {
            charge.key: (
                place_of(charge, provider=each.placement.provider, region=each.placement.region),
                charge.purchase,
            )
            for each in self.placements
            for charge in charges(each)
        }

    def _place(self, line: LineItem) -> tuple[tuple[str, str], str]:
        """Provider and region, and the purchase; of a line outside the spec those of its placement, and none."""
        found = self._charges.get(_TIER.sub("", line.key))
        if found is not None:
            return found
        name = placement_of(line.key)
        of = next((each.placement for each in self.placements if each.placement.name == name), None)
        place = of or self.placements[0].placement
        return (place.provider, place.region), ""


def focus_text(months: Iterable[PlannedMonth]) -> str:
    """The file: each option of a quote, or the one that is built."""
    return csv_text(COLUMNS, (row for month in months for row in month.rows()))


def _describe_cost(line: LineItem) -> dict[str, str]:
    """The expected cost and its unit prices.

    An estimate is no offer, so it has no unit price; of a price of the customer's own no list price is known.
    Without one the list cost equals the cost.
    """
    usd = None if line.usd_per_month is None else line.usd_per_month.expected
    rate = {State.FREE: ZERO, State.ESTIMATED: None}.get(line.state, line.usd_per_unit)
    own = line.source.startswith(OWN_PREFIX) and line.list_usd_per_unit is None
    listed = None if own or rate is None else line.list_usd_per_unit or rate
    list_usd = usd if listed is None or listed == rate else line.quantity.expected * listed
    return {
        **dict.fromkeys((BILLED_COST, CONTRACTED_COST, EFFECTIVE_COST), _amount(usd)),
        LIST_COST: _amount(list_usd),
        "ContractedUnitPrice": _amount(rate),
        "ListUnitPrice": _amount(listed),
    }


def _describe_service(line: LineItem) -> dict[str, str]:
    services = _read_services()
    about = "machine" if _is_machine(line) else line.item if line.item in services else line.group.value
    found = services[about]
    return {SERVICE: found["service"], "ServiceCategory": found["category"], "ServiceSubcategory": found["subcategory"]}


def _is_machine(line: LineItem) -> bool:
    return line.group is BillGroup.COMPUTE and line.item not in _read_services()


@cache
def _read_services() -> dict[str, dict[str, str]]:
    """What FOCUS calls an item, or else its chapter of the bill."""
    return {row["about"]: row for row in read_rows("resources/focus_services.csv")}


def _amount(usd: Decimal | None) -> str:
    return "" if usd is None else decimal_text(usd)
