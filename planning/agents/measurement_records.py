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


@dataclass(frozen=True, slots=True, kw_only=True)
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
    AcceptanceCheck(
        id="inventory",
        per=Per.NODE,
        title="accelerators",
        readings={"accelerators": "", "memory": "MiB"},
        params=PLACE,
    ),
    AcceptanceCheck(
        id="usable_memory",
        per=Per.NODE,
        title="usable memory of the least accelerator",
        readings={"memory": "MiB"},
        params=PLACE,
    ),
    AcceptanceCheck(
        id="dcgm",
        per=Per.NODE,
        title="DCGM diagnostics",
        readings={"tests": "", "passed": ""},
        params=(*PLACE, "level"),
    ),
    AcceptanceCheck(
        id="matmul",
        per=Per.NODE,
        title="matrix multiplication on the slowest accelerator",
        readings={"tflops": "TFLOPS"},
        params=(*PLACE, "precision"),
    ),
    AcceptanceCheck(
        id="nvlink",
        per=Per.NODE,
        title="all-reduce inside the node",
        readings={"bus": "GB/s", "algorithm": "GB/s"},
        params=(*PLACE, "payload_bytes"),
    ),
    AcceptanceCheck(
        id="all_reduce",
        per=Per.POOL,
        title="all-reduce over the fabric",
        readings={"bus": "GB/s", "algorithm": "GB/s"},
        params=("nodes", "payload_bytes"),
    ),
    AcceptanceCheck(
        id="loader",
        per=Per.TIER,
        title="reads of data loaders",
        readings={"read": "MB/s"},
        params=("nodes", "node"),
    ),
    AcceptanceCheck(
        id="checkpoint",
        per=Per.TIER,
        title="bursts of checkpoints",
        readings={"write": "MB/s"},
        params=("nodes", "node"),
    ),
    AcceptanceCheck(
        id="code",
        per=Per.TIER,
        title="code of tiny files",
        readings={"read": "IOPS", "write": "IOPS"},
        params=("node",),
    ),
    AcceptanceCheck(
        id="small_files",
        per=Per.TIER,
        title="many small files",
        readings={"create": "s", "read": "s", "remove": "s"},
        params=("files", "bytes", "node"),
    ),
    AcceptanceCheck(id="dns", per=Per.NETWORK, title="names", readings={"resolved": "", "asked": ""}),
    AcceptanceCheck(id="egress", per=Per.NETWORK, title="way out", readings={"reached": "", "asked": ""}),
    AcceptanceCheck(
        id="peering", per=Per.NETWORK, title="way to the main network", readings={"reached": "", "asked": ""}
    ),
    AcceptanceCheck(id="smoke", per=Per.SERVICE, title="the service does its work", readings={"seconds": "s"}),
    AcceptanceCheck(id="burn_in", per=Per.NODE, title="burn-in", readings={"hours": "h", "rounds": ""}, params=PLACE),
)
BY_ID: Final = {each.id: each for each in CHECKS}


def subject(per: Per, name: str, *, placement: str = "") -> str:
    """What a record is about: "node/ip-10-64-1-7" and "pool/home/gpu", "tier/home/warm", "network/home/dns".

    Args:
        name: of the node, or the lock's name of the pool, tier or service.
        placement: the lock's name; left out for nodes only, whose names are unique and who say it in their params.
    """
    return "/".join(part for part in (per.value, placement, name) if part)
