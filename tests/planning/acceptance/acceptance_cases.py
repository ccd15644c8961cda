"""A cluster of one pool with a fabric, one tier and one network, and results that pass; tests spoil them."""

from __future__ import annotations

from copy import deepcopy
from decimal import Decimal
from typing import cast

from planning.acceptance.expectations import Expectations, Once
from planning.acceptance.limits import AcceptanceLimit, build_unjudged_limit
from planning.acceptance.node_limits import AllReduce, ExpectedPool
from planning.acceptance.storage_limits import ExpectedTier
from planning.agents.measurement_records import MeasurementRecord, Results

GIB = 2**30
NODES = ("ip-1", "ip-2", "ip-3", "ip-4")
STARTED, ENDED, WITHIN = "2026-11-20T08:00:00Z", "2026-11-22T20:00:00Z", "2026-11-21T12:00:00Z"


def limit(reading: str, unit: str, theory: str, *, bound: str = "") -> AcceptanceLimit:
    return AcceptanceLimit(
        reading=reading,
        unit=unit,
        least=Decimal(theory) * Decimal("0.8"),
        theory=Decimal(theory),
        bound=Decimal(bound) if bound else None,
        why="80%",
        source="ds-h100",
    )


MATMUL = limit("tflops", "TFLOPS", "794.5", bound="989.4")
FABRIC = limit("bus", "GB/s", "400", bound="800")


def pool(**changes: object) -> ExpectedPool:
    cells: dict[str, object] = {
        "subject": "pool/home/gpu",
        "placement": "home",
        "name": "gpu",
        "workload": "train",
        "machine": "p5.48xlarge",
        "accelerator": "H100-SXM-80GB",
        "accelerators": 8,
        "nvidia": True,
        "measurable": True,
        "nodes": 4,
        "working": 3,
        "spares": 1,
        "guaranteed": True,
        "fabric": "efa",
        "precision": "bf16",
        "shapes": ("8192x8192x8192",),
        "memory": AcceptanceLimit(
            reading="memory", unit="MiB", least=Decimal(76801), theory=Decimal(81920), why="label"
        ),
        "matmul": MATMUL,
        "nvlink": limit("bus", "GB/s", "450", bound="900"),
        "payloads": (GIB, 4 * GIB),
        "judged_payloads": (4 * GIB,),
        "all_reduce": (AllReduce(nodes=2, limit=FABRIC), AllReduce(nodes=4, limit=FABRIC)),
        "burn_in": True,
    }
    return ExpectedPool(**cast("dict[str, object]", {**cells, **changes}))  # pyright: ignore[reportArgumentType]


def expected(*pools: ExpectedPool) -> Expectations:
    tier = ExpectedTier(
        subject="tier/home/warm",
        placement="home",
        tier="warm",
        engine="FSx for Lustre",
        provisioned_gb=4800,
        loader=limit("read", "MB/s", "545"),
        checkpoint=limit("write", "MB/s", "545"),
        code=(build_unjudged_limit(reading="read", unit="IOPS"), build_unjudged_limit(reading="write", unit="IOPS")),
        small_files=(AcceptanceLimit(reading="create", unit="s", most=Decimal(1800), why="less than 30 minutes"),),
    )
    return Expectations(
        stack="demo",
        option="same_cloud",
        pools=pools or (pool(),),
        tiers=(tier,),
        once=(
            Once(check="dns", subject="network/home/dns", placement="home", title="names are found"),
            Once(check="smoke", subject="service/home/mlflow", placement="home", title="a run is logged"),
        ),
        share=Decimal("0.8"),
        burn_in_hours=Decimal(48),
        burn_in_source="text-choosing-a-cloud",
    )


def record(check: str, subject: str, *readings: tuple[str, str, str], **params: str) -> MeasurementRecord:
    return {
        "check": check,
        "subject": subject,
        "at": WITHIN,
        "tool": "a tool",
        "readings": [{"name": name, "value": value, "unit": unit} for name, value, unit in readings],
        "failed": [],
        "params": params,
    }


def node_records(name: str) -> list[MeasurementRecord]:
    subject, place = f"node/{name}", {"placement": "home", "pool": "gpu"}
    bus = (("bus", "430", "GB/s"), ("algorithm", "245", "GB/s"))
    return [
        record("inventory", subject, ("accelerators", "8", ""), ("memory", "81559", "MiB"), **place),
        record("usable_memory", subject, ("memory", "81004", "MiB"), **place),
        record("dcgm", subject, ("tests", "40", ""), ("passed", "40", ""), **place, level="3"),
        record("matmul", subject, ("tflops", "760.5", "TFLOPS"), **place, precision="bf16"),
        record("nvlink", subject, *bus, **place, payload_bytes=str(4 * GIB)),
        record("burn_in", subject, ("hours", "48.2", "h"), ("rounds", "300", ""), **place),
    ]


def all_reduce(nodes: int, bus: str, *, payload: int = 4 * GIB, on: str = "") -> MeasurementRecord:
    readings = (("bus", bus, "GB/s"), ("algorithm", "200", "GB/s"))
    more = {"on": on} if on else {}
    return record("all_reduce", "pool/home/gpu", *readings, nodes=str(nodes), payload_bytes=str(payload), **more)


def good() -> Results:
    records = [each for name in NODES for each in node_records(name)]
    records += [all_reduce(2, "385"), all_reduce(4, "361"), all_reduce(4, "120", payload=GIB)]
    for number in (1, 2):
        records.append(record("loader", "tier/home/warm", ("read", "300", "MB/s"), nodes="2", node=f"ip-{number}"))
        records.append(record("checkpoint", "tier/home/warm", ("write", "250", "MB/s"), nodes="2", node=f"ip-{number}"))
    records += [
        record("code", "tier/home/warm", ("read", "9000", "IOPS"), ("write", "3900", "IOPS"), node="ip-1"),
        record(
            "small_files",
            "tier/home/warm",
            ("create", "95", "s"),
            ("read", "12", "s"),
            ("remove", "30", "s"),
            files="10000",
            bytes="4096",
            node="ip-1",
        ),
        record("dns", "network/home/dns", ("resolved", "3", ""), ("asked", "3", "")),
        record("smoke", "service/home/mlflow", ("seconds", "2.5", "s")),
    ]
    return {
        "schema_version": 1,
        "stack": "demo",
        "option": "same_cloud",
        "started": STARTED,
        "ended": ENDED,
        "measured": deepcopy(records),
    }


def of(results: Results, check: str, name: str = "") -> MeasurementRecord:
    """The record of a check of one subject, to be spoilt."""
    return next(each for each in results["measured"] if each["check"] == check and each["subject"].endswith(name))


def put(measured: MeasurementRecord, value: str, *, reading: int = 0) -> None:
    measured["readings"][reading]["value"] = value
