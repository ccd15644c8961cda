"""Which clusters a quote shows: three to five that differ, each with the views that it answers.

A checklist with additional placements is split first: the primary cluster, and a cluster for each placement.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final, TypeAlias

from planning.checklist.model.platform import Usage
from planning.checklist.model.vocabulary import HOME, Support
from planning.quoting.quote import Twin
from planning.quoting.search.candidate_set import keep_all
from planning.quoting.search.least_cost import admit_all, complete, find_cheapest
from planning.quoting.search.least_time import NEVER, pace
from planning.values.money import NOTHING, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from catalogs.model import PurchaseKind
    from planning.checklist.model.checklist import Checklist, Elsewhere
    from planning.quoting.candidates.candidate import Candidate
    from planning.quoting.candidates.market import Place
    from planning.quoting.search.candidate_set import CandidateSet, Keep
    from planning.quoting.search.least_cost import ClusterPick, Only

LEAST_USD = Decimal("0.01")  # a ceiling is more than nothing


@dataclass(frozen=True, slots=True)
class PlacementShare:
    """One placement's share of a checklist, which is a checklist itself."""

    name: str
    checklist: Checklist


@dataclass(frozen=True, slots=True)
class PlacementPick:
    """One placement's share and the cluster picked for it."""

    part: PlacementShare
    pick: ClusterPick


Cluster: TypeAlias = tuple[PlacementPick, ...]


def parts(checklist: Checklist) -> tuple[PlacementShare, ...]:
    """The primary share, then those of additional placements in the checklist's order."""
    away = {name for each in checklist.where.elsewhere for name in each.workloads}
    if not away:
        return (PlacementShare(HOME, checklist),)
    staying = tuple(each for each in checklist.workloads if each.name not in away)
    where = checklist.where.model_copy(update={"elsewhere": ()})
    home = checklist.model_copy(update={"workloads": staying, "where": where})
    return (
        PlacementShare(HOME, home),
        *(PlacementShare(each.name, _away(each, checklist)) for each in checklist.where.elsewhere),
    )


def _away(each: Elsewhere, checklist: Checklist) -> Checklist:
    """The share of an additional placement: people, main cloud and services count in the primary one."""
    where = checklist.where.model_copy(
        update={
            "wanted": each.wanted,
            "regions": each.regions,
            "existing": each.existing,
            "cidr": each.cidr,
            "elsewhere": (),
            "domain": None,
        }
    )
    return checklist.model_copy(
        update={
            "workloads": tuple(work for work in checklist.workloads if work.name in each.workloads),
            "where": where,
            "engineers": None,
            "main_cloud": None,
            "storage": each.storage,
            "traffic": each.traffic,
            "usage": Usage(),
            "support": Support.NONE,
            "support_usd_per_month": None,
            "contract": checklist.contract.model_copy(update={"onboarding_usd": ZERO}),
        }
    )


def limit_ceiling(part: PlacementShare, *, others_usd: Sequence[Decimal]) -> PlacementShare:
    """The share with what its ceiling leaves once the others cost at least `others_usd` a month."""
    ceiling = part.checklist.ceiling
    if ceiling.usd_per_month is None or not others_usd:
        return part
    left = max(ceiling.usd_per_month - sum(others_usd, ZERO), LEAST_USD)
    tight = ceiling.model_copy(update={"usd_per_month": left, "usd_per_contract": None})
    return PlacementShare(part.name, part.checklist.model_copy(update={"ceiling": tight}))


FEWEST: Final = 3
MOST: Final = 5
LEAST_DIFFERENCE: Final = Decimal("0.1")  # in cost or in time: less is no choice
_FAMILY: Final = re.compile(r"[^.\-_]+")


@dataclass(slots=True)
class SelectedCluster:
    """One cluster of a quote.

    Args:
        twin_of: the entry that it does not differ from, under which it is one line; None where it stands alone.
    """

    cluster: Cluster
    views: list[str] = field(default_factory=list[str])
    why: list[str] = field(default_factory=list[str])
    twin_of: SelectedCluster | None = None


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
        mine = (self.provider, self.family, self.purchase)
        if self.pools != other.pools and mine != (other.provider, other.family, other.purchase):
            return True
        return _differs(self.usd, other.usd) or _differs(self.hours, other.hours)


def _differs(one: Decimal, other: Decimal) -> bool:
    return one != other and max(one, other) > min(one, other) * (1 + LEAST_DIFFERENCE)


def rank(cluster: Sequence[PlacementPick]) -> Range:
    """USD per month of all placements, with stand-ins for what has no price; orders options, is no price."""
    return sum((each.pick.rank for each in cluster), start=NOTHING)


def find_lead(candidates: Iterable[Candidate]) -> Candidate | None:
    """The pool that costs most: with accelerators where there are any."""
    return max(
        candidates,
        key=lambda each: (each.accelerator is not None, each.machine_usd.expected, each.machine_usd.max),
        default=None,
    )


def read_traits(cluster: Sequence[PlacementPick]) -> Traits:
    candidates = [candidate for each in cluster for candidate in each.pick.candidates]
    lead = find_lead(candidates)
    timed = [each for each in candidates if each.fit.hours_per_run is not None] or candidates
    paces = [each for each in map(pace, timed) if each != NEVER]
    return Traits(
        provider=cluster[0].pick.place[0] if lead is None else lead.machine.provider,
        family="" if lead is None else _machine_family(lead),
        purchase=() if lead is None else _purchase(lead),
        pools=frozenset(
            (each.demand.workload, each.machine.provider, _machine_family(each), _purchase(each))
            for each in [each for each in candidates if each.accelerator] or candidates
        ),
        usd=rank(cluster).expected,
        hours=max(paces, default=Decimal(0)),
    )


def _purchase(candidate: Candidate) -> tuple[str, ...]:
    return tuple(part.offer.term.kind.value for part in candidate.parts)


def _machine_family(candidate: Candidate) -> str:
    if candidate.accelerator is not None:
        return candidate.accelerator.family
    match = _FAMILY.match(candidate.machine.name)
    return match[0] if match else candidate.machine.name


def select(found: Mapping[str, Cluster], reasons: Mapping[str, str]) -> tuple[list[SelectedCluster], dict[str, str]]:
    """The entries of a quote from the cluster of each view, most wanted view first; and views that found no room.

    Args:
        reasons: why a view chooses what it chooses.
    """
    entries: list[SelectedCluster] = []
    crowded: dict[str, str] = {}
    for view, cluster in found.items():
        entry = next((each for each in entries if is_same(each.cluster, cluster)), None)
        if entry is None:
            twin_of = find_near(cluster, entries)
            if twin_of is None and len(list(list_distinct(entries))) == MOST:
                crowded[view] = f"{MOST} options that differ more are shown"
                continue
            entry = SelectedCluster(cluster, twin_of=twin_of)
            entries.append(entry)
        entry.views.append(view)
        entry.why.append(f"{view.replace('_', ' ')}: {reasons[view]}")
    return entries, crowded


def list_distinct(entries: Iterable[SelectedCluster]) -> Iterator[SelectedCluster]:
    return (each for each in entries if each.twin_of is None)


def find_near(cluster: Cluster, entries: Iterable[SelectedCluster]) -> SelectedCluster | None:
    """The first entry of its own that a cluster does not differ from."""
    traits = read_traits(cluster)
    return next((each for each in list_distinct(entries) if not traits.differs(read_traits(each.cluster))), None)


def is_same(one: Sequence[PlacementPick], other: Sequence[PlacementPick]) -> bool:
    """Two clusters are one when they buy the same nodes at the same places."""
    return _purchases(one) == _purchases(other)


def _purchases(cluster: Sequence[PlacementPick]) -> object:
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


def find_alternatives(candidates: CandidateSet, shown: Sequence[ClusterPick]) -> Iterator[tuple[ClusterPick, str]]:
    """The cheapest cluster by each way to differ from what is shown, and why it would be shown."""
    providers = {pick.place[0] for pick in shown}
    leads = [lead for pick in shown if (lead := find_lead(pick.candidates)) is not None]
    families = {(lead.demand.workload, _read_family(lead)) for lead in leads}
    purchases = {(lead.demand.workload, kind) for lead in leads for kind in _kinds(lead)}

    def is_other_family(each: Candidate) -> bool:
        return (each.demand.workload, _read_family(each)) not in families

    def is_other_purchase(each: Candidate) -> bool:
        return all((each.demand.workload, kind) not in purchases for kind in _kinds(each))

    goals: tuple[tuple[str, Keep, Only], ...] = (
        ("at another provider", keep_all, lambda place: place[0] not in providers),
        ("on other accelerators", is_other_family, admit_all),
        ("bought in another way", is_other_purchase, admit_all),
    )
    for words, keep, only in goals:
        pick = find_cheapest(candidates, keep, only=only)
        if pick is not None:
            yield pick, f"alternative: the cheapest {words}"


def _read_family(candidate: Candidate) -> str:
    return candidate.machine.name if candidate.accelerator is None else candidate.accelerator.family


def _kinds(candidate: Candidate) -> set[PurchaseKind]:
    return {part.offer.term.kind for part in candidate.parts}


MOST_TWINS: Final = 3


def find_twins(candidates: CandidateSet, pick: ClusterPick, *, without: Container[Place]) -> tuple[Twin, ...]:
    """The nearest in cost of those within a tenth, nearest first.

    Args:
        without: places that are shown already.
    """
    found = [
        (sum((candidates.cost(each) for each in leaders.values()), start=ZERO), place, leaders)
        for place in candidates.places()
        if place[0] == pick.place[0] and place != pick.place and place not in without
        for leaders in _match(candidates, pick, place)
        if leaders
    ]
    twins: list[Twin] = []
    for _, place, leaders in sorted(found, key=lambda each: each[:2])[:MOST_TWINS]:
        other = complete(candidates, place, _resize_candidates(candidates, pick, leaders), keep_all)
        if other is not None and not other.missing and pick.rank.expected:
            share = other.rank.expected / pick.rank.expected - 1
            if abs(share) <= LEAST_DIFFERENCE:
                twins.append(Twin(provider=place[0], region=place[1], share=share))
    return tuple(sorted(twins, key=lambda twin: (abs(twin.share), twin.region)))


def _match(candidates: CandidateSet, pick: ClusterPick, place: Place) -> Iterator[dict[str, Candidate]]:
    """The candidates of a place that are what the pick has of accelerators; nothing where one is missing."""
    leaders: dict[str, Candidate] = {}
    for each in pick.candidates:
        if each.accelerator is None:
            continue
        stock = candidates.gpu[each.demand.workload].get(place, ())
        names = _offer_names(each)
        same = next((other for other in stock if _offer_names(other) == names), None)
        if same is None:
            return
        leaders[each.demand.workload] = same
    yield leaders


def _offer_names(candidate: Candidate) -> tuple[str, tuple[str, ...]]:
    return candidate.machine.name, tuple(part.offer.price.purchase for part in candidate.parts)


def _resize_candidates(
    candidates: CandidateSet, pick: ClusterPick, leaders: dict[str, Candidate]
) -> dict[str, Candidate]:
    """The candidates with as many nodes as the pick has."""
    working = {each.demand.workload: each.fit.working for each in pick.candidates}
    return {
        name: each if each.fit.working == working[name] else candidates.resize(each, working[name]) or each
        for name, each in leaders.items()
    }
