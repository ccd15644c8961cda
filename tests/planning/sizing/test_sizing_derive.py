from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from sizing_fakes import ONE_JOB, Fields, checklist, inference, training

from planning.platform.component_selection import choose
from planning.quoting.explanation import explain
from planning.sizing.checklist_demands import size
from planning.values.errors import InputError
from planning.values.money import Range

if TYPE_CHECKING:
    from planning.sizing.demand import Demand


def only(demands: tuple[Demand, ...], name: str) -> Demand:
    (found,) = (demand for demand in demands if demand.workload == name)
    return found


def test_one_demand_per_workload_and_the_system_last() -> None:
    sizing = size(checklist(training(), inference()))
    assert [demand.workload for demand in sizing.demands] == ["train", "serve", "system"]
    system = sizing.demands[-1]
    assert (system.copies, system.always_on) == (Range.exactly(3), True)


def test_two_of_three_system_nodes_carry_the_platform_at_its_peak() -> None:
    asked = checklist(training())
    footprint = choose(asked).footprint
    system = size(asked).demands[-1]
    for has, wanted in ((system.vcpus, footprint.cores), (system.memory_gib, footprint.memory_gib)):
        two_of_three = Decimal(has) / 3 * 2 * Decimal("0.8")
        assert two_of_three >= wanted * Decimal("1.5")
        assert Decimal(has) / 3 - 1 < wanted * Decimal("1.5") / Decimal("1.6")


def test_a_smaller_platform_takes_smaller_nodes() -> None:
    sizes = [size(checklist(training(), platform={"size": word})).demands[-1].vcpus for word in ("small", "full")]
    assert sizes[0] < sizes[1]


def test_simulators_get_a_cpu_pool_that_follows_its_job() -> None:
    demands = size(checklist(training(rollout_vcpus=256, deadline="10d"))).demands
    rollouts = only(demands, "train-rollouts")
    assert (rollouts.kind, rollouts.accelerators, rollouts.vcpus) == ("batch", 0, 256)
    assert (rollouts.beside, rollouts.busy_hours) == ("train", 240)


def test_simulators_without_a_deadline_leave_their_hours_to_the_job() -> None:
    assert only(size(checklist(training(rollout_vcpus=8))).demands, "train-rollouts").busy_hours is None


def test_a_training_job_scales_to_zero_spares_nodes_and_wants_a_fabric() -> None:
    demand = size(checklist(training(deadline="30d", global_batch=512))).demands[0]
    assert (demand.copies, demand.always_on, demand.rdma) == (ONE_JOB, False, True)
    assert (demand.deadline_hours, demand.spare_share, demand.global_batch) == (720, Decimal("0.1"), 512)


@pytest.mark.parametrize(
    ("fields", "most"),
    [
        ({}, 730),
        ({"runs_per_month": 1}, 730),
        ({"runs_per_month": 4}, Decimal("182.5")),
        ({"runs_per_month": "0.5"}, 1460),
        ({"deadline": "10d"}, 730),
        ({"deadline": "90d"}, None),
        ({"deadline": "90d", "runs_per_month": 1}, 730),
        ({"hardware": {"count": 16}}, None),
        ({"hardware": {"nodes": 2}, "runs_per_month": 2}, 365),
        ({"hardware": {"accelerator": "H100"}}, 730),
    ],
)
def test_the_runs_of_a_month_fit_into_a_month(fields: Fields, most: Decimal | None) -> None:
    demand = size(checklist(training(**fields))).demands[0]
    assert demand.most_hours_per_run == most
    assert demand.runs_per_month == Decimal(str(fields.get("runs_per_month", 1)))


def test_no_fabric_where_none_is_asked_for() -> None:
    demand = size(checklist(training(hardware={"fabric": "none"}))).demands[0]
    assert not demand.rdma


def test_spot_only_with_checkpoints() -> None:
    assert size(checklist(training(spot=True))).demands[0].spot
    assert not size(checklist(training(spot=True, checkpointing={"enabled": False}))).demands[0].spot


def test_a_measured_rate_goes_before_flops() -> None:
    work = {"samples": "1M", "epochs": 90, "samples_per_second": 2500, "measured_on": "A100"}
    demand = size(checklist(training(model=None, tokens=None, **work))).demands[0]
    assert (demand.flops, demand.samples_per_run, demand.rate_per_accelerator) == (None, 90 * 10**6, 2500)
    assert demand.measured_on == "A100"


def test_flops_per_sample() -> None:
    work = {"samples": "1M", "epochs": 90, "flops_per_sample": "12B"}
    demand = size(checklist(training(model=None, tokens=None, **work))).demands[0]
    assert demand.flops == Decimal(12 * 10**9) * 90 * 10**6


def test_what_cannot_be_computed_says_what_is_missing() -> None:
    sizing = size(checklist(training(model=None, tokens=None), inference(), dataset={"size": "1TB"}))
    gaps = {figure.name: figure.formula for figure in sizing.figures if figure.value is None}
    assert set(gaps) == {
        "accelerator memory to train",
        "work of one run",
        "checkpoint size",
        "KV cache of one replica",
        "files opened",
    }
    assert all(formula.startswith("cannot be computed: give ") for formula in gaps.values())


def test_the_kv_cache_is_added_once_the_shape_is_known() -> None:
    shape = {"parameters": "80B", "layers": 80, "kv_heads": 8, "head_dim": 128}
    plain, known = (
        size(checklist(inference(model=model, batch=16))).demands[0] for model in ({"parameters": "80B"}, shape)
    )
    cache = Decimal(2 * 80 * 8 * 128 * 2 * 4096 * 16) / 10**9
    assert plain.memory_gb == 200
    assert known.memory_gb == 200 + cache
    assert known.bytes_per_token == 160 * 10**9 + cache * 10**9


def test_replicas_are_expected_half_way() -> None:
    demand = size(checklist(inference(replicas=2, max_replicas=6))).demands[0]
    assert demand.copies == Range(Decimal(2), Decimal(4), Decimal(6))
    assert (demand.always_on, demand.one_node, demand.busy_hours) == (True, True, None)


def test_a_service_that_sleeps_is_not_always_on() -> None:
    demand = size(checklist(inference(hours_per_week=84))).demands[0]
    assert (demand.always_on, demand.busy_hours) == (False, 365)


def test_engineers_share_accelerators() -> None:
    sizing = size(checklist({"kind": "notebooks", "name": "notes"}, engineers={"count": 6}))
    demand = sizing.demands[0]
    assert demand.copies.max == 5
    assert (demand.accelerators, demand.indivisible_gb, demand.per_copy) == (3, 24, 0)
    assert demand.busy_hours is not None
    assert round(demand.busy_hours, 1) == Decimal("231.7")
    assert explain(sizing, subject="notes", name="engineers at the same time")[0].value == 5


def test_an_engineer_with_several_accelerators_has_them_in_one_node() -> None:
    workload = {"kind": "notebooks", "name": "notes", "accelerators_per_engineer": 2}
    demand = size(checklist(workload, engineers={"count": 4})).demands[0]
    assert (demand.accelerators, demand.per_copy) == (6, 2)


def test_notebooks_without_engineers_are_refused() -> None:
    with pytest.raises(InputError, match="the checklist has no engineers"):
        size(checklist({"kind": "notebooks", "name": "notes"}))


def test_batch_is_sized_as_asked() -> None:
    cpu = {"kind": "batch", "name": "prep", "vcpus": 96, "memory": "256GiB", "hours_per_month": 50}
    gpu = {"kind": "batch", "name": "score", "accelerators": 4, "accelerator_memory": "40GB"}
    demands = size(checklist(cpu, gpu)).demands
    prep, score = only(demands, "prep"), only(demands, "score")
    assert (prep.accelerators, prep.vcpus, prep.memory_gib, prep.busy_hours) == (0, 96, 256, 50)
    assert (score.accelerators, score.indivisible_gb, score.vcpus_per_accelerator) == (4, 40, 3)


@pytest.mark.parametrize(
    ("purpose", "holders"),
    [("data", {"train"}), ("models", {"serve"}), ("archive", set[str]())],
)
def test_the_hot_tier_lies_where_its_purpose_is(purpose: str, holders: set[str]) -> None:
    storage = {"hot": {"size": "2TB", "purpose": purpose}}
    demands = size(checklist(training(), inference(), storage=storage)).demands
    assert {demand.workload for demand in demands if demand.local_nvme_gb == 2000} == holders


def test_storage_and_network_figures() -> None:
    sizing = size(
        checklist(
            training(checkpointing={"stall_seconds": 49}),
            storage={"warm": {"size": "100TB"}, "cold": {"size": "100TB"}},
            dataset={"size": "864TB", "file_count": "86.4M", "passes_per_day": 1},
            traffic={"sustained": "640Mbps", "burst": "8Gbps"},
        )
    )
    value = {figure.name: figure.value for figure in sizing.figures}
    assert value["warm tier provisioned"] == 125_000
    assert value["cold tier provisioned"] == 100_000
    assert value["data set read bandwidth"] == 10
    assert value["files opened"] == 1000
    assert value["checkpoint burst bandwidth"] == 2
    assert value["rate to ask for between nodes and storage"] == (10 + 2) * 8 / Decimal("0.8")
    assert value["sustained rate to ask for at the edge"] == Decimal("0.8")
    assert value["burst rate to ask for at the edge"] == 10


def test_no_checkpoint_figures_without_checkpoints() -> None:
    sizing = size(checklist(training(checkpointing={"enabled": False})))
    assert explain(sizing, name="checkpoint") == ()


def test_the_rate_that_meets_a_deadline() -> None:
    sizing = size(checklist(training(deadline="30d")))
    (figure,) = explain(sizing, name="rate that meets the deadline")
    assert figure.value is not None
    assert round(figure.value, 1) == Decimal("2268.5")
