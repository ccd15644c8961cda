"""What Azure rents by the hour for a tunnel to a virtual network: its gateway and the gateway's address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.costs.bill import BillGroup
from planning.costs.resources.resource import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.findings import CostingContext, Counter, Finding

SKU: Final = "VpnGw1AZ"  # the smallest that lies in several zones; those that lie in one are no longer made
_TRAFFIC_EXTRA: Final = "the data through it is extra"


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
    yield case.public_address()


COUNTERS: Final[dict[str, Counter]] = {
    "azure:network/publicIp:PublicIp": address,
    "azure:network/virtualNetworkGateway:VirtualNetworkGateway": gateway,
}
