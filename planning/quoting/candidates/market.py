"""What is on sale, grouped the way the search walks it, and what of it the checklist allows.

A `Market` is built once per catalog and shared by every quote.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final, final

from catalogs.model import Form, Item, PurchaseKind
from catalogs.providers import FORBIDDABLE, find_traits, profile
from planning.checklist.model.vocabulary import Purchase, Residency
from planning.checklist.rules.provider_limits import conflicts
from planning.costs.bill import LIST_PRICE
from planning.costs.estimates import Estimates
from planning.costs.pricing import in_tiers
from planning.costs.pricing import place_of as pricing_place
from planning.values.money import HOURS_PER_MONTH, NOTHING, ZERO

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    from catalogs.catalog import Catalog
    from catalogs.model import Accelerator, Machine, Offer, Price, Provider, Region
    from catalogs.offers import RoughOffer, Size
    from planning.checklist.model.checklist import Checklist
    from planning.costs.bill import Charge
    from planning.costs.estimates import Estimate
    from planning.sizing.demand import Demand
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
    """The catalog, seen by what a search asks of it.

    Args:
        catalog: one price book with its facts.
        estimated: whether services without a price are estimated where the rule allows it.
    """

    def __init__(self, catalog: Catalog, *, estimated: bool = True) -> None:
        self.catalog = catalog
        self.estimates = Estimates(catalog.prices) if estimated else None
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

    def list_accelerated_regions(self, provider: str) -> frozenset[str]:
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
        """USD per month of a charge, for ranking: at its price in tiers, else as `unit_usd`."""
        if charge.stated_usd is not None:
            return charge.quantity.times(charge.stated_usd)
        paid_at = pricing_place(charge, provider=place[0], region=place[1])
        tiers = self.tiers(charge.item, paid_at, charge.purchase)
        if not tiers:
            return self._rank_unpriced(charge, paid_at)
        if len(tiers) == 1:
            return charge.quantity.times(tiers[0].usd)
        usd = NOTHING
        for tier, part in in_tiers(charge.quantity, tiers):
            usd += part.times(tier.usd)
        return usd

    def _rank_unpriced(self, charge: Charge, place: Place) -> Range:
        estimate = self._estimate(charge.item, place) if charge.purchase == LIST_PRICE else None
        if estimate is None:
            return charge.quantity.times(self.dearest(charge.item))
        parts = in_tiers(charge.quantity, estimate.tiers)
        return sum((part.times(tier.usd.max) for tier, part in parts), start=NOTHING)

    def _estimate(self, item: str, place: Place) -> Estimate | None:
        return self.estimates.find(provider=place[0], item=item, region=place[1]) if self.estimates else None

    def has_price(self, charge: Charge, place: Place) -> bool:
        """Whether a charge of a cluster at a place can be priced or estimated."""
        if charge.stated_usd is not None or charge.quantity.max <= ZERO:
            return True
        paid_at = pricing_place(charge, provider=place[0], region=place[1])
        if self.tiers(charge.item, paid_at, charge.purchase):
            return True
        return charge.purchase == LIST_PRICE and self._estimate(charge.item, paid_at) is not None

    def tiers(self, item: str, place: Place, purchase: str = LIST_PRICE) -> tuple[Price, ...]:
        """The prices of an item at a place; empty where it has none."""
        return self.catalog.prices.find_tiers(provider=place[0], item=item, region=place[1], purchase=purchase)

    def fallback(self, offer: Offer) -> Price | None:
        """The on-demand price of a spot offer's machine in its region; None for other offers, and where it has none."""
        if offer.term.kind is not PurchaseKind.SPOT:
            return None
        place = (offer.machine.provider, offer.region)
        return next(iter(self.tiers(offer.machine.name, place, PurchaseKind.ON_DEMAND)), None)

    def unit_usd(self, item: Item, place: Place) -> Decimal:
        """USD per unit of a service item: estimated at most, and where it has no price, the highest one known anywhere.

        For ranking only: an unknown price may not make a place look cheap.
        """
        if tiers := self.tiers(item, place):
            return tiers[0].usd
        estimate = self._estimate(item, place)
        return estimate.tiers[0].usd.max if estimate else self.dearest(item)

    def beside_node_usd(self, place: Place, disk_gb: int) -> Decimal:
        """USD per node-hour of a node's network disk and, where it is paid per node, its NAT; ranking only."""
        key = (place, disk_gb)
        if key not in self._beside:
            usd = self.unit_usd(Item.DISK, place) * disk_gb / HOURS_PER_MONTH
            if find_traits(place[0]).nat_billing == "node":
                usd += self.unit_usd(Item.NAT_GATEWAY, place)
            self._beside[key] = usd
        return self._beside[key]

    def list_reserved_places(self, months: int) -> frozenset[Place]:
        """Places where any machine has a price for a term of `months`."""
        if months not in self._reserved:
            terms = self.catalog.terms.values()
            words = {each.purchase for each in terms if each.kind is PurchaseKind.RESERVED and each.months == months}
            self._reserved[months] = frozenset(self.catalog.prices.places_with(words))
        return self._reserved[months]

    def dearest(self, item: str) -> Decimal:
        """The highest USD per unit that any provider asks for an item; 0 where none has a price."""
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


NOT_WANTED: Final = "provider not wanted"
REGION_NOT_WANTED: Final = "region not wanted"
NVIDIA: Final = "NVIDIA"  # the training images of every framework asked for are CUDA builds, unless told otherwise
THIN_SPOT: Final = "thin spot"
COMMUNITY: Final = "community"
FLOOR: Final = "floor price"  # "from X": what one pays moves above it
OUTDATED: Final = "older than a known rise"
REFUSED_FLAGS: Final = (THIN_SPOT, COMMUNITY, FLOOR, OUTDATED)
ASKED_KIND: Final = {
    Purchase.ON_DEMAND: PurchaseKind.ON_DEMAND,
    Purchase.SPOT: PurchaseKind.SPOT,
    Purchase.RESERVED: PurchaseKind.RESERVED,
    Purchase.CAPACITY_BLOCK: PurchaseKind.CAPACITY_BLOCK,
}


def machine_refusal(machine: Machine) -> str:
    """Why a machine cannot be a node of a cluster at its provider; "" where it can."""
    if machine.rack:
        return "sold in whole racks only, which sizing does not count in"
    if machine.cluster or not find_traits(machine.provider).kubernetes_on_clusters:
        return ""
    return "sold as a single server, outside the provider's Kubernetes"


@dataclass(frozen=True, slots=True)
class Permit:
    """What may be bought for one demand."""

    kinds: frozenset[PurchaseKind]
    months: int  # of the contract; the only term that may be reserved
    usd_per_gpu_hour: Decimal | None

    def allows(self, offer: Offer) -> bool:
        kind = offer.term.kind
        if kind not in self.kinds:
            return False
        if kind is PurchaseKind.RESERVED and offer.term.months != self.months:
            return False
        if kind is PurchaseKind.SPOT and offer.price.as_of is None:
            return False  # spot prices move by the day: without its day one is no price
        if offer.flags and any(flag.startswith(REFUSED_FLAGS) for flag in offer.flags):
            return False
        return self._under_cap(offer.price, offer.machine)

    def bears(self, price: Price, machine: Machine) -> bool:
        """Whether the machine may run at this on-demand price instead, where its own purchase has none to give."""
        return PurchaseKind.ON_DEMAND in self.kinds and self._under_cap(price, machine)

    def _under_cap(self, price: Price, machine: Machine) -> bool:
        cap = self.usd_per_gpu_hour
        return cap is None or not machine.accelerators or price.usd <= cap * machine.accelerators


def permit(demand: Demand, checklist: Checklist) -> Permit:
    asked = demand.hardware
    kinds = {PurchaseKind.ON_DEMAND}
    if demand.spot:
        kinds.add(PurchaseKind.SPOT)
    if may_reserve(demand, checklist):
        kinds.add(PurchaseKind.RESERVED)
    if asked is not None and asked.purchase is not None:
        kinds = {ASKED_KIND[asked.purchase]}
    caps = [checklist.ceiling.usd_per_gpu_hour, asked.usd_per_hour_cap if asked is not None else None]
    known = [cap for cap in caps if cap is not None]
    return Permit(frozenset(kinds), checklist.contract.months, min(known) if known else None)


def limit_of(checklist: Checklist) -> Decimal | None:
    """USD per month that the checklist's ceilings of a month and of a contract leave; None where there is none."""
    ceiling, months = checklist.ceiling, checklist.contract.months
    of_contract = ceiling.usd_per_contract / months if ceiling.usd_per_contract is not None and months else None
    limits = [limit for limit in (ceiling.usd_per_month, of_contract) if limit is not None]
    return min(limits, default=None)


def may_reserve(demand: Demand, checklist: Checklist) -> bool:
    """Whether machines of this demand may be reserved for the contract."""
    contract = checklist.contract
    if contract.months == 0 or contract.reserve == "nothing":
        return False
    return contract.reserve == "all" or demand.always_on


def accelerator_refusal(accelerator: Accelerator, demand: Demand, checklist: Checklist) -> str:
    """Why an accelerator is out for a demand whatever it costs; "" where it is not."""
    if checklist.where.no_lock_in and accelerator.form is Form.CUSTOM:
        return "sold by one provider only, and no lock-in is wanted"
    if accelerator.maker == NVIDIA or (demand.hardware is not None and demand.hardware.accelerator is not None):
        return ""
    return "not an NVIDIA accelerator; name it under hardware to get it"


def place_refusal(place: Place, region: Region | None, checklist: Checklist, *, provider: Provider) -> str:
    """Why a place is out; "" where it is not."""
    where = checklist.where
    if where.existing is not None:
        here = place[0] == where.existing.provider and where.existing.region in (place[1], "any")
        return "" if here else "the existing cluster is at another place"
    if not provider.kubernetes:
        return "the provider sells no Kubernetes to build on"
    if reason := _not_wanted(place, checklist) or _not_resident(region, checklist):
        return reason
    # What the provider's Kubernetes forbids of what is wanted; a checklist that fixes the provider fails earlier.
    words = [word for word, _ in conflicts(checklist, profile(place[0]).forbidden)]
    return FORBIDDABLE[words[0]] if words else ""


def _not_wanted(place: Place, checklist: Checklist) -> str:
    where = checklist.where
    if place[0] in where.excluded or (where.wanted and place[0] not in where.wanted):
        return NOT_WANTED
    return REGION_NOT_WANTED if where.regions and place[1] not in where.regions else ""


def _not_resident(region: Region | None, checklist: Checklist) -> str:
    wanted = checklist.where.residency
    if wanted is Residency.ANY or (region is not None and region.residency == wanted):
        return ""
    return f"not known to lie in {wanted}"
