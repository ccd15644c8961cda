"""From a checklist to a quote: one candidate set, every view an ordering over it, the options that differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from catalogs.ages import QUOTE_VALID_DAYS
from catalogs.catalog import CURRENT
from catalogs.custom_prices.rows import find_own_sources
from planning.checklist.model.vocabulary import HOME
from planning.quoting.candidates.candidate import is_uninterrupted
from planning.quoting.candidates.market import NOT_WANTED, REGION_NOT_WANTED, limit_of
from planning.quoting.option import identity, option
from planning.quoting.quote import Quote, Twin, name_view
from planning.quoting.search.candidate_set import CandidateSet
from planning.quoting.search.least_cost import find_cheapest
from planning.quoting.search.selection import (
    FEWEST,
    PlacementPick,
    PlacementShare,
    SelectedCluster,
    find_alternatives,
    find_near,
    find_twins,
    is_same,
    limit_ceiling,
    list_distinct,
    parts,
    rank,
    select,
)
from planning.quoting.search.unmet_requirements import (
    advice,
    count_closed,
    explain_unbought,
    list_misses,
    propose_changes,
    without_deadlines,
)
from planning.quoting.search.views import VIEWS, View
from planning.quoting.tradeoffs import compare_options, describe_pool_changes, describe_recommended, longest_run
from planning.sizing.checklist_demands import size
from planning.values.errors import NothingFitsError
from planning.values.money import ZERO
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import date

    from planning.checklist.model.checklist import Checklist
    from planning.quoting.candidates.market import Market
    from planning.quoting.quote import Option
    from planning.quoting.search.least_cost import ClusterPick
    from planning.quoting.search.selection import Cluster
    from planning.sizing.demand import Demand, SizingFigure

VALID: Final = timedelta(days=QUOTE_VALID_DAYS)
REFUSALS_SHOWN: Final = 8
LATE: Final = "nothing on sale meets the whole checklist"
# Where nothing meets the checklist no view has an answer: what comes nearest is shown, and the cheapest beside it.
LATE_VIEWS: Final = {
    "nearest": View("the least time, where nothing meets the checklist", VIEWS["fastest"].find),
    "alternative": View("the lowest expected bill, where nothing meets the checklist", VIEWS["cheapest"].find),
}


@dataclass(frozen=True, slots=True)
class PlacementSearch:
    """One placement's share of the checklist, and what is on sale for it."""

    part: PlacementShare
    candidates: CandidateSet
    demands: tuple[Demand, ...]
    figures: tuple[SizingFigure, ...]


def quote(checklist: Checklist, *, checklist_digest: str, stack: str, market: Market, today: date) -> Quote:
    """Three to five options, or fewer with the reason.

    Raises:
        NothingFitsError: no machine, region and purchase satisfies the checklist; the hint names what excludes most.
    """
    refusals: Counter[str] = Counter()
    day = price_day(market, today)
    make_shares = partial(_shares, parts(checklist), market=market, today=day, refusals=refusals)
    shares, clusters, missing = _search(make_shares)
    if not clusters:
        raise _nothing(shares, market=market, today=day)
    entries, crowded = select(clusters, {name: view.why for name, view in {**VIEWS, **LATE_VIEWS}.items()})
    if clusters.keys() <= LATE_VIEWS.keys():
        for entry in entries:
            entry.views = ["alternative"]
    else:
        _add_alternatives(entries, shares)
    options = _options(entries, shares=shares, checklist=checklist)
    prices = market.catalog.prices
    return Quote(
        stack=stack,
        options=options,
        reason=_reason(sum(1 for each in options if not each.twin_of), missing),
        missing_views={**missing, **crowded},
        advice=_advice(options, shares=shares),
        figures=tuple(figure for each in shares for figure in each.figures),
        prices=prices.name,
        own_prices=market.catalog.own.name if market.catalog.own else "",
        prices_digest=prices.digest,
        prices_as_of=prices.newest,
        priced_at=today,
        valid_until=min((today + VALID, *_list_ends(options, market))),
        checklist_digest=checklist_digest,
        refusals=tuple(refusals.most_common(REFUSALS_SHOWN)),
        unmet_providers=tuple(_unmet(checklist, options, market=market, today=day)),
    )


def _list_ends(options: Sequence[Option], market: Market) -> Iterator[date]:
    """The last days of the customer's own prices that these options rest on."""
    own = market.catalog.own
    if own is None or not own.ends:
        return
    for line in (line for each in options for line in each.bill.lines):
        yield from (own.ends[each] for each in find_own_sources(f"{line.source} {line.note}") if each in own.ends)


def _search(
    make_shares: Callable[..., tuple[PlacementSearch, ...]],
) -> tuple[tuple[PlacementSearch, ...], dict[str, Cluster], Mapping[str, str]]:
    """The clusters of each view: at dated prices, else at undated ones; late where none is in time."""
    dated = make_shares()
    clusters, missing = _find_all(dated, VIEWS)
    if clusters:
        return dated, clusters, missing
    tries = [dated]
    if any(each.candidates.rests_on_undated for each in dated):
        tries.append(make_shares(undated=True))
        clusters, missing = _find_all(tries[-1], VIEWS)
        if clusters:
            return tries[-1], clusters, missing
    late = dated
    for shares in tries:
        # What comes nearest where nothing keeps the deadlines: the shares as if no run had one.
        late = tuple(
            replace(each, candidates=each.candidates.with_demands(without_deadlines(each.demands))) for each in shares
        )
        clusters, _ = _find_all(late, LATE_VIEWS)
        if clusters:
            break
    return late, clusters, dict.fromkeys(VIEWS, LATE)


def _share(
    part: PlacementShare, *, market: Market, today: date, refusals: Counter[str], undated: bool = False
) -> PlacementSearch:
    sizing = size(part.checklist, beside=part.name != HOME)
    found = CandidateSet(
        market,
        part.checklist,
        demands=sizing.demands,
        today=today,
        refusals=refusals,
        name=part.name,
        undated=undated,
    )
    return PlacementSearch(part, found, sizing.demands, sizing.figures)


def _shares(
    every: Sequence[PlacementShare], *, market: Market, today: date, refusals: Counter[str], undated: bool = False
) -> tuple[PlacementSearch, ...]:
    """Each share; where there are several, each may cost what a ceiling leaves beside the cheapest of the others."""
    refusals.clear()
    share = partial(_share, market=market, today=today, refusals=refusals, undated=undated)
    first = tuple(share(part) for part in every)
    if len(first) == 1 or every[0].checklist.ceiling.usd_per_month is None:
        return first
    refusals.clear()
    least = [find_cheapest(each.candidates) for each in first]
    usd = [ZERO if pick is None else each.candidates.bound(pick.rank) for each, pick in zip(first, least, strict=True)]
    return tuple(share(limit_ceiling(part, others_usd=usd[:at] + usd[at + 1 :])) for at, part in enumerate(every))


def _find_all(
    shares: Sequence[PlacementSearch], views: Mapping[str, View]
) -> tuple[dict[str, Cluster], dict[str, str]]:
    """The cluster of each view, and for each view that has none the reason."""
    found = {name: _together(shares, view) for name, view in views.items()}
    clusters = {name: cluster for name, cluster in found.items() if not isinstance(cluster, str)}
    return clusters, {name: reason for name, reason in found.items() if isinstance(reason, str)}


def _together(shares: Sequence[PlacementSearch], view: View) -> tuple[PlacementPick, ...] | str:
    """A cluster for every share by one goal; at additional placements the cheapest where the goal has no answer."""
    placed: list[PlacementPick] = []
    for at, share in enumerate(shares):
        pick = view.find(share.candidates)
        if isinstance(pick, str) and at:
            pick = find_cheapest(share.candidates, is_uninterrupted) or pick
        if isinstance(pick, str):
            return pick if len(shares) == 1 else f"{share.part.name}: {pick}"
        placed.append(PlacementPick(share.part, pick))
    return tuple(placed)


def _add_alternatives(entries: list[SelectedCluster], shares: Sequence[PlacementSearch]) -> None:
    """Add clusters that differ until there are three, by changing the last share: the one that may be anywhere."""
    while (mains := list(list_distinct(entries))) and len(mains) < FEWEST:
        shown = [each.cluster[-1].pick for each in mains]
        entry = next(_differing(entries, shares, shown), None)
        if entry is None:
            return
        entries.append(entry)


def _differing(
    entries: Sequence[SelectedCluster], shares: Sequence[PlacementSearch], shown: Sequence[ClusterPick]
) -> Iterator[SelectedCluster]:
    for pick, why in find_alternatives(shares[-1].candidates, shown):
        cluster = (*entries[0].cluster[:-1], PlacementPick(shares[-1].part, pick))
        if find_near(cluster, entries) is None and not any(is_same(each.cluster, cluster) for each in entries):
            yield SelectedCluster(cluster, ["alternative"], [why])


def price_day(market: Market, today: date) -> date:
    """The day on which prices are judged for their age: a dated price book is asked for as it was."""
    prices = market.catalog.prices
    return today if prices.name == CURRENT or prices.newest is None else prices.newest


def _options(
    entries: Sequence[SelectedCluster], *, shares: Sequence[PlacementSearch], checklist: Checklist
) -> tuple[Option, ...]:
    """The options of their own, cheapest first, then those that are a line under one of them."""
    made = _name_options(entries, shares=shares, checklist=checklist)
    recommended = next((option for entry, option in made if "recommended" in entry.views), None)
    recommended = recommended or min((option for _, option in made), key=longest_run)
    ids = {id(entry): option.id for entry, option in made}
    places = {entry.cluster[0].pick.place for entry in entries}
    single = sum(not entry.twin_of for entry in entries) == 1
    options: list[Option] = []
    for entry, plain in made:
        mine = [(each, other) for each, other in made if each.twin_of is entry]
        several = len(shares) > 1 or entry.twin_of
        near = () if several else find_twins(shares[0].candidates, entry.cluster[0].pick, without=places)
        said = (
            describe_recommended(plain, alone=single, limited=limit_of(checklist) is not None)
            if plain is recommended
            else compare_options(plain, recommended)
        )
        options.append(
            replace(
                plain,
                recommended="recommended" in entry.views,
                tradeoff=said,
                twins=(*(_twin(plain, other) for _, other in mine), *near),
                twin_of="" if entry.twin_of is None else ids[id(entry.twin_of)],
            )
        )
    return tuple(sorted(options, key=lambda each: (bool(each.twin_of), each.rank_usd_per_month.expected)))


def _name_options(
    entries: Sequence[SelectedCluster], *, shares: Sequence[PlacementSearch], checklist: Checklist
) -> list[tuple[SelectedCluster, Option]]:
    """An option for each entry, with an id of its own, in the order of their cost."""
    made: list[tuple[SelectedCluster, Option]] = []
    market = shares[0].candidates.market
    ordered = sorted(entries, key=lambda each: (rank(each.cluster).expected, [one.pick.place for one in each.cluster]))
    for entry in ordered:
        name = identity(entry.cluster)
        clash = sum(each.id == name or each.id.startswith(f"{name}-v") for _, each in made)
        suffix = f"-v{clash + 1}" if clash else ""
        built = option(
            entry.cluster, checklist=checklist, market=market, views=entry.views, why=entry.why, suffix=suffix
        )
        misses = tuple(
            words
            for each, share in zip(entry.cluster, shares, strict=True)
            for words in list_misses(each.pick.candidates, share.demands)
        )
        made.append((entry, replace(built, misses=misses)))
    return made


def _twin(main: Option, other: Option) -> Twin:
    place, whole = other.spec.placement, main.rank_usd_per_month.expected
    share = other.rank_usd_per_month.expected / whole - 1 if whole else ZERO
    change = describe_pool_changes(main, other)
    return Twin(
        provider=place.provider,
        region=place.region,
        share=share,
        option_id=other.id,
        views=other.views,
        difference=change,
    )


def _advice(options: tuple[Option, ...], *, shares: Sequence[PlacementSearch]) -> tuple[str, ...]:
    """The smallest changes that would work: of deadlines where they are missed, else of what costs most."""
    if any(each.misses for each in options):
        return tuple(words for share in shares for words in propose_changes(share.candidates, share.demands))
    if any(each.judgement.verdict is not Verdict.OVER for each in options):
        return ()
    if len(shares) == 1:
        candidates = shares[0].candidates
        return advice(candidates, floor=min(candidates.bound(each.bill.usd_per_month) for each in options))
    least = [(find_cheapest(each.candidates), each) for each in shares]
    known = [(each.candidates.bound(pick.rank), each) for pick, each in least if pick is not None]
    usd, costliest = max(known, key=lambda each: each[0])
    return tuple(f"{costliest.part.name}: {words}" for words in advice(costliest.candidates, floor=usd))


def _unmet(
    checklist: Checklist, options: Sequence[Option], *, market: Market, today: date
) -> Iterator[tuple[str, str]]:
    """Providers that were asked for by name and are in no option, with the reason."""
    shown = {cluster.placement.provider for each in options for cluster in each.placements}
    shown |= {twin.provider for each in options for twin in each.twins}
    for provider in checklist.where.wanted:
        if provider not in shown:
            yield provider.value, _why_unmet(checklist, provider.value, market=market, today=today)


def _why_unmet(checklist: Checklist, provider: str, *, market: Market, today: date) -> str:
    where = checklist.where.model_copy(update={"wanted": (provider,), "elsewhere": ()})
    refusals: Counter[str] = Counter()
    part = PlacementShare(HOME, checklist.model_copy(update={"where": where}))
    candidates = _share(part, market=market, today=today, refusals=refusals).candidates
    pick = find_cheapest(candidates)
    if pick is not None:
        return f"its cheapest cluster comes to {pick.rank.expected:,.0f} USD a month expected, behind the options shown"
    closed = Counter(candidates.refusal(place) for place in market.catalog.regions if place[0] == provider)
    if closed and "" not in closed:
        return closed.most_common(1)[0][0]
    top = _list_reasons(refusals).most_common(1)
    return explain_unbought(candidates) or (top[0][0] if top else "it sells nothing that fits")


def _list_reasons(refusals: Counter[str]) -> Counter[str]:
    """The reasons beside what the customer did not ask for; all where there is no other."""
    asked = {words: count for words, count in refusals.items() if words not in (NOT_WANTED, REGION_NOT_WANTED)}
    return Counter(asked) or refusals


def _reason(count: int, missing: Mapping[str, str]) -> str:
    if LATE in missing.values():
        return f"{LATE}: shown is what comes nearest, and the least cost beside it"
    if count >= FEWEST:
        return ""
    why = "; ".join(f"no {name_view(name)}: {reason}" for name, reason in missing.items())
    return f"only {count} distinct option{'s' if count > 1 else ''}: nothing else on sale satisfies the checklist" + (
        f" ({why})" if why else ""
    )


def _nothing(shares: Sequence[PlacementSearch], *, market: Market, today: date) -> NothingFitsError:
    """The answer when nothing fits, about the first share that has no cluster."""
    found = next((each for each in shares if find_cheapest(each.candidates) is None), shares[0])
    part, undated = found.part, found.candidates.undated
    refusals: Counter[str] = Counter()
    candidates = _share(part, market=market, today=today, refusals=refusals, undated=undated).candidates
    reasons = count_closed(candidates) or _list_reasons(refusals)
    top = ", ".join(f"{reason} ({count})" for reason, count in reasons.most_common(3))
    hint = f"what excludes most: {top}" if top else "the price book offers no machine with an accelerator here"
    where = "" if len(shares) == 1 else f" at {part.name}"
    return NothingFitsError(
        f"nothing on sale satisfies this checklist{where}", hint=explain_unbought(candidates) or hint
    )
