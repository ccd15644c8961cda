"""What a twin at the same place has instead, pool by pool."""

from __future__ import annotations

from dataclasses import replace

import pytest
from small import SERVING, TODAY, TRAINING, SmallCatalog, checklist, machine, market, price, services

from planning.quoting.quote import Option
from planning.quoting.quote_builder import quote
from planning.quoting.tradeoffs import describe_pool_changes

CATALOG = SmallCatalog(
    (machine("big"), machine("cpu", gpu=None)),
    (
        price("aws", "big", "us-east-1", "60"),
        price("aws", "cpu", "us-east-1", "0.4"),
        price("aws", "big", "eu-west-1", "90"),
        price("aws", "cpu", "eu-west-1", "0.4"),
        *services("aws"),
    ),
)


@pytest.fixture(scope="module")
def options() -> dict[str, Option]:
    wanted = checklist(TRAINING, SERVING)
    found = quote(wanted, checklist_digest="digest", stack="acme", market=market(CATALOG), today=TODAY)
    return {each.spec.placement.region: each for each in found.options}


def changed(option: Option, **fields: dict[str, object]) -> Option:
    """The option with fields of its pools set, by the pool's name; None takes the pool away."""
    pools = tuple(
        pool.model_copy(update=fields.get(pool.name))
        for pool in option.spec.pools
        if fields.get(pool.name, {}) != {"gone": 1}
    )
    return replace(option, placements=(option.spec.model_copy(update={"pools": pools}),))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, ""),
        ({"train": {"kind": "spot", "purchase": "spot"}}, "train spot instead of on demand"),
        ({"train": {"purchase": "reserved_12m"}}, "train reserved 12m instead of on demand"),
        ({"system": {"machine": "m7", "max_nodes": 3}}, "system on 3 x m7 instead of 3 x cpu"),
        (
            {"serve": {"machine": "m7", "max_nodes": 3, "kind": "spot"}},
            "serve on 3 x m7 spot instead of 2 x big on demand",
        ),
        ({"train": {"gone": 1}}, "no pool train"),
        (
            {"train": {"gone": 1}, "serve": {"kind": "spot"}, "system": {"kind": "spot"}},
            "no pool train and serve spot instead of on demand and 1 more pool changed",
        ),
    ],
)
def test_the_pools_that_differ_are_named(
    options: dict[str, Option], fields: dict[str, dict[str, object]], said: str
) -> None:
    main = options["us-east-1"]
    found = describe_pool_changes(main, changed(main, **fields))
    assert found == said
