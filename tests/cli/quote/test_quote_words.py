"""Words of a quote that a reader of whole documents found wrong: plurals, separators, ties, notes at the wrong pool."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import hand_built
import pytest
import quote_page_kit as kit

from cli.pages.quote.comparison import runs
from cli.views.quote.options import describe_pool, option_details
from planning.ceilings.verdict import describe_unpriced
from planning.costs.bill import BillGroup


@pytest.mark.parametrize(("servers", "said"), [(1, "1 server of your own"), (2, "2 servers of your own")])
def test_servers_have_their_plural(servers: int, said: str) -> None:
    option = hand_built.option()
    assert option.buying is not None
    details = dict(option_details(replace(option, buying=replace(option.buying, servers=servers))))
    assert details["buying"][0].startswith(said)


@pytest.mark.parametrize(
    ("hyperscaler", "said"),
    [
        ("6.125", ", -50% against the lowest on-demand price of a hyperscaler"),
        ("3.0625", ", the lowest on-demand price of a hyperscaler"),
        (None, " USD a GPU-hour"),
    ],
)
def test_a_price_that_is_the_lowest_has_no_difference_of_nothing(hyperscaler: str | None, said: str) -> None:
    option = hand_built.option()
    usd = None if hyperscaler is None else Decimal(hyperscaler)
    worth = replace(option.worth[0], big_three_usd_per_gpu_hour=usd)
    assert describe_pool(option.spec.pools[0], worth).endswith(said)


def test_names_that_hold_commas_are_set_apart_by_semicolons() -> None:
    named = [
        replace(hand_built.unpriced(f"line-{at}", BillGroup.STORAGE), label=label)
        for at, label in enumerate(("Lustre, 1000 MB/s/TiB", "requests that write, list or copy"))
    ]
    said = describe_unpriced(hand_built.bill(*named))
    assert said == "no price is known for Lustre, 1000 MB/s/TiB; requests that write, list or copy"


@pytest.mark.parametrize("stack", kit.STACKS)
def test_what_is_said_of_accelerators_is_said_at_pools_that_have_them(stack: str) -> None:
    for option in kit.made(stack).quote.options:
        bare = {pool.name for spec in option.placements for pool in spec.pools if not pool.accelerator}
        assert not [note for note in option.notes if "MI300X" in note and note.partition(":")[0] in bare]


def test_of_runs_whose_time_reads_the_same_the_cheapest_is_named() -> None:
    run = hand_built.option().runs[0]
    slower = replace(run, hours=run.hours + Decimal("0.01"), usd=run.usd / 2)
    options = [replace(hand_built.option(), runs=(each,)) for each in (run, slower)]
    _, _, said, *_ = runs(hand_built.quote(*options), kit.made("demo").checklist)
    assert "none is sooner than B" in str(said)
