"""By what two clusters are told apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from small import SERVING, TRAINING, SmallCatalog, candidate_set, checklist, machine, price, services

from planning.quoting.search.least_cost import find_cheapest
from planning.quoting.search.selection import PlacementPick, Traits, parts, read_traits

CATALOG = SmallCatalog(
    machines_list=(machine("p5"), machine("m5", gpu=None)),
    rows=(price("aws", "p5", "us-east-1", "55"), price("aws", "m5", "us-east-1", "0.2"), *services("aws")),
)


def traits_of(*workloads: Mapping[str, object]) -> Traits:
    asked = checklist(*workloads)
    pick = find_cheapest(candidate_set(CATALOG, asked))
    assert pick is not None
    return read_traits([PlacementPick(parts(asked)[0], pick)])


def test_the_milliseconds_of_a_token_are_no_hours_of_a_run() -> None:
    job = TRAINING | {"tokens": "100M"}  # well under an hour; a token of SERVING takes longer than one unit
    assert traits_of(job, SERVING).hours == traits_of(job).hours < 1 < traits_of(SERVING).hours


def test_which_pool_costs_most_is_no_difference_between_clusters_that_buy_the_same() -> None:
    pools = frozenset((("chat", "aws", "T4G", ("on_demand",)), ("train", "aws", "L40S", ("on_demand",))))
    one = Traits("aws", "T4G", ("on_demand",), pools, usd=Decimal(2340), hours=Decimal(9))
    assert not one.differs(replace(one, family="L40S", usd=Decimal(2533)))
    assert one.differs(replace(one, family="L40S", usd=Decimal(2575)))
    assert one.differs(replace(one, family="L4", pools=pools | {("chat", "aws", "L4", ("on_demand",))}))
