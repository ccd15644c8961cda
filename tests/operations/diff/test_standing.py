"""Where pools stand on the market: each precision apart, each machine once, where it is cheapest."""

from __future__ import annotations

import pytest
import quote_page_kit as kit

from planning.quoting.price_performance import usd_per_1000_tflops, worth_of_machines


@pytest.mark.parametrize("stack", kit.STACKS)
def test_a_machine_counts_once_where_it_is_cheapest(stack: str) -> None:
    made = kit.made(stack)
    for standing in made.standings:
        every = worth_of_machines(made.catalog, precision=standing.precision)
        assert len({(each.provider, each.machine) for each in standing.machines}) == len(standing.machines)
        assert {(each.provider, each.machine) for each in every} == {
            (each.provider, each.machine) for each in standing.machines
        }
        for each in standing.machines:
            regions = [one for one in every if (one.provider, one.machine) == (each.provider, each.machine)]
            assert each.usd_per_1000_tflops_hour == min(one.usd_per_1000_tflops_hour for one in regions)


@pytest.mark.parametrize("stack", kit.STACKS)
def test_every_pool_with_a_worth_stands_in_the_precision_of_its_workload(stack: str) -> None:
    made = kit.made(stack)
    asked = {each.name: str(getattr(each, "precision", "bf16")) for each in made.checklist.workloads}
    shown = {(pool.at, pool.pool): (each.precision, pool) for each in made.standings for pool in each.pools}
    for at, option in enumerate(made.quote.options):
        pools = {pool.name: pool for cluster in option.placements for pool in cluster.pools}
        for worth in option.worth:
            if worth.usd_per_1000_tflops_hour is None:
                assert (at, worth.pool) not in shown
                continue
            precision, standing = shown[at, worth.pool]
            pool = pools[worth.pool]
            assert precision == asked[pool.workload or ""]
            assert standing.usd == usd_per_1000_tflops(
                usd_per_hour=worth.usd_per_hour, tflops=standing.peak_tflops * pool.accelerators
            )
