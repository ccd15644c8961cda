from __future__ import annotations

from decimal import Decimal

import pytest
from sizing_fakes import checklist, training

from planning.checklist.model.vocabulary import Precision
from planning.quoting.explanation import explain
from planning.sizing import assumptions
from planning.sizing.checklist_demands import size
from planning.sizing.run_time import RunTime
from planning.sizing.training_compute import GBIT_PER_GB, GBIT_PER_GBPS_HOUR, Interconnect
from planning.sizing.workloads import memory
from planning.sizing.workloads.memory import burst_gb_per_s, checkpoint_gb
from planning.sizing.workloads.storage import calculate_advertised_gbps, calculate_provisioned_gb

EIGHTY_B = 80 * 10**9


def test_80b_on_80_gb_takes_23_to_train_and_3_to_serve() -> None:
    assert memory.accelerators_for(memory.training_gb(EIGHTY_B), 80) == 23
    assert memory.accelerators_for(memory.inference_gb(EIGHTY_B), 80) == 3


def test_quantised_weights_take_half() -> None:
    assert memory.accelerators_for(memory.inference_gb(EIGHTY_B, precision=Precision.INT8), 80) == 2
    assert memory.inference_gb(EIGHTY_B, precision=Precision.FP8) == 100


def test_100_tb_of_lustre_is_125_tb() -> None:
    assert calculate_provisioned_gb(100_000, assumptions.SHARED_FILES_USABLE.value) == 125_000


def test_provisioned_is_sold_in_steps_above_a_minimum() -> None:
    assert calculate_provisioned_gb(1000, Decimal("0.8"), minimum_gb=1200, step_gb=2400) == 2400
    assert calculate_provisioned_gb(2000, Decimal("0.8"), minimum_gb=1200, step_gb=2400) == 4800


@pytest.mark.parametrize(("share", "step"), [("0", 1), ("1.1", 1), ("0.8", 0)])
def test_an_impossible_share_or_step_is_refused(share: str, step: int) -> None:
    with pytest.raises(ValueError, match="usable share"):
        calculate_provisioned_gb(1, Decimal(share), step_gb=step)


def test_800_gbps_advertised_deliver_640() -> None:
    assert calculate_advertised_gbps(Decimal(640)) == 800


def test_the_18_bytes_hold_what_the_text_says() -> None:
    adamw, gradients, master, half = 8, 4, 4, 2
    assert adamw + gradients + master + half == assumptions.TRAINING_BYTES.value
    assert adamw + master + half == assumptions.CHECKPOINT_BYTES.value


def test_30_cores_feed_8_accelerators() -> None:
    assert assumptions.TRAINING_CORES.value * 8 == 30


def test_7_days_at_peak_are_14_days_at_half_of_it() -> None:
    flops = Decimal(989) * 8 * assumptions.TERA * 604_800
    at_peak = RunTime(flops / (989 * 8 * assumptions.TERA * 3600))
    at_half = RunTime(flops / (989 * 8 * assumptions.TERA * 3600 * assumptions.MFU_AT_BEST.value))
    assert at_peak.count_hours(1) == 7 * 24
    assert at_half.count_hours(1) == 14 * 24


def test_fp64_never_takes_less_than_half_precision() -> None:
    assert memory.training_gb(10**9, precision=Precision.FP64) == 40
    assert memory.training_gb(10**9, precision=Precision.TF32) == Decimal("22.5")
    assert checkpoint_gb(10**9, precision=Precision.FP64) == 24


def test_adapters_take_frozen_weights_and_18_bytes_of_what_is_trained() -> None:
    expected = 70 * (2 + 18 * Decimal("0.01")) * Decimal("1.25")
    assert memory.adapters_gb(70 * 10**9, adapter_share=Decimal("0.01")) == expected


def test_a_98_gb_checkpoint_in_a_minute() -> None:
    assert checkpoint_gb(7 * 10**9) == 98
    assert burst_gb_per_s(Decimal(98), stall_seconds=49) == 2


def test_flops_are_6_times_parameters_times_tokens() -> None:
    sizing = size(checklist(training()))
    assert sizing.demands[0].flops == 6 * 7 * 10**9 * Decimal(140) * 10**9
    assert explain(sizing, subject="train", name="work of one run")[0].value == sizing.demands[0].flops


def test_a_mixture_of_experts_works_with_active_and_is_held_with_all_parameters() -> None:
    model = {"parameters": "47B", "active_parameters": "13B"}
    demand = size(checklist(training(model=model))).demands[0]
    assert demand.flops == 6 * 13 * 10**9 * Decimal(140) * 10**9
    assert demand.memory_gb == memory.training_gb(47 * 10**9)


def test_gradients_cross_800_gbps_at_640() -> None:
    links = Interconnect(
        ring_hours=Decimal(640) * 3600 / 8 * GBIT_PER_GB / (800 * GBIT_PER_GBPS_HOUR),
        gather_hours=Decimal(0),
        micro_batches=Decimal(0),
        per_node=8,
        copy_nodes=1,
    )
    assert links.count_lost_hours(2, Decimal(0)) == 1


def test_gradients_of_7b_in_steps_of_4m_tokens() -> None:
    assert size(checklist(training())).demands[0].exchange_gb == 14 * 35_000


def test_adapters_exchange_next_to_nothing() -> None:
    full = size(checklist(training())).demands[0].exchange_gb
    assert size(checklist(training(kind="fine_tuning", method="lora"))).demands[0].exchange_gb == full / 100


def test_steps_of_samples_follow_from_the_global_batch() -> None:
    work = {"tokens": None, "samples": "1M", "flops_per_sample": "12B"}
    assert size(checklist(training(global_batch=1000, **work))).demands[0].exchange_gb == 14 * 1000
    assert size(checklist(training(**work))).demands[0].exchange_gb == 0


def test_lora_works_two_thirds_as_much_and_a_little() -> None:
    full = size(checklist(training(kind="fine_tuning"))).demands[0].flops
    lora = size(checklist(training(kind="fine_tuning", method="lora"))).demands[0].flops
    assert full is not None
    assert lora == full * (4 + 6 * Decimal("0.01")) / 6
