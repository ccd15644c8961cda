"""What Azure rents by the hour for a tunnel to a virtual network: its gateway and the gateway's address."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.costs.bill import BillGroup
from planning.costs.resources.resource import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.context import CostingContext
    from planning.costs.resources.findings import Counter, Finding

SKU: Final = "VpnGw1AZ"  # the smallest that lies in several zones; those that lie in one are no longer made
_TRAFFIC_EXTRA: Final = "the data through it is extra"
# azure.microsoft.com/pricing/details/vpn-gateway: the gateway is paid by the hour, its first ten tunnels with it
FREE: Final = {
    "azure:network/localNetworkGateway:LocalNetworkGateway": "the description of the other end is not charged",
    "azure:network/virtualNetworkGatewayConnection:VirtualNetworkGatewayConnection": (
        "the first ten tunnels are paid for with their gateway"
    ),
}


def gateway(case: CostingContext) -> Iterator[Finding]:
    """A VPN gateway. The price book has no price of it yet, so that its line is unpriced on both sides."""
    kind, sku = case.inputs.at("type").text(), case.inputs.at("sku").text()
    if (kind, sku) != ("Vpn", SKU):
        raise UnreadableError(f"type {kind!r} with sku {sku!r} has no price here")
    yield case.hourly(
        Item.VPN_CONNECTION, group=BillGroup.NETWORK, own="network/link/vpn_connection", note=_TRAFFIC_EXTRA
    )


def address(case: CostingContext) -> Iterator[Finding]:
    """A public address of the kind that new ones are: static, of tier Standard."""
    sku = case.inputs.at("sku").text("Standard")
    if sku != "Standard":
        raise UnreadableError(f"sku {sku!r} has no price here")
    charge = case.hourly(Item.PUBLIC_IPV4, group=BillGroup.NETWORK, own="network/public_ipv4")
    key = case.part_key("address", own="network/public_ipv4")
    yield replace(charge, key=key) if case.owner is not None else charge


COUNTERS: Final[dict[str, Counter]] = {
    "azure:network/publicIp:PublicIp": address,
    "azure:network/virtualNetworkGateway:VirtualNetworkGateway": gateway,
}
