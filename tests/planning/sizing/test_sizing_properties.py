"""What must hold for every demand and every machine."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sizing_fakes import CPU_NODE, H100, NODE, NOTES, PREP, SERVE, TRAIN

from catalogs.model import Fabric
from planning.sizing.demand import Fit
from planning.sizing.fit import fit
from planning.sizing.run_time import RunTime
from planning.sizing.workloads import memory
from planning.sizing.workloads.storage import calculate_provisioned_gb
from planning.values.money import Range

if TYPE_CHECKING:
    from catalogs.model import Accelerator, Machine
    from planning.sizing.demand import Demand

GPU_GB = st.sampled_from([16, 24, 40, 48, 80, 96, 141, 192])
PER_NODE = st.sampled_from([1, 2, 4, 8, 16])
PARAMETERS = st.integers(10**6, 10**12)
AMOUNT = st.decimals(1, 10**5, places=2)


@st.composite
def accelerators(draw: st.DrawFn) -> Accelerator:
    return replace(H100, memory_gb=draw(GPU_GB), tflops={"bf16": Decimal(draw(st.integers(50, 3000)))})


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    return replace(
        NODE,
        accelerators=draw(PER_NODE),
        vcpus=draw(st.sampled_from([None, 4, 32, 192])),
        fabric=draw(st.sampled_from(list(Fabric))),
        cluster=draw(st.booleans()),
    )


@st.composite
def demands(draw: st.DrawFn) -> Demand:
    base = draw(st.sampled_from([TRAIN, SERVE, NOTES, replace(PREP, accelerators=5, memory_gib=Decimal(0), vcpus=0)]))
    copies = sorted(draw(st.lists(st.integers(0, 40), min_size=3, max_size=3)))
    if base in (SERVE, NOTES):
        base = replace(base, copies=Range(*(Decimal(count) for count in (copies[0], copies[1], max(1, copies[2])))))
    if base is TRAIN:
        base = replace(base, deadline_hours=draw(st.one_of(st.none(), AMOUNT)), flops=draw(AMOUNT) * 10**18)
    return replace(
        base,
        memory_gb=draw(AMOUNT) if base.memory_gb else base.memory_gb,
        always_on=draw(st.booleans()),
        spare_share=draw(st.decimals(0, "0.5", places=2)),
    )


@given(PARAMETERS, GPU_GB, GPU_GB)
def test_more_memory_never_takes_more_accelerators(parameters: int, one: int, other: int) -> None:
    small, large = sorted((one, other))
    for needed in (memory.training_gb(parameters), memory.inference_gb(parameters)):
        assert memory.accelerators_for(needed, large) <= memory.accelerators_for(needed, small)


@given(PARAMETERS, PARAMETERS)
def test_more_parameters_never_take_less_memory(one: int, other: int) -> None:
    few, many = sorted((one, other))
    assert memory.training_gb(few) <= memory.training_gb(many)


@given(AMOUNT, st.integers(1, 500), st.integers(1, 500))
def test_more_nodes_are_never_slower(hours: Decimal, one: int, other: int) -> None:
    few, many = sorted((one, other))
    assert RunTime(hours).count_hours(many) <= RunTime(hours).count_hours(few)


@given(AMOUNT, AMOUNT)
def test_a_deadline_is_met_with_the_least_number_of_nodes(hours: Decimal, deadline: Decimal) -> None:
    speed = RunTime(hours)
    nodes = speed.count_nodes_within(deadline)
    assert speed.count_hours(nodes) <= deadline * (1 + Decimal("1e-20"))
    assert nodes == 1 or speed.count_hours(nodes - 1) > deadline


@given(demands(), machines(), accelerators())
def test_what_fits_has_the_memory_for_it(demand: Demand, machine: Machine, accelerator: Accelerator) -> None:
    found = fit(demand, machine, accelerator)
    assume(isinstance(found, Fit))
    assert isinstance(found, Fit)
    copies = demand.copies.max if demand.one_node else 1
    total_gb = found.working * machine.accelerators * accelerator.memory_gb
    assert total_gb >= demand.memory_gb * copies
    assert accelerator.memory_gb >= demand.indivisible_gb
    assert found.working * machine.accelerators >= demand.accelerators


@given(demands(), machines(), accelerators())
def test_node_hours_lie_between_what_is_always_up_and_all_nodes(
    demand: Demand, machine: Machine, accelerator: Accelerator
) -> None:
    found = fit(demand, machine, accelerator)
    assume(isinstance(found, Fit))
    assert isinstance(found, Fit)
    assert found.node_hours.min == 730 * found.min_nodes
    assert found.node_hours.min <= found.node_hours.expected <= found.node_hours.max
    assert found.node_hours.max <= 730 * (found.working + found.spares)
    assert found.min_nodes <= found.working + found.spares


@settings(derandomize=True)
@given(st.decimals(1, 10**4, places=2), AMOUNT, AMOUNT)
def test_more_runs_never_cost_less(exaflops: Decimal, one: Decimal, other: Decimal) -> None:
    demand = replace(TRAIN, flops=exaflops * 10**18)
    few, many = (fit(replace(demand, runs_per_month=runs / 100), NODE, H100) for runs in sorted((one, other)))
    assert isinstance(few, Fit)
    assert isinstance(many, Fit)
    assert few.node_hours.expected <= many.node_hours.expected
    assert few.node_hours.max <= many.node_hours.max


@given(demands(), machines(), accelerators())
def test_jobs_on_several_nodes_are_joined_by_a_fabric(
    demand: Demand, machine: Machine, accelerator: Accelerator
) -> None:
    found = fit(demand, machine, accelerator)
    if isinstance(found, Fit) and demand.rdma and found.working > 1:
        assert machine.cluster
        assert machine.fabric not in (Fabric.ETHERNET, Fabric.UNKNOWN)


@given(demands(), machines(), accelerators(), st.integers(1, 50))
def test_a_forced_number_of_nodes_is_kept_or_refused(
    demand: Demand, machine: Machine, accelerator: Accelerator, nodes: int
) -> None:
    least, found = fit(demand, machine, accelerator), fit(demand, machine, accelerator, nodes=nodes)
    if isinstance(found, Fit):
        assert found.working == nodes
        assert not isinstance(least, Fit) or least.working <= nodes


@given(st.integers(1, 1000), st.integers(1, 5000), st.integers(4, 256), st.integers(1, 2048))
def test_a_cpu_pool_has_the_cores_and_the_memory(vcpus: int, memory_gib: int, per_node: int, gib: int) -> None:
    demand = replace(PREP, vcpus=vcpus, memory_gib=Decimal(memory_gib))
    found = fit(demand, replace(CPU_NODE, vcpus=per_node, memory_gib=Decimal(gib)), None)
    assert isinstance(found, Fit)
    assert found.working * per_node >= vcpus
    assert found.working * gib >= memory_gib


@given(st.decimals(1, 10**7, places=3), st.decimals("0.1", 1, places=2), st.integers(0, 5000), st.integers(1, 2400))
def test_what_is_provisioned_holds_what_is_used(usable: Decimal, share: Decimal, minimum: int, step: int) -> None:
    found = calculate_provisioned_gb(usable, share, minimum_gb=minimum, step_gb=step)
    assert found * share >= usable * (1 - Decimal("1e-20"))
    assert found >= minimum
    assert found == minimum or found % step == 0
