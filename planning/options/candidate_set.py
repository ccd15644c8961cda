"""Everything on sale that satisfies one checklist's demands, and what a place costs whatever is picked there."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final, final

from catalogs.age import MACHINE_AGE_LIMIT_DAYS, too_old
from planning.charge import HOME
from planning.demand import Fit, Misfit
from planning.money import HOURS_PER_MONTH, NOTHING, ZERO, Range
from planning.options.assemble import spec, target
from planning.options.candidate import Candidate, rank_reading, rank_usd, whole
from planning.options.cpu import best_cpu
from planning.options.growth import Sizes
from planning.options.overhead import Overhead, read_overhead
from planning.options.permits import accelerator_refusal, least_nodes, machine_refusal, permit, place_refusal
from planning.options.purchases import INTERRUPTIBLE, is_uninterrupted, list_purchases
from planning.quantities import charges
from planning.sizing.fit import fit
from planning.sizing.hours import hours_beside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import date
    from decimal import Decimal

    from catalogs.model import Offer, Price, PurchaseKind
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


EXPECTED: Final[Callable[[Range], Decimal]] = attrgetter("expected")
READINGS: Final[Mapping[str, Callable[[Range], Decimal]]] = {
    "min": attrgetter("min"),
    "expected": EXPECTED,
    "max": attrgetter("max"),
}


def anything(candidate: Candidate) -> bool:
    """Keeps every candidate."""
    del candidate
    return True


def limit_of(checklist: Checklist) -> Decimal | None:
    """USD per month that the checklist's ceilings of a month and of a contract leave; None where there is none."""
    ceiling, months = checklist.ceiling, checklist.contract.months
    of_contract = ceiling.usd_per_contract / months if ceiling.usd_per_contract is not None and months else None
    limits = [limit for limit in (ceiling.usd_per_month, of_contract) if limit is not None]
    return min(limits, default=None)


@final
class CandidateSet:
    """Every way to build the clusters of one checklist: one set, which all views order.

    Workloads that ask for the same share their candidates, which carry the demand of the first of them.

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
        self.limit = limit_of(checklist)
        self.bound: Callable[[Range], Decimal] = READINGS[checklist.ceiling.binds.value]
        self.permits: dict[str, Permit] = {each.workload: permit(each, checklist) for each in self.demands}
        self._refusals = refusals
        self._refused: dict[Place, str] = {}
        self._overheads: dict[Place, Overhead] = {}
        self._charges: dict[tuple[str, str, int], tuple[Charge, ...]] = {}
        self._costs: dict[int, Decimal] = {}
        self.sizes = Sizes(grow=self.limit is not None)
        self._cpu: dict[tuple[Demand, Place, Keep], Candidate | None] = {}
        self.gpu: dict[str, dict[Place, list[Candidate]]] = {}
        alike: dict[Demand, Demand] = {}
        for demand in self.demands:
            if demand.accelerators:
                first = alike.setdefault(replace(demand, workload=""), demand)
                self.gpu[demand.workload] = self._candidates(demand) if first is demand else self.gpu[first.workload]
        self.beside: dict[str, tuple[Demand, ...]] = {
            name: tuple(each for each in self.demands if each.beside == name) for name in self.gpu
        }

    def with_demands(self, demands: Sequence[Demand]) -> CandidateSet:
        """The same checklist with other demands; what was refused is counted once, here."""
        return CandidateSet(
            self.market, self.checklist, demands=demands, today=self.today, refusals=Counter(), name=self.name
        )

    def admits(self, place: Place) -> bool:
        """Whether the checklist lets the cluster be there."""
        return not self.refusal(place)

    def refusal(self, place: Place) -> str:
        """Why the cluster cannot be at a place; "" where it can."""
        if place not in self._refused:
            reason = place_refusal(
                place, self.market.region(place), self.checklist, provider=self.market.catalog.providers[place[0]]
            )
            self._refused[place] = reason
            if reason:
                self._refusals[reason] += 1
        return self._refused[place]

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
                kinds=self._kinds(demand, keep),
                allows=lambda offer: self.permits[demand.workload].allows(offer) and self._fresh(offer),
                fallback=partial(self.fallback, demand),
                keep=keep,
                cost=lambda each: rank_reading(each, self.market, EXPECTED),
                reading=EXPECTED,
            )
        return self._cpu[key]

    def _kinds(self, demand: Demand, keep: Keep) -> frozenset[PurchaseKind]:
        """Purchases that may pass `keep`: what it never keeps need not be made."""
        kinds = self.permits[demand.workload].kinds
        return kinds - INTERRUPTIBLE if keep is is_uninterrupted else kinds

    def cpu_floor(self, place: Place, keep: Keep) -> float:
        """USD per month that the CPU pools of a place are expected to cost at least: their cores at the least rate."""
        stock = self.market.cpu_stock(place)
        usd = 0.0
        for demand in self.demands:
            if demand.accelerators or not demand.vcpus:
                continue
            kinds = self._kinds(demand, keep)
            rate = next((each.usd_per_core for each in stock if each.kind in kinds), 0.0)
            usd += rate * demand.vcpus * self._least_hours(demand, place)
        return usd

    def _least_hours(self, demand: Demand, place: Place) -> float:
        if demand.always_on:
            return float(HOURS_PER_MONTH)
        if demand.beside in self.gpu:
            return min((float(hours_beside(each.fit)) for each in self.gpu[demand.beside].get(place, ())), default=0.0)
        return float(min(demand.busy_hours or ZERO, HOURS_PER_MONTH))

    def cost(self, candidate: Candidate) -> Decimal:
        """Expected USD per month of a candidate in `gpu`, disks and NAT by the node included."""
        return self._costs[id(candidate)]

    def stand_in(self, demand: Demand) -> Range:
        """What unpriced CPU nodes count as in a ranking: the same nodes at the reference place."""
        known = self.cpu(demand, REFERENCE_PLACE, anything)
        return NOTHING if known is None else rank_usd(known, self.market)

    def total(self, place: Place, nodes: Range) -> Range:
        """USD per month of a whole cluster at a place whose nodes, with disks and NAT by the node, cost `nodes`.

        It never falls when `nodes` rise, so that the cheapest nodes make the cheapest cluster of a place.
        """
        return self.overhead(place).total(nodes, market=self.market, place=place)

    def overhead(self, place: Place) -> Overhead:
        """What a place costs whatever machines are picked there."""
        if place not in self._overheads:
            self._overheads[place] = read_overhead(self._charges_at(place), market=self.market, place=place)
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
            sits = self.sits(demand, stock)
            if isinstance(sits, Misfit):
                self._refusals[sits.reason] += 1
                continue
            beside = any(each.beside == demand.workload for each in self.demands)
            for size in self.sizes.list_useful(demand, sits, stock, beside=beside):
                for candidate in self._bought(demand, size, stock):
                    found.setdefault(candidate.place, []).append(candidate)
        for candidates in found.values():
            self._costs |= {id(each): rank_reading(each, self.market, EXPECTED) for each in candidates}
            candidates.sort(key=lambda each: (self.cost(each), each.machine.name, each.parts[0].offer.price.purchase))
        return found

    def sits(self, demand: Demand, stock: Stock) -> Fit | Misfit:
        """How a demand sits on a machine type at the least number of nodes, or why it does not."""
        refusal = machine_refusal(stock.machine) or accelerator_refusal(stock.accelerator, demand, self.checklist)
        return Misfit(refusal) if refusal else fit(demand, stock.machine, stock.accelerator)

    def resized(self, candidate: Candidate, nodes: int) -> Candidate | None:
        """The same offer with another number of working nodes; None where so many make no pool."""
        demand = candidate.demand
        sits = self.sizes.fit(demand, candidate.machine, candidate.accelerator, nodes=nodes)
        if isinstance(sits, Misfit):
            return None
        part = candidate.parts[0]
        return whole(demand, sits, part.offer, candidate.accelerator, fallback=part.fallback)

    def _bought(self, demand: Demand, sits: Fit, stock: Stock) -> Iterator[Candidate]:
        allows = self.permits[demand.workload].allows
        provider = stock.machine.provider
        nodes = sits.working + sits.spares
        open_regions = (region for region in stock.regions if self.admits((provider, region)))
        wanted = (each for region in open_regions for each in stock.offers(region) if allows(each))
        offers = [each for each in wanted if nodes >= least_nodes(each) and self._fresh(each)]
        return list_purchases(demand, sits, offers, stock, fallback=partial(self.fallback, demand))

    def fallback(self, demand: Demand, offer: Offer) -> Price | None:
        """What nodes of an offer cost where another purchase may take its place; None where none may.

        The pool that carries the cluster's own software is held by no autoscaler, so that nothing takes its place.
        """
        if demand.kind == SYSTEM or target(offer.machine.provider, self.checklist) not in FALLS_BACK:
            return None
        price = self.market.fallback(offer)
        permit = self.permits[demand.workload]
        return price if price is not None and permit.bears(price, offer.machine) else None
