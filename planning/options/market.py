"""What is on sale, grouped the way the search walks it. Built once per catalog, shared by every quote."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, final

from catalogs.model import Item, PurchaseKind, UnpricedError
from planning.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from catalogs.model import Accelerator, Machine, Offer, Region
    from catalogs.reader import Catalog

Place = tuple[str, str]  # provider, region

MINIMUM_VCPUS: Final = 4  # below this the node agents of Kubernetes and its add-ons eat too large a share
# Burstable machines earn CPU credits and are throttled without them; not for machines that are always busy.
# EC2 T family, Azure B series, GCP E2 shared-core and F1/G1: the providers' machine-family pages.
BURSTABLE: Final[Mapping[str, tuple[str, ...]]] = {
    "aws": ("t1.", "t2.", "t3.", "t3a.", "t4g."),
    "azure": ("Standard_B", "Basic_"),
    "gcp": ("f1-", "g1-", "e2-micro", "e2-small", "e2-medium"),
}
# Kubeflow and several of its dependencies publish x86-64 images only, so CPU pools are x86-64.
CPU_ARCHITECTURE: Final = "x86_64"


@dataclass(frozen=True, slots=True)
class Stock:
    """One GPU machine type and everything it is offered as."""

    machine: Machine
    accelerator: Accelerator
    offers: tuple[Offer, ...]


@final
class Market:
    """The catalog, seen by what a search asks of it."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._cpu: dict[Place, tuple[Offer, ...]] = {}
        self._unit: dict[tuple[str, str, str], tuple[Decimal, bool]] = {}
        self._dearest: dict[str, Decimal] = {}
        self.big_three: dict[str | None, Decimal | None] = {}  # filled by `worth.big_three`

    @cached_property
    def stocks(self) -> tuple[Stock, ...]:
        """GPU machines with their offers, in the order of provider and name."""
        grouped: dict[tuple[str, str], list[Offer]] = {}
        for offer in self.catalog.offers(accelerated=True):
            grouped.setdefault((offer.machine.provider, offer.machine.name), []).append(offer)
        return tuple(self._stock(offers) for _, offers in sorted(grouped.items()))

    def _stock(self, offers: Sequence[Offer]) -> Stock:
        machine = offers[0].machine
        return Stock(machine, self.catalog.accelerators[machine.accelerator or ""], tuple(offers))

    def region(self, place: Place) -> Region | None:
        """Facts about a place; None where the catalog has none."""
        return self.catalog.regions.get(place)

    def cpu_offers(self, place: Place) -> tuple[Offer, ...]:
        """CPU machines for a place, cheapest per core first; burstable and tiny ones left out."""
        if place not in self._cpu:
            provider, region = place
            found = self.catalog.offers(accelerated=False, provider=provider, region=region)
            usable = [offer for offer in found if is_usable_cpu(offer)]
            self._cpu[place] = tuple(sorted(usable, key=_usd_per_core))
        return self._cpu[place]

    def unit_usd(self, item: Item, place: Place) -> tuple[Decimal, bool]:
        """USD per unit of a service item and whether that is a price; else the dearest price known anywhere.

        The dearest price stands in only to rank options: an unknown price may not make a place look cheap.
        """
        provider, region = place
        key = (item, provider, region)
        if key not in self._unit:
            try:
                first = self.catalog.prices.tiers(provider=provider, item=item, region=region)[0]
                self._unit[key] = (first.usd, True)
            except UnpricedError:
                self._unit[key] = (self.dearest(item), False)
        return self._unit[key]

    def dearest(self, item: str) -> Decimal:
        """The highest USD per unit that any provider asks for an item; 0 where nobody names a price."""
        if item not in self._dearest:
            prices = self.catalog.prices
            found = (price.usd for name in self.catalog.providers for price in prices.of_item(provider=name, item=item))
            self._dearest[item] = max(found, default=ZERO)
        return self._dearest[item]


def is_usable_cpu(offer: Offer) -> bool:
    """Whether a CPU offer is fit for nodes that run services: known, large enough, not burstable, x86-64."""
    machine = offer.machine
    if machine.vcpus is None or machine.memory_gib is None or machine.vcpus < MINIMUM_VCPUS:
        return False
    if machine.architecture != CPU_ARCHITECTURE or offer.term.kind in (PurchaseKind.FLEX, PurchaseKind.CAPACITY_BLOCK):
        return False
    return not machine.name.startswith(BURSTABLE.get(machine.provider, ()))


def _usd_per_core(offer: Offer) -> tuple[Decimal, str, str]:
    return offer.price.usd / (offer.machine.vcpus or 1), offer.machine.name, offer.price.purchase
