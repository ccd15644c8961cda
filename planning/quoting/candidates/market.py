"""What is on sale, grouped the way the search walks it. Built once per catalog, shared by every quote."""

from __future__ import annotations

from functools import cached_property, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final, final

from catalogs.model import Item, PurchaseKind
from catalogs.providers import find_traits
from planning.costs.bill import LIST_PRICE
from planning.costs.pricing import in_tiers
from planning.costs.pricing import place_of as pricing_place
from planning.values.money import HOURS_PER_MONTH, NOTHING, ZERO

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    from catalogs.catalog import Catalog
    from catalogs.model import Accelerator, Machine, Offer, Price, Region
    from catalogs.offers import RoughOffer, Size
    from planning.costs.bill import Charge
    from planning.values.money import Range

Place = tuple[str, str]  # provider, region

MINIMUM_VCPUS: Final = 4  # below this the node agents of Kubernetes and its add-ons eat too large a share
# Kubeflow and several of its dependencies publish x86-64 images only, so CPU pools are x86-64.
CPU_ARCHITECTURE: Final = "x86_64"


@final
class Stock:
    """One GPU machine type and everything it is offered as; an offer is made when a region is looked at."""

    def __init__(self, machine: Machine, accelerator: Accelerator, catalog: Catalog) -> None:
        self.machine = machine
        self.accelerator = accelerator
        self._catalog = catalog
        self._offers: dict[str, tuple[Offer, ...]] = {}

    @cached_property
    def regions(self) -> tuple[str, ...]:
        """Where it has a price."""
        return self._catalog.regions_of(self.machine)

    def offers(self, region: str) -> tuple[Offer, ...]:
        if region not in self._offers:
            self._offers[region] = self._catalog.offers_of(self.machine, region)
        return self._offers[region]


@final
class CpuStock:
    """A CPU machine at a price, with USD per hour of one core and of one GiB were the machine nothing else.

    The rates order and bound; the offer has the exact price, and is made when it is looked at.
    """

    __slots__ = ("_offer", "_rough", "kind", "memory_gib", "name", "usd_per_core", "usd_per_gib", "vcpus")

    def __init__(self, rough: RoughOffer) -> None:
        self.name = rough.size.name
        self.kind = rough.kind
        self.vcpus = rough.size.vcpus
        self.memory_gib = rough.size.memory_gib
        self.usd_per_core = rough.usd_per_hour / rough.size.vcpus
        self.usd_per_gib = rough.usd_per_hour / rough.size.memory_gib
        self._rough = rough
        self._offer: Offer | None = None

    def offer(self) -> Offer:
        """The offer itself."""
        if self._offer is None:
            self._offer = self._rough.make()
        return self._offer


@final
class Market:
    """The catalog, seen by what a search asks of it."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._cpu: dict[Place, tuple[CpuStock, ...]] = {}
        self._usable: dict[str, Callable[[Size], bool]] = {}
        self._beside: dict[tuple[Place, int], Decimal] = {}
        self._accelerated: dict[str, frozenset[str]] = {}
        self._reserved: dict[int, frozenset[Place]] = {}
        self._dearest: dict[str, Decimal] = {}
        self.big_three: dict[str | None, Decimal | None] = {}  # filled by `price_performance.find_hyperscaler_price`

    @cached_property
    def stocks(self) -> tuple[Stock, ...]:
        """GPU machines with their offers, in the order of provider and name."""
        machines = sorted(self.catalog.machines.some(accelerated=True), key=attrgetter("provider", "name"))
        return tuple(self._stock(machine) for machine in machines)

    def accelerated_regions(self, provider: str) -> frozenset[str]:
        """Where a provider sells GPU machines."""
        if provider not in self._accelerated:
            sold = (each for each in self.stocks if each.machine.provider == provider)
            self._accelerated[provider] = frozenset(region for each in sold for region in each.regions)
        return self._accelerated[provider]

    def _stock(self, machine: Machine) -> Stock:
        return Stock(machine, self.catalog.accelerators[machine.accelerator or ""], self.catalog)

    def region(self, place: Place) -> Region | None:
        """Facts about a place; None where the catalog has none."""
        return self.catalog.regions.get(place)

    def cpu_stock(self, place: Place) -> tuple[CpuStock, ...]:
        """CPU machines for a place, cheapest per core first; burstable and tiny ones left out."""
        if place not in self._cpu:
            usable = self._usable.setdefault(place[0], partial(is_usable_cpu, provider=place[0]))
            found = self.catalog.machine_prices(provider=place[0], region=place[1], usable=usable)
            stock = (CpuStock(each) for each in found)
            self._cpu[place] = tuple(sorted(stock, key=attrgetter("usd_per_core", "name")))
        return self._cpu[place]

    def rank_cost(self, charge: Charge, place: Place) -> Range:
        """USD per month of a charge, for ranking: at its price in tiers, else at the highest price known anywhere."""
        if charge.stated_usd is not None:
            return charge.quantity.times(charge.stated_usd)
        paid_at = pricing_place(charge, provider=place[0], region=place[1])
        tiers = self.tiers(charge.item, paid_at, charge.purchase)
        if not tiers:
            return charge.quantity.times(self.dearest(charge.item))
        if len(tiers) == 1:
            return charge.quantity.times(tiers[0].usd)
        usd = NOTHING
        for tier, part in in_tiers(charge.quantity, tiers):
            usd += part.times(tier.usd)
        return usd

    def has_price(self, charge: Charge, place: Place) -> bool:
        """Whether a charge of a cluster at a place can be priced."""
        if charge.stated_usd is not None or charge.quantity.max <= ZERO:
            return True
        paid_at = pricing_place(charge, provider=place[0], region=place[1])
        return bool(self.tiers(charge.item, paid_at, charge.purchase))

    def tiers(self, item: str, place: Place, purchase: str = LIST_PRICE) -> tuple[Price, ...]:
        """The prices of an item at a place; empty where it has none."""
        return self.catalog.prices.known_tiers(provider=place[0], item=item, region=place[1], purchase=purchase)

    def fallback(self, offer: Offer) -> Price | None:
        """The on-demand price of a spot offer's machine in its region; None for other offers, and where it has none."""
        if offer.term.kind is not PurchaseKind.SPOT:
            return None
        place = (offer.machine.provider, offer.region)
        return next(iter(self.tiers(offer.machine.name, place, PurchaseKind.ON_DEMAND)), None)

    def unit_usd(self, item: Item, place: Place) -> Decimal:
        """USD per unit of a service item; where it has no price, the dearest price known anywhere.

        The dearest price stands in only to rank options: an unknown price may not make a place look cheap.
        """
        tiers = self.tiers(item, place)
        return tiers[0].usd if tiers else self.dearest(item)

    def beside_node_usd(self, place: Place, disk_gb: int) -> Decimal:
        """USD per node-hour of a node's network disk and, where it is paid per node, its NAT; ranking only."""
        key = (place, disk_gb)
        if key not in self._beside:
            usd = self.unit_usd(Item.DISK, place) * disk_gb / HOURS_PER_MONTH
            if find_traits(place[0]).nat_billing == "node":
                usd += self.unit_usd(Item.NAT_GATEWAY, place)
            self._beside[key] = usd
        return self._beside[key]

    def reserved_places(self, months: int) -> frozenset[Place]:
        """Places where any machine has a price for a term of `months`."""
        if months not in self._reserved:
            terms = self.catalog.terms.values()
            words = {each.purchase for each in terms if each.kind is PurchaseKind.RESERVED and each.months == months}
            self._reserved[months] = frozenset(self.catalog.prices.places_with(words))
        return self._reserved[months]

    def dearest(self, item: str) -> Decimal:
        """The highest USD per unit that any provider asks for an item; 0 where nobody names a price."""
        if item not in self._dearest:
            prices = self.catalog.prices
            found = (price.usd for name in self.catalog.providers for price in prices.of_item(provider=name, item=item))
            self._dearest[item] = max(found, default=ZERO)
        return self._dearest[item]


def is_usable_cpu(size: Size, *, provider: str) -> bool:
    """Whether a CPU machine is fit for nodes that run services: known, large enough, not burstable, x86-64."""
    if size.vcpus < MINIMUM_VCPUS or not size.memory_gib:
        return False
    return size.architecture == CPU_ARCHITECTURE and not size.name.startswith(find_traits(provider).burstable)
