"""From a pick to an option: its spec, its whole bill, and what a customer asks about it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from catalogs.model import UNNAMED_MACHINE, PurchaseKind
from catalogs.providers import find_traits
from planning.ceilings.spend_bounds import spend_bounds
from planning.ceilings.verdict import judge
from planning.checklist.model.vocabulary import HOME, Operation
from planning.costs.bill import Bill
from planning.costs.charges import charges
from planning.costs.pricing import price_all
from planning.platform.accelerators import explain_skipped_pools
from planning.quoting.assembly.cluster import name_offer_shares, spec, target
from planning.quoting.assembly.platform import forwarding_notice, not_installed, shares_here, store_notice
from planning.quoting.candidates.candidate import hold_all_month
from planning.quoting.price_performance import buying, pool_worth
from planning.quoting.quote import Option, RunEstimate
from planning.quoting.search.selection import find_lead, rank
from planning.spec.lock import Ceilings
from planning.values.money import ZERO, to_cents

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from decimal import Decimal

    from planning.ceilings.spend_bounds import SpendBounds
    from planning.ceilings.verdict import Judgement
    from planning.checklist.model.checklist import Checklist
    from planning.quoting.candidates.candidate import Candidate
    from planning.quoting.candidates.market import Market
    from planning.quoting.search.least_cost import ClusterPick
    from planning.quoting.search.selection import PlacementPick
    from planning.sizing.demand import SizingFigure
    from planning.spec.cluster import ClusterSpec

SHORT_PURCHASE: Final = {
    PurchaseKind.ON_DEMAND: "",
    PurchaseKind.SPOT: "spot",
    PurchaseKind.RESERVED: "reserved",
    PurchaseKind.CAPACITY_BLOCK: "block",
    PurchaseKind.FLEX: "flex",
}
EVERY_PROVIDER: Final = "*"
UNPRICED_TERM: Final = "reserved"  # purchase word of terms.csv for discounts that are published as a maximum only


def ceilings(checklist: Checklist) -> Ceilings:
    """The checklist's limits in the form that a lock keeps."""
    asked = checklist.ceiling
    return Ceilings(
        usd_per_month=asked.usd_per_month,
        usd_per_contract=asked.usd_per_contract,
        usd_per_gpu_hour=asked.usd_per_gpu_hour,
        binds=asked.binds.value,
    )


def bill(cluster: ClusterSpec, market: Market) -> Bill:
    """The whole bill of one placement at today's price book."""
    place = cluster.placement
    lines = price_all(
        charges(cluster),
        catalog_prices=market.catalog.prices,
        provider=place.provider,
        region=place.region,
        estimates=market.estimates,
    )
    return Bill(lines)


def whole_bill(placements: Sequence[ClusterSpec], market: Market) -> Bill:
    """One bill over all placements."""
    return Bill(tuple(line for cluster in placements for line in bill(cluster, market).lines))


def _list_left_out(placed: Sequence[PlacementPick], clusters: Sequence[ClusterSpec], whole: Bill) -> tuple[str, ...]:
    words: dict[str, None] = {}
    for pick, cluster in zip(placed, clusters, strict=True):
        words |= dict.fromkeys(_leaves_out(cluster, pick.part.checklist, whole))
    return tuple(words)


def option(
    placed: Sequence[PlacementPick],
    *,
    checklist: Checklist,
    market: Market,
    views: Sequence[str],
    why: Sequence[str],
    suffix: str = "",
) -> Option:
    """The option that picks for every placement are together."""
    clusters = tuple(_cluster(each, market) for each in placed)
    released = tuple(name for each in placed for name in _list_unreserved_machines(each, market))
    held_usd = _price_full_month(placed, market) if released else None
    candidates = [candidate for each in placed for candidate in each.pick.candidates]
    bills = whole_bill(clusters, market)
    worth = tuple(
        pool_worth(each, part, pool=name, market=market)
        for each in candidates
        for name, part in name_offer_shares(each)
    )
    limits = ceilings(checklist)
    bounds = spend_bounds(clusters, bills, limits)
    dearest = max((each.usd_per_gpu_hour for each in worth if each.usd_per_gpu_hour is not None), default=None)
    providers = dict.fromkeys(each.pick.place[0] for each in placed)
    return Option(
        id=identity(placed) + suffix,
        views=tuple(views),
        why=tuple(why),
        placements=clusters,
        joined=len(clusters) > 1 and checklist.where.joined,
        bill=bills,
        judgement=_with_unheld(
            judge(bills, limits, contract_months=checklist.contract.months, usd_per_gpu_hour=dearest), bounds
        ),
        rank_usd_per_month=rank(placed),
        runs=tuple(_runs(candidates)),
        worth=worth,
        buying=buying(candidates),
        leaves_out=_list_left_out(placed, clusters, bills),
        lock_in="; ".join(market.catalog.providers[name].lock_in for name in providers),
        notes=(
            *_describe_full_month(released, held_usd, least=bool(bills.unpriced)),
            *_list_placement_notes(placed, clusters, market),
        ),
        held_usd_per_month=held_usd,
        guarded_usd_per_month=bounds.guarded_usd_per_month,
        all_nodes_usd_per_month=bounds.all_nodes_usd_per_month,
        explain_hours=partial(_hour_figures, tuple(candidates), market),
    )


def _with_unheld(judgement: Judgement, bounds: SpendBounds) -> Judgement:
    """The verdict, with what may pass the ceiling for all that the guard does."""
    if not bounds.unheld or bounds.guarded_usd_per_month is None:
        return judgement
    pools, most = ", ".join(bounds.unheld), f"{to_cents(bounds.guarded_usd_per_month):,}"
    said = f"the spend guard cannot stop the nodes of {pools}, with which a month may come to {most} USD"
    return replace(judgement, reason=f"{judgement.reason}; {said}")


def _list_placement_notes(
    placed: Sequence[PlacementPick], clusters: Sequence[ClusterSpec], market: Market
) -> Iterator[str]:
    for each, cluster in zip(placed, clusters, strict=True):
        prefix = f"{each.part.name}: " if len(placed) > 1 else ""
        yield from (f"{prefix}{note}" for note in (*_notes(each, market=market), *explain_skipped_pools(cluster)))


def _hour_figures(candidates: Sequence[Candidate], market: Market) -> tuple[SizingFigure, ...]:
    """Why each pool is billed for more node hours than its work takes."""
    from planning.quoting.explanation import list_hour_figures  # noqa: PLC0415 - only where a quote is explained

    sources = market.catalog.sources
    return tuple(figure for each in candidates for figure in list_hour_figures(each, sources=sources))


def _cluster(placed: PlacementPick, market: Market) -> ClusterSpec:
    part, pick = placed.part, placed.pick
    return spec(
        part.checklist,
        place=pick.place,
        candidates=pick.candidates,
        market=market,
        missing=pick.missing,
        name=part.name,
    )


def _list_unreserved_machines(placed: PlacementPick, market: Market) -> tuple[str, ...]:
    """Machines of a cluster there is, all of which were to be reserved: priced as used, for want of such a price."""
    where, contract = placed.part.checklist.where, placed.part.checklist.contract
    if where.existing is None or contract.reserve != "all" or not contract.months:
        return ()
    return tuple(
        each.machine.name for each in placed.pick.candidates if _is_released(each, market, months=contract.months)
    )


def _is_released(each: Candidate, market: Market, *, months: int) -> bool:
    if any(part.offer.term.kind is not PurchaseKind.ON_DEMAND for part in each.parts):
        return False
    if each.demand.hardware is not None and each.demand.hardware.purchase is not None:
        return False
    if hold_all_month(each).node_hours == each.node_hours:
        return False
    terms = (offer.term for offer in market.catalog.offers_of(each.machine, each.place[1]))
    return not any(term.kind is PurchaseKind.RESERVED and term.months == months for term in terms)


def _price_full_month(placed: Sequence[PlacementPick], market: Market) -> Decimal:
    """USD a month expected were the nodes that are priced as used held all month; unpriced lines add nothing."""
    full = [replace(each, pick=_hold_pick(each, market)) for each in placed]
    return whole_bill([_cluster(each, market) for each in full], market).usd_per_month.expected


def _hold_pick(placed: PlacementPick, market: Market) -> ClusterPick:
    names = _list_unreserved_machines(placed, market)
    every = tuple(hold_all_month(each) if each.machine.name in names else each for each in placed.pick.candidates)
    return replace(placed.pick, candidates=every)


def _describe_full_month(machines: Sequence[str], usd: Decimal | None, *, least: bool) -> Iterator[str]:
    if usd is not None:
        names = ", ".join(dict.fromkeys(machines))
        yield (
            f"reserve: all: no reserved price is published for {names}; priced on demand, as used; "
            f"held all month it would be {'at least ' if least else ''}{to_cents(usd):,} USD"
        )


def identity(placed: Sequence[PlacementPick]) -> str:
    """Place, accelerators of the pool that costs most and how they are bought: "aws-us-east-1-b200-16-spot"."""
    return "-and-".join(_identity(each.pick) for each in placed)


def _identity(pick: ClusterPick) -> str:
    lead = find_lead(pick.candidates)
    if lead is None:
        return "-".join(pick.place)
    if lead.accelerator is None:
        hardware = lead.machine.name.lower().replace(".", "-").replace("_", "-")
    else:
        nodes = sum(part.working for part in lead.parts)
        hardware = f"{lead.accelerator.family.lower()}-{nodes * lead.machine.accelerators}"
    kinds = dict.fromkeys(SHORT_PURCHASE[part.offer.term.kind] for part in lead.parts)
    return "-".join((*pick.place, hardware, *(kind for kind in kinds if kind))).replace(" ", "-")


def _runs(candidates: Sequence[Candidate]) -> Iterator[RunEstimate]:
    for each in candidates:
        hours = each.fit.hours_per_run
        if hours is not None:
            usd_per_hour = sum((part.offer.price.usd * part.nodes for part in each.parts), start=ZERO)
            yield RunEstimate(workload=each.demand.workload, hours=hours, usd=usd_per_hour * hours)


def _leaves_out(cluster: ClusterSpec, checklist: Checklist, whole: Bill) -> Iterator[str]:
    if checklist.access.vpn and cluster.vpn is None:
        yield f"the VPN gateway, which {cluster.profile.title} has no room for: its own way in is used"
    if checklist.access.ssh and "ssh" in cluster.profile.forbidden:
        yield f"SSH to nodes, which {cluster.profile.title} does not allow"
    if any(line.item == UNNAMED_MACHINE for line in whole.unpriced):
        yield "CPU nodes: the provider's CPU machines are not in the price book"
    private = cluster.network.peering or cluster.network.link
    if checklist.main_cloud and checklist.main_cloud.vpc_id and private is None:
        yield f"the link to the main {checklist.main_cloud.provider} VPC"
    if cluster.platform is not None and cluster.platform.forwarding is not None:
        yield f"what {cluster.platform.forwarding.provider} charges for the logs and metrics that are forwarded to it"
    if cluster.platform is not None and not shares_here(checklist, cluster.profile):
        yield f"sharing of accelerators by {checklist.platform.sharing}: {cluster.profile.title} owns what sets it up"
    if cluster.platform is not None:
        yield from not_installed(cluster.platform)
    if checklist.operation is Operation.FOR_US:
        yield "the work of running the cluster (operation: for_us), for which no price is published"
    yield from filter(None, find_traits(cluster.placement.provider).not_counted.split("|"))
    yield "taxes, people's time and unused commitments"


def _notes(placed: PlacementPick, *, market: Market) -> Iterator[str]:
    pick, checklist = placed.pick, placed.part.checklist
    if target(pick.place[0], checklist) == "existing" and checklist.where.existing is None:
        yield f"the cluster is ordered at {pick.place[0]} first; Atoll then builds on its kubeconfig"
    provider = market.catalog.providers[pick.place[0]]
    yield from (f"{word}: {said}" for word, said in (("provided", provider.manages), ("SLA", provider.sla)) if said)
    if placed.part.name == HOME:
        yield from store_notice(checklist)
        yield from forwarding_notice(checklist, target=target(pick.place[0], checklist))
    for each in pick.candidates:
        yield from _pool_notes(each)
    if checklist.contract.incentives and checklist.contract.months:
        yield from _incentives(pick.place[0], market)


def _pool_notes(each: Candidate) -> Iterator[str]:
    if each.fit.note:
        yield f"{each.demand.workload}: {each.fit.note}"
    for part in each.parts:
        term = part.offer.term
        if term.kind is PurchaseKind.SPOT:
            most = "the spot price" if part.fallback is None else "the on-demand price, since on-demand nodes stand in"
            yield f"{each.demand.workload}: spot machines may be interrupted; the bill's max is at {most}"
        elif term.kind is PurchaseKind.ON_DEMAND and term.provider != EVERY_PROVIDER and each.accelerator is not None:
            yield f"{each.demand.workload}: {term.note}"


def _incentives(provider: str, market: Market) -> Iterator[str]:
    """What a provider promises for a contract without naming a price."""
    term = market.catalog.terms.get((UNPRICED_TERM, provider))
    if term is not None:
        yield f"contract incentive, not counted in the bill: {term.note}"
