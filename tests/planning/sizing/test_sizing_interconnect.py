"""What a slower network costs: never less time than a faster one, said in the note, refused where it decides."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sizing_fakes import H100, NODE, TRAIN, checklist, training

from catalogs.catalog import load
from catalogs.model import Accelerator, Fabric, Machine
from planning.sizing import assumptions
from planning.sizing import demand as sizing_demand
from planning.sizing import fit as fitting
from planning.sizing.checklist_demands import size
from planning.sizing.demand import Demand, Fit
from planning.sizing.fit import fit
from planning.sizing.run_time import LARGEST_CLUSTER, RunTime, estimate_run_time

L4 = replace(H100, name="L4-PCIe-24GB", family="L4", memory_gb=24, tflops={"bf16": Decimal(121)}, nvlink_gb_per_s=None)
SINGLE = replace(NODE, name="single", accelerators=1, vcpus=16, network_gbps=Decimal("12.5"), fabric=Fabric.ETHERNET)
GBPS = st.sampled_from([1, 10, 25, 100, 400, 3200])
PARAMETERS = st.sampled_from(["125M", "1B", "7B", "13B", "70B", "405B", "1T"])


def job(parameters: str = "7B", **fields: object) -> Demand:
    fields = {"model": {"parameters": parameters}, "hardware": {"fabric": "none"}, **fields}
    demand = size(checklist(training(**fields))).demands[0]
    return replace(demand, most_hours_per_run=None)


def speed_of(demand: Demand, machine: Machine, accelerator: Accelerator = H100) -> RunTime:
    found = estimate_run_time(demand, machine, accelerator)
    assert isinstance(found, RunTime)
    return found


def test_small_cards_over_ethernet_say_what_they_lose() -> None:
    found = fit(job(), SINGLE, L4, nodes=16)
    assert isinstance(found, Fit)
    assert "% of the time is lost to the 12.5 Gbps between nodes" in found.note
    joined = fit(job(), replace(SINGLE, network_gbps=Decimal(3200)), L4, nodes=16)
    assert isinstance(joined, Fit)
    assert joined.hours_per_run is not None
    assert found.hours_per_run is not None
    assert found.hours_per_run > joined.hours_per_run


def test_a_fabric_loses_nothing_beyond_what_published_runs_lost() -> None:
    speed = speed_of(job("70B"), NODE)
    assert speed.count_lost_hours(64) == 0
    found = fit(job("70B"), NODE, H100, nodes=64)
    assert isinstance(found, Fit)
    assert "lost" not in found.note


@settings(derandomize=True, deadline=None)
@given(PARAMETERS, GBPS, GBPS, st.integers(2, 3000), st.sampled_from([1, 4, 8]))
def test_a_slower_network_is_never_faster(parameters: str, one: int, other: int, nodes: int, per_node: int) -> None:
    slow, fast = (replace(NODE, accelerators=per_node, network_gbps=Decimal(gbps)) for gbps in sorted((one, other)))
    demand = job(parameters)
    assert speed_of(demand, slow).count_hours(nodes) >= speed_of(demand, fast).count_hours(nodes)
    assert speed_of(demand, fast).count_hours(nodes) >= speed_of(demand, fast).count_computing_hours(nodes)


@settings(derandomize=True, deadline=None)
@given(PARAMETERS, GBPS, st.integers(2, 3000), st.sampled_from([1, 4, 8]))
def test_a_fit_is_never_slower_than_with_one_node_fewer(parameters: str, gbps: int, nodes: int, per_node: int) -> None:
    machine = replace(NODE, accelerators=per_node, network_gbps=Decimal(gbps))
    demand = job(parameters)
    more, fewer = fit(demand, machine, H100, nodes=nodes), fit(demand, machine, H100, nodes=nodes - 1)
    assume(isinstance(more, Fit) and isinstance(fewer, Fit))
    assert isinstance(more, Fit)
    assert isinstance(fewer, Fit)
    assert more.hours_per_run is not None
    assert fewer.hours_per_run is not None
    assert more.hours_per_run < fewer.hours_per_run


@settings(derandomize=True, deadline=None)
@given(PARAMETERS, GBPS, st.integers(20, 5000), st.sampled_from([1, 8]))
def test_a_deadline_is_met_by_the_least_number_of_nodes_on_any_network(
    parameters: str, gbps: int, deadline: int, per_node: int
) -> None:
    speed = speed_of(job(parameters), replace(NODE, accelerators=per_node, network_gbps=Decimal(gbps)))
    nodes = speed.count_nodes_within(Decimal(deadline))
    assume(nodes <= LARGEST_CLUSTER and not speed.is_starved(nodes))
    assert speed.count_hours(nodes) <= deadline * (1 + Decimal("1e-20"))
    assert nodes <= 2 or speed.count_hours(nodes - 1) > deadline


def test_more_nodes_than_the_network_feeds_are_refused() -> None:
    assert fit(job(), SINGLE, L4, nodes=5000) == sizing_demand.NETWORK_TOO_SLOW


def test_an_unknown_network_adds_no_loss() -> None:
    assert speed_of(job(), replace(NODE, network_gbps=None)).links is None


def test_an_unknown_network_without_a_fabric_is_held_to_the_least_of_the_catalog() -> None:
    machines = load().machines
    rates = [machines[key].network_gbps for key in machines if machines[key].accelerators]
    assert min(rate for rate in rates if rate) == assumptions.LEAST_NETWORK.value
    silent = replace(SINGLE, network_gbps=None)
    assert speed_of(job(), silent).count_hours(16) >= speed_of(job(), SINGLE).count_hours(16)
    assert speed_of(job(), silent).count_hours(16) > speed_of(job(), replace(NODE, accelerators=1)).count_hours(16)


def test_405b_on_16384_accelerators_is_sized_over_several_spines() -> None:
    demand = job("405B", tokens="15.6T", hardware={"count": 16384})
    found = fit(demand, NODE, H100)
    assert isinstance(found, Fit)
    assert found.working == 2048
    assert fitting.SPINES_NOTE in found.note
    assert found.hours_per_run is not None
    published = Decimal(30_840_000) / 16384
    assert abs(found.hours_per_run / published - 1) < Decimal("0.25")


def test_spines_are_oversubscribed() -> None:
    narrow = replace(NODE, network_gbps=Decimal(40))
    links = speed_of(job("7B"), narrow).links
    assert links is not None
    within, beyond = links.count_lost_hours(1250, Decimal(0)), links.count_lost_hours(1251, Decimal(0))
    assert beyond > within * Decimal("1.005")


@pytest.mark.parametrize("count", [100_000, 100_008])
def test_beyond_every_published_cluster_nothing_is_sized(count: int) -> None:
    demand = replace(TRAIN, flops=Decimal("1e28"), hardware=job(hardware={"count": count}).hardware)
    found = fit(demand, NODE, H100)
    assert isinstance(found, Fit) == (count == LARGEST_CLUSTER)
    assert isinstance(found, Fit) or found == sizing_demand.TOO_MANY
