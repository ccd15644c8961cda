from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from sizing_fakes import CPU_NODE, H100, NODE, NOTES, PREP, SERVE, SYSTEM, TRAIN

from catalogs.model import Fabric
from planning.checklist.model.workload import HardwareAsk
from planning.sizing import fit as fitting
from planning.sizing.demand import MONTH_TOO_SHORT, TOO_MANY, Fit, Rejection
from planning.sizing.fit import fit, start_hours
from planning.sizing.packing import ARM_NOTE
from planning.sizing.run_time import RunTime, estimate_run_time, hours_beside
from planning.values.money import Range

if TYPE_CHECKING:
    from catalogs.model import Accelerator, Machine
    from planning.sizing.demand import Demand


def fits(demand: Demand, machine: Machine = NODE, accelerator: Accelerator | None = H100, **more: int) -> Fit:
    found = fit(demand, machine, accelerator, **more)
    assert isinstance(found, Fit), found
    return found


def test_23_accelerators_are_3_nodes_of_8_and_a_spare() -> None:
    found = fits(TRAIN)
    assert (found.working, found.spares, found.min_nodes) == (3, 1, 0)


def test_time_is_flops_over_accelerators_peak_mfu_and_scaling() -> None:
    seconds = Decimal("1e24") / (24 * 989 * Decimal("1e12") * Decimal("0.4") * Decimal("0.9"))
    hours = fits(TRAIN).work_hours
    assert hours is not None
    assert round(hours, 6) == round(seconds / 3600, 6)


def test_one_node_loses_nothing_to_scaling_and_has_no_spare() -> None:
    found = fits(replace(TRAIN, memory_gb=Decimal(600), rdma=True), replace(NODE, cluster=False))
    seconds = Decimal("1e24") / (8 * 989 * Decimal("1e12") * Decimal("0.4"))
    assert (found.working, found.spares) == (1, 0)
    assert round(found.work_hours, 6) == round(seconds / 3600, 6)


def test_a_deadline_buys_nodes() -> None:
    relaxed = fits(TRAIN)
    hurried = fits(replace(TRAIN, deadline_hours=relaxed.work_hours / 4 + start_hours(NODE)))
    assert hurried.working == relaxed.working * 4
    assert hurried.spares == 2


def test_a_month_of_runs_is_paid_for_working_and_spare_nodes() -> None:
    short = replace(TRAIN, flops=Decimal("1e22"), runs_per_month=Decimal(2))
    found = fits(short)
    assert found.node_hours.min == 0
    assert found.node_hours.expected == found.work_hours * 2 * 4
    assert found.node_hours.max == min(730 * 4, found.work_hours * 2 * 2 * 4)


def test_the_busiest_month_has_whole_runs_each_repeated_once() -> None:
    found = fits(replace(TRAIN, flops=Decimal("1e21"), runs_per_month=Decimal("0.25")))
    assert found.node_hours.expected == found.work_hours * Decimal("0.25") * 4
    assert found.node_hours.max == found.work_hours * 2 * 4


@pytest.mark.parametrize("runs", [1, 3, 1000])
def test_no_month_has_more_hours_than_all_nodes(runs: int) -> None:
    found = fits(replace(TRAIN, flops=Decimal("1e22"), runs_per_month=Decimal(runs)))
    assert found.node_hours.max <= 730 * 4
    assert runs < 1000 or found.node_hours.expected == 730 * 4


def test_each_engineer_may_keep_a_node_of_their_own_busy() -> None:
    notes = replace(NOTES, busy_hours=Decimal(50), copies=Range(Decimal(0), Decimal(5), Decimal(5)))
    assert fits(notes).node_hours == Range(Decimal(0), Decimal(50), Decimal(250))


def test_runs_of_a_month_buy_the_nodes_on_which_they_fit_into_it() -> None:
    limit = Decimal(730) / 4
    found = fits(replace(TRAIN, runs_per_month=Decimal(4), most_hours_per_run=limit))
    assert found.hours_per_run is not None
    assert found.hours_per_run <= limit
    assert found.node_hours.expected <= found.node_hours.max
    assert fitting.LONG_NOTE not in found.note
    fewer = fit(replace(TRAIN, most_hours_per_run=limit), NODE, H100, nodes=found.working - 1)
    assert fewer == MONTH_TOO_SHORT


def test_both_limits_can_be_lifted() -> None:
    late = replace(TRAIN, deadline_hours=Decimal(1), most_hours_per_run=Decimal(2))
    assert fit(late, NODE, H100) == TOO_MANY
    assert fits(replace(late, deadline_hours=None, most_hours_per_run=None)) == fits(TRAIN)


def test_runs_that_fill_more_than_a_month_are_said() -> None:
    found = fits(TRAIN)
    assert found.node_hours.expected == found.node_hours.max == 730 * 4
    assert fitting.LONG_NOTE in found.note


def test_work_that_nobody_knows_is_counted_as_busy_all_month() -> None:
    found = fits(replace(TRAIN, flops=None))
    assert found.hours_per_run is None
    assert found.node_hours == Range(Decimal(0), Decimal(730 * 4), Decimal(730 * 4))
    assert fitting.OPEN_NOTE in found.note


@pytest.mark.parametrize("measured_on", ["H100", "H100-SXM-80GB", "H100-PCIe-80GB"])
def test_a_measured_rate_holds_for_its_family(measured_on: str) -> None:
    measured = {"flops": None, "samples_per_run": Decimal(36_000_000), "rate_per_accelerator": Decimal(100)}
    found = fits(replace(TRAIN, memory_gb=Decimal(0), measured_on=measured_on, **measured))
    assert (found.working, found.work_hours) == (1, Decimal("12.5"))


def test_a_measured_rate_needs_no_known_peak() -> None:
    measured = replace(TRAIN, samples_per_run=Decimal(1), rate_per_accelerator=Decimal(1), measured_on="H100")
    assert fits(measured, accelerator=replace(H100, tflops={})).working == 3


def test_replicas_are_packed_into_nodes() -> None:
    found = fits(SERVE)
    assert (found.working, found.spares, found.min_nodes) == (3, 0, 1)
    assert found.node_hours == Range(Decimal(730), Decimal(2 * 730), Decimal(3 * 730))


def test_the_time_per_token_is_bound_by_memory_bandwidth() -> None:
    found = fits(SERVE)
    assert found.ms_per_token is not None
    assert round(found.ms_per_token, 3) == round(Decimal(160_000) / (3 * 3350), 3)


def test_a_replica_spreads_over_more_accelerators_to_be_quick() -> None:
    found = fits(replace(SERVE, latency_ms_per_token=Decimal(8)))
    assert found.ms_per_token is not None
    assert found.ms_per_token <= 8
    assert found.working == 6


def test_a_service_that_sleeps_scales_to_zero() -> None:
    found = fits(replace(SERVE, always_on=False, busy_hours=Decimal(365)))
    assert found.min_nodes == 0
    assert found.node_hours == Range(Decimal(0), Decimal(2 * 365), Decimal(3 * 365))


def test_engineers_share_as_far_as_memory_allows() -> None:
    assert fits(NOTES, replace(NODE, accelerators=1)).working == 3
    small = replace(H100, memory_gb=24)
    assert fits(NOTES, replace(NODE, accelerators=1), small).working == 5


def test_the_hours_of_shared_nodes() -> None:
    assert fits(NOTES).node_hours == Range(Decimal(0), Decimal(200), Decimal(730))


def test_engineers_with_several_accelerators_each() -> None:
    assert fits(replace(NOTES, accelerators=15, per_copy=3)).working == 3


def test_batch_takes_accelerators_cores_and_memory_into_account() -> None:
    job = replace(PREP, accelerators=4, vcpus=0, memory_gib=Decimal(0))
    assert fits(job, replace(NODE, accelerators=1)).working == 4
    assert fits(replace(job, vcpus=1000)).working == 6
    assert fits(replace(job, memory_gib=Decimal(5000))).working == 3


def test_a_cpu_pool_counts_cores_and_memory() -> None:
    found = fits(PREP, CPU_NODE, None)
    assert (found.working, found.spares, found.min_nodes) == (12, 0, 0)
    assert found.node_hours == Range(Decimal(0), Decimal(1200), Decimal(2400))
    assert fits(replace(PREP, memory_gib=Decimal(512)), CPU_NODE, None).working == 16


def test_the_system_pool_has_three_nodes_at_least() -> None:
    large = replace(CPU_NODE, vcpus=64, memory_gib=Decimal(256))
    assert fits(SYSTEM, large, None).working == 3
    found = fits(SYSTEM, replace(CPU_NODE, vcpus=4, memory_gib=Decimal(16)), None)
    assert (found.working, found.min_nodes) == (6, 6)
    assert found.node_hours == Range.exactly(6 * 730)


def test_more_nodes_than_needed_may_be_asked_for() -> None:
    assert fits(TRAIN, nodes=10).working == 10
    assert fits(PREP, CPU_NODE, None, nodes=20).working == 20


@pytest.mark.parametrize(
    "asked",
    [
        HardwareAsk(accelerator="H100"),
        HardwareAsk(accelerator="H100-SXM-80GB", form="SXM", per_node=8),
        HardwareAsk(count=128),
        HardwareAsk(nodes=16),
        HardwareAsk(count=128, nodes=16),
    ],
)
def test_asked_hardware_is_found(asked: HardwareAsk) -> None:
    found = fits(replace(TRAIN, hardware=asked))
    assert found.working == (3 if asked.count is None and asked.nodes is None else 16)


def test_asked_nodes_of_a_service_are_all_kept_up() -> None:
    found = fits(replace(SERVE, hardware=HardwareAsk(count=32)))
    assert (found.working, found.min_nodes) == (4, 4)
    assert found.node_hours == Range.exactly(4 * 730)


def test_asked_nodes_of_a_cpu_pool() -> None:
    assert fits(replace(PREP, hardware=HardwareAsk(nodes=15)), CPU_NODE, None).working == 15


@pytest.mark.parametrize(
    ("demand", "machine", "note"),
    [
        (TRAIN, replace(NODE, architecture="arm64"), ARM_NOTE),
        (TRAIN, replace(NODE, vcpus=None), fitting.CORES_NOTE),
        (replace(TRAIN, memory_gb=Decimal(1900)), NODE, fitting.TIGHT_NOTE),
        (replace(SERVE, memory_gb=Decimal(239)), NODE, fitting.TIGHT_NOTE),
        (replace(TRAIN, rdma=False), replace(NODE, cluster=False, fabric=Fabric.ETHERNET), fitting.FABRIC_NOTE),
        (replace(TRAIN, memory_gb=Decimal(600), global_batch=1), NODE, ""),
        (replace(TRAIN, memory_gb=Decimal(80), global_batch=4), NODE, fitting.HUNGRY_NOTE),
    ],
)
def test_what_a_reader_should_know(demand: Demand, machine: Machine, note: str) -> None:
    assert note in fits(replace(demand, flops=None), machine).note


def test_an_arm_cpu_pool_is_said() -> None:
    assert fits(PREP, replace(CPU_NODE, architecture="arm64"), None).note == ARM_NOTE


def test_a_plain_fit_needs_no_note() -> None:
    assert fits(SERVE).note == ""


def test_spread_gives_the_time_on_any_number_of_nodes() -> None:
    speed = estimate_run_time(TRAIN, NODE, H100)
    assert isinstance(speed, RunTime)
    assert speed.count_hours(3) == fits(TRAIN).work_hours
    assert speed.count_nodes_within(speed.one_node_hours) == 1
    assert speed.count_nodes_within(speed.one_node_hours * Decimal("0.999")) == 2
    assert estimate_run_time(replace(TRAIN, flops=None), NODE, H100) is None
    assert isinstance(estimate_run_time(TRAIN, NODE, replace(H100, tflops={})), Rejection)


def test_simulators_are_up_as_long_as_their_job() -> None:
    leader = fits(replace(TRAIN, flops=Decimal("1e22")))
    assert round(hours_beside(leader), 9) == round(leader.work_hours, 9)
