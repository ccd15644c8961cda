"""Recorded results of an acceptance that never was: eleven nodes of the stack pretrain-7b, one too slow.

`.venv/bin/python docs/examples/acceptance/make.py` writes results.jsonl. The figures are made up; their shape is that
of real ones.
"""  # noqa: INP001 - a script beside what it makes

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from operations.acceptance.records import to_line, validate_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HERE: Final = Path(__file__).resolve().parent
POOL: Final = {"placement": "home", "pool": "pretrain-7b"}
NODES: Final = tuple(f"ip-10-64-{3 + number // 8}-{11 + 7 * (number % 8)}" for number in range(11))
ACCELERATORS: Final = 8  # of a node: an all-reduce has so many times more ranks than nodes
SLOW: Final = NODES[9]
DAY: Final = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
PAYLOADS: Final = tuple(2**power for power in range(28, 35))
TORCH: Final = "torch 2.9.0, CUDA 13.0, driver 580.95.05"
DCGM: Final = "dcgmi 4.4.1"
NCCL: Final = "nccl-tests 2.17.6, NCCL 2.28.3"
FIO: Final = "fio 3.41"
PYTHON: Final = "python 3.13.9"
SERVICES: Final = {
    "notebook": "41.0",
    "pipeline": "96.3",
    "training": "77.5",
    "sweep": "118.2",
    "serving": "64.9",
    "s3": "2.6",
}


def text() -> str:
    """results.jsonl."""
    return "".join(to_line(validate_record(each)) for each in records())


def records() -> Iterator[dict[str, object]]:
    """Every record, in the order in which the jobs ended."""
    for number, node in enumerate(NODES):
        yield from _node(number, node)
    for count in (4, 8, len(NODES)):
        for payload in PAYLOADS:
            yield _fabric(count, payload)
    yield from _tier()
    yield from _rest()


def _node(number: int, node: str) -> Iterator[dict[str, object]]:
    at, subject = 40 + number, f"node/{node}"
    tflops = "497.2" if node == SLOW else f"{Decimal('741.3') - Decimal(number % 5) * Decimal('2.7')}"
    yield _record(
        "inventory",
        subject,
        at,
        "nvidia-smi 580.95.05",
        [("accelerators", str(ACCELERATORS), ""), ("memory", "81559", "MiB")],
        POOL,
    )
    yield _record("usable_memory", subject, at, TORCH, [("memory", "80995", "MiB")], POOL)
    yield _record("dcgm", subject, at, DCGM, [("tests", "12", ""), ("passed", "12", "")], {**POOL, "level": "3"})
    yield _record("matmul", subject, at, TORCH, [("tflops", tflops, "TFLOPS")], {**POOL, "precision": "bf16"})
    for payload in PAYLOADS:
        readings = _buses(Decimal(420), payload, ranks=ACCELERATORS)
        yield _record("nvlink", subject, at, NCCL, readings, {**POOL, "payload_bytes": str(payload)})


def _fabric(count: int, payload: int) -> dict[str, object]:
    """A bandwidth that grows with the payload and falls a little with the nodes."""
    most = 400 * (Decimal("0.962") - Decimal(count) / 800)
    readings = _buses(most, payload, ranks=count * ACCELERATORS)
    params = {"nodes": str(count), "payload_bytes": str(payload)}
    return _record("all_reduce", "pool/home/pretrain-7b", 70 + count, NCCL, readings, params)


def _buses(most: Decimal, payload: int, *, ranks: int) -> list[tuple[str, str, str]]:
    bus = (most * payload / (payload + 180 * 2**20)).quantize(Decimal("0.01"))
    algorithm = (bus * ranks / (2 * (ranks - 1))).quantize(Decimal("0.01"))
    return [("bus", str(bus), "GB/s"), ("algorithm", str(algorithm), "GB/s")]


def _tier() -> Iterator[dict[str, object]]:
    for number, node in enumerate(NODES):
        for check, reading, speed in (("loader", "read", 147), ("checkpoint", "write", 134)):
            value = f"{speed + number % 3}.4"
            yield _record(
                check, "tier/home/warm", 110, FIO, [(reading, value, "MB/s")], {"nodes": str(len(NODES)), "node": node}
            )
    iops = [("read", "31250", "IOPS"), ("write", "14800", "IOPS")]
    yield _record("code", "tier/home/warm", 114, FIO, iops, {"node": NODES[0]})
    times = [("create", "143.7", "s"), ("read", "61.2", "s"), ("remove", "58.9", "s")]
    params = {"files": "50000", "bytes": "8192", "node": NODES[0]}
    yield _record("small_files", "tier/home/warm", 121, PYTHON, times, params)


def _rest() -> Iterator[dict[str, object]]:
    yield _record("dns", "network/home/dns", 122, PYTHON, [("resolved", "6", ""), ("asked", "6", "")], {})
    yield _record("egress", "network/home/egress", 122, PYTHON, [("reached", "3", ""), ("asked", "3", "")], {})
    yield _record("peering", "network/home/peering", 122, PYTHON, [("reached", "1", ""), ("asked", "1", "")], {})
    for service, seconds in SERVICES.items():
        yield _record("smoke", f"service/home/{service}", 124, "atoll accept-test", [("seconds", seconds, "s")], {})


def _record(  # noqa: PLR0917 - the columns of a record
    check: str, subject: str, minutes: int, tool: str, readings: Sequence[tuple[str, str, str]], params: dict[str, str]
) -> dict[str, Any]:
    return {
        "check": check,
        "subject": subject,
        "at": (DAY + timedelta(minutes=minutes)).isoformat(),
        "tool": tool,
        "readings": [{"name": name, "value": value, "unit": unit} for name, value, unit in readings],
        "failed": [],
        "params": params,
    }


if __name__ == "__main__":
    (HERE / "results.jsonl").write_text(text(), encoding="utf-8")
