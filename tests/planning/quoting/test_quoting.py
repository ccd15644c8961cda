"""Whole quotes over a small market: views, merging, ceilings, reasons."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from small import SERVING, TODAY, TRAINING, SmallCatalog, accelerator, checklist, machine, market, price, services

from catalogs.model import Form, Item, Price
from planning.checklist.model.checklist import Checklist
from planning.quoting.option import bill
from planning.quoting.quote import Option, Quote
from planning.quoting.quote_builder import LATE, quote
from planning.values.errors import NothingFitsError
from planning.values.verdict import Verdict

MACHINES = (
    machine("big"),
    machine("cpu", gpu=None),
    machine("far", provider="nebius"),
    machine("small", gpu="L40S-PCIe-48GB", gpus=1, vcpus=16),
    machine("far-cpu", provider="nebius", gpu=None),
)
ROWS = (
    price("aws", "big", "us-east-1", "60"),
    price("aws", "big", "us-east-1", "20", purchase="spot"),
    price("aws", "big", "us-east-1", "40", purchase="reserved_12m"),
    price("aws", "big", "eu-west-1", "70"),
    price("aws", "cpu", "us-east-1", "0.4"),
    price("aws", "cpu", "us-east-1", "0.3", purchase="reserved_12m"),
    price("aws", "cpu", "eu-west-1", "0.4"),
    price("nebius", "far", "eu-north1", "30"),
    price("nebius", "far-cpu", "eu-north1", "0.5"),
    *services("aws"),
    *services("nebius"),
)
L40S = (price("aws", "small", "us-east-1", "2"),)
AT_HOME = {"provider": "aws", "region": "us-east-1", "vpc_id": "vpc-1", "vpc_cidr": "10.0.0.0/16"}


GPUS = (accelerator(), accelerator("L40S-PCIe-48GB", form=Form.PCIE, gb=48, bf16=362))


def quoted(wanted: Checklist, *, rows: tuple[Price, ...] = ROWS) -> Quote:
    small = market(SmallCatalog(MACHINES, rows, accelerators_list=GPUS))
    return quote(wanted, checklist_digest="digest", stack="acme", market=small, today=TODAY)


def option_of(found: Quote, view: str) -> Option:
    return next(each for each in found.options if view in each.views)


def test_every_view_finds_its_option() -> None:
    found = quoted(checklist(SERVING | {"spot": True}, main_cloud=AT_HOME, contract={"months": 12}))
    purchases = {view: [pool.purchase for pool in each.spec.pools] for each in found.options for view in each.views}
    assert "spot" not in purchases["no_spot"]
    assert "reserved_12m" in purchases["committed"]
    assert option_of(found, "same_cloud").spec.placement.region == "us-east-1"
    assert found.reason == ""


def test_views_that_agree_are_one_option() -> None:
    found = quoted(checklist(TRAINING))
    assert {"recommended", "cheapest", "no_spot"} <= set(found.options[0].views)
    assert len({each.id for each in found.options}) == len(found.options)


def test_fewer_than_three_are_filled_with_the_next_best_that_differs() -> None:
    found = quoted(checklist(TRAINING | {"spot": True}, where={"wanted": ["nebius", "aws"]}))
    providers = {each.spec.placement.provider for each in found.shown}
    assert providers == {"aws", "nebius"}
    assert any({"alternative", "micro_cloud"} & set(each.views) for each in found.shown)


def test_the_same_machines_in_another_region_are_one_line_and_no_option() -> None:
    near = tuple(
        replace(row, usd=Decimal(61)) if row.region == "eu-west-1" and row.item == "big" else row for row in ROWS
    )
    found = quoted(checklist(TRAINING, where={"wanted": ["aws"]}), rows=near)
    assert [each.spec.placement.region for each in found.shown] == ["us-east-1"]
    (twin,) = found.shown[0].twins
    assert (twin.provider, twin.region, twin.option_id) == ("aws", "eu-west-1", "")
    assert 0 < twin.share < Decimal("0.1")


def test_a_view_that_is_a_twin_keeps_its_name_and_is_an_option_to_accept() -> None:
    near = tuple(
        replace(row, usd=Decimal(59)) if row.region == "eu-west-1" and row.item == "big" else row for row in ROWS
    )
    found = quoted(checklist(TRAINING, where={"wanted": ["aws"]}, main_cloud=AT_HOME), rows=near)
    twin = option_of(found, "same_cloud")
    assert twin.spec.placement.region == "us-east-1"
    assert twin.twin_of == option_of(found, "cheapest").id
    assert [each.option_id for each in option_of(found, "cheapest").twins] == [twin.id]


@pytest.mark.parametrize("tokens", ["500B", "2T", "20T"])
@pytest.mark.parametrize("ceiling", [{}, {"ceiling": {"usd_per_month": "9000000"}}])
def test_a_large_job_is_recommended_with_a_tenth_of_its_deadline_to_spare(
    tokens: str, ceiling: dict[str, object]
) -> None:
    """The least nodes of a large job end just in time: a few more are in the set, so that the rule can take them."""
    found = quoted(checklist(TRAINING | {"tokens": tokens, "deadline": "30d"}, **ceiling))
    assert all(run.hours <= 30 * 24 * Decimal("0.9") for run in found.recommended.runs)


@pytest.mark.parametrize("wanted", [("runpod",), ("nebius",), ("nebius", "aws")])
def test_where_nothing_fits_at_what_was_asked_for_the_reasons_are_of_it_alone(wanted: tuple[str, ...]) -> None:
    with pytest.raises(NothingFitsError) as refused:
        quoted(checklist(TRAINING, where={"wanted": wanted, "residency": "APAC"}))
    assert refused.value.hint
    assert ("provider not wanted" in refused.value.hint) == (wanted == ("runpod",)), "the price book has no runpod"


def test_fewer_options_come_with_the_reason() -> None:
    found = quoted(checklist(TRAINING, where={"regions": ["eu-north1"]}))
    assert len(found.options) == 1
    assert found.reason.startswith("only 1 distinct option")


def test_options_come_cheapest_first() -> None:
    ranks = [each.rank_usd_per_month.expected for each in quoted(checklist(TRAINING)).shown]
    assert ranks == sorted(ranks)


def test_the_rank_of_a_fully_priced_option_is_its_bill() -> None:
    for each in quoted(checklist(SERVING | {"spot": True}, contract={"months": 12})).options:
        assert each.bill.unpriced == ()
        assert round(each.rank_usd_per_month.expected, 6) == round(each.bill.usd_per_month.expected, 6)


def test_the_bill_of_an_option_is_the_bill_of_its_spec() -> None:
    small = market(SmallCatalog(MACHINES, ROWS, accelerators_list=GPUS))
    found = quote(checklist(TRAINING), checklist_digest="", stack="acme", market=small, today=TODAY)
    for each in found.options:
        assert bill(each.spec, small) == each.bill


def test_a_quote_stands_for_two_weeks() -> None:
    found = quoted(checklist(TRAINING))
    assert found.valid_until - found.priced_at == timedelta(days=14)


@pytest.mark.parametrize(("limit", "verdict"), [("100000", Verdict.WITHIN), ("10", Verdict.OVER)])
def test_the_ceiling_is_judged_on_the_reading_it_binds(limit: str, verdict: Verdict) -> None:
    found = quoted(checklist(TRAINING, ceiling={"usd_per_month": limit}))
    assert found.options[0].judgement.verdict is verdict


def test_an_unpriced_line_leaves_the_verdict_open() -> None:
    rows = tuple(row for row in ROWS if (row.provider, row.item) != ("aws", Item.LOAD_BALANCER))
    wanted = checklist(TRAINING, where={"wanted": ["aws"]}, ceiling={"usd_per_month": "100000"})
    judgement = quoted(wanted, rows=rows).options[0].judgement
    assert judgement.verdict is Verdict.UNDETERMINED
    assert "load balancer" in judgement.reason


def test_the_priced_part_alone_can_be_over() -> None:
    rows = tuple(row for row in ROWS if (row.provider, row.item) != ("aws", Item.LOAD_BALANCER))
    wanted = checklist(TRAINING, where={"wanted": ["aws"]}, ceiling={"usd_per_month": "10"})
    assert quoted(wanted, rows=rows).options[0].judgement.verdict is Verdict.OVER


def test_when_nothing_is_under_the_ceiling_the_quote_says_what_to_change() -> None:
    spotless = checklist(SERVING, where={"wanted": ["aws"]}, ceiling={"usd_per_month": "40000", "binds": "expected"})
    found = quoted(spotless)
    assert all(each.judgement.verdict is Verdict.OVER for each in found.options)
    assert any(change.startswith("allow spot machines") for change in found.advice)
    assert found.advice[-1].startswith("raise the ceiling to ")


def test_no_advice_where_something_is_within() -> None:
    assert quoted(checklist(TRAINING, ceiling={"usd_per_month": "100000"})).advice == ()


def test_nothing_that_fits_says_what_excludes_most() -> None:
    with pytest.raises(NothingFitsError) as refused:
        quoted(checklist(TRAINING | {"hardware": {"accelerator": "TPU-v5"}}))
    assert refused.value.hint


def test_where_no_place_is_open_the_hint_is_about_places() -> None:
    with pytest.raises(NothingFitsError) as refused:
        quoted(checklist(TRAINING, where={"wanted": ["runpod"]}))
    assert refused.value.hint == "what excludes most: provider not wanted (3)"


def test_the_fastest_under_a_ceiling_buys_more_nodes() -> None:
    found = quoted(checklist(TRAINING | {"tokens": "100B"}, ceiling={"usd_per_month": "90000"}))
    quick, cheap = option_of(found, "fastest"), option_of(found, "cheapest")
    assert quick.runs[0].hours < cheap.runs[0].hours
    assert quick.judgement.verdict is Verdict.WITHIN


def test_a_deadline_that_no_ceiling_allows_leaves_no_fastest_and_says_so() -> None:
    wanted = checklist(TRAINING | {"tokens": "400B", "deadline": "20d"}, ceiling={"usd_per_month": "10000"})
    found = quoted(wanted)
    assert found.missing_views["fastest"] == "nothing that meets the checklist is under the ceiling"
    assert all(each.judgement.verdict is Verdict.OVER for each in found.options)
    assert all(run.hours <= 20 * 24 for each in found.options for run in each.runs)


ASKED = {"accelerator": "H100", "count": 8}


@pytest.mark.parametrize(
    ("asked", "missed", "change"),
    [
        ({"deadline": "12h"}, "the deadline is 12 h", "raise the deadline of train to "),
        ({"runs_per_month": 1000}, "a month has 730 h", "ask for at most "),
    ],
)
def test_where_nothing_keeps_the_checklist_the_nearest_is_shown_marked_with_the_smallest_change(
    asked: dict[str, object], missed: str, change: str
) -> None:
    found = quoted(checklist(TRAINING | {"tokens": "100B", "hardware": ASKED} | asked))
    assert found.options
    for each in found.options:
        assert [words for words in each.misses if missed in words] == list(each.misses)
        assert len(each.misses) == 1
    assert found.advice[0].startswith(change)
    nearest = min(found.options, key=lambda each: max(run.hours for run in each.runs))
    assert nearest.tradeoff == "Nothing meets the whole checklist; this comes nearest."
    assert "in time" not in " ".join(each.tradeoff for each in found.options)
    assert found.reason.startswith(LATE)
    assert set(found.missing_views.values()) == {LATE}, "no view is said to have found nothing but spot machines"


def test_the_change_that_is_proposed_works() -> None:
    late = checklist(TRAINING | {"tokens": "100B", "hardware": ASKED, "deadline": "12h"})
    days = quoted(late).advice[0].partition("to ")[2].partition(" days")[0]
    kept = quoted(checklist(TRAINING | {"tokens": "100B", "hardware": ASKED, "deadline": f"{days}d"}))
    assert not any(each.misses for each in kept.options)


def test_one_option_is_recommended_and_the_others_say_what_differs() -> None:
    found = quoted(checklist(SERVING | {"spot": True}, main_cloud=AT_HOME, contract={"months": 12}))
    assert [each.recommended for each in found.options].count(True) == 1
    assert "recommended" in found.recommended.views
    assert all(each.tradeoff.endswith(".") for each in found.options)
    assert not any(pool.kind == "spot" for pool in found.recommended.spec.pools), "a service must not stop"


def test_an_option_is_named_after_the_pool_that_is_expected_to_cost_most() -> None:
    nightly = TRAINING | {"name": "nightly", "tokens": "10M", "hardware": {"accelerator": "H100"}}
    found = quoted(checklist(SERVING | {"hardware": {"accelerator": "L40S"}}, nightly), rows=(*ROWS, *L40S))
    assert found.options[0].id.startswith("aws-us-east-1-l40s-")


def test_a_provider_that_was_asked_for_and_has_no_option_has_a_reason() -> None:
    found = quoted(checklist(TRAINING, where={"wanted": ["aws", "gcp"]}))
    assert dict(found.unmet_providers).keys() == {"gcp"}
    assert dict(found.unmet_providers)["gcp"]


def test_micro_clouds_without_known_cpu_machines_get_an_unpriced_pool() -> None:
    rows = tuple(row for row in ROWS if row.item != "far-cpu")
    found = quoted(checklist(TRAINING, where={"wanted": ["nebius"]}), rows=rows)
    keys = [line.key for line in found.options[0].bill.unpriced]
    assert keys == ["pool/system/machine"]


def test_renting_is_compared_with_buying_where_a_purchase_price_is_known() -> None:
    buying = quoted(checklist(TRAINING)).options[0].buying
    assert buying is not None
    assert buying.servers == 1
    assert buying.usd_per_year > Decimal(100_000)


def test_who_runs_the_cluster_is_left_out_where_somebody_is_to_run_it() -> None:
    for operation, said in (("for_us", True), ("ourselves", False)):
        for each in quoted(checklist(TRAINING, operation=operation)).options:
            assert any(words.startswith("the work of running the cluster") for words in each.leaves_out) is said
