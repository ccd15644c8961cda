"""Quotes over two places: each share is searched for itself, under what the ceiling leaves, and the bill is one."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from small import SERVING, TRAINING, checklist, market
from small import SmallCatalog as Catalog
from test_quoting import AT_HOME, GPUS, MACHINES, ROWS, TODAY

from planning.checklist.model.checklist import Checklist
from planning.quoting.option import whole_bill
from planning.quoting.quote import Quote
from planning.quoting.quote_builder import quote
from planning.quoting.search.selection import limit_ceiling, parts
from planning.values.errors import NothingFitsError


def spanning(**fields: Any) -> Checklist:
    """Answers at home on AWS, training at Nebius."""
    elsewhere = [{"name": "training", "workloads": ["train"], "wanted": ["nebius"]}]
    where = {"wanted": ["aws"], "elsewhere": elsewhere}
    return checklist(SERVING, TRAINING, **{"main_cloud": AT_HOME, "where": where, **fields})


def quoted(wanted: Checklist) -> Quote:
    return quote(
        wanted,
        checklist_digest="",
        stack="acme",
        market=market(Catalog(MACHINES, ROWS, accelerators_list=GPUS)),
        today=TODAY,
    )


def test_each_workload_runs_where_it_was_put() -> None:
    option = quoted(spanning()).options[0]
    placed = {
        each.placement.name: (each.placement.provider, [pool.name for pool in each.pools]) for each in option.placements
    }
    assert placed["home"] == ("aws", ["serve", "system"])
    assert placed["training"] == ("nebius", ["train", "system"])
    assert option.joined


def test_the_bill_of_an_option_is_that_of_all_its_placements() -> None:
    small = market(Catalog(MACHINES, ROWS, accelerators_list=GPUS))
    for option in quoted(spanning()).options:
        assert whole_bill(option.placements, small) == option.bill
        keys = [line.key for line in option.bill.lines]
        assert len(set(keys)) == len(keys)
        assert "training/pool/train/machine" in keys


def test_people_and_their_cloud_are_counted_at_home_only() -> None:
    home, away = parts(spanning(support="business_hours"))
    assert home.checklist.main_cloud is not None
    assert away.checklist.main_cloud is None
    assert away.checklist.contract.onboarding_usd == 0
    labels = [line.key for line in quoted(spanning()).options[0].bill.lines if "onboarding" in line.key]
    assert labels == ["services/onboarding"]


def test_where_one_place_has_nothing_the_answer_names_it() -> None:
    wanted = spanning()
    where = wanted.where.elsewhere[0].model_copy(update={"wanted": ("runpod",)})
    nowhere = wanted.model_copy(update={"where": wanted.where.model_copy(update={"elsewhere": (where,)})})
    with pytest.raises(NothingFitsError, match=r"at training$"):
        quoted(nowhere)


def test_where_what_fits_is_sold_otherwise_only_the_answer_says_so() -> None:
    asked = checklist(TRAINING | {"hardware": {"purchase": "capacity_block"}})
    with pytest.raises(NothingFitsError) as refused:
        quoted(asked)
    assert refused.value.hint.startswith("machines that fit train are sold ")


def test_a_share_may_cost_what_the_others_leave_of_the_ceiling() -> None:
    home, _ = parts(spanning(ceiling={"usd_per_month": 50000}))
    assert limit_ceiling(home, others_usd=[Decimal(20000)]).checklist.ceiling.usd_per_month == 30000
    assert limit_ceiling(home, others_usd=[]).checklist.ceiling.usd_per_month == 50000


def test_a_ceiling_below_both_together_is_over_and_says_what_to_change() -> None:
    found = quoted(spanning(ceiling={"usd_per_month": 100}))
    assert {each.judgement.verdict for each in found.options} == {"over"}
    assert found.advice


def test_a_checklist_that_spans_nothing_is_one_share() -> None:
    plain = checklist(TRAINING)
    assert [(each.name, each.checklist) for each in parts(plain)] == [("home", plain)]


def test_a_cluster_beside_home_has_two_system_nodes_and_a_load_balancer_only_where_it_serves() -> None:
    home, away = quoted(spanning()).options[0].placements
    nodes = {
        each.placement.name: next(pool.min_nodes for pool in each.pools if pool.role == "system")
        for each in (home, away)
    }
    assert nodes == {"home": 3, "training": 2}
    assert (home.network.load_balancers.max, away.network.load_balancers.max) == (1, 0)
