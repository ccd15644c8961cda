from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from sizing_fakes import CPU_NODE, H100, NODE, NOTES, PREP, SERVE, SYSTEM, TRAIN

from catalogs.model import Fabric
from planning.checklist.model.vocabulary import Precision
from planning.checklist.model.workload import HardwareAsk
from planning.sizing import demand as sizing_demand
from planning.sizing.demand import Rejection, ServingLoad
from planning.sizing.fit import fit

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
    (sizing_demand.NO_ACCELERATOR, TRAIN, CPU_NODE, None),
    (sizing_demand.HAS_ACCELERATOR, SYSTEM, NODE, H100),
    (sizing_demand.SIZE_UNKNOWN, SYSTEM, replace(CPU_NODE, vcpus=None), None),
    (sizing_demand.SIZE_UNKNOWN, PREP, replace(CPU_NODE, memory_gib=None), None),
    (sizing_demand.SIZE_UNKNOWN, JOB, replace(NODE, vcpus=None), H100),
    (sizing_demand.MEMORY_UNKNOWN, JOB, replace(NODE, memory_gib=None), H100),
    (sizing_demand.TINY, SYSTEM, replace(CPU_NODE, vcpus=2), None),
    (sizing_demand.OTHER_ACCELERATOR, asking(accelerator="A100"), NODE, H100),
    (sizing_demand.OTHER_ACCELERATOR, asking(accelerator="H100-PCIe-80GB"), NODE, H100),
    (sizing_demand.OTHER_FORM, asking(accelerator="H100", form="PCIe"), NODE, H100),
    (sizing_demand.OTHER_PER_NODE, asking(per_node=4), NODE, H100),
    (sizing_demand.NOT_WHOLE_NODES, asking(count=30), NODE, H100),
    (sizing_demand.NOT_WHOLE_NODES, asking(count=32, nodes=3), NODE, H100),
    (sizing_demand.reject_too_small(23), asking(count=16), NODE, H100),
    (sizing_demand.reject_too_small(23), asking(nodes=2), NODE, H100),
    (sizing_demand.reject_too_small(24), replace(SERVE, hardware=HardwareAsk(count=16)), NODE, H100),
    (sizing_demand.LACKS_PRECISION, replace(TRAIN, precision=Precision.FP64), NODE, H100),
    (sizing_demand.LACKS_PRECISION, replace(SERVE, precision=Precision.INT8), NODE, H100),
    (sizing_demand.PEAK_UNKNOWN, TRAIN, NODE, replace(H100, tflops={})),
    (sizing_demand.RATE_UNPLACED, MEASURED, NODE, H100),
    (sizing_demand.rate_elsewhere("A100"), replace(MEASURED, measured_on="A100"), NODE, H100),
    (sizing_demand.rate_elsewhere("H1000"), replace(MEASURED, measured_on="H1000"), NODE, H100),
    (sizing_demand.CARD_TOO_SMALL, NOTES, NODE, replace(H100, memory_gb=16)),
    (sizing_demand.NODE_TOO_SMALL, replace(NOTES, per_copy=16), NODE, H100),
    (sizing_demand.REPLICA_SPANS, replace(SERVE, memory_gb=Decimal(641)), NODE, H100),
    (sizing_demand.BANDWIDTH_UNKNOWN, QUICK, NODE, BLIND),
    (sizing_demand.TOO_SLOW_PER_TOKEN, QUICK, NODE, H100),
    (sizing_demand.TOO_SLOW_PER_ANSWER, replace(ANSWER, load=replace(LOAD, latency_s=Decimal("0.5"))), NODE, H100),
    (sizing_demand.BANDWIDTH_UNKNOWN, replace(ANSWER, load=replace(LOAD, latency_s=Decimal(50))), NODE, BLIND),
    (sizing_demand.PEAK_UNKNOWN, ANSWER, NODE, replace(H100, tflops={})),
    (sizing_demand.TOO_FEW_CORES, TRAIN, replace(NODE, vcpus=29), H100),
    (sizing_demand.NVME_UNKNOWN, replace(TRAIN, local_nvme_gb=Decimal(1)), replace(NODE, local_nvme_gb=None), H100),
    (sizing_demand.TOO_LITTLE_NVME, replace(TRAIN, local_nvme_gb=Decimal(1)), replace(NODE, local_nvme_gb=0), H100),
    (sizing_demand.NO_FABRIC, TRAIN, replace(NODE, cluster=False), H100),
    (sizing_demand.NO_FABRIC, TRAIN, replace(NODE, fabric=Fabric.ETHERNET), H100),
    (sizing_demand.NO_FABRIC, TRAIN, replace(NODE, fabric=Fabric.UNKNOWN), H100),
    (
        sizing_demand.NETWORK_TOO_SLOW,
        replace(TRAIN, exchange_gb=Decimal("1e9")),
        replace(NODE, network_gbps=Decimal(10)),
        H100,
    ),
    (sizing_demand.START_TOO_LONG, replace(TRAIN, deadline_hours=Decimal("0.01")), NODE, H100),
    (sizing_demand.TOO_MANY, replace(TRAIN, deadline_hours=Decimal(1)), NODE, H100),
    (sizing_demand.MONTH_TOO_SHORT, replace(TRAIN, most_hours_per_run=Decimal(1)), NODE, H100),
    (
        sizing_demand.reject_too_slow(98 * 8),
        replace(asking(count=24), most_hours_per_run=Decimal(1000)),
        NODE,
        H100,
    ),
    (sizing_demand.BATCH_TOO_SMALL, replace(TRAIN, global_batch=1, deadline_hours=Decimal(20_000)), NODE, H100),
]


@pytest.mark.parametrize(("misfit", "demand", "machine", "accelerator"), CASES)
def test_each_reason(misfit: Rejection, demand: Demand, machine: Machine, accelerator: Accelerator | None) -> None:
    assert fit(demand, machine, accelerator) == misfit


@pytest.mark.parametrize(("demand", "machine"), [(TRAIN, NODE), (PREP, CPU_NODE)])
def test_fewer_nodes_than_needed(demand: Demand, machine: Machine) -> None:
    accelerator = H100 if machine is NODE else None
    assert fit(demand, machine, accelerator, nodes=2) == sizing_demand.TOO_FEW_NODES


def test_another_number_of_nodes_than_asked_for() -> None:
    assert fit(asking(nodes=4), NODE, H100, nodes=5) == sizing_demand.OTHER_NODES


def test_asked_hardware_too_small_for_its_deadline_says_how_much_would_do() -> None:
    demand = replace(asking(count=24), deadline_hours=Decimal(1000))
    assert fit(demand, NODE, H100) == sizing_demand.reject_too_small(98 * 8)


def test_a_single_pod_is_never_a_node_of_sixteen() -> None:
    pod = replace(NODE, fabric=Fabric.UNKNOWN, cluster=False)
    assert fit(asking(nodes=16), pod, H100) == sizing_demand.NO_FABRIC


def test_every_reason_has_a_case() -> None:
    reasons = {value for value in vars(sizing_demand).values() if isinstance(value, Rejection)}
    shown = {case[0] for case in CASES} | {sizing_demand.TOO_FEW_NODES, sizing_demand.OTHER_NODES}
    assert reasons <= shown
