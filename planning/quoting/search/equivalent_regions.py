"""Other regions of a provider in which an option's machines are bought in the same way for nearly the same money."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.quoting.quote import Twin
from planning.quoting.search.candidate_set import anything
from planning.quoting.search.least_cost import complete
from planning.quoting.search.selection import LEAST_DIFFERENCE
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from planning.quoting.candidates.candidate import Candidate
    from planning.quoting.candidates.market import Place
    from planning.quoting.quote import Option
    from planning.quoting.search.candidate_set import CandidateSet
    from planning.quoting.search.least_cost import Pick
    from planning.spec.cluster import ClusterSpec, Pool

MOST_TWINS: Final = 3
MOST_CHANGES: Final = 2  # pools that one line names


def find_twins(candidates: CandidateSet, pick: Pick, *, without: Container[Place]) -> tuple[Twin, ...]:
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
        other = complete(candidates, place, _resized(candidates, pick, leaders), anything)
        if other is not None and not other.missing and pick.rank.expected:
            share = other.rank.expected / pick.rank.expected - 1
            if abs(share) <= LEAST_DIFFERENCE:
                twins.append(Twin(provider=place[0], region=place[1], share=share))
    return tuple(sorted(twins, key=lambda twin: (abs(twin.share), twin.region)))


def _match(candidates: CandidateSet, pick: Pick, place: Place) -> Iterator[dict[str, Candidate]]:
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


def _resized(candidates: CandidateSet, pick: Pick, leaders: dict[str, Candidate]) -> dict[str, Candidate]:
    """The candidates with as many nodes as the pick has."""
    working = {each.demand.workload: each.fit.working for each in pick.candidates}
    return {
        name: each if each.fit.working == working[name] else candidates.resized(each, working[name]) or each
        for name, each in leaders.items()
    }


def describe_pool_changes(main: Option, other: Option) -> str:
    """What the pools of an option have instead, as "lab on demand instead of spot"; "" where it is at other places."""
    pairs = list(zip(main.placements, other.placements, strict=True))
    if any(ours.placement.region != theirs.placement.region for ours, theirs in pairs):
        return ""
    found = [words for ours, theirs in pairs for words in _list_changes(ours, theirs)]
    more = len(found) - MOST_CHANGES
    said = [*found[:MOST_CHANGES], f"{more} more pool{'s' if more > 1 else ''} changed"] if more > 0 else found
    return " and ".join(said)


def _list_changes(main: ClusterSpec, other: ClusterSpec) -> Iterator[str]:
    ours, theirs = ({pool.name: pool for pool in spec.pools} for spec in (main, other))
    for name in dict.fromkeys((*ours, *theirs)):
        one, two = ours.get(name), theirs.get(name)
        if one is None or two is None:
            yield f"{'an added' if one is None else 'no'} pool {name}"
        elif words := _describe_change(one, two):
            yield f"{name} {words}"


def _describe_change(one: Pool, two: Pool) -> str:
    machines = (one.machine, one.max_nodes) != (two.machine, two.max_nodes)
    bought = (one.kind, two.kind) if one.kind != two.kind else (one.purchase, two.purchase)
    said = [
        " ".join(
            (
                *((f"on {pool.max_nodes} x {pool.machine}",) if machines else ()),
                *((purchase.replace("_", " "),) if bought[0] != bought[1] else ()),
            )
        )
        for pool, purchase in ((two, bought[1]), (one, bought[0]))
    ]
    return f"{said[0]} instead of {said[1].removeprefix('on ') if machines else said[1]}" if said[0] else ""
