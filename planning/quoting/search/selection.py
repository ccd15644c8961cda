"""Which clusters a quote shows: three to five that differ, each with the views that it answers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.quoting.search.least_time import NEVER, pace
from planning.values.money import NOTHING, Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from planning.quoting.candidates.candidate import Candidate
    from planning.quoting.search.placements import Placed

    Cluster = tuple[Placed, ...]

FEWEST: Final = 3
MOST: Final = 5
LEAST_DIFFERENCE: Final = Decimal("0.1")  # in cost or in time: less is no choice
_FAMILY: Final = re.compile(r"[^.\-_]+")


@dataclass(slots=True)
class Entry:
    """One cluster of a quote.

    Args:
        twin_of: the entry that it does not differ from, under which it is one line; None where it stands alone.
    """

    cluster: Cluster
    views: list[str] = field(default_factory=list[str])
    why: list[str] = field(default_factory=list[str])
    twin_of: Entry | None = None


@dataclass(frozen=True, slots=True)
class Traits:
    """By what options differ.

    Args:
        provider: of the pool that costs most.
        family: of the accelerators, or of the machines where there are none, of the pool that costs most.
        purchase: how that pool is bought.
        pools: the same three of every pool with accelerators, or of every one where none has, with its workload: which
            of them costs most may be all that changes.
        hours: of the longest run, else milliseconds of the slowest token.
    """

    provider: str
    family: str
    purchase: tuple[str, ...]
    pools: frozenset[tuple[str, str, str, tuple[str, ...]]]
    usd: Decimal
    hours: Decimal

    def differs(self, other: Traits) -> bool:
        """Whether two clusters are a choice."""
        mine = (self.provider, self.family, self.purchase)
        if self.pools != other.pools and mine != (other.provider, other.family, other.purchase):
            return True
        return _differs(self.usd, other.usd) or _differs(self.hours, other.hours)


def _differs(one: Decimal, other: Decimal) -> bool:
    return one != other and max(one, other) > min(one, other) * (1 + LEAST_DIFFERENCE)


def rank(cluster: Sequence[Placed]) -> Range:
    """USD per month of all placements, with stand-ins for what has no price; orders options, is no price."""
    return sum((each.pick.rank for each in cluster), start=NOTHING)


def find_lead(candidates: Iterable[Candidate]) -> Candidate | None:
    """The pool that costs most: with accelerators where there are any."""
    return max(
        candidates,
        key=lambda each: (each.accelerator is not None, each.machine_usd.expected, each.machine_usd.max),
        default=None,
    )


def read_traits(cluster: Sequence[Placed]) -> Traits:
    """The traits of a cluster."""
    candidates = [candidate for each in cluster for candidate in each.pick.candidates]
    lead = find_lead(candidates)
    timed = [each for each in candidates if each.fit.hours_per_run is not None] or candidates
    paces = [each for each in map(pace, timed) if each != NEVER]
    return Traits(
        provider=cluster[0].pick.place[0] if lead is None else lead.machine.provider,
        family="" if lead is None else _family(lead),
        purchase=() if lead is None else _purchase(lead),
        pools=frozenset(
            (each.demand.workload, each.machine.provider, _family(each), _purchase(each))
            for each in [each for each in candidates if each.accelerator] or candidates
        ),
        usd=rank(cluster).expected,
        hours=max(paces, default=Decimal(0)),
    )


def _purchase(candidate: Candidate) -> tuple[str, ...]:
    return tuple(part.offer.term.kind.value for part in candidate.parts)


def _family(candidate: Candidate) -> str:
    if candidate.accelerator is not None:
        return candidate.accelerator.family
    match = _FAMILY.match(candidate.machine.name)
    return match[0] if match else candidate.machine.name


def select(found: Mapping[str, Cluster], reasons: Mapping[str, str]) -> tuple[list[Entry], dict[str, str]]:
    """The entries of a quote from the cluster of each view, most wanted view first; and views that found no room.

    Args:
        reasons: why a view chooses what it chooses.
    """
    entries: list[Entry] = []
    crowded: dict[str, str] = {}
    for view, cluster in found.items():
        entry = next((each for each in entries if is_same(each.cluster, cluster)), None)
        if entry is None:
            twin_of = find_near(cluster, entries)
            if twin_of is None and len(list(alone(entries))) == MOST:
                crowded[view] = f"{MOST} options that differ more are shown"
                continue
            entry = Entry(cluster, twin_of=twin_of)
            entries.append(entry)
        entry.views.append(view)
        entry.why.append(f"{view.replace('_', ' ')}: {reasons[view]}")
    return entries, crowded


def alone(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries that are options of their own."""
    return (each for each in entries if each.twin_of is None)


def find_near(cluster: Cluster, entries: Iterable[Entry]) -> Entry | None:
    """The first entry of its own that a cluster does not differ from."""
    traits = read_traits(cluster)
    return next((each for each in alone(entries) if not traits.differs(read_traits(each.cluster))), None)


def is_same(one: Sequence[Placed], other: Sequence[Placed]) -> bool:
    """Two clusters are one when they buy the same nodes at the same places."""
    return _purchases(one) == _purchases(other)


def _purchases(cluster: Sequence[Placed]) -> object:
    return tuple(
        (
            each.pick.place,
            tuple(
                (candidate.demand.workload, candidate.machine.name, bought.offer.price.purchase, bought.nodes)
                for candidate in each.pick.candidates
                for bought in candidate.parts
            ),
        )
        for each in cluster
    )
