"""Azure's types of a tunnel: an address is priced, the gateway has no price yet, the rest is free by rule."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from takeoff_fakes import Book, notes, resource, usd

from catalogs.model import Item, Price, UnpricedError
from planning.costs.bill import LIST_PRICE
from planning.costs.resources.clouds import azure
from planning.costs.resources.counters import free_by_rule
from planning.costs.resources.resource import Secret, UnknownValue
from planning.costs.resources.stack_cost import ResourceCost, price_resources
from planning.spec.lock_content import State
from tests.kits.regional_prices import NoOtherRegions

if TYPE_CHECKING:
    from planning.costs.resources.resource import Resource

ADDRESS = "azure:network/publicIp:PublicIp"
GATEWAY = "azure:network/virtualNetworkGateway:VirtualNetworkGateway"


class Prices(NoOtherRegions):
    def tiers(self, *, provider: str, item: str, region: str, purchase: str = LIST_PRICE) -> tuple[Price, ...]:
        if (provider, item, region) != ("azure", Item.PUBLIC_IPV4, "eastus"):
            raise UnpricedError(f"no price for {provider} {item} in {region}")
        said = {"provider": provider, "item": item, "region": region, "purchase": purchase, "unit": "hour"}
        return (Price(**said, usd=Decimal("0.005"), above=Decimal(0), source="made up", as_of=date(2026, 9, 1)),)


def taken(subject: Resource) -> ResourceCost:
    book = Book(prices=Prices(), terms={})  # type: ignore[arg-type]
    return price_resources((subject,), catalog=book, default_region=None).resources[0]


@pytest.mark.parametrize("location", ["eastus", "East US"])
def test_an_address_costs_what_its_region_says(location: str) -> None:
    (line,) = taken(resource(ADDRESS, location=location, sku="Standard")).lines
    assert line.usd_per_month == usd("3.65")


@pytest.mark.parametrize(
    ("token", "inputs", "word"),
    [
        (ADDRESS, {"location": "eastus", "sku": "Basic"}, "Basic"),
        (ADDRESS, {"location": UnknownValue()}, "location"),
        (ADDRESS, {"location": "eastus", "sku": Secret()}, "sku is secret"),
        (ADDRESS, {}, "location is not said"),
        (GATEWAY, {"location": "eastus", "type": "Vpn", "sku": "VpnGw1AZ"}, "no price for azure vpn_connection"),
        (GATEWAY, {"location": "eastus", "type": "Vpn", "sku": "VpnGw5AZ"}, "VpnGw5AZ"),
        (GATEWAY, {"location": "eastus", "type": "ExpressRoute", "sku": "ErGw1AZ"}, "ExpressRoute"),
        (GATEWAY, {"location": "eastus", "type": UnknownValue(), "sku": "VpnGw1AZ"}, "type"),
        ("azure:network/natGateway:NatGateway", {"location": "eastus"}, "no rule"),
    ],
)
def test_what_has_no_price_is_a_gap_that_says_why(token: str, inputs: dict[str, Any], word: str) -> None:
    found = taken(resource(token, **inputs))
    assert found.state is State.UNPRICED
    assert word in notes(found)


def test_the_tunnels_of_a_gateway_are_paid_for_with_it() -> None:
    assert free_by_rule("azure:network/localNetworkGateway:LocalNetworkGateway")
    connection = "azure:network/virtualNetworkGatewayConnection:VirtualNetworkGatewayConnection"
    assert free_by_rule(connection) == "the first ten tunnels are paid for with their gateway"
    assert not [token for token in azure.COUNTERS if free_by_rule(token)]
