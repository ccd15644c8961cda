"""What a place costs in a month whatever machines are picked there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from catalogs.model import Item
from planning.bill import Group
from planning.money import NOTHING, ZERO, Range
from planning.options.candidate import node_disk_gb
from planning.pricing import LEAST_BILL_USD

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planning.charge import Charge
    from planning.options.market import Market, Place


@dataclass(frozen=True, slots=True)
class Overhead:
    """USD per month of a cluster without its nodes, for ranking.

    Args:
        usd: of everything but services of people; what has no price counts at the highest price known.
        services: of people, without the support that is a share of the bill.
        support: the charge that is a share of the bill; None where there is none.
        priced: whether everything has a price.
    """

    usd: Range
    services: Range
    support: Charge | None
    priced: bool

    def total(self, nodes: Range, *, market: Market, place: Place) -> Range:
        """USD per month of the whole cluster; its support counts what `planning.pricing.share_of_bill` counts."""
        shared = nodes + self.usd
        if self.support is None:
            return shared + self.services
        least = LEAST_BILL_USD.get(self.support.item, ZERO)
        quantity = Range(*(max(usd, least) for usd in (shared.min, shared.expected, shared.max)))
        support = replace(self.support, quantity=quantity, of_bill=False)
        return shared + self.services + market.rank_cost(support, place)


def read_overhead(charges: Iterable[Charge], *, market: Market, place: Place) -> Overhead:
    """The overhead of a place from the charges of a cluster without nodes there."""
    usd, services, support, priced = NOTHING, NOTHING, None, _has_disk_price(market, place)
    for charge in charges:
        priced = priced and market.has_price(charge, place)
        if charge.of_bill:
            support = charge
        elif charge.group is Group.SERVICES:
            services += market.rank_cost(charge, place)
        else:
            usd += market.rank_cost(charge, place)
    return Overhead(usd, services, support, priced)


def _has_disk_price(market: Market, place: Place) -> bool:
    """Whether the disks of nodes, which an empty cluster does not have, are priced."""
    return not node_disk_gb(place[0], accelerated=False) or bool(market.tiers(Item.DISK, place))
