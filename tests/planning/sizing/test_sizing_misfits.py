from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from sizing_fakes import CPU_NODE, H100, NODE, NOTES, PREP, SERVE, SYSTEM, TRAIN

from catalogs.model import Fabric
from planning.checklist.model.vocabulary import Precision
from planning.checklist.model.workload import HardwareAsk
from planning.sizing.demand import Rejection, ServingLoad
from planning.sizing.machines import rejection_reasons
from planning.sizing.machines.fit import fit

if TYPE_CHECKING:
    from catalogs.model import Accelerator, Machine
    from planning.sizing.demand import Demand

MEASURED = replace(TRAIN, flops=None, samples_per_run=Decimal(1), rate_per_accelerator=Decimal(1))
JOB = replace(PREP, accelerators=1)
BLIND = replace(H100, hbm_gb_per_s=None)
LOAD = ServingLoad(
    mean_per_s=Decimal(2), peak_per_s=Decimal(9), input_tokens=1000, output_tokens=500, latency_s=None, least=1
)
ANSWER = replace(SERVE, load=LOAD, active_parameters=Decimal("80e9"))
QUICK = replace(SERVE, latency_ms_per_token=Decimal(5))


def asking(**asked: object) -> Demand:
    return replace(TRAIN, hardware=HardwareAsk.model_validate(asked))


CASES: list[tuple[Rejection, Demand, Machine, Accelerator | None]] = [
    (rejection_reasons.NO_ACCELERATOR, TRAIN, CPU_NODE, None),
    (rejection_reasons.HAS_ACCELERATOR, SYSTEM, NODE, H100),
    (rejection_reasons.SIZE_UNKNOWN, SYSTEM, replace(CPU_NODE, vcpus=None), None),
    (rejection_reasons.SIZE_UNKNOWN, PREP, replace(CPU_NODE, memory_gib=None), None),
    (rejection_reasons.SIZE_UNKNOWN, JOB, replace(NODE, vcpus=None), H100),
    (rejection_reasons.MEMORY_UNKNOWN, JOB, replace(NODE, memory_gib=None), H100),
    (rejection_reasons.TINY, SYSTEM, replace(CPU_NODE, vcpus=2), None),
    (rejection_reasons.OTHER_ACCELERATOR, asking(accelerator="A100"), NODE, H100),
    (rejection_reasons.OTHER_ACCELERATOR, asking(accelerator="H100-PCIe-80GB"), NODE, H100),
    (rejection_reasons.OTHER_FORM, asking(accelerator="H100", form="PCIe"), NODE, H100),
    (rejection_reasons.OTHER_PER_NODE, asking(per_node=4), NODE, H100),
    (rejection_reasons.NOT_WHOLE_NODES, asking(count=30), NODE, H100),
    (rejection_reasons.NOT_WHOLE_NODES, asking(count=32, nodes=3), NODE, H100),
    (rejection_reasons.reject_too_small(23), asking(count=16), NODE, H100),
    (rejection_reasons.reject_too_small(23), asking(nodes=2), NODE, H100),
    (rejection_reasons.reject_too_small(24), replace(SERVE, hardware=HardwareAsk(count=16)), NODE, H100),
    (rejection_reasons.LACKS_PRECISION, replace(TRAIN, precision=Precision.FP64), NODE, H100),
    (rejection_reasons.LACKS_PRECISION, replace(SERVE, precision=Precision.INT8), NODE, H100),
    (rejection_reasons.PEAK_UNKNOWN, TRAIN, NODE, replace(H100, tflops={})),
    (rejection_reasons.RATE_UNPLACED, MEASURED, NODE, H100),
    (rejection_reasons.rate_elsewhere("A100"), replace(MEASURED, measured_on="A100"), NODE, H100),
    (rejection_reasons.rate_elsewhere("H1000"), replace(MEASURED, measured_on="H1000"), NODE, H100),
    (rejection_reasons.CARD_TOO_SMALL, NOTES, NODE, replace(H100, memory_gb=16)),
    (rejection_reasons.NODE_TOO_SMALL, replace(NOTES, per_copy=16), NODE, H100),
    (rejection_reasons.REPLICA_SPANS, replace(SERVE, memory_gb=Decimal(641)), NODE, H100),
    (rejection_reasons.BANDWIDTH_UNKNOWN, QUICK, NODE, BLIND),
    (rejection_reasons.TOO_SLOW_PER_TOKEN, QUICK, NODE, H100),
    (rejection_reasons.TOO_SLOW_PER_ANSWER, replace(ANSWER, load=replace(LOAD, latency_s=Decimal("0.5"))), NODE, H100),
    (rejection_reasons.BANDWIDTH_UNKNOWN, replace(ANSWER, load=replace(LOAD, latency_s=Decimal(50))), NODE, BLIND),
    (rejection_reasons.PEAK_UNKNOWN, ANSWER, NODE, replace(H100, tflops={})),
    (rejection_reasons.TOO_FEW_CORES, TRAIN, replace(NODE, vcpus=29), H100),
    (rejection_reasons.NVME_UNKNOWN, replace(TRAIN, local_nvme_gb=Decimal(1)), replace(NODE, local_nvme_gb=None), H100),
    (rejection_reasons.TOO_LITTLE_NVME, replace(TRAIN, local_nvme_gb=Decimal(1)), replace(NODE, local_nvme_gb=0), H100),
    (rejection_reasons.NO_FABRIC, TRAIN, replace(NODE, cluster=False), H100),
    (rejection_reasons.NO_FABRIC, TRAIN, replace(NODE, fabric=Fabric.ETHERNET), H100),
    (rejection_reasons.NO_FABRIC, TRAIN, replace(NODE, fabric=Fabric.UNKNOWN), H100),
    (
        rejection_reasons.NETWORK_TOO_SLOW,
        replace(TRAIN, exchange_gb=Decimal("1e9")),
        replace(NODE, network_gbps=Decimal(10)),
        H100,
    ),
    (rejection_reasons.START_TOO_LONG, replace(TRAIN, deadline_hours=Decimal("0.01")), NODE, H100),
    (rejection_reasons.TOO_MANY, replace(TRAIN, deadline_hours=Decimal(1)), NODE, H100),
    (rejection_reasons.MONTH_TOO_SHORT, replace(TRAIN, most_hours_per_run=Decimal(1)), NODE, H100),
    (
        rejection_reasons.reject_too_slow(98 * 8),
        replace(asking(count=24), most_hours_per_run=Decimal(1000)),
        NODE,
        H100,
    ),
    (rejection_reasons.BATCH_TOO_SMALL, replace(TRAIN, global_batch=1, deadline_hours=Decimal(20_000)), NODE, H100),
]


@pytest.mark.parametrize(("misfit", "demand", "machine", "accelerator"), CASES)
def test_each_reason(misfit: Rejection, demand: Demand, machine: Machine, accelerator: Accelerator | None) -> None:
    assert fit(demand, machine, accelerator) == misfit


@pytest.mark.parametrize(("demand", "machine"), [(TRAIN, NODE), (PREP, CPU_NODE)])
def test_fewer_nodes_than_needed(demand: Demand, machine: Machine) -> None:
    accelerator = H100 if machine is NODE else None
    assert fit(demand, machine, accelerator, nodes=2) == rejection_reasons.TOO_FEW_NODES


def test_another_number_of_nodes_than_asked_for() -> None:
    assert fit(asking(nodes=4), NODE, H100, nodes=5) == rejection_reasons.OTHER_NODES


def test_asked_hardware_too_small_for_its_deadline_says_how_much_would_do() -> None:
    demand = replace(asking(count=24), deadline_hours=Decimal(1000))
    assert fit(demand, NODE, H100) == rejection_reasons.reject_too_small(98 * 8)


def test_a_single_pod_is_never_a_node_of_sixteen() -> None:
    pod = replace(NODE, fabric=Fabric.UNKNOWN, cluster=False)
    assert fit(asking(nodes=16), pod, H100) == rejection_reasons.NO_FABRIC


def test_every_reason_has_a_case() -> None:
    reasons = {value for value in vars(rejection_reasons).values() if isinstance(value, Rejection)}
    shown = {case[0] for case in CASES} | {rejection_reasons.TOO_FEW_NODES, rejection_reasons.OTHER_NODES}
    assert reasons <= shown
