"""Small made-up machines, accelerators and checklists for the sizing tests."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any, TypeAlias

from catalogs.model import Accelerator, Fabric, Form, Machine
from planning.checklist.model.checklist import Checklist
from planning.checklist.model.vocabulary import Precision
from planning.sizing.demand import Demand
from planning.values.money import Range

H100 = Accelerator(
    name="H100-SXM-80GB",
    family="H100",
    maker="NVIDIA",
    form=Form.SXM,
    memory_gb=80,
    tflops={"bf16": Decimal(989), "fp16": Decimal(989), "fp8": Decimal(1979)},
    tflops_sparse={},
    hbm_gb_per_s=Decimal(3350),
    nvlink_gb_per_s=Decimal(450),
    source="made up",
    as_of=None,
)
NODE = Machine(
    provider="aws",
    name="eight",
    accelerator="H100-SXM-80GB",
    accelerators=8,
    vcpus=192,
    memory_gib=Decimal(2048),
    local_nvme_gb=30_000,
    network_gbps=Decimal(3200),
    fabric=Fabric.EFA,
    efa_interfaces=32,
    cluster=True,
    placement_group=True,
    architecture="x86_64",
    source="made up",
    as_of=None,
)
CPU_NODE = replace(NODE, name="cpu", accelerator=None, accelerators=0, vcpus=8, memory_gib=Decimal(32), cluster=False)

Fields: TypeAlias = dict[str, Any]  # YAML as it arrives

ONE_JOB = Range(Decimal(0), Decimal(1), Decimal(1))
TRAIN = Demand(
    workload="train",
    kind="training",
    precision=Precision.BF16,
    accelerators=1,
    memory_gb=Decimal(1800),
    copies=ONE_JOB,
    flops=Decimal("1e24"),
    mfu=Decimal("0.4"),
    vcpus_per_accelerator=Decimal("3.75"),
    spare_share=Decimal("0.1"),
    rdma=True,
)
SERVE = Demand(
    workload="serve",
    kind="inference",
    precision=Precision.BF16,
    accelerators=1,
    memory_gb=Decimal(200),
    one_node=True,
    copies=Range(Decimal(2), Decimal(4), Decimal(6)),
    bytes_per_token=Decimal("160e9"),
    always_on=True,
)
NOTES = Demand(
    workload="notes",
    kind="notebooks",
    accelerators=3,
    indivisible_gb=Decimal(24),
    copies=Range(Decimal(0), Decimal(5), Decimal(5)),
    busy_hours=Decimal(200),
)
PREP = Demand(
    workload="prep",
    kind="batch",
    copies=ONE_JOB,
    busy_hours=Decimal(100),
    vcpus=96,
    memory_gib=Decimal(256),
)
SYSTEM = Demand(
    workload="system",
    kind="system",
    copies=Range.exactly(3),
    vcpus=24,
    memory_gib=Decimal(96),
    always_on=True,
)


def checklist(*workloads: Fields, **parts: object) -> Checklist:
    """A checklist with a customer and these workloads."""
    given = {"customer": {"name": "acme", "owner": "owner@example.com"}, "workloads": list(workloads), **parts}
    return Checklist.model_validate(given)


def training(**fields: object) -> Fields:
    """A training workload of 7B parameters on 140B tokens."""
    return {"kind": "training", "name": "train", "model": {"parameters": "7B"}, "tokens": "140B", **fields}


def inference(**fields: object) -> Fields:
    """A service of an 80B model."""
    return {"kind": "inference", "name": "serve", "model": {"parameters": "80B"}, **fields}
