"""What a row costs that has a quantity and no cost: at the price of the stack's lock, else of the price book."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Final

from catalogs.model import CatalogError, PurchaseKind
from catalogs.parsing import HOUR, LIST, unit_of
from planning.costs.bill import component_of
from planning.spec.lock_content import State
from planning.usage.columns import CAPACITY_PLAN, PRICING_CATEGORY, REGION
from planning.values.money import HOURS_PER_MONTH, ZERO

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalogs.catalog import Catalog
    from planning.spec.lock_content import Lock, LockedLine


_GIB: Final = Decimal(2**30) / 10**9
_GPU_HOURS: Final = frozenset({"gpu-hour", "gpu-hours"})
# Units of bills, by the unit of our price lists that they are counted in.
_UNITS: Final[Mapping[str, Mapping[str, Decimal]]] = {
    HOUR: dict.fromkeys(
        ("hour", "hours", "hrs", "instance-hour", "instance-hours", "node-hours", "ip-hour", "ip-hours"), Decimal(1)
    ),
    "GB": {"gb": Decimal(1), "gib": _GIB, "bytes": Decimal(1) / 10**9, "tb": Decimal(1000), "tib": _GIB * 1024},
    "GB-month": {
        "gb-month": Decimal(1),
        "gb-months": Decimal(1),
        "gb-mo": Decimal(1),
        "gib-month": _GIB,
        "gib-months": _GIB,
        "gb-hour": Decimal(1) / HOURS_PER_MONTH,
        "gb-hours": Decimal(1) / HOURS_PER_MONTH,
        "gib-hour": _GIB / HOURS_PER_MONTH,
        "gib-hours": _GIB / HOURS_PER_MONTH,
    },
    "1k requests": dict.fromkeys(("request", "requests", "count", "operations"), Decimal("0.001")),
}
# How it was bought: CoreWeave's capacity plans, and the pricing categories of FOCUS.
_KINDS: Final[Mapping[str, str]] = {
    "on-demand": PurchaseKind.ON_DEMAND,
    "spot": PurchaseKind.SPOT,
    "reserved": PurchaseKind.RESERVED,
    "reservation": PurchaseKind.RESERVED,
    "flex": PurchaseKind.FLEX,
    "standard": PurchaseKind.ON_DEMAND,
    "dynamic": PurchaseKind.SPOT,
    "committed": PurchaseKind.RESERVED,
}
_BOOKED: Final = frozenset({PurchaseKind.ON_DEMAND, PurchaseKind.SPOT})  # kinds whose word is that of the price book


@dataclass(frozen=True, slots=True)
class NoRate:
    """Why a quantity has no price."""

    reason: str


@dataclass(frozen=True)
class LockedRates:
    """The prices of a lock, with the price book that it was quoted at behind them."""

    lock: Lock
    catalog: Catalog

    @cached_property
    def providers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.placement.provider for each in self.lock.placements))

    @cached_property
    def machines(self) -> frozenset[str]:
        """Names of machines that its providers sell."""
        return frozenset(name for provider, name in self.catalog.machines if provider in self.providers)

    def price(self, row: Mapping[str, str], item: str, *, quantity: Decimal, unit: str) -> Decimal | NoRate:
        """USD of a quantity of an item.

        Args:
            row: in FOCUS columns; says where it was used and how it was bought.
        """
        place = self._find_place(row.get(REGION, ""), item)
        if place is None:
            return NoRate(f"in {row.get(REGION, '')[:40]}, where the lock has no placement")
        asked = (row.get(CAPACITY_PLAN) or row.get(PRICING_CATEGORY) or "").strip().casefold()
        counted = self._count(item, unit, provider=place[0])
        if counted is None:
            return NoRate(f"in {unit[:40]!r}, which is no unit of its price")
        rate = self._rate(item, kind=_KINDS.get(asked, ""), place=place)
        return rate if isinstance(rate, NoRate) else quantity * counted * rate

    def _count(self, item: str, unit: str, *, provider: str) -> Decimal | None:
        """How many units of its price one unit of the bill is; None where that is not known."""
        said = unit.strip().casefold().replace(" ", "-")
        machine = self.catalog.machines.get((provider, item))
        if machine is not None and said in _GPU_HOURS:
            return Decimal(1) / machine.accelerators if machine.accelerators else None
        return _UNITS.get(unit_of(item), {}).get(said)

    def _rate(self, item: str, *, kind: str, place: tuple[str, str]) -> Decimal | NoRate:
        asked = kind if (place[0], item) in self.catalog.machines else ""
        lines = [line for line in self.lock.bill if line.item == item]
        mine = [line for line in lines if not asked or self._kinds.get(component_of(line.key), asked) == asked]
        if any(line.state == State.ESTIMATED for line in mine):
            return NoRate("its price is an estimate")
        rates = {rate for line in mine if (rate := _rate_of(line)) is not None}
        if len(rates) == 1:
            return rates.pop()
        if rates:
            return NoRate("the lock has more than one price of it, and the row does not say which")
        return self._look_up(item, kind=asked, place=place)

    def _look_up(self, item: str, *, kind: str, place: tuple[str, str]) -> Decimal | NoRate:
        provider, region = place
        purchase = LIST
        if (provider, item) in self.catalog.machines:
            if kind and kind not in _BOOKED:
                return NoRate(f"bought as {kind}, of which the lock has none")
            purchase = kind or PurchaseKind.ON_DEMAND
        try:
            return self.catalog.prices.one(provider=provider, item=item, region=region, purchase=purchase).usd
        except CatalogError:
            return NoRate(f"no price in {provider} {region} ({purchase.replace('_', ' ')})")

    @cached_property
    def _kinds(self) -> dict[str, str]:
        """How the machines of a component are bought."""
        return {
            component_of(line.key): pool.kind
            for cluster in self.lock.placements
            for pool in cluster.pools
            for line in self.lock.bill
            if component_of(line.key).endswith(f"pool/{pool.name}")
        }

    def _find_place(self, said: str, item: str) -> tuple[str, str] | None:
        """Provider and region of a row; None where that is none of the lock. A row may name a zone, or no place."""
        every = [(each.placement.provider, each.placement.region) for each in self.lock.placements]
        places = [place for place in every if (place[0], item) in self.catalog.machines] or every
        if not said:
            return places[0]
        return next((place for place in places if said in (place[1], *self._zones[place])), None)

    @cached_property
    def _zones(self) -> dict[tuple[str, str], frozenset[str]]:
        """Zones of each placement, as far as they are known: the lock's own, and those that offer any machine."""
        found: dict[tuple[str, str], frozenset[str]] = {}
        for cluster in self.lock.placements:
            place = cluster.placement
            zones = (
                self.catalog.zones(provider=place.provider, machine=machine, region=place.region)
                for provider, machine in self.catalog.machines
                if provider == place.provider
            )
            found[place.provider, place.region] = frozenset(place.zones).union(*zones)
        return found


def _rate_of(line: LockedLine) -> Decimal | None:
    return ZERO if line.state == State.FREE else line.usd_per_unit
