"""Resources, a small price list and a shorthand for the takeoff tests."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from catalogs.model import Item, Price, PurchaseKind, Term, UnpricedError
from planning.costs.bill import LIST_PRICE, BillGroup, Charge, to_inputs
from planning.costs.resources.resource import Resource
from planning.costs.resources.stack_cost import ResourceCost, StackCost, price_resources
from planning.values.money import Range
from tests.kits.regional_prices import NoOtherRegions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REGION = "us-east-1"
STACK = "urn:pulumi:test::atoll::"
USD = {
    "p5.48xlarge": "55.04",
    "g6.xlarge": "0.80",
    "g6e.xlarge": "1.86",
    "t3.medium": "0.04",
    Item.CONTROL_PLANE: "0.10",
    Item.NAT_GATEWAY: "0.045",
    Item.LOAD_BALANCER: "0.0225",
    Item.PUBLIC_IPV4: "0.005",
    Item.INTERFACE_ENDPOINT: "0.01",
    Item.VPN_CONNECTION: "0.05",
    Item.TRANSIT_ATTACHMENT: "0.05",
    Item.DISK: "0.08",
    Item.DISK_IOPS: "0.005",
    Item.DISK_THROUGHPUT: "0.04",
    Item.DISK_FAST: "0.125",
    Item.DISK_FAST_IOPS: "0.065",
    Item.SHARED_SSD: "0.145",
    Item.SHARED_SCRATCH: "0.14",
    Item.OBJECT: "0.023",
    Item.LOG_INGEST: "0.50",
    Item.ENCRYPTION_KEY: "1",
    Item.DNS_ZONE: "0.50",
    "support_share": "0.10",
}
SHARE = {"on_demand": Decimal(1), "spot": Decimal("0.5"), "savings_plan_12m_no_upfront": Decimal("0.7")}


class Prices(NoOtherRegions):
    """One flat price for each item, in one region of one provider."""

    def tiers(self, *, provider: str, item: str, region: str, purchase: str = LIST_PRICE) -> tuple[Price, ...]:
        if item not in USD or region != REGION or provider != "aws":
            raise UnpricedError(f"no price for {provider} {item} in {region} ({purchase})")
        usd = Decimal(USD[item]) * SHARE.get(purchase, Decimal(1))
        return (
            Price(
                provider=provider,
                item=item,
                region=region,
                purchase=purchase,
                unit="hour",
                usd=usd,
                above=Decimal(0),
                source="made up",
                as_of=date(2026, 9, 1),
            ),
        )


def term(purchase: str, kind: PurchaseKind) -> Term:
    given = {"upfront": "none", "note": "", "source": "made up", "holds": "unknown", "holds_source": "made up"}
    return Term(purchase=purchase, provider="*", kind=kind, months=0, **given)


@dataclass(frozen=True)
class Book:
    prices: Prices = field(default_factory=Prices)
    terms: Mapping[tuple[str, str], Term] = field(
        default_factory=lambda: {
            ("on_demand", "*"): term("on_demand", PurchaseKind.ON_DEMAND),
            ("spot", "*"): term("spot", PurchaseKind.SPOT),
            ("savings_plan_12m_no_upfront", "aws"): term("savings_plan_12m_no_upfront", PurchaseKind.RESERVED),
        }
    )


def urn(token: str, name: str = "it") -> str:
    return f"{STACK}{token}::{name}"


def resource(token: str, name: str = "it", /, **inputs: Any) -> Resource:
    return Resource(
        urn=urn(token, name),
        type=token,
        name=name,
        parent=None,
        custom=not token.startswith("atoll:"),
        inputs=inputs,
        property_dependencies={},
    )


def declared(key: str, item: str, quantity: int, *, group: BillGroup = BillGroup.STORAGE) -> dict[str, object]:
    return to_inputs(Charge(key=key, label=key, group=group, item=item, quantity=Range.exactly(quantity)))


def take(*resources: Resource, region: str | None = REGION) -> StackCost:
    return price_resources(resources, catalog=Book(), default_region=region)


def taken(subject: Resource, *around: Resource, region: str | None = REGION) -> ResourceCost:
    """What the takeoff says of the first of several resources."""
    return take(subject, *around, region=region).resources[0]


def notes(found: ResourceCost) -> str:
    return " / ".join(line.note for line in found.lines)


def usd(low: str, expected: str | None = None, high: str | None = None) -> Range:
    return Range(Decimal(low), Decimal(expected or low), Decimal(high or expected or low))


def injected(inputs: Mapping[str, Any], path: Sequence[str | int], value: object) -> dict[str, Any]:
    """The inputs with `value` at a path."""
    changed: Any = copy.deepcopy(dict(inputs))
    spot = changed
    for step in path[:-1]:
        spot = spot[step]
    spot[path[-1]] = value
    return changed
