"""The view `committed` is there where it reserves what no cheaper option does."""

from __future__ import annotations

from small import SERVING, TODAY, TRAINING, SmallCatalog, checklist, machine, market, price, services

from catalogs.model import Price
from planning.checklist.model.checklist import Checklist
from planning.quoting.quote import Quote
from planning.quoting.quote_builder import quote

SPOT = TRAINING | {"spot": True}
ROWS = (
    price("aws", "big", "us-east-1", "60"),
    price("aws", "big", "us-east-1", "20", purchase="spot"),
    price("aws", "cpu", "us-east-1", "0.4"),
    price("aws", "cpu", "us-east-1", "0.3", purchase="reserved_12m"),
    *services("aws"),
)
ELSEWHERE = (
    price("nebius", "far", "eu-north1", "30"),
    price("nebius", "far-cpu", "eu-north1", "0.5"),
    *services("nebius"),
)
MACHINES = (
    machine("big"),
    machine("cpu", gpu=None),
    machine("far", provider="nebius"),
    machine("far-cpu", provider="nebius", gpu=None),
)


def quoted(wanted: Checklist, *rows: Price) -> Quote:
    small = market(SmallCatalog(MACHINES, (*ROWS, *ELSEWHERE, *rows)))
    return quote(wanted, checklist_digest="digest", stack="acme", market=small, today=TODAY)


def test_the_same_reserved_system_nodes_for_more_money_are_no_option() -> None:
    found = quoted(checklist(SPOT, contract={"months": 12}))
    cheapest = found.options[0]
    assert {pool.name: pool.kind for pool in cheapest.spec.pools} == {"train": "spot", "system": "reserved"}
    assert not any("committed" in each.views for each in found.options)
    said = "it would reserve system and no accelerator, which the cheapest option does as well"
    assert found.missing_views["committed"] == said


def test_the_same_cluster_is_one_option_with_both_views() -> None:
    found = quoted(checklist(TRAINING, contract={"months": 12}, where={"wanted": ["aws"]}))
    assert {"cheapest", "committed"} <= set(found.options[0].views)


def test_more_reserved_nodes_than_the_cheapest_has_are_an_option() -> None:
    found = quoted(checklist(TRAINING, contract={"months": 12}))
    committed = next(each for each in found.options if "committed" in each.views)
    assert committed is not found.options[0]
    assert {pool.name: pool.kind for pool in committed.spec.pools}["system"] == "reserved"


def test_reserved_accelerators_are_an_option_whatever_the_cheapest_reserves() -> None:
    wanted = checklist(SERVING | {"spot": True}, contract={"months": 12})
    found = quoted(wanted, price("aws", "big", "us-east-1", "40", purchase="reserved_12m"))
    committed = next(each for each in found.options if "committed" in each.views)
    assert any(pool.accelerator and pool.kind == "reserved" for pool in committed.spec.pools)
