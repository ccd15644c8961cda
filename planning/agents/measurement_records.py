"""What the jobs of an acceptance write down: one record for each thing that was measured. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypedDict

SCHEMA_VERSION: Final = 1


class Per(StrEnum):
    """What a check is about; the first word of a record's subject: "node/ip-10-64-1-7"."""

    NODE = "node"
    POOL = "pool"
    TIER = "tier"
    NETWORK = "network"
    SERVICE = "service"


PLACE: Final = ("placement", "pool")  # params of every check of a node: the lock's names for where it stands


@dataclass(frozen=True, slots=True)
class AcceptanceCheck:
    """One kind of measurement.

    Args:
        readings: name and unit of each figure that it gives.
        params: what it was run with, and must be there: "nodes", "payload_bytes".
    """

    id: str
    per: Per
    title: str
    readings: dict[str, str]
    params: tuple[str, ...] = ()


class MeasuredValue(TypedDict):
    """One figure; `value` is a decimal text."""

    name: str
    value: str
    unit: str


class MeasurementRecord(TypedDict):
    """One check, run once.

    `subject` is as `subject(...)` writes it; `at` is UTC in ISO 8601; `tool` names program and version; `failed` holds
    what the tool itself found wrong, in its words; `params` what it was run with, "round" too where a burn-in repeats.
    """

    check: str
    subject: str
    at: str
    tool: str
    readings: list[MeasuredValue]
    failed: list[str]
    params: dict[str, str]


class Results(TypedDict):
    """Everything of one acceptance."""

    schema_version: int
    stack: str
    option: str
    started: str
    ended: str
    measured: list[MeasurementRecord]


CHECKS: Final[tuple[AcceptanceCheck, ...]] = (
    AcceptanceCheck("inventory", Per.NODE, "accelerators", {"accelerators": "", "memory": "MiB"}, PLACE),
    AcceptanceCheck("usable_memory", Per.NODE, "usable memory of the least accelerator", {"memory": "MiB"}, PLACE),
    AcceptanceCheck("dcgm", Per.NODE, "DCGM diagnostics", {"tests": "", "passed": ""}, (*PLACE, "level")),
    AcceptanceCheck(
        "matmul",
        Per.NODE,
        "matrix multiplication on the slowest accelerator",
        {"tflops": "TFLOPS"},
        (*PLACE, "precision"),
    ),
    AcceptanceCheck(
        "nvlink",
        Per.NODE,
        "all-reduce inside the node",
        {"bus": "GB/s", "algorithm": "GB/s"},
        (*PLACE, "payload_bytes"),
    ),
    AcceptanceCheck(
        "all_reduce",
        Per.POOL,
        "all-reduce over the fabric",
        {"bus": "GB/s", "algorithm": "GB/s"},
        ("nodes", "payload_bytes"),
    ),
    AcceptanceCheck("loader", Per.TIER, "reads of data loaders", {"read": "MB/s"}, ("nodes", "node")),
    AcceptanceCheck("checkpoint", Per.TIER, "bursts of checkpoints", {"write": "MB/s"}, ("nodes", "node")),
    AcceptanceCheck("code", Per.TIER, "code of tiny files", {"read": "IOPS", "write": "IOPS"}, ("node",)),
    AcceptanceCheck(
        "small_files",
        Per.TIER,
        "many small files",
        {"create": "s", "read": "s", "remove": "s"},
        ("files", "bytes", "node"),
    ),
    AcceptanceCheck("dns", Per.NETWORK, "DNS", {"resolved": "", "asked": ""}),
    AcceptanceCheck("egress", Per.NETWORK, "egress", {"reached": "", "asked": ""}),
    AcceptanceCheck("peering", Per.NETWORK, "VPC connectivity", {"reached": "", "asked": ""}),
    AcceptanceCheck("smoke", Per.SERVICE, "the service does its work", {"seconds": "s"}),
    AcceptanceCheck("burn_in", Per.NODE, "burn-in", {"hours": "h", "rounds": ""}, PLACE),
)
BY_ID: Final = {each.id: each for each in CHECKS}


def subject(per: Per, name: str, *, placement: str = "") -> str:
    """What a record is about: "node/ip-10-64-1-7" and "pool/home/gpu", "tier/home/warm", "network/home/dns".

    Args:
        name: of the node, or the lock's name of the pool, tier or service.
        placement: the lock's name; left out for nodes only, whose names are unique and who say it in their params.
    """
    return "/".join(part for part in (per.value, placement, name) if part)
