"""What holds for the quote of any checklist: each law a sentence, each breach a sentence with figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations

from catalogs.providers import find_traits
from planning.ceilings.verdict import of_lines
from planning.checklist.model.checklist import Checklist
from planning.checklist.model.workload import FineTuning, Training
from planning.costs.bill import BillGroup
from planning.costs.estimates import SERVICES
from planning.quoting.quote import Option, Quote
from planning.quoting.search.candidate_set import limit_of
from planning.quoting.search.views import MARGIN, STOPPABLE
from planning.sizing.workloads.training import rollouts_of
from planning.values.addresses import count_room
from planning.values.money import HOURS_PER_MONTH
from planning.values.verdict import Verdict

VIEWS = {"recommended", "cheapest", "no_spot", "fastest", "same_cloud", "micro_cloud", "committed", "alternative"}
MOST_SHOWN = 5
HOURS_PER_DAY = 24
NEAR = Decimal("0.10")  # options nearer than this in cost and in time, with the same machines, are one option
CENT = Decimal("0.01")  # figures are rounded when they are shown
HYPERSCALERS = ("aws", "azure", "gcp")
INTERRUPTIBLE = ("spot", "flex")


def broken_laws(checklist: Checklist, quote: Quote) -> list[str]:
    """Every breach; empty for a quote that holds."""
    return [f"{law.__name__}: {breach}" for law in LAWS for breach in law(checklist, quote)]


def rank(option: Option) -> Decimal:
    """What options are ordered by."""
    return option.rank_usd_per_month.expected


def longest_hours(option: Option) -> Decimal:
    """Wall clock of the longest run; 0 where nothing is trained."""
    return max((run.hours for run in option.runs), default=Decimal(0))


def names(options: Sequence[Option]) -> str:
    """Their ids."""
    return ", ".join(each.id for each in options)


def one_to_five_are_shown(_: Checklist, quote: Quote) -> Iterator[str]:
    if not 1 <= len(quote.shown) <= MOST_SHOWN:
        yield f"{len(quote.shown)} options: {names(quote.shown)}"
    ids = [each.id for each in quote.options]
    if len(set(ids)) != len(ids):
        yield f"an id stands twice: {ids}"


def one_is_recommended(_: Checklist, quote: Quote) -> Iterator[str]:
    chosen = [each for each in quote.options if each.recommended]
    if len(chosen) != (0 if all(each.misses for each in quote.options) else 1):
        yield f"{len(chosen)} recommended options: {names(chosen)}"
    yield from (f"{each.id} is recommended and a line under {each.twin_of}" for each in chosen if each.twin_of)
    yield from (f"{each.id} says no trade-off" for each in quote.shown if not each.tradeoff)


def recommended_keeps_what_others_keep(checklist: Checklist, quote: Quote) -> Iterator[str]:
    """The rule of decision 0034, in its order: within the ceiling, priced in full, on time with margin, steady."""
    if len(quote.options[0].placements) > 1:
        return  # each placement is chosen by what the ceiling leaves beside the others
    rules = ("within the ceiling", "priced in full", "with a margin of time", "steady")
    for each in quote.shown:
        if each.misses or quote.recommended.misses:
            continue
        kept = zip(rules, _conditions(checklist, quote.recommended), _conditions(checklist, each), strict=True)
        rule, mine, _ = next((one for one in kept if one[1] != one[2]), ("", True, True))
        if not mine:
            yield f"{quote.recommended.id} is recommended and not {rule}, as {each.id} is"


def ranges_rise(_: Checklist, quote: Quote) -> Iterator[str]:
    for each in quote.options:
        bill, ranked = each.bill.usd_per_month, each.rank_usd_per_month
        if not 0 <= bill.min <= bill.expected <= bill.max or not 0 <= ranked.min <= ranked.expected <= ranked.max:
            yield f"{each.id}: {bill}, ranked {ranked}"
        if each.all_nodes_usd_per_month is not None and bill.max > each.all_nodes_usd_per_month + CENT:
            yield f"{each.id}: max {bill.max} is over all nodes all month, {each.all_nodes_usd_per_month}"
        assumed = bool(each.bill.unpriced or each.bill.estimated)
        if ranked.expected < bill.expected - CENT or (ranked.expected > bill.expected + CENT and not assumed):
            yield f"{each.id}: priced at {bill.expected}, ranked by {ranked.expected}"
        for line in each.bill.lines:
            if line.usd_per_month is not None and line.usd_per_month.min < 0:
                yield f"{each.id}: {line.key} costs less than nothing"


def options_are_in_order(_: Checklist, quote: Quote) -> Iterator[str]:
    ranks = [rank(each) for each in quote.shown if not each.misses]
    if ranks != sorted(ranks):
        yield f"not cheapest first: {ranks}"


def views_have_one_option(_: Checklist, quote: Quote) -> Iterator[str]:
    said = [view for each in quote.options for view in each.views]
    yield from (f'"{view}" is no view' for view in {*said, *quote.missing_views} - VIEWS)
    for view in set(said) - {"alternative"}:
        if said.count(view) > 1:
            yield f'"{view}" names {said.count(view)} options'
        if view in quote.missing_views:
            yield f'"{view}" names an option and is missing: {quote.missing_views[view]}'


def cheapest_is_cheapest(_: Checklist, quote: Quote) -> Iterator[str]:
    for best in _of_view(quote, "cheapest"):
        for other in quote.options:
            if not other.misses and rank(other) < rank(best) - CENT:
                yield f"{best.id} for {rank(best)}, while {other.id} is {rank(other)}"


def fastest_is_fastest(checklist: Checklist, quote: Quote) -> Iterator[str]:
    for best in _of_view(quote, "fastest"):
        for other in quote.options:
            if not other.misses and _in_budget(checklist, other) and longest_hours(other) < longest_hours(best) - CENT:
                yield f"{best.id} takes {longest_hours(best)} h, while {other.id} takes {longest_hours(other)} h"


def no_spot_has_none(_: Checklist, quote: Quote) -> Iterator[str]:
    for each in _of_view(quote, "no_spot"):
        if any(pool.kind in INTERRUPTIBLE for cluster in each.placements for pool in cluster.pools):
            yield f"{each.id} has a spot pool"


def same_cloud_is_the_main_one(checklist: Checklist, quote: Quote) -> Iterator[str]:
    for each in _of_view(quote, "same_cloud"):
        main = checklist.main_cloud
        if main is None or each.spec.placement.provider != main.provider.value:
            yield f"{each.id} is at {each.spec.placement.provider}, the main cloud is {main and main.provider}"


def micro_cloud_is_one(_: Checklist, quote: Quote) -> Iterator[str]:
    for each in _of_view(quote, "micro_cloud"):
        if each.spec.placement.provider in HYPERSCALERS:
            yield f"{each.id} is at {each.spec.placement.provider}"


def committed_is_reserved(checklist: Checklist, quote: Quote) -> Iterator[str]:
    for each in _of_view(quote, "committed"):
        reserved = [pool for cluster in each.placements for pool in cluster.pools if pool.kind == "reserved"]
        if not reserved or checklist.contract.months == 0:
            yield f"{each.id} reserves {len(reserved)} pools for {checklist.contract.months} months"


def shown_options_differ(_: Checklist, quote: Quote) -> Iterator[str]:
    for one, other in combinations(quote.shown, 2):
        if _buys(one) == _buys(other) and _near(rank(one), rank(other)) and _near_runs(one, other):
            yield f"{one.id} ({rank(one):.0f}) and {other.id} ({rank(other):.0f}) are one option"


def twins_are_a_line_under_an_option(_: Checklist, quote: Quote) -> Iterator[str]:
    shown = {each.id: each for each in quote.shown}
    known = {each.id: each for each in quote.options}
    for each in quote.options:
        if each.twin_of and each.twin_of not in shown:
            yield f"{each.id} is a line under {each.twin_of}, which is not shown"
        for twin in each.twins:
            if twin.option_id and (twin.option_id not in known or known[twin.option_id].twin_of != each.id):
                yield f"{each.id} has the twin {twin.option_id}, which is no line under it"
            elif twin.option_id and _places(known[twin.option_id]) == _places(each) and not twin.difference:
                yield f"{each.id} does not say what {twin.option_id} at the same place has instead"


def _places(option: Option) -> list[tuple[str, str]]:
    return [(cluster.placement.provider, cluster.placement.region) for cluster in option.placements]


def deadlines_are_met(checklist: Checklist, quote: Quote) -> Iterator[str]:
    asked = {job.name: job for job in checklist.workloads if isinstance(job, Training | FineTuning)}
    for each in quote.options:
        for run in each.runs:
            job = asked[run.workload]
            limit = None if job.deadline is None else job.deadline * HOURS_PER_DAY
            if limit is not None and run.hours > limit + CENT and not each.misses:
                yield f"{each.id}: {run.workload} takes {run.hours} h of {limit}"
            runs = job.runs_per_month or Decimal(0)  # not given: one after the other, however long each takes
            if run.hours * runs > HOURS_PER_MONTH + CENT and not each.misses:
                yield f"{each.id}: {job.runs_per_month} runs of {run.hours} h a month"
        if {run.workload for run in each.runs} != set(asked):
            yield f"{each.id} tells the time of {[run.workload for run in each.runs]}, trained are {sorted(asked)}"


def what_misses_is_shown_only_alone(_: Checklist, quote: Quote) -> Iterator[str]:
    missing = [each for each in quote.options if each.misses]
    if missing and len(missing) != len(quote.options):
        yield f"{names(missing)} miss the checklist, the others do not"
    for each in missing:
        if claimed := set(each.views) - {"alternative"}:
            yield f"{each.id} misses the checklist and is called {sorted(claimed)}"


def verdicts_follow_the_ceiling(checklist: Checklist, quote: Quote) -> Iterator[str]:
    for each in quote.options:
        over = _over(checklist, each)
        if over and each.judgement.verdict is not Verdict.OVER:
            yield f"{each.id} is {each.judgement.verdict}, and {over}"
        if each.judgement.verdict is Verdict.WITHIN and each.bill.unpriced and checklist.ceiling.usd_per_month:
            bounded = all(line.at_most_usd_per_month is not None for line in each.bill.unpriced)
            if not bounded:
                yield f"{each.id} is within, with {len(each.bill.unpriced)} lines that nobody prices"
        most = of_lines(each.bill.lines, checklist.ceiling.binds.value).high
        limit = checklist.ceiling.usd_per_month
        if each.judgement.verdict is Verdict.WITHIN and limit is not None and (most is None or most > limit + CENT):
            yield f"{each.id} is within, and comes to {most} at most"


def estimates_are_services_between_known_ends(_: Checklist, quote: Quote) -> Iterator[str]:
    for each in quote.options:
        for line in each.bill.estimated:
            rates = line.usd_per_unit_range
            if rates is None or line.usd_per_unit != rates.expected:
                yield f"{each.id}: {line.key} is estimated without a range"
            if line.item not in SERVICES or line.group is BillGroup.COMPUTE:
                yield f"{each.id}: {line.key} is {line.item}, which is never estimated"


def what_is_offered_can_be_built(_: Checklist, quote: Quote) -> Iterator[str]:
    for each in quote.options:
        for cluster in each.placements:
            target, nodes = cluster.placement.target, sum(pool.max_nodes for pool in cluster.pools)
            if cluster.platform and cluster.platform.object_store == "provider" and not find_traits(target).bucket:
                yield f"{each.id} keeps objects at {cluster.placement.provider}, where no bucket is made"
            if cluster.network.cidr.prefixlen > find_traits(target).narrowest_range:
                yield f"{each.id} is in {cluster.network.cidr}"
            if target == "gcp" and nodes > count_room(cluster.network.cidr):
                yield f"{each.id} has {nodes} nodes in {cluster.network.cidr}"


LAWS: Sequence[Callable[[Checklist, Quote], Iterator[str]]] = (
    one_to_five_are_shown,
    one_is_recommended,
    recommended_keeps_what_others_keep,
    ranges_rise,
    options_are_in_order,
    views_have_one_option,
    cheapest_is_cheapest,
    fastest_is_fastest,
    no_spot_has_none,
    same_cloud_is_the_main_one,
    micro_cloud_is_one,
    committed_is_reserved,
    shown_options_differ,
    twins_are_a_line_under_an_option,
    deadlines_are_met,
    what_misses_is_shown_only_alone,
    verdicts_follow_the_ceiling,
    estimates_are_services_between_known_ends,
    what_is_offered_can_be_built,
)


def _of_view(quote: Quote, view: str) -> list[Option]:
    return [each for each in quote.options if view in each.views]


def _in_budget(checklist: Checklist, option: Option) -> bool:
    """Also with what its lines without a price may cost."""
    limit = checklist.ceiling.usd_per_month
    reading = getattr(option.rank_usd_per_month, checklist.ceiling.binds.value)
    return option.judgement.verdict is not Verdict.OVER and (limit is None or reading <= limit + CENT)


def _conditions(checklist: Checklist, option: Option) -> tuple[bool, ...]:
    jobs = {job.name: job for job in checklist.workloads}
    kinds = {name: job.kind for each, job in jobs.items() for name in (each, rollouts_of(each))}
    deadlines = [(run.hours, getattr(jobs[run.workload], "deadline", None)) for run in option.runs]
    limit = limit_of(checklist)
    return (
        limit is None or getattr(option.rank_usd_per_month, checklist.ceiling.binds.value) <= limit,
        not option.bill.unpriced,
        all(limit is None or hours <= limit * HOURS_PER_DAY * MARGIN for hours, limit in deadlines),
        all(
            pool.kind not in INTERRUPTIBLE or (pool.workload and kinds[pool.workload] in STOPPABLE)
            for pool in option.spec.pools
        ),
    )


def _over(checklist: Checklist, option: Option) -> str:
    """Over, of estimates in their least expensive region."""
    limit = checklist.ceiling.usd_per_month
    month = of_lines(option.bill.lines, checklist.ceiling.binds.value).low
    return f"{month} a month is over {limit}" if limit is not None and month > limit + CENT else ""


def _buys(option: Option) -> tuple[object, ...]:
    """Provider, purchase and machine family of what each workload has; of pools with accelerators where there are any.

    By the workload: two accelerators that change places between two workloads are a choice, for another one leads.
    Where nothing is trained, services may differ in how fast they answer, so that the memory tells a family apart.
    """
    pools = [(cluster.placement.provider, pool) for cluster in option.placements for pool in cluster.pools]
    heavy = [each for each in pools if each[1].accelerators] or pools
    families = {
        (pool.workload or "", place, pool.purchase, kind if not option.runs else kind.split("-")[0])
        for place, pool in heavy
        for kind in (pool.accelerator or pool.machine,)
    }
    return tuple(sorted(families))


def _near(one: Decimal, other: Decimal) -> bool:
    return abs(one - other) <= NEAR * min(one, other)


def _near_runs(one: Option, other: Option) -> bool:
    return _near(longest_hours(one), longest_hours(other))
