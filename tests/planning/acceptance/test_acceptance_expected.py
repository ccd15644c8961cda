"""What is expected of every example: every figure from the catalog, a promise or the lock, and nothing guessed."""

from __future__ import annotations

from decimal import Decimal

import pytest
from accepted import EXAMPLES, accepted, catalog, checklist
from hypothesis import given
from hypothesis import strategies as st

from catalogs.measurements import achievable, read_visible_memory, tier_speeds
from planning.acceptance import node_limits
from planning.acceptance.expectations import Expectations, build_expectations
from planning.acceptance.judgement import judge
from planning.acceptance.verdicts import CheckOutcome
from planning.agents.measurement_records import CHECKS, Per, subject
from planning.checklist.model.agreement import AgreedSpeed, Agreement
from planning.spec.cluster import Pool

PROMISED = tuple(map(Decimal, (4, 8, 16, 32, 64)))
GIB = 2**30


def of(example: str) -> Expectations:
    return build_expectations(accepted(example), catalog(), checklist(example))


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_limit_has_a_source_or_says_what_is_not_known(example: str) -> None:
    held = of(example)
    limits = [
        limit
        for pool in held.pools
        for limit in (pool.memory, pool.matmul, pool.nvlink, *(each.limit for each in pool.all_reduce))
    ]
    limits += [limit for tier in held.tiers for limit in (tier.loader, tier.checkpoint, *tier.code, *tier.small_files)]
    for limit in limits:
        assert limit.why
        assert bool(limit.source) == limit.known
        assert not limit.source or limit.source in catalog().sources
    assert len({each.subject for each in held.pools}) == len(held.pools)


@pytest.mark.parametrize("example", EXAMPLES)
def test_nothing_measured_never_passes(example: str) -> None:
    held = of(example)
    results = {
        "schema_version": 1,
        "stack": held.stack,
        "option": held.option,
        "started": "2026-11-20T08:00:00Z",
        "ended": "2026-11-22T08:00:00Z",
        "measured": [],
    }
    verdicts = judge(results, held)  # pyright: ignore[reportArgumentType]
    assert verdicts.outcome in (CheckOutcome.MISSING, CheckOutcome.UNDETERMINED)
    assert verdicts.of(CheckOutcome.PASSED) == ()


@pytest.mark.parametrize(
    ("size", "counts"),
    [(1, ()), (2, (2,)), (3, (2, 3)), (4, (4,)), (6, (4, 6)), (16, (4, 8, 16)), (100, (4, 8, 16, 32, 64, 100))],
)
def test_node_counts_are_those_promised_that_fit_and_all(size: int, counts: tuple[int, ...]) -> None:
    assert node_limits.node_counts(size, promised=PROMISED) == counts


@given(st.integers(1, 400))
def test_node_counts_grow_and_end_with_the_whole_pool(size: int) -> None:
    counts = node_limits.node_counts(size, promised=PROMISED)
    assert list(counts) == sorted(set(counts))
    assert (counts[-1:] == (size,)) == (size > 1)


@pytest.mark.parametrize(("memory_gb", "judged"), [(80, [4, 8, 16]), (48, [4, 8]), (16, [4]), (8, [2])])
def test_payloads_that_the_memory_cannot_hold_three_times_are_not_asked(memory_gb: int, judged: list[int]) -> None:
    run, held = node_limits.payloads_of(catalog(), memory_gb=memory_gb)
    assert [payload // GIB for payload in held] == judged
    assert set(held) <= set(run)
    assert all(payload * 3 < memory_gb * GIB for payload in run)


def test_matmul_is_held_to_what_was_achieved_and_not_to_the_peak() -> None:
    share = catalog().promises["all_reduce_share"]
    h100 = node_limits.limit_matmul(catalog().accelerators["H100-SXM-80GB"], precision="bf16", share=share)
    assert (h100.least, h100.bound, h100.source) == (Decimal("635.60"), Decimal("989.4"), "mamf-table")
    assert h100.beyond == ""
    unseen = node_limits.limit_matmul(catalog().accelerators["H100-NVL-94GB"], precision="bf16", share=share)
    assert (unseen.least, unseen.source) == (Decimal("668.40"), "ds-h100")
    assert unseen.beyond
    blind = node_limits.limit_matmul(catalog().accelerators["MI350X-OAM-288GB"], precision="bf16", share=share)
    assert not blind.known
    assert "no bf16 peak" in blind.why


def test_nothing_was_achieved_above_a_peak() -> None:
    for (name, precision), each in achievable().items():
        assert each.tflops < catalog().accelerators[name].tflops[precision], name
        assert each.source in catalog().sources
    assert set(read_visible_memory()) <= set(catalog().accelerators)
    assert set(tier_speeds()) <= set(catalog().tiers)


@pytest.mark.parametrize(
    ("name", "complained", "whole"),
    [("H100-SXM-80GB", 75 * 1024, 81004), ("H200-SXM-141GB", 132 * 1024, 143000), ("T4-PCIe-16GB", 14000, 14900)],
)
def test_75_of_80_gb_fails_and_a_whole_accelerator_passes(name: str, complained: int, whole: int) -> None:
    limit = node_limits.limit_memory(catalog().accelerators[name], catalog=catalog())
    assert limit.least is not None
    assert complained < limit.least <= whole


def a_pool(**changes: object) -> Pool:
    pool = next(each for each in accepted("coreweave-pretrain").spec.pools if each.accelerators)
    return pool.model_copy(update=changes)


def test_the_fabric_is_held_to_its_slowest_link() -> None:
    share = catalog().promises["all_reduce_share"]
    h100 = catalog().accelerators["H100-SXM-80GB"]
    cards = node_limits.limit_between_nodes(h100, Decimal(3200), pool=a_pool(), share=share)
    assert (cards.theory, cards.least, cards.bound) == (400, 320, 800)
    links = node_limits.limit_between_nodes(h100, Decimal(6400), pool=a_pool(), share=share)
    assert (links.theory, "links of one accelerator" in links.why) == (450, True)
    single = node_limits.limit_between_nodes(h100, Decimal(6400), pool=a_pool(accelerators=1), share=share)
    assert single.theory == 800
    blind = node_limits.limit_between_nodes(h100, None, pool=a_pool(), share=share)
    assert not blind.known
    assert "has no network speed" in blind.why


def test_a_tier_is_held_to_what_it_is_sold_with_or_to_nothing() -> None:
    (warm,) = of("pretrain-7b").tiers[-1:]
    sold = warm.provisioned_gb * 10**9 / Decimal(2**40) * 125
    assert warm.loader.least is not None
    assert abs(warm.loader.least - sold * Decimal("0.8")) < Decimal("0.01")
    elsewhere = [tier for tier in of("coreweave-pretrain").tiers if tier.tier == "warm"]
    assert [tier.loader.known for tier in elsewhere] == [False] * len(elsewhere)


def settled(example: str, *speeds: AgreedSpeed) -> Expectations:
    asked = checklist(example).model_copy(update={"agreement": Agreement(tier_speeds=speeds)})
    return build_expectations(accepted(example), catalog(), asked)


def test_an_agreed_throughput_is_held_in_full_in_the_place_of_any_other() -> None:
    """Also where it is less than the share of what the tier is sold with: both signed it."""
    for example, agreed in (("coreweave-pretrain", 10_000), ("pretrain-7b", 100)):
        speed = AgreedSpeed(tier="warm", read_mb_per_s=Decimal(agreed))
        (warm,) = [tier for tier in settled(example, speed).tiers if tier.tier == "warm"]
        assert (warm.loader.least, warm.loader.theory) == (agreed, None)
        assert warm.loader.agreed_at == "agreement.tier_speeds.0.read_mb_per_s"
        assert warm.loader.agreed_at in warm.loader.why
        untouched = next(tier for tier in of(example).tiers if tier.tier == "warm")
        assert (warm.checkpoint, warm.small_files) == (untouched.checkpoint, untouched.small_files)
        assert untouched.loader.agreed_at == ""


def test_an_agreed_throughput_is_of_one_tier_of_one_placement() -> None:
    """spanning-two has its only file system beside home."""
    home = AgreedSpeed(tier="warm", write_mb_per_s=Decimal(7))
    there = AgreedSpeed(tier="warm", placement="training", write_mb_per_s=Decimal(5))
    assert settled("spanning-two", home).tiers == of("spanning-two").tiers
    (found,) = settled("spanning-two", home, there).tiers
    assert (found.placement, found.checkpoint.least) == ("training", 5)
    assert found.checkpoint.source == "checklist.yaml agreement.tier_speeds.1.write_mb_per_s"


def test_the_burn_in_is_as_agreed_else_as_promised() -> None:
    assert of("demo").burn_in_hours == 48
    agreed = checklist("demo").model_copy(update={"agreement": Agreement(burn_in_hours=Decimal(60))})
    assert build_expectations(accepted("demo"), catalog(), agreed).burn_in_hours == 60


def test_only_pools_that_work_on_one_job_have_a_fabric_to_measure() -> None:
    held = {pool.workload: pool.all_reduce for pool in of("demo").pools}
    assert held["notebooks"] == ()
    assert [each.nodes for pool in of("pretrain-7b").pools for each in pool.all_reduce]


def test_checks_and_subjects_have_one_form() -> None:
    assert len({check.id for check in CHECKS}) == len(CHECKS)
    assert subject(Per.NODE, "ip-1") == "node/ip-1"
    assert subject(Per.TIER, "warm", placement="home") == "tier/home/warm"
