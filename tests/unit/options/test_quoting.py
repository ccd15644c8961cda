"""Whole quotes over a small market: views, merging, ceilings, reasons."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from small import SERVING, TODAY, TRAINING, SmallCatalog, checklist, machine, market, price, services

from catalogs.model import Item, Price
from planning.checklist import Checklist
from planning.errors import NothingFitsError
from planning.options.option import bill
from planning.quote import Option, Quote, Verdict
from planning.quoting import quote

MACHINES = (
    machine("big"),
    machine("cpu", gpu=None),
    machine("far", provider="nebius"),
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
AT_HOME = {"provider": "aws", "region": "us-east-1", "vpc_id": "vpc-1", "vpc_cidr": "10.0.0.0/16"}


def quoted(wanted: Checklist, *, rows: tuple[Price, ...] = ROWS) -> Quote:
    small = market(SmallCatalog(MACHINES, rows))
    return quote(wanted, checklist_digest="digest", stack="acme", market=small, today=TODAY)


def option_of(found: Quote, view: str) -> Option:
    return next(each for each in found.options if view in each.views)


def test_every_view_finds_its_option() -> None:
    found = quoted(checklist(SERVING | {"spot": True}, main_cloud=AT_HOME, contract={"months": 12}))
    purchases = {view: [pool.purchase for pool in each.spec.pools] for each in found.options for view in each.views}
    assert "spot" not in purchases["dependable"]
    assert "reserved_12m" in purchases["committed"]
    assert option_of(found, "at_home").spec.placement.region == "us-east-1"
    assert found.reason == ""


def test_views_that_agree_are_one_option() -> None:
    found = quoted(checklist(TRAINING))
    assert {"cheapest", "dependable"} <= set(found.options[0].views)
    assert len({each.id for each in found.options}) == len(found.options)


def test_fewer_than_three_are_filled_with_the_next_best_elsewhere() -> None:
    found = quoted(checklist(TRAINING))
    assert len(found.options) == 3
    places = [(each.spec.placement.provider, each.spec.placement.region) for each in found.options]
    assert len(set(places)) == 3
    assert any("alternative" in each.views for each in found.options)


def test_fewer_options_come_with_the_reason() -> None:
    found = quoted(checklist(TRAINING, where={"regions": ["eu-north1"]}))
    assert len(found.options) == 1
    assert found.reason.startswith("only 1 distinct option")


def test_options_come_cheapest_first() -> None:
    ranks = [each.rank_usd_per_month.expected for each in quoted(checklist(TRAINING)).options]
    assert ranks == sorted(ranks)


def test_the_rank_of_a_fully_priced_option_is_its_bill() -> None:
    for each in quoted(checklist(SERVING | {"spot": True}, contract={"months": 12})).options:
        assert each.bill.unpriced == ()
        assert round(each.rank_usd_per_month.expected, 6) == round(each.bill.usd_per_month.expected, 6)


def test_the_bill_of_an_option_is_the_bill_of_its_spec() -> None:
    small = market(SmallCatalog(MACHINES, ROWS))
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
    assert judgement.verdict is Verdict.CANNOT_TELL
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


def test_a_deadline_that_no_ceiling_allows_is_missed_and_said_so() -> None:
    wanted = checklist(TRAINING | {"tokens": "400B", "deadline": "20d"}, ceiling={"usd_per_month": "33000"})
    found = quoted(wanted)
    late = [note for each in found.options for note in each.notes if "deadline is missed" in note]
    assert late


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
            assert any(words.startswith("who runs the cluster: ") for words in each.leaves_out) is said
