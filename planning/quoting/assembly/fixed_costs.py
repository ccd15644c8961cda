"""What a place costs in a month whatever machines are picked there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, final

from catalogs.model import Item
from catalogs.providers import find_traits, profile
from planning.costs.bill import BillGroup
from planning.costs.charges import charges
from planning.costs.pricing import LEAST_BILL_USD
from planning.quoting.assembly.cluster import count_zones, spec, target
from planning.quoting.assembly.network import cluster_zones
from planning.quoting.assembly.platform import explain_missing_plugin
from planning.quoting.candidates.candidate import node_disk_gb
from planning.values.addresses import count_room
from planning.values.money import NOTHING, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from catalogs.catalog import Catalog
    from planning.checklist.model.checklist import Checklist
    from planning.costs.bill import Charge
    from planning.quoting.candidates.market import Market, Place


@dataclass(frozen=True, slots=True)
class Overhead:
    """USD per month of a cluster without its nodes, for ranking.

    Args:
        usd: of everything but services of people; what has no price counts at the highest price known, of an estimate
            in its most expensive region.
        services: of people, without the support that is a share of the bill.
        support: the charge that is a share of the bill; None where there is none.
        priced: whether everything has a price or an estimate.
    """

    usd: Range
    services: Range
    support: Charge | None
    priced: bool

    def total(self, nodes: Range, *, market: Market, place: Place) -> Range:
        """USD per month of the whole cluster; its support counts what `planning.costs.pricing.share_of_bill` counts."""
        shared = nodes + self.usd
        if self.support is None:
            return shared + self.services
        least = LEAST_BILL_USD.get(self.support.item, ZERO)
        quantity = Range(*(max(usd, least) for usd in shared.readings))
        support = replace(self.support, quantity=quantity, of_bill=False)
        return shared + self.services + market.rank_cost(support, place)


def read_overhead(every: Iterable[Charge], *, market: Market, place: Place) -> Overhead:
    """The overhead of a place from the charges of a cluster without nodes there."""
    usd, services, support = NOTHING, NOTHING, None
    # The disks of nodes are no charge of a cluster without nodes, and must have a price all the same.
    priced = not node_disk_gb(place[0], accelerated=False) or bool(market.tiers(Item.DISK, place))
    for charge in every:
        priced = priced and market.has_price(charge, place)
        if charge.of_bill:
            support = charge
        elif charge.group is BillGroup.SERVICES:
            services += market.rank_cost(charge, place)
        else:
            usd += market.rank_cost(charge, place)
    return Overhead(usd, services, support, priced)


@final
class PlaceCosts:
    """What a cluster costs at each place beside its machines, each place worked out once.

    Args:
        name: of the placement whose share of the checklist it is.
    """

    def __init__(self, market: Market, checklist: Checklist, *, name: str) -> None:
        self._market = market
        self._checklist = checklist
        self._name = name
        self._overheads: dict[Place, Overhead] = {}
        self._charges: dict[tuple[str, str, int], tuple[Charge, ...]] = {}
        self._floors: dict[tuple[Place, Decimal], Decimal] = {}

    def total(self, place: Place, nodes: Range) -> Range:
        """USD per month of a whole cluster at a place whose nodes, with disks and NAT by the node, cost `nodes`.

        It never falls when `nodes` rise, so that the cheapest nodes make the cheapest cluster of a place.
        """
        return self.overhead(place).total(nodes, market=self._market, place=place)

    def floor(self, place: Place, usd: Decimal) -> Decimal:
        """Expected USD per month of a whole cluster at a place whose nodes cost at least this much."""
        key = (place, usd)
        if key not in self._floors:
            self._floors[key] = self.total(place, Range.exactly(usd)).expected
        return self._floors[key]

    def overhead(self, place: Place) -> Overhead:
        """What a place costs whatever machines are picked there."""
        if place not in self._overheads:
            self._overheads[place] = read_overhead(self._charges_at(place), market=self._market, place=place)
        return self._overheads[place]

    def _charges_at(self, place: Place) -> tuple[Charge, ...]:
        """Quantities depend on the provider, on whether it is the main region, and on how many zones it has."""
        main = self._checklist.main_cloud
        near = main.region if main is not None and main.region == place[1] else ""
        zones = cluster_zones(place, candidates=(), market=self._market, wanted=count_zones(self._checklist))
        key = (place[0], near, len(zones))
        if key not in self._charges:
            empty = spec(self._without_teams, place=place, candidates=(), market=self._market, name=self._name)
            self._charges[key] = charges(empty)
        return self._charges[key]

    @cached_property
    def _without_teams(self) -> Checklist:
        """The checklist of a cluster without pools, of which nothing can be guaranteed."""
        return self._checklist.model_copy(update={"teams": ()})


@final
class Buildable:
    """What each provider's target can carry of one checklist.

    Args:
        home: whether it is the placement with the platform.
        accelerated: whether any of its pools has accelerators.
    """

    def __init__(self, checklist: Checklist, catalog: Catalog, *, home: bool, accelerated: bool) -> None:
        self._checklist = checklist
        self._accelerated = accelerated
        self._catalog = catalog
        self._home = home
        self._rooms: dict[str, int | None] = {}
        self.crowded: dict[str, str] = {}  # why a cluster was too large for the range, by provider

    def refusal(self, provider: str) -> str:
        """Why no cluster of the checklist can be there; "" where one can."""
        store = self._checklist.platform.object_store
        if self._home and store == "provider" and not find_traits(target(provider, self._checklist)).bucket:
            return "the object store is to be the provider's, and no bucket is made there"
        if self._accelerated and self._lacks_device_plugin(provider):
            return "platform.without leaves the NVIDIA device plugin out, and nothing else brings it there"
        cidr = self._checklist.where.cidr
        narrowest = find_traits(target(provider, self._checklist)).narrowest_range
        fits = cidr.prefixlen <= narrowest and self._room(provider) != 0
        return "" if fits else f"{cidr} is too narrow for a cluster there"

    def _lacks_device_plugin(self, provider: str) -> bool:
        """Whether it is ours to install and left out."""
        if "device_plugin" not in self._checklist.platform.without or target(provider, self._checklist) == "existing":
            return False
        return not explain_missing_plugin(profile(provider))

    def bounds(self, provider: str) -> bool:
        return self._room(provider) is not None

    def has_room(self, provider: str, *, nodes: int) -> bool:
        """Whether so many nodes find addresses in the cluster's range; one for none is a refusal, and none of ours."""
        room = self._room(provider)
        if not room or nodes <= room:
            return True
        self.crowded[provider] = f"{self._checklist.where.cidr} has room for {room:,} nodes at {provider}"
        return False

    def _room(self, provider: str) -> int | None:
        """Nodes for which the range has addresses; None where nothing there bounds them."""
        if provider not in self._rooms:
            built_by, wanted = target(provider, self._checklist), self._checklist.storage.warm
            shared = self._catalog.tiers.get((provider, "warm")) if wanted is not None else None
            lustre = shared is not None and shared.item == Item.SHARED_SSD
            cidr = self._checklist.where.cidr
            self._rooms[provider] = count_room(cidr, lustre=lustre) if find_traits(built_by).node_ranges else None
        return self._rooms[provider]
