"""One demand on one machine type, bought in one way or two (a reserved base and a burst beside it)."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

from catalogs.model import PurchaseKind
from planning.costs.pricing import with_fallback
from planning.quoting.candidates.billed_hours import total_hours, with_interruptions
from planning.values.money import HOURS_PER_MONTH, NOTHING, Range

if TYPE_CHECKING:
    from collections.abc import Callable

    from catalogs.model import Accelerator, Machine, Offer, Price
    from planning.quoting.candidates.market import Market, Place
    from planning.sizing.demand import Demand, Fit

# Our own sizes, in GB: an OS image with a GPU driver and a few container images of 10-20 GB each on GPU nodes.
GPU_NODE_DISK_GB: Final = 200
CPU_NODE_DISK_GB: Final = 100
# Bare-metal nodes that start into memory and keep images on their own NVMe: no network disk is there to be paid for
# (docs.coreweave.com, Nodes and Node Pools: nodes are stateless; local storage is part of the instance).
WITHOUT_NODE_DISKS: Final = frozenset({"coreweave"})


def node_disk_gb(provider: str, *, accelerated: bool) -> int:
    """Network disk of a node at a provider; 0 where nodes have none."""
    if provider in WITHOUT_NODE_DISKS:
        return 0
    return GPU_NODE_DISK_GB if accelerated else CPU_NODE_DISK_GB


class Part(NamedTuple):
    """Nodes of one offer; `fallback` is what they cost at most, where another purchase may take its place."""

    offer: Offer
    working: int
    spares: int
    min_nodes: int
    node_hours: Range
    fallback: Price | None = None

    @property
    def nodes(self) -> int:
        """At the peak."""
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
    parts: tuple[Part, ...]
    machine_usd: Range  # per month, without disks
    node_hours: Range  # of all parts in a month

    @property
    def place(self) -> Place:
        """Where its machines are."""
        return self.machine.provider, self.parts[0].offer.region

    @property
    def disk_gb(self) -> int:
        """Network disk of each node."""
        return node_disk_gb(self.machine.provider, accelerated=self.accelerator is not None)


def whole(
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
    part = Part(offer, fit.working, fit.spares, min_nodes, hours, fallback)
    return Candidate(demand, fit, offer.machine, accelerator, (part,), part.usd, hours)


def sold_as(candidate: Candidate, offer: Offer, *, fallback: Price | None) -> Candidate:
    """The `whole` of another offer of the same machine and kind of purchase: hours do not differ between regions."""
    first = candidate.parts[0]
    part = Part(offer, first.working, first.spares, first.min_nodes, first.node_hours, fallback)
    return Candidate(
        candidate.demand, candidate.fit, offer.machine, candidate.accelerator, (part,), part.usd, candidate.node_hours
    )


def held(candidate: Candidate) -> Candidate:
    """The same nodes, none of which is given back before the month ends."""
    parts = tuple(
        part._replace(min_nodes=part.nodes, node_hours=Range.exactly(HOURS_PER_MONTH * part.nodes))
        for part in candidate.parts
    )
    usd, hours = sum((part.usd for part in parts), start=NOTHING), sum((part.node_hours for part in parts), NOTHING)
    return candidate._replace(parts=parts, machine_usd=usd, node_hours=hours)


def split(
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
    base_part = Part(base, fit.min_nodes, 0, fit.min_nodes, Range.exactly(always))
    billed = total_hours(demand, fit, burst, accelerator)
    rest = Range(*(max(part - always, Decimal(0)) for part in _readings(billed)))
    burst_part = Part(burst, fit.working - fit.min_nodes, fit.spares, 0, rest, fallback)
    usd = base_part.usd + burst_part.usd
    return Candidate(demand, fit, base.machine, accelerator, (base_part, burst_part), usd, base_part.node_hours + rest)


def _readings(quantity: Range) -> tuple[Decimal, Decimal, Decimal]:
    return quantity.min, quantity.expected, quantity.max


def rank_usd(candidate: Candidate, market: Market) -> Range:
    """USD per month of the nodes with their disks and, where it is paid per node, their NAT.

    What has no price counts at the dearest known price, for ranking only.
    """
    return candidate.machine_usd + candidate.node_hours.times(_beside_usd(candidate, market))


def rank_reading(candidate: Candidate, market: Market, reading: Callable[[Range], Decimal]) -> Decimal:
    """One reading of `rank_usd`."""
    return reading(candidate.machine_usd) + reading(candidate.node_hours) * _beside_usd(candidate, market)


def _beside_usd(candidate: Candidate, market: Market) -> Decimal:
    """USD per node-hour of what a node needs beside itself."""
    return market.beside_node_usd(candidate.place, candidate.disk_gb)
