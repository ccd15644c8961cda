"""The search: the best place and machines for a goal, exactly, without trying what cannot win.

The cost of a cluster is a sum: what each demand costs on the machines picked for it, and what the place costs
whatever is picked. So the best pick of a place is the best pick of each demand, and a place whose machines alone
cost more than the best cluster so far needs no further look. A property test holds this equal to brute force.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Final, final

from catalogs.model import PurchaseKind
from planning.demand import Fit, Misfit
from planning.money import NOTHING, ZERO, Range
from planning.options.assemble import spec
from planning.options.candidate import Candidate, rank_usd, split, whole
from planning.options.permits import Permit, accelerator_refusal, permit, place_refusal
from planning.pricing import price_all
from planning.quantities import charges
from planning.sizing.fit import fit

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from decimal import Decimal

    from catalogs.model import Offer
    from planning.checklist.model import Checklist
    from planning.demand import Demand
    from planning.options.market import Market, Place, Stock

SYSTEM: Final = "system"
# Where CPU machines are priced best known: the dearest of the three stands in where they are not priced at all.
REFERENCE_PLACES: Final = (("aws", "us-east-1"), ("gcp", "us-central1"), ("azure", "eastus"))


@dataclass(frozen=True, slots=True)
class Pick:
    """One cluster: a place, and a candidate for each demand; `rank` is its USD per month with stand-ins.

    `missing` are demands for CPU nodes at a provider whose CPU machines are not in the catalog: needed, unpriced.
    """

    place: Place
    candidates: tuple[Candidate, ...]
    missing: tuple[Demand, ...]
    rank: Range


@final
class Field:
    """Everything on sale that satisfies one checklist's demands.

    Args:
        refusals: counts why machines and places were left out, for the answer when nothing fits.
    """

    def __init__(
        self, market: Market, checklist: Checklist, *, demands: Sequence[Demand], refusals: Counter[str]
    ) -> None:
        self.market = market
        self.checklist = checklist
        self.demands = tuple(demands)
        self.reading = attrgetter(checklist.ceiling.binds.value)
        self._refusals = refusals
        self._refused: dict[Place, str] = {}
        self._overhead: dict[Place, Range] = {}
        self._stand_ins: dict[str, Range] = {}
        self.permits = {demand.workload: permit(demand, checklist) for demand in self.demands}
        self.gpu: tuple[dict[Place, list[Candidate]], ...] = tuple(
            self._candidates(demand) for demand in self.demands if demand.accelerators
        )

    def open(self, place: Place) -> bool:
        """Whether the checklist lets the cluster be there."""
        if place not in self._refused:
            self._refused[place] = place_refusal(place, self.market.region(place), self.checklist)
            if self._refused[place]:
                self._refusals[self._refused[place]] += 1
        return not self._refused[place]

    def _candidates(self, demand: Demand) -> dict[Place, list[Candidate]]:
        found: dict[Place, list[Candidate]] = {}
        allowed = self.permits[demand.workload]
        for stock in self.market.stocks:
            sits = self._sits(demand, stock)
            if isinstance(sits, Misfit):
                self._refusals[sits.reason] += 1
                continue
            for candidate in self._bought(demand, sits, stock, allowed):
                found.setdefault(candidate.place, []).append(candidate)
        return found

    def _sits(self, demand: Demand, stock: Stock) -> Fit | Misfit:
        refusal = accelerator_refusal(stock.accelerator, demand, self.checklist)
        return Misfit(refusal) if refusal else fit(demand, stock.machine, stock.accelerator)

    def _bought(self, demand: Demand, sits: Fit, stock: Stock, allowed: Permit) -> Iterator[Candidate]:
        provider = stock.machine.provider
        offers = [each for each in stock.offers if self.open((provider, each.region)) and allowed.allows(each)]
        return ways(demand, sits, offers, stock)

    def places(self) -> Iterable[Place]:
        """Places that could host the cluster."""
        if self.gpu:
            return [place for place in self.gpu[0] if all(place in each for each in self.gpu)]
        return [place for place in self.market.catalog.regions if self.open(place)]

    def cpu(self, demand: Demand, place: Place, keep: Callable[[Candidate], bool]) -> Candidate | None:
        """The best CPU machines for a demand at a place; None where the catalog has no CPU machine there."""
        best: Candidate | None = None
        for offer in self.market.cpu_offers(place):
            if best is not None and self._floor(offer, demand, best) > self.order(best)[0]:
                break
            candidate = self._on_cpu(demand, offer)
            if candidate is not None and keep(candidate) and (best is None or self.order(candidate) < self.order(best)):
                best = candidate
        return best

    def _on_cpu(self, demand: Demand, offer: Offer) -> Candidate | None:
        if not self.permits[demand.workload].allows(offer):
            return None
        sits = fit(demand, offer.machine, None)
        return None if isinstance(sits, Misfit) else whole(demand, sits, offer, None)

    def _floor(self, offer: Offer, demand: Demand, best: Candidate) -> Decimal:
        """No machine from this offer on costs less: the cores asked for at this price per core."""
        nodes = best.fit.working + best.fit.spares
        hours = self.reading(best.fit.node_hours) / nodes
        return offer.price.usd / (offer.machine.vcpus or 1) * demand.vcpus * hours

    def stand_in(self, demand: Demand) -> Range:
        """What unpriced CPU nodes count as in a ranking: the dearest of the reference places."""
        if demand.workload not in self._stand_ins:
            offered = (self.cpu(demand, place, anything) for place in REFERENCE_PLACES)
            costs = [rank_usd(each, self.market) for each in offered if each is not None]
            self._stand_ins[demand.workload] = max(costs, key=self.reading, default=NOTHING)
        return self._stand_ins[demand.workload]

    def order(self, candidate: Candidate) -> tuple[Decimal, str, str]:
        """Cheapest first; names break ties, so that the same input gives the same answer."""
        usd = self.reading(rank_usd(candidate, self.market))
        return usd, candidate.machine.name, candidate.parts[0].offer.price.purchase

    def overhead(self, place: Place) -> Range:
        """USD per month of everything at a place but the nodes; what has no price counts at the dearest known."""
        if place not in self._overhead:
            empty = spec(self.checklist, place=place, candidates=(), market=self.market)
            lines = price_all(
                charges(empty), catalog_prices=self.market.catalog.prices, provider=place[0], region=place[1]
            )
            usd = NOTHING
            for line in lines:
                usd += line.usd_per_month or line.quantity.times(self.market.dearest(line.item))
            self._overhead[place] = usd
        return self._overhead[place]


def anything(candidate: Candidate) -> bool:
    """Keeps every candidate."""
    del candidate
    return True


def ways(demand: Demand, sits: Fit, offers: Sequence[Offer], stock: Stock) -> Iterator[Candidate]:
    """Every way to buy the nodes: one offer for all, or a reserved base with a burst beside it."""
    plain: dict[str, list[Offer]] = {}
    for offer in offers:
        yield whole(demand, sits, offer, stock.accelerator)
        if offer.term.kind is not PurchaseKind.RESERVED:
            plain.setdefault(offer.region, []).append(offer)
    if not 0 < sits.min_nodes < sits.working + sits.spares:
        return
    for base in offers:
        if base.term.kind is PurchaseKind.RESERVED:
            for burst in plain.get(base.region, ()):
                yield split(demand, sits, base=base, burst=burst, accelerator=stock.accelerator)


def cheapest(field: Field, keep: Callable[[Candidate], bool], *, only: Callable[[Place], bool]) -> Pick | None:
    """The cheapest whole cluster among kept candidates and places; None where there is none."""
    best: Pick | None = None
    for floor, place in _by_floor(field, keep, only):
        if best is not None and floor > field.reading(best.rank):
            break
        pick = at(field, place, keep)
        if pick is not None and (best is None or _key(field, pick) < _key(field, best)):
            best = pick
    return best


def _key(field: Field, pick: Pick) -> tuple[Decimal, Place]:
    return field.reading(pick.rank), pick.place


def _by_floor(
    field: Field, keep: Callable[[Candidate], bool], only: Callable[[Place], bool]
) -> list[tuple[Decimal, Place]]:
    floors: list[tuple[Decimal, Place]] = []
    for place in field.places():
        if not only(place):
            continue
        least = [_least(field, each.get(place, ()), keep) for each in field.gpu]
        known = [usd for usd in least if usd is not None]
        if len(known) == len(least):
            floors.append((sum(known, ZERO), place))
    return sorted(floors)


def _least(field: Field, candidates: Iterable[Candidate], keep: Callable[[Candidate], bool]) -> Decimal | None:
    return min((field.reading(each.machine_usd) for each in candidates if keep(each)), default=None)


def at(field: Field, place: Place, keep: Callable[[Candidate], bool]) -> Pick | None:
    """The cheapest cluster at one place; None where a demand cannot be met there."""
    gpu: Iterator[Mapping[Place, list[Candidate]]] = iter(field.gpu)
    found = [
        (demand, _best_gpu(field, next(gpu).get(place, ()), keep) if demand.accelerators else field.cpu(demand, place, keep))
        for demand in field.demands
    ]
    missing = tuple(demand for demand, best in found if best is None)
    if any(demand.kind != SYSTEM for demand in missing):
        return None
    picked = tuple(best for _, best in found if best is not None)
    return Pick(place, picked, missing, total(field, place, picked, missing))


def total(field: Field, place: Place, candidates: Iterable[Candidate], missing: Iterable[Demand]) -> Range:
    """USD per month of a cluster of these candidates, with stand-ins for what has no price."""
    usd = field.overhead(place)
    for candidate in candidates:
        usd += rank_usd(candidate, field.market)
    for demand in missing:
        usd += field.stand_in(demand)
    return usd


def _best_gpu(field: Field, candidates: Iterable[Candidate], keep: Callable[[Candidate], bool]) -> Candidate | None:
    return min((each for each in candidates if keep(each)), key=field.order, default=None)
