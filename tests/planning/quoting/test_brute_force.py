"""Every view against the plainest thing that could be right: every cluster, billed whole, and the view's own words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from itertools import product
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small import LAB, SERVING, TRAINING, SmallCatalog, accelerator, candidate_set, checklist, machine, price

from catalogs.model import Form, Item
from catalogs.providers import find_traits
from planning.checklist.model.checklist import Checklist
from planning.costs.bill import LineItem
from planning.costs.charges import charges
from planning.costs.pricing import price_all
from planning.quoting.assembly.cluster import spec
from planning.quoting.candidates.candidate import (
    Candidate,
    build_single_offer,
    is_reserved,
    is_uninterrupted,
    list_purchases,
)
from planning.quoting.candidates.extra_nodes import MARGIN
from planning.quoting.candidates.market import Place, may_reserve
from planning.quoting.search.candidate_set import CandidateSet
from planning.quoting.search.least_cost import ClusterPick, count_nodes, find_cheapest, with_leader_hours
from planning.quoting.search.least_time import list_sizes, pace, select_timed_demands
from planning.quoting.search.views import VIEWS, has_margin, is_firm, is_steady
from planning.sizing.demand import Demand, Rejection
from planning.sizing.fit import fit, start_hours
from planning.sizing.run_time import all_month
from planning.spec.lock_content import State
from planning.values.money import Range

MACHINES = (
    machine("big"),
    machine("small", gpu="L40S-PCIe-48GB", gpus=1, vcpus=16, memory_gib=Decimal(128)),
    machine("cpu-8", gpu=None),
    machine("cpu-32", gpu=None, vcpus=32, memory_gib=Decimal(64)),
    machine("far-big", provider="nebius"),
    machine("far-cpu", provider="nebius", gpu=None, vcpus=16, memory_gib=Decimal(64)),
)
ACCELERATORS = (accelerator(), accelerator("L40S-PCIe-48GB", form=Form.PCIE, gb=48, bf16=362))
REGIONS = {"aws": ("us-east-1", "eu-west-1"), "nebius": ("eu-north1",)}
PRICED_ITEMS = (
    Item.CONTROL_PLANE,
    Item.DISK,
    Item.NAT_GATEWAY,
    Item.OBJECT,
    Item.LOAD_BALANCER,
    Item.INTERNET_EGRESS,
    Item.SUPPORT_BUSINESS_HOURS,
)
MAIN_CLOUD = {"provider": "aws", "region": "us-east-1", "vpc_id": "vpc-1", "vpc_cidr": "10.9.0.0/16"}

usd = st.decimals(min_value="0.01", max_value="60", places=2)
maybe_usd = st.none() | usd
flags = st.sampled_from(((), (), (), ("sources differ by 58%",), ("undated",)))


@st.composite
def catalogs(draw: st.DrawFn) -> SmallCatalog:
    """Prices at random, some missing, some in doubt; CPU machines are on sale everywhere."""
    rows, doubts = [], {}
    for each in MACHINES:
        for region in REGIONS[each.provider]:
            for purchase in ("on_demand", "spot", "reserved_12m"):
                certain = purchase == "on_demand" and (each.provider == "aws" or not each.accelerators)
                amount = draw(usd if certain else maybe_usd)
                if amount is not None:
                    rows.append(price(each.provider, each.name, region, str(amount), purchase=purchase))
                    doubts[each.name, region, purchase] = draw(flags)
    for provider, regions in REGIONS.items():
        for item, region in product(PRICED_ITEMS, regions):
            amount = draw(maybe_usd)
            if amount is not None:
                rows.append(price(provider, item, region, str(amount / 100), purchase="list", unit="unit"))
    return SmallCatalog(MACHINES, rows, accelerators_list=ACCELERATORS, flags=doubts)


LARGE = TRAINING | {"tokens": "2T", "deadline": "30d"}
CHECKLISTS = (
    checklist(TRAINING | {"spot": True}, contract={"months": 12}, main_cloud=MAIN_CLOUD),
    checklist(TRAINING | {"spot": True, "deadline": "30h"}, contract={"months": 12}, ceiling={"binds": "max"}),
    checklist(SERVING | {"spot": True}, LAB, engineers={"count": 4}, contract={"months": 12}, main_cloud=MAIN_CLOUD),
    checklist(
        TRAINING | {"rollout_vcpus": 64, "domain": "reinforcement_learning"},
        storage={"cold": {"size": "1TB"}},
        support="business_hours",
    ),
    checklist(
        SERVING | {"spot": True}, ceiling={"usd_per_month": 20000, "binds": "max"}, support="business_hours"
    ),  # Beside a run that is up for hours, what is reserved for the month is bought for the month.
    checklist(LARGE | {"spot": True, "rollout_vcpus": 4096}, contract={"months": 12, "reserve": "all"}),
)
# Under a ceiling pools may have more nodes than the least: many more clusters, so fewer catalogs are tried.
GROWING = (
    checklist(TRAINING | {"spot": True}, ceiling={"usd_per_month": 4000}),
    checklist(LARGE, spare_share="0.1", ceiling={"usd_per_month": 400_000}),
    checklist(TRAINING | {"rollout_vcpus": 64}, ceiling={"usd_per_month": 4000}),
)


@dataclass(frozen=True)
class Cluster:
    """A place, its pools, and the two readings of its whole bill that views look at."""

    place: Place
    pools: tuple[Candidate, ...]
    expected: Decimal
    bound: Decimal
    priced: bool


def list_pools(candidates: CandidateSet, demand: Demand, place: Place) -> Iterator[Candidate]:
    """Every way to satisfy one demand at a place, at every size."""
    provider, region = place
    allows = candidates.permits[demand.workload].allows
    fallback = partial(candidates.fallback, demand)
    if not demand.accelerators:
        for stock in candidates.market.cpu_stock(place):
            offer = stock.offer()
            sits = fit(demand, offer.machine, None)
            if allows(offer) and not isinstance(sits, Rejection):
                yield build_single_offer(demand, sits, offer, None, fallback=fallback(offer))
        return
    for gpu in candidates.market.stocks:
        sits = fit(demand, gpu.machine, gpu.accelerator)
        if gpu.machine.provider == provider and not isinstance(sits, Rejection):
            offers = [offer for offer in gpu.offers(region) if allows(offer)]
            for each in list_purchases(demand, sits, offers, gpu, fallback=fallback):
                yield from (*list_sizes(candidates, each), *list_unhurried(candidates, each))


def list_unhurried(candidates: CandidateSet, least: Candidate) -> Iterator[Candidate]:
    """With the least numbers of nodes that leave a tenth of the deadline, without interruptions and with them."""
    if len(least.parts) != 1:
        return
    sizes = [candidates.resize(least, least.fit.working + more) for more in range(1, least.fit.working + 1)]
    for leaves_time in (has_margin, has_margin_undisturbed):
        if not leaves_time(least):
            yield from [each for each in sizes if each is not None and leaves_time(each)][:1]


def has_margin_undisturbed(candidate: Candidate) -> bool:
    deadline, fit = candidate.demand.deadline_hours, candidate.fit
    hours = None if fit.hours_per_run is None else fit.work_hours + start_hours(candidate.machine)
    return hours is None or deadline is None or hours <= deadline * MARGIN


def list_clusters(candidates: CandidateSet) -> list[Cluster]:
    """Every combination of pools at every place."""
    return [
        bill_whole(candidates, place, pools)
        for place in candidates.market.catalog.regions
        if candidates.admits(place)
        for pools in combine(candidates, place)
        if candidates.buildable.has_room(place[0], nodes=count_nodes(pools))
    ]


def combine(candidates: CandidateSet, place: Place) -> Iterator[tuple[Candidate, ...]]:
    leading = [demand for demand in candidates.demands if demand.accelerators]
    for leaders in product(*(list_pools(candidates, demand, place) for demand in leading)):
        named = {each.demand.workload: each for each in leaders}
        others = [with_leader_hours(demand, named) for demand in candidates.demands if not demand.accelerators]
        for rest in product(*(list_pools(candidates, demand, place) for demand in others)):
            yield (*leaders, *rest)


def _ranked(line: LineItem, candidates: CandidateSet) -> Range:
    """An amount as an order of options counts it: estimated in the most expensive region, unpriced at the dearest."""
    if line.usd_per_unit_range is not None:
        return line.quantity.times(line.usd_per_unit_range.max)
    return line.usd_per_month or line.quantity.times(candidates.market.dearest(line.item))


def bill_whole(candidates: CandidateSet, place: Place, pools: tuple[Candidate, ...]) -> Cluster:
    """The whole bill, the highest known price in place of each that is not known; support is a share of all of it."""
    cluster = spec(candidates.checklist, place=place, candidates=pools, market=candidates.market)
    every = charges(cluster)
    shared = [each for each in every if each.of_bill]
    lines = price_all(
        [each for each in every if not each.of_bill],
        catalog_prices=candidates.market.catalog.prices,
        provider=place[0],
        region=place[1],
        estimates=candidates.market.estimates,
    )
    amounts = [_ranked(line, candidates) for line in lines]
    expected, bound = sum(each.expected for each in amounts), sum(candidates.bound(each) for each in amounts)
    priced = all(line.state is not State.UNPRICED for line in lines)
    for each in shared:
        services = [one for one, line in zip(amounts, lines, strict=True) if line.group == "services"]
        rate = candidates.market.unit_usd(Item(each.item), place)
        least = Decimal(29) / Decimal("0.03")
        priced = priced and candidates.market.has_price(each, place)
        expected += max(expected - sum(one.expected for one in services), least) * rate
        bound += max(bound - sum(candidates.bound(one) for one in services), least) * rate
    return Cluster(place, pools, Decimal(expected), Decimal(bound), priced)


def find_plainly(view: str, candidates: CandidateSet, clusters: list[Cluster]) -> Cluster | None:
    """The winner of a view by its own words."""
    limit, main = candidates.limit, candidates.checklist.main_cloud
    primary = None if main is None else (main.provider.value, main.region)
    chosen: dict[str, list[Cluster]] = {
        "cheapest": clusters,
        "no_spot": [each for each in clusters if all(map(is_uninterrupted, each.pools))],
        "micro_cloud": [each for each in clusters if not find_traits(each.place[0]).is_hyperscaler],
        "fastest": [each for each in clusters if limit is None or each.bound <= limit],
        "recommended": clusters,
        "committed": list_committed(candidates, clusters),
    }
    if view == "same_cloud":
        here = [each for each in clusters if each.place == primary]
        chosen[view] = [each for each in here if all(map(is_uninterrupted, each.pools))] or here
    if view == "recommended":
        return min(clusters, key=lambda each: (*conditions(each, limit), each.expected), default=None)
    if view == "fastest":
        paced = select_timed_demands(candidates)
        return min(
            chosen[view],
            key=lambda each: (max(pace(one) for one in each.pools if one.demand.workload in paced), each.expected),
            default=None,
        )
    return min(chosen[view], key=lambda each: each.expected, default=None)


def conditions(cluster: Cluster, limit: Decimal | None) -> tuple[bool, ...]:
    return (
        limit is not None and cluster.bound > limit,
        not cluster.priced,
        not all(map(has_margin, cluster.pools)),
        not all(map(is_steady, cluster.pools)),
        not all(map(is_firm, cluster.pools)),
    )


def list_committed(candidates: CandidateSet, clusters: list[Cluster]) -> list[Cluster]:
    wanted = candidates.checklist
    reservable = {each.workload for each in candidates.demands if may_reserve(each, wanted)}

    def reserves(each: Cluster) -> bool:
        return wanted.contract.months > 0 and any(map(is_reserved, each.pools))

    steady = [each for each in clusters if reserves(each) and all(map(is_uninterrupted, each.pools))]
    base = [
        each
        for each in clusters
        if reserves(each)
        and all(
            is_reserved(one) if one.accelerator and one.demand.workload in reservable else is_uninterrupted(one)
            for one in each.pools
        )
    ]
    return base or steady


def compare_views(candidates: CandidateSet) -> None:
    clusters = list_clusters(candidates)
    for name, view in VIEWS.items():
        found, expected = view.find(candidates), find_plainly(name, candidates, clusters)
        if name == "committed" and isinstance(found, str) and "no accelerator" in found:
            continue  # it is there, and adds nothing to a cheaper one: a rule about what is shown
        if expected is None:
            assert isinstance(found, str), name
            continue
        assert isinstance(found, ClusterPick), name
        assert round(found.rank.expected, 6) == round(expected.expected, 6), name
        if name == "recommended":
            mine = bill_whole(candidates, found.place, found.candidates)
            assert conditions(mine, candidates.limit) == conditions(expected, candidates.limit)
        if name == "fastest":
            paced = select_timed_demands(candidates)
            times = [
                [pace(one) for one in each if one.demand.workload in paced]
                for each in (found.candidates, expected.pools)
            ]
            assert max(times[0]) == max(times[1])


@settings(max_examples=30, derandomize=True)
@given(small=catalogs(), wanted=st.sampled_from(CHECKLISTS))
def test_every_view_equals_brute_force(small: SmallCatalog, wanted: Checklist) -> None:
    compare_views(candidate_set(small, wanted))


@settings(max_examples=10, derandomize=True)
@given(small=catalogs(), wanted=st.sampled_from(GROWING))
def test_every_view_equals_brute_force_over_all_numbers_of_nodes(small: SmallCatalog, wanted: Checklist) -> None:
    compare_views(candidate_set(small, wanted))


@settings(max_examples=15, derandomize=True)
@given(small=catalogs(), wanted=st.sampled_from(CHECKLISTS), room=st.integers(5, 24))
def test_every_view_equals_brute_force_where_addresses_bound_the_nodes(
    small: SmallCatalog, wanted: Checklist, room: int
) -> None:
    with (
        patch(
            "planning.quoting.assembly.fixed_costs.find_traits",
            lambda name: replace(find_traits(name), node_ranges=name == "aws"),
        ),
        patch("planning.quoting.assembly.fixed_costs.count_room", lambda *_args, **_named: room),
    ):
        compare_views(candidate_set(small, wanted))


@pytest.mark.parametrize("vcpus", [(0, 2048), (2048, 0), (8, 2048), (2048, 2048)])
def test_workloads_that_differ_in_what_stands_beside_them_have_machines_of_their_own(vcpus: tuple[int, int]) -> None:
    """A pool beside a job is up as long as it: slower machines cost less, and the hours of the pool more."""
    usd = {"big": "40", "slow": "4", "cpu-8": "1"}
    rows = [price("aws", name, "us-east-1", each) for name, each in usd.items()]
    jobs = [TRAINING | {"name": f"job-{at}", "rollout_vcpus": each} for at, each in enumerate(vcpus)]
    slow = machine("slow", gpu="L40S-PCIe-48GB")
    small = SmallCatalog((*MACHINES, slow), rows, accelerators_list=ACCELERATORS)
    compare_views(candidate_set(small, checklist(*jobs)))


def test_the_month_of_a_pool_beside_another_is_the_months_of_its_hours() -> None:
    candidates = candidate_set(SmallCatalog(MACHINES, [], accelerators_list=ACCELERATORS), CHECKLISTS[3])
    beside = next(each for each in candidates.demands if each.beside)
    assert all_month(beside).busy_hours == Decimal(730)


def test_places_without_any_offer_have_no_cluster() -> None:
    candidates = candidate_set(SmallCatalog(MACHINES, [], accelerators_list=ACCELERATORS), CHECKLISTS[0])
    assert find_cheapest(candidates) is None


@pytest.mark.parametrize("view", list(VIEWS))
def test_a_view_without_a_cluster_says_why(view: str) -> None:
    candidates = candidate_set(SmallCatalog(MACHINES, [], accelerators_list=ACCELERATORS), CHECKLISTS[0])
    found = VIEWS[view].find(candidates)
    assert isinstance(found, str)
    assert found


def test_an_unpriced_line_is_billed_as_unpriced_and_never_as_zero() -> None:
    rows = [price("aws", each.name, "us-east-1", "1") for each in MACHINES if each.provider == "aws"]
    candidates = candidate_set(SmallCatalog(MACHINES, rows, accelerators_list=ACCELERATORS), CHECKLISTS[0])
    found = find_cheapest(candidates)
    assert found is not None
    cluster = spec(candidates.checklist, place=found.place, candidates=found.candidates, market=candidates.market)
    lines = price_all(
        charges(cluster), catalog_prices=candidates.market.catalog.prices, provider="aws", region="us-east-1"
    )
    unpriced = [line for line in lines if line.state is State.UNPRICED]
    assert {line.item for line in unpriced} >= {"control_plane", "disk", "nat_gateway"}
    assert all(line.usd_per_month is None for line in unpriced)
