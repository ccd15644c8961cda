"""Everything on sale that satisfies one checklist's demands, and what a place costs whatever is picked there."""

from __future__ import annotations

from collections import Counter
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final, final

from catalogs.age import MACHINE_AGE_LIMIT_DAYS, too_old
from catalogs.model import PurchaseKind
from planning.charge import HOME
from planning.demand import Fit, Misfit
from planning.money import NOTHING, Range
from planning.options.assemble import spec, target
from planning.options.candidate import Candidate, rank_reading, rank_usd, split, whole
from planning.options.cpu import best_cpu
from planning.options.permits import (
    accelerator_refusal,
    least_nodes,
    machine_refusal,
    permit,
    place_refusal,
)
from planning.quantities import charges
from planning.sizing.fit import fit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import date
    from decimal import Decimal

    from catalogs.model import Offer, Price
    from planning.charge import Charge
    from planning.checklist.model import Checklist
    from planning.demand import Demand
    from planning.options.market import Market, Place, Stock
    from planning.options.permits import Permit

    Keep = Callable[[Candidate], bool]

OLD: Final = f"its price is older than {MACHINE_AGE_LIMIT_DAYS} days"
SYSTEM: Final = "system"
FALLS_BACK: Final = frozenset({"aws"})  # targets whose autoscaler buys on demand what spot does not give
# Where CPU machines and everything beside them are priced best known: stands in where they are not priced at all.
REFERENCE_PLACE: Final = ("aws", "us-east-1")


def anything(candidate: Candidate) -> bool:
    """Keeps every candidate."""
    del candidate
    return True


@final
class Field:
    """The candidates of one checklist.

    Args:
        today: prices past their age limit on this day are left out.
        name: of the placement whose share of the checklist it is.
        refusals: counts why machines and places were left out, for the answer when nothing fits.
    """

    def __init__(
        self,
        market: Market,
        checklist: Checklist,
        *,
        demands: Sequence[Demand],
        today: date,
        refusals: Counter[str],
        name: str = HOME,
    ) -> None:
        self.market = market
        self.checklist = checklist
        self.demands = tuple(demands)
        self.today = today
        self.name = name
        self.reading: Callable[[Range], Decimal] = attrgetter(checklist.ceiling.binds.value)
        self.permits: dict[str, Permit] = {each.workload: permit(each, checklist) for each in self.demands}
        self._refusals = refusals
        self._refused: dict[Place, str] = {}
        self._overheads: dict[Place, Range] = {}
        self._charges: dict[tuple[str, str, int], tuple[Charge, ...]] = {}
        self._cpu: dict[tuple[Demand, Place, Keep], Candidate | None] = {}
        self.gpu: dict[str, dict[Place, list[Candidate]]] = {
            demand.workload: self._candidates(demand) for demand in self.demands if demand.accelerators
        }

    def instead_of(self, demand: Demand, other: Demand) -> Field:
        """The same field with one demand changed; what was refused is counted once, here."""
        demands = tuple(other if each is demand else each for each in self.demands)
        return Field(self.market, self.checklist, demands=demands, today=self.today, refusals=Counter(), name=self.name)

    def admits(self, place: Place) -> bool:
        """Whether the checklist lets the cluster be there."""
        if place not in self._refused:
            reason = place_refusal(
                place, self.market.region(place), self.checklist, provider=self.market.catalog.providers[place[0]]
            )
            self._refused[place] = reason
            if reason:
                self._refusals[reason] += 1
        return not self._refused[place]

    def closed(self) -> Counter[str]:
        """How many places each reason closes, where no place at all is open; empty otherwise."""
        reasons = [place_reason for place in self.market.catalog.regions if (place_reason := self._reason(place))]
        return Counter(reasons) if len(reasons) == len(self.market.catalog.regions) else Counter()

    def _reason(self, place: Place) -> str:
        self.admits(place)
        return self._refused[place]

    def unbought(self) -> str:
        """How the machines that fit are sold at open places, where none of these ways is permitted; "" otherwise."""
        for demand in self.demands:
            if demand.accelerators and not self.gpu[demand.workload]:
                sold = {offer.term.kind.value for offer in self._fitting(demand)}
                if sold and not sold & {kind.value for kind in self.permits[demand.workload].kinds}:
                    how = " or ".join(sorted(sold)).replace("_", " ")
                    return (
                        f"machines that fit {demand.workload} are sold {how} only; what may be bought follows from "
                        "contract.months, contract.reserve, spot and hardware.purchase"
                    )
        return ""

    def _fitting(self, demand: Demand) -> Iterator[Offer]:
        for stock in self.market.stocks:
            if not isinstance(self._sits(demand, stock), Misfit):
                provider = stock.machine.provider
                open_regions = (region for region in stock.regions if self.admits((provider, region)))
                yield from (offer for region in open_regions for offer in stock.offers(region))

    def places(self) -> list[Place]:
        """Places where every demand for accelerators can be met; all that are admitted where there is none."""
        if not self.gpu:
            return [place for place in self.market.catalog.regions if self.admits(place)]
        first, *others = self.gpu.values()
        return [place for place in first if all(place in each for each in others)]

    def cpu(self, demand: Demand, place: Place, keep: Keep) -> Candidate | None:
        """The best CPU machines for a demand at a place; None where the catalog has none that fit."""
        key = (demand, place, keep)
        if key not in self._cpu:
            self._cpu[key] = best_cpu(
                demand,
                self.market.cpu_stock(place),
                kinds=self.permits[demand.workload].kinds,
                allows=lambda offer: self.permits[demand.workload].allows(offer) and self._fresh(offer),
                fallback=partial(self.fallback, demand),
                keep=keep,
                cost=lambda each: rank_reading(each, self.market, self.reading),
                reading=self.reading,
            )
        return self._cpu[key]

    def stand_in(self, demand: Demand) -> Range:
        """What unpriced CPU nodes count as in a ranking: the same nodes at the reference place."""
        known = self.cpu(demand, REFERENCE_PLACE, anything)
        return NOTHING if known is None else rank_usd(known, self.market)

    def order(self, candidate: Candidate) -> tuple[Decimal, str, str]:
        """Cheapest first; names break ties, so that the same input gives the same answer."""
        usd = rank_reading(candidate, self.market, self.reading)
        return usd, candidate.machine.name, candidate.parts[0].offer.price.purchase

    def overhead(self, place: Place) -> Range:
        """USD per month of everything at a place but the nodes; what has no price counts at the dearest known."""
        if place not in self._overheads:
            usd = NOTHING
            for charge in self._charges_at(place):
                usd += self.market.rank_cost(charge, place)
            self._overheads[place] = usd
        return self._overheads[place]

    def _charges_at(self, place: Place) -> tuple[Charge, ...]:
        """Quantities depend on the provider, on whether it is the main region, and on how many zones it has."""
        region = self.market.region(place)
        main = self.checklist.main_cloud
        near = main.region if main is not None and main.region == place[1] else ""
        key = (place[0], near, len(region.zones) if region else 0)
        if key not in self._charges:
            nobody = self.checklist.model_copy(update={"teams": ()})  # no pools yet, so nothing to guarantee
            empty = spec(nobody, place=place, candidates=(), market=self.market, name=self.name)
            self._charges[key] = charges(empty)
        return self._charges[key]

    def _fresh(self, offer: Offer) -> bool:
        fresh = not too_old(offer.price, today=self.today, machine=True)
        if not fresh:
            self._refusals[OLD] += 1
        return fresh

    def _candidates(self, demand: Demand) -> dict[Place, list[Candidate]]:
        found: dict[Place, list[Candidate]] = {}
        for stock in self.market.stocks:
            sits = self._sits(demand, stock)
            if isinstance(sits, Misfit):
                self._refusals[sits.reason] += 1
                continue
            for candidate in self._bought(demand, sits, stock):
                found.setdefault(candidate.place, []).append(candidate)
        return found

    def _sits(self, demand: Demand, stock: Stock) -> Fit | Misfit:
        refusal = machine_refusal(stock.machine) or accelerator_refusal(stock.accelerator, demand, self.checklist)
        return Misfit(refusal) if refusal else fit(demand, stock.machine, stock.accelerator)

    def _bought(self, demand: Demand, sits: Fit, stock: Stock) -> Iterator[Candidate]:
        allows = self.permits[demand.workload].allows
        provider = stock.machine.provider
        nodes = sits.working + sits.spares
        open_regions = (region for region in stock.regions if self.admits((provider, region)))
        wanted = (each for region in open_regions for each in stock.offers(region) if allows(each))
        offers = [each for each in wanted if nodes >= least_nodes(each) and self._fresh(each)]
        return ways(demand, sits, offers, stock, fallback=partial(self.fallback, demand))

    def fallback(self, demand: Demand, offer: Offer) -> Price | None:
        """What nodes of an offer cost where another purchase may take its place; None where none may.

        The pool that carries the cluster's own software is held by no autoscaler, so that nothing takes its place.
        """
        if demand.kind == SYSTEM or target(offer.machine.provider, self.checklist) not in FALLS_BACK:
            return None
        price = self.market.fallback(offer)
        permit = self.permits[demand.workload]
        return price if price is not None and permit.bears(price, offer.machine) else None


def ways(
    demand: Demand,
    sits: Fit,
    offers: Sequence[Offer],
    stock: Stock,
    *,
    fallback: Callable[[Offer], Price | None],
) -> Iterator[Candidate]:
    """Every way to buy the nodes: one offer for all, or a reserved base with a burst beside it."""
    plain: dict[str, list[Offer]] = {}
    for offer in offers:
        yield whole(demand, sits, offer, stock.accelerator, fallback=fallback(offer))
        if offer.term.kind is not PurchaseKind.RESERVED:
            plain.setdefault(offer.region, []).append(offer)
    if not 0 < sits.min_nodes < sits.working + sits.spares:
        return
    for base in offers:
        if base.term.kind is PurchaseKind.RESERVED:
            for burst in plain.get(base.region, ()):
                yield split(
                    demand,
                    sits,
                    base=base,
                    burst=burst,
                    accelerator=stock.accelerator,
                    fallback=fallback(burst),
                )
