"""`atoll check` shows the hardware that was asked for, not the least that sizing would do with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_project import CHECKLIST, Atoll

Write = Callable[[str], Path]


def row(atoll: Atoll) -> str:
    """What is said of the one workload, in one line of words."""
    lines = atoll("check", "demo").out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(" tune"))
    end = next(number for number, line in enumerate(lines) if line.startswith(" system"))
    return " ".join(" ".join(lines[at:end]).split())


@pytest.mark.parametrize(
    ("hardware", "count", "machines"),
    [
        ("{accelerator: H100-SXM-80GB, per_node: 8, nodes: 2}", "16 asked", "2 nodes of 8x"),
        ("{accelerator: H100-SXM-80GB, count: 16}", "16 asked", "H100-SXM-80GB"),
        ("{accelerator: H100, per_node: 8, nodes: 1}", "8 asked", "1 node of 8x H100"),
        ("{per_node: 8}", "1 at least", "8x accelerator"),
        ("{accelerator: H100, form: SXM}", "1 at least", "H100 SXM"),
        ("{fabric: rdma}", "1 at least", ""),
    ],
)
def test_hardware_that_was_asked_for_is_shown(
    hardware: str, count: str, machines: str, atoll: Atoll, checklist: Write
) -> None:
    checklist(CHECKLIST.replace("tokens: 2B", f"tokens: 2B\n    hardware: {hardware}"))
    said = row(atoll)
    assert f" {count} " in f"{said} "
    assert machines in said


def test_where_nothing_was_asked_for_the_least_is_shown(atoll: Atoll) -> None:
    assert " 1 at least " in row(atoll)
    assert "asked" not in row(atoll)
