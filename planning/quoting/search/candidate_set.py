"""Everything on sale that satisfies one checklist's demands, and what a place costs whatever is picked there."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final, final

from catalogs.ages import MACHINE_AGE, Freshness, judge_age, start_of_age
from catalogs.model import PurchaseKind
from catalogs.providers import find_traits, provider_traits
from planning.checklist.model.vocabulary import HOME
from planning.quoting.assembly.cluster import target
from planning.quoting.assembly.fixed_costs import Buildable, PlaceCosts
from planning.quoting.candidates.candidate import (
    INTERRUPTIBLE,
    Candidate,
    best_cpu,
    build_single_offer,
    is_uninterrupted,
    list_purchases,
    rank_reading,
    rank_usd,
    with_offer,
    with_time_for_interruptions,
)
from planning.quoting.candidates.extra_nodes import Sizes
from planning.quoting.candidates.market import (
    accelerator_refusal,
    limit_of,
    machine_refusal,
    permit,
    place_refusal,
)
from planning.sizing.demand import Rejection
from planning.sizing.run_time import all_month, hours_beside
from planning.values.money import HOURS_PER_MONTH, NOTHING, ZERO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date
    from decimal import Decimal

    from catalogs.model import Offer, Price
    from planning.checklist.model.checklist import Checklist
    from planning.quoting.candidates.market import Market, Permit, Place, Stock
    from planning.sizing.demand import Demand, Fit
    from planning.values.money import Range

    Keep = Callable[[Candidate], bool]

OLD: Final = f"its price is older than {MACHINE_AGE.refused_days} days"
UNDATED: Final = "its price has no date, and a dated one comes before it"
SYSTEM: Final = "system"
# Where CPU machines and everything beside them are priced best known: stands in where they are not priced at all.
REFERENCE_PLACE: Final = next((name, each.reference_region) for name, each in provider_traits().items())


EXPECTED: Final[Callable[[Range], Decimal]] = attrgetter("expected")
READINGS: Final[Mapping[str, Callable[[Range], Decimal]]] = {
    "min": attrgetter("min"),
    "expected": EXPECTED,
    "max": attrgetter("max"),
}


def keep_all(candidate: Candidate) -> bool:
    """Keeps every candidate."""
    del candidate
    return True


@final
class CandidateSet:
    """Every way to build the clusters of one checklist: one set, which all views order.

    Workloads that ask for the same, with the same pools beside them, share their candidates, which carry the demand of
    the first of them.

    Args:
        today: prices past their age limit on this day are left out.
        name: of the placement whose share of the checklist it is.
        refusals: counts why machines and places were left out, for the answer when nothing fits.
        undated: whether accelerators at a price without a date may be taken; not, while dated ones will do.
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
        undated: bool = False,
    ) -> None:
        self.market = market
        self.checklist = checklist
        self.demands = tuple(demands)
        self.today, self.undated, self.name = today, undated, name
        self.limit = limit_of(checklist)
        self.bound: Callable[[Range], Decimal] = READINGS[checklist.ceiling.binds.value]
        self.permits: dict[str, Permit] = {each.workload: permit(each, checklist) for each in self.demands}
        self._refusals = refusals
        self._refused: dict[Place, str] = {}
        self._closed: dict[str, frozenset[str]] = {}
        accelerated = any(each.accelerators for each in self.demands)
        self.buildable = Buildable(checklist, market.catalog, home=name == HOME, accelerated=accelerated)
        self._fresh_days: dict[date | None, bool] = {}
        self._unused: set[str] = set()  # why accelerators that satisfy a demand are not planned with
        self._beside: dict[tuple[str, Place, Keep], tuple[tuple[Candidate, ...], ...]] = {}
        self.place_costs = PlaceCosts(market, checklist, name=name)
        self._place_floors: dict[Keep, list[tuple[Decimal, Place]]] = {}
        self._costs: dict[int, Decimal] = {}
        self.sizes = Sizes(grow=self.limit is not None)
        self._wanted: dict[tuple[Permit, Stock], list[Offer]] = {}
        self._resized: dict[tuple[str, str, str, PurchaseKind, int], Candidate | None] = {}
        self._cpu: dict[tuple[Demand, Place, Keep, PurchaseKind | None], Candidate | None] = {}
        self.gpu: dict[str, dict[Place, list[Candidate]]] = {}
        beside: dict[str, tuple[Demand, ...]] = {}
        for demand in self.demands:
            if demand.beside is not None:
                beside[demand.beside] = (*beside.get(demand.beside, ()), demand)
        alike: dict[tuple[Demand, ...], Demand] = {}
        for demand in self.demands:
            if demand.accelerators:
                asked = (demand, *beside.get(demand.workload, ()))
                first = alike.setdefault(tuple(replace(each, workload="", beside=None) for each in asked), demand)
                self.gpu[demand.workload] = (
                    self._candidates(demand, beside=demand.workload in beside)
                    if first is demand
                    else self.gpu[first.workload]
                )
        self.beside: dict[str, tuple[Demand, ...]] = {name: beside.get(name, ()) for name in self.gpu}

    def with_demands(self, demands: Sequence[Demand]) -> CandidateSet:
        """The same checklist with other demands; what was refused is counted once, here."""
        return CandidateSet(
            self.market,
            self.checklist,
            demands=demands,
            today=self.today,
            refusals=Counter(),
            name=self.name,
            undated=self.undated,
        )

    def admits(self, place: Place) -> bool:
        return not self.refusal(place)

    def refusal(self, place: Place) -> str:
        """Why the cluster cannot be at a place; "" where it can."""
        if place not in self._refused:
            reason = place_refusal(
                place, self.market.region(place), self.checklist, provider=self.market.catalog.providers[place[0]]
            ) or self.buildable.refusal(place[0])
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

    def list_places(self, keep: Keep) -> list[tuple[Decimal, Place]]:
        """Places that sell accelerators for every demand, with the least that these are expected to cost there."""
        if keep not in self._place_floors:
            found: list[tuple[Decimal, Place]] = []
            for place in self.places():
                least = [self._least(stock.get(place, ()), keep) for stock in self.gpu.values()]
                known = [usd for usd in least if usd is not None]
                if len(known) == len(least):
                    found.append((sum(known, start=ZERO), place))
            self._place_floors[keep] = found
        return self._place_floors[keep]

    def _least(self, stock: Iterable[Candidate], keep: Keep) -> Decimal | None:
        """USD of the first kept candidate: the stock of a place is in the order of its cost."""
        return next((self._costs[id(each)] for each in stock if keep(each)), None)

    def cpu(self, demand: Demand, place: Place, keep: Keep, *, kind: PurchaseKind | None = None) -> Candidate | None:
        """The best CPU machines for a demand at a place; None where the catalog has none that fit.

        Args:
            kind: of purchase, where only one may be.
        """
        key = (demand, place, keep, kind)
        if key not in self._cpu:
            kinds = self._kinds(demand, keep)
            best = partial(self._best_cpu, demand, place, keep, kinds=kinds if kind is None else kinds & {kind})
            found = best(undated=False)
            if found is None and (kind is None or self._is_undated(self.cpu(demand, place, keep))):
                found = best(undated=True)
            self._cpu[key] = found
        return self._cpu[key]

    def _best_cpu(
        self, demand: Demand, place: Place, keep: Keep, *, kinds: frozenset[PurchaseKind], undated: bool
    ) -> Candidate | None:
        permit = self.permits[demand.workload]
        return best_cpu(
            demand,
            self.market.cpu_stock(place),
            kinds=kinds,
            allows=lambda offer: permit.allows(offer) and offer.price.undated is undated and self._fresh(offer),
            fallback=partial(self.fallback, demand),
            keep=keep,
            cost=lambda each: rank_reading(each, self.market, EXPECTED),
            reading=EXPECTED,
        )

    @staticmethod
    def _is_undated(candidate: Candidate | None) -> bool:
        return candidate is not None and candidate.parts[0].offer.price.undated

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
        known = self.cpu(demand, REFERENCE_PLACE, keep_all)
        return NOTHING if known is None else rank_usd(known, self.market)

    def list_beside(self, workload: str, place: Place, keep: Keep) -> tuple[tuple[Candidate, ...], ...]:
        """The best machines of each kind of purchase for each pool that stands beside a workload's, up all month.

        Which kind is the cheapest depends on the hours: what is reserved costs the whole month. Within a kind the
        hours of all machines of a provider are the same, so that the best stays the best.
        """
        key = (workload, place, keep)
        if key not in self._beside:
            pools = (
                tuple(self.cpu(all_month(each), place, keep, kind=kind) for kind in sorted(self._kinds(each, keep)))
                for each in self.beside[workload]
            )
            self._beside[key] = tuple(tuple(each for each in pool if each is not None) for pool in pools)
        return self._beside[key]

    def _fresh(self, offer: Offer) -> bool:
        start = start_of_age(offer.price)
        if start not in self._fresh_days:
            age = judge_age(offer.price, today=self.today, machine=True)
            self._fresh_days[start] = age is not Freshness.REFUSED
        if not self._fresh_days[start]:
            self._refusals[OLD] += 1
        return self._fresh_days[start]

    def _may_plan_with(self, offer: Offer) -> bool:
        """Whether the price of accelerators is young enough, and has a day while others with one will do."""
        if offer.price.undated and not self.undated:
            self._refusals[UNDATED] += 1
            self._unused.add(UNDATED)
            return False
        if not self._fresh(offer):
            self._unused.add(OLD)
            return False
        return True

    @property
    def rests_on_undated(self) -> bool:
        """Whether only undated prices are left to try: there are some, and no dated one that is merely too old."""
        return self._unused == {UNDATED}

    def _candidates(self, demand: Demand, *, beside: bool) -> dict[Place, list[Candidate]]:
        found: dict[Place, list[Candidate]] = {}
        elsewhere: list[Stock] = []
        for stock in self.market.stocks:
            if self._list_closed_regions(stock.machine.provider).issuperset(stock.regions):
                elsewhere.append(stock)  # sized only where none is sold at an open place, for the reason
                continue
            sits = self.sits(demand, stock)
            if isinstance(sits, Rejection):
                self._refusals[sits.reason] += 1
                continue
            wanted = self._list_wanted(demand, stock)
            if not wanted:
                continue
            fallback = self._fallbacks(demand)
            for size, tried in self._list_sizes(demand, sits(), stock, wanted, beside=beside):
                nodes = size.working + size.spares
                offers = [each for each in tried if nodes >= each.term.least_nodes and self._may_plan_with(each)]
                if offers and not self.buildable.has_room(stock.machine.provider, nodes=nodes):
                    continue
                for candidate in list_purchases(demand, size, offers, stock, fallback=fallback):
                    found.setdefault(candidate.place, []).append(candidate)
        if len(elsewhere) == len(self.market.stocks):
            self._refusals.update(each.reason for each in self._list_misfits(demand, elsewhere))
        for candidates in found.values():
            self._costs |= {id(each): rank_reading(each, self.market, EXPECTED) for each in candidates}
            candidates.sort(key=self._order)
        return found

    def _list_sizes(
        self, demand: Demand, least: Fit, stock: Stock, wanted: Sequence[Offer], *, beside: bool
    ) -> Iterator[tuple[Fit, Sequence[Offer]]]:
        """Numbers of nodes that are useful, each with the offers that it is tried on."""
        tried: set[int] = set()
        for size in self.sizes.list_useful(demand, least, stock, beside=beside):
            tried.add(size.working)
            yield size, wanted
        spot = [each for each in wanted if each.term.kind is PurchaseKind.SPOT]
        later = self.sizes.with_margin(demand, least, stock, spot=spot[0]) if spot else None
        if later is not None and later.working not in tried:
            yield later, spot

    def _list_misfits(self, demand: Demand, stocks: Iterable[Stock]) -> Iterator[Rejection]:
        return (sits for sits in (self.sits(demand, each) for each in stocks) if isinstance(sits, Rejection))

    def _order(self, candidate: Candidate) -> tuple[Decimal, str, str]:
        return self._costs[id(candidate)], candidate.machine.name, candidate.parts[0].offer.price.purchase

    def sits(self, demand: Demand, stock: Stock) -> Callable[[], Fit] | Rejection:
        """How a demand sits on a machine type at the least number of nodes, or why it does not."""
        refusal = machine_refusal(stock.machine) or accelerator_refusal(stock.accelerator, demand, self.checklist)
        return Rejection(refusal) if refusal else self.sizes.fit_least(demand, stock.machine, stock.accelerator)

    def resize(self, candidate: Candidate, nodes: int, *, at_most: Decimal | None = None) -> Candidate | None:
        """The same offer with another number of working nodes; None where so many make no pool.

        Args:
            at_most: hours that a run may take.
        """
        demand = candidate.demand
        sits = self.sizes.fit(demand, candidate.machine, candidate.accelerator, nodes=nodes)
        if isinstance(sits, Rejection):
            return None
        if not self.buildable.has_room(candidate.machine.provider, nodes=sits.working + sits.spares):
            return None
        if at_most is not None and sits.hours_per_run is not None and sits.hours_per_run > at_most:
            return None
        part = candidate.parts[0]
        key = (demand.workload, candidate.machine.provider, candidate.machine.name, part.offer.term.kind, nodes)
        if key not in self._resized:
            self._resized[key] = with_time_for_interruptions(
                build_single_offer(demand, sits, part.offer, candidate.accelerator)
            )
        first = self._resized[key]
        return None if first is None else with_offer(first, part.offer, fallback=part.fallback)

    def _list_wanted(self, demand: Demand, stock: Stock) -> list[Offer]:
        permit = self.permits[demand.workload]
        if (permit, stock) not in self._wanted:
            closed = self._list_closed_regions(stock.machine.provider)
            self._wanted[permit, stock] = [
                each
                for region in stock.regions
                if region not in closed
                for each in stock.offers(region)
                if permit.allows(each)
            ]
        return self._wanted[permit, stock]

    def _list_closed_regions(self, provider: str) -> frozenset[str]:
        """Where the checklist lets no cluster be, of all regions in which the provider sells accelerators."""
        if provider not in self._closed:
            places = ((provider, region) for region in self.market.list_accelerated_regions(provider))
            self._closed[provider] = frozenset(place[1] for place in places if not self.admits(place))
        return self._closed[provider]

    def _fallbacks(self, demand: Demand) -> Callable[[Offer], Price | None]:
        """`fallback`, looked up once for each offer however many numbers of nodes are tried."""
        known: dict[int, Price | None] = {}

        def find(offer: Offer) -> Price | None:
            if id(offer) not in known:
                known[id(offer)] = self.fallback(demand, offer)
            return known[id(offer)]

        return find

    def fallback(self, demand: Demand, offer: Offer) -> Price | None:
        """What nodes of an offer cost where another purchase may take its place; None where none may.

        The pool that carries the cluster's own software is held by no autoscaler, so that nothing takes its place.
        """
        if demand.kind == SYSTEM or not find_traits(target(offer.machine.provider, self.checklist)).spot_fallback:
            return None
        price = self.market.fallback(offer)
        permit = self.permits[demand.workload]
        return price if price is not None and permit.bears(price, offer.machine) else None
