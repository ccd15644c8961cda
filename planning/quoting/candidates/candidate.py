"""One demand on one machine type, bought in one way or two (a reserved base and a burst beside it)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from math import ceil, inf
from typing import TYPE_CHECKING, Final, NamedTuple

from catalogs.model import PurchaseKind
from catalogs.providers import find_traits
from planning.costs.pricing import with_fallback
from planning.quoting.candidates.billed_hours import total_hours, with_interruptions
from planning.sizing.demand import MONTH_TOO_SHORT, Rejection
from planning.sizing.fit import fit
from planning.values.money import HOURS_PER_MONTH, NOTHING, Range

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    from catalogs.model import Accelerator, Machine, Offer, Price
    from planning.quoting.candidates.market import CpuStock, Market, Place, Stock
    from planning.sizing.demand import Demand, Fit


# Our own sizes, in GB: an OS image with a GPU driver and a few container images of 10-20 GB each on GPU nodes.
GPU_NODE_DISK_GB: Final = 200
CPU_NODE_DISK_GB: Final = 100


def node_disk_gb(provider: str, *, accelerated: bool) -> int:
    """Network disk of a node at a provider; 0 where nodes have none."""
    if find_traits(provider).diskless_nodes:
        return 0
    return GPU_NODE_DISK_GB if accelerated else CPU_NODE_DISK_GB


class OfferShare(NamedTuple):
    """Nodes of one offer; `fallback` is what they cost at most, where another purchase may take its place."""

    offer: Offer
    working: int
    spares: int
    min_nodes: int
    node_hours: Range
    fallback: Price | None = None

    @property
    def nodes(self) -> int:
        return self.working + self.spares

    @property
    def usd(self) -> Range:
        """USD per month of its machines."""
        usd = self.node_hours.times(self.offer.price.usd)
        if self.fallback is None:
            return usd
        return with_fallback(usd, hours=self.node_hours, usd_per_hour=self.fallback.usd)


class Candidate(NamedTuple):
    """A way to satisfy one demand."""

    demand: Demand
    fit: Fit
    machine: Machine
    accelerator: Accelerator | None
    parts: tuple[OfferShare, ...]
    machine_usd: Range  # per month, without disks
    node_hours: Range  # of all parts in a month

    @property
    def place(self) -> Place:
        """Where its machines are."""
        return self.machine.provider, self.parts[0].offer.region

    @property
    def disk_gb(self) -> int:
        return node_disk_gb(self.machine.provider, accelerated=self.accelerator is not None)


def build_single_offer(
    demand: Demand,
    fit: Fit,
    offer: Offer,
    accelerator: Accelerator | None,
    *,
    fallback: Price | None = None,
) -> Candidate:
    """The demand on one offer, its hours as they are billed; what is reserved for a term is paid around the clock."""
    fit, min_nodes = with_interruptions(demand, fit, offer, accelerator), fit.min_nodes
    if offer.term.kind is PurchaseKind.RESERVED:
        min_nodes = fit.working + fit.spares
        hours = Range.exactly(HOURS_PER_MONTH * min_nodes)
    else:
        hours = total_hours(demand, fit, offer, accelerator)
    part = OfferShare(offer, fit.working, fit.spares, min_nodes, hours, fallback)
    return Candidate(demand, fit, offer.machine, accelerator, (part,), part.usd, hours)


def with_offer(candidate: Candidate, offer: Offer, *, fallback: Price | None) -> Candidate:
    """The `whole` of another offer of the same machine and kind of purchase: hours do not differ between regions."""
    first = candidate.parts[0]
    part = OfferShare(offer, first.working, first.spares, first.min_nodes, first.node_hours, fallback)
    return Candidate(
        candidate.demand, candidate.fit, offer.machine, candidate.accelerator, (part,), part.usd, candidate.node_hours
    )


def hold_all_month(candidate: Candidate) -> Candidate:
    """The same nodes, none of which is given back before the month ends."""
    parts = tuple(
        part._replace(min_nodes=part.nodes, node_hours=Range.exactly(HOURS_PER_MONTH * part.nodes))
        for part in candidate.parts
    )
    usd, hours = sum((part.usd for part in parts), start=NOTHING), sum((part.node_hours for part in parts), NOTHING)
    return candidate._replace(parts=parts, machine_usd=usd, node_hours=hours)


def build_reserved_and_burst(
    demand: Demand,
    fit: Fit,
    *,
    base: Offer,
    burst: Offer,
    accelerator: Accelerator | None,
    fallback: Price | None = None,
) -> Candidate:
    """A reserved base that is always on, and a burst beside it that scales to zero."""
    always = HOURS_PER_MONTH * fit.min_nodes
    base_part = OfferShare(base, fit.min_nodes, 0, fit.min_nodes, Range.exactly(always))
    billed = total_hours(demand, fit, burst, accelerator)
    rest = Range(*(max(part - always, Decimal(0)) for part in billed.readings))
    burst_part = OfferShare(burst, fit.working - fit.min_nodes, fit.spares, 0, rest, fallback)
    usd = base_part.usd + burst_part.usd
    return Candidate(demand, fit, base.machine, accelerator, (base_part, burst_part), usd, base_part.node_hours + rest)


def rank_usd(candidate: Candidate, market: Market) -> Range:
    """USD per month of the nodes with their disks and, where it is paid per node, their NAT.

    What has no price is ranked at the highest price known.
    """
    return candidate.machine_usd + candidate.node_hours.times(_beside_usd(candidate, market))


def rank_reading(candidate: Candidate, market: Market, reading: Callable[[Range], Decimal]) -> Decimal:
    """One reading of `rank_usd`."""
    return reading(candidate.machine_usd) + reading(candidate.node_hours) * _beside_usd(candidate, market)


def _beside_usd(candidate: Candidate, market: Market) -> Decimal:
    """USD per node-hour of what a node needs beside itself."""
    return market.beside_node_usd(candidate.place, candidate.disk_gb)


INTERRUPTIBLE: Final = frozenset({PurchaseKind.SPOT, PurchaseKind.FLEX})


def is_uninterrupted(candidate: Candidate) -> bool:
    """Whether nothing of it can be taken away while it runs."""
    return all(part.offer.term.kind not in INTERRUPTIBLE for part in candidate.parts)


def is_reserved(candidate: Candidate) -> bool:
    """Whether any of it is reserved for the contract."""
    return any(part.offer.term.kind is PurchaseKind.RESERVED for part in candidate.parts)


def with_time_for_interruptions(candidate: Candidate) -> Candidate | None:
    """The candidate, or the same offer on more nodes where interruptions would make a run late; None where none do.

    Interruptions undo about as many node hours on any number of nodes, so that what they leave of the time bounds it.
    """
    if candidate.fit.hours_per_run is None:
        return candidate
    demand, offer = candidate.demand, candidate.parts[0].offer
    most = min((each for each in (demand.deadline_hours, demand.most_hours_per_run) if each is not None), default=None)
    found = candidate
    while most is not None and found.fit.hours_per_run is not None and found.fit.hours_per_run > most:
        sits, left = found.fit, most - (found.fit.hours_per_run - found.fit.work_hours)
        least = ceil(sits.working * sits.work_hours / left) if left > 0 else 0
        more = (
            fit(demand, found.machine, found.accelerator, nodes=max(sits.working + 1, least))
            if least
            else MONTH_TOO_SHORT
        )
        if isinstance(more, Rejection):
            return None
        more = replace(more, is_least=candidate.fit.is_least)
        found = build_single_offer(demand, more, offer, found.accelerator, fallback=candidate.parts[0].fallback)
    return found


def list_purchases(
    demand: Demand,
    sits: Fit,
    offers: Sequence[Offer],
    stock: Stock,
    *,
    fallback: Callable[[Offer], Price | None],
) -> Iterator[Candidate]:
    """Every way to buy the nodes: one offer for all, or a reserved base with a burst beside it."""
    plain: dict[str, list[Offer]] = {}
    first: dict[PurchaseKind, Candidate | None] = {}
    for offer in offers:
        kind = offer.term.kind
        if kind not in first:
            first[kind] = with_time_for_interruptions(build_single_offer(demand, sits, offer, stock.accelerator))
        made = first[kind]
        if made is not None:
            yield with_offer(made, offer, fallback=fallback(offer))
        if kind is not PurchaseKind.RESERVED:
            plain.setdefault(offer.region, []).append(offer)
    if not 0 < sits.min_nodes < sits.working + sits.spares:
        return
    for base in offers:
        if base.term.kind is PurchaseKind.RESERVED:
            for burst in plain.get(base.region, ()):
                yield build_reserved_and_burst(
                    demand,
                    sits,
                    base=base,
                    burst=burst,
                    accelerator=stock.accelerator,
                    fallback=fallback(burst),
                )


SLACK: Final = 1 + 1e-9  # the bounds are floats, the costs are not
SHORT: Final = 1e-9  # of a node, for the same reason


def best_cpu(
    demand: Demand,
    stock: Sequence[CpuStock],
    *,
    kinds: Container[PurchaseKind],
    allows: Callable[[Offer], bool],
    fallback: Callable[[Offer], Price | None],
    keep: Callable[[Candidate], bool],
    cost: Callable[[Candidate], Decimal],
    reading: Callable[[Range], Decimal],
) -> Candidate | None:
    """The candidate of least cost; ties go to the first name.

    Args:
        stock: by USD per core, least first: once the cores alone cost more than the best so far, all others do.
        kinds: purchases that are allowed at all; `allows` looks at each offer.
        fallback: the price of what may take an offer's place.
        cost: USD per month that decides.
        reading: which end of a range decides, for the hours of a node.
    """
    memory_gib = float(demand.memory_gib)
    best: tuple[Decimal, str, str] | None = None
    chosen: Candidate | None = None
    limit, hours = inf, 0.0
    for each in stock:
        if each.usd_per_core * demand.vcpus * hours > limit:
            break
        if each.kind not in kinds or each.usd_per_gib * memory_gib * hours > limit:
            continue
        nodes = max(-(-demand.vcpus // each.vcpus), ceil(memory_gib / each.memory_gib - SHORT))
        if each.usd_per_core * each.vcpus * nodes * hours > limit:
            continue
        offer = each.offer()
        candidate = _on(demand, offer, fallback) if allows(offer) else None
        if candidate is None or not keep(candidate):
            continue
        hours = float(reading(candidate.fit.node_hours) / (candidate.fit.working + candidate.fit.spares))
        key = (cost(candidate), candidate.machine.name, candidate.parts[0].offer.price.purchase)
        if best is None or key < best:
            best, chosen, limit = key, candidate, float(key[0]) * SLACK
    return chosen


def with_hours(candidate: Candidate, hours: Decimal) -> Candidate:
    """The same CPU machines, up for this many hours of a month."""
    part = candidate.parts[0]
    found = _on(replace(candidate.demand, busy_hours=hours), part.offer, lambda _: part.fallback)
    if found is None:
        raise TypeError(f"{candidate.machine.name} fitted for other hours")
    return found


def _on(demand: Demand, offer: Offer, fallback: Callable[[Offer], Price | None]) -> Candidate | None:
    sits = fit(demand, offer.machine, None)
    return (
        None if isinstance(sits, Rejection) else build_single_offer(demand, sits, offer, None, fallback=fallback(offer))
    )
