"""What the detector writes is what `atoll nodes` reads: lines of real kernels go through its rules to a verdict."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import pytest
from fake_cluster import START, node

from catalogs.nodes import FailureSignal, failures
from planning.incidents.findings import HEALTHY, XID, NodeHealth, diagnose_node, monitor
from planning.incidents.node import Condition

if TYPE_CHECKING:
    from planning.incidents.findings import NodeDiagnosis

RULES: Final[list[dict[str, str]]] = monitor()["rules"]  # pyright: ignore[reportAssignmentType]


def seen(line: str) -> list[dict[str, str]]:
    """The rules that a line of the kernel meets: a pattern has to reach its end (log_buffer.go)."""
    return [rule for rule in RULES if re.search(rule["pattern"] + r"\Z", line)]


def verdict(line: str) -> NodeDiagnosis:
    """What `atoll nodes` makes of a node on which the kernel wrote a line."""
    states: dict[str, tuple[str, str, str]] = {name: ("False", *said) for name, said in HEALTHY.items()}
    for rule in seen(line):
        if rule["type"] == "permanent":
            states[rule["condition"]] = ("True", rule["reason"], line)
    conditions = [
        Condition(type=name, status=status, reason=reason, message=message, since=START - timedelta(minutes=1))
        for name, (status, reason, message) in states.items()
    ]
    return diagnose_node(node("gpu-1", *conditions), now=START)


def test_every_condition_that_is_written_is_one_that_is_read() -> None:
    document: Any = monitor()
    written = {each["type"] for each in document["conditions"]}
    assert {rule["condition"] for rule in RULES if rule["type"] == "permanent"} == written
    rows = [failures()[FailureSignal.CONDITION, name] for name in written]
    assert all(row.certain and row.fails("True") and not row.fails("False") and not row.after_minutes for row in rows)


def test_a_node_of_which_nothing_was_written_is_well() -> None:
    assert verdict("nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected invalid context").findings == ()


def test_every_xid_that_is_certain_fails_its_node_by_number_and_no_other_does() -> None:
    for (kind, number), row in failures().items():
        if kind is FailureSignal.XID:
            found = verdict(f"NVRM: Xid (PCI:0000:b4:00): {number}, pid=1582259, name=python, what it was")
            assert (found.standing is NodeHealth.FAILED) == row.certain, number
            names = [each.name for each in found.findings]
            assert names == ([XID, f"Xid {number}"] if row.certain else []), number


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("NVRM: Xid (PCI:0000:03:00): 79, GPU has fallen off the bus.", "Xid 79"),
        ("NVRM: Xid (0000:01:00): 62, 0096(1c54) 00000000 00000000", "Xid 62"),
        ("NVRM: Xid (PCI:0000:9f:00 GPU-I:02): 95, pid=7, name=python, Uncontained: LTC", "Xid 95"),
        ("NVRM: GPU at 0000:01:00.0 has fallen off the bus.", "SysLogsGPUFallenOff"),
        ("NVRM: GPU 0000:2b:00.0: GPU has fallen off the bus.", "SysLogsGPUFallenOff"),
        ("EXT4-fs (nvme0n1p1): Remounting filesystem read-only", "ReadonlyFilesystem"),
        ("XFS (nvme1n1): Metadata I/O error detected. Shutting down filesystem.", "XfsShutdown"),
        ("{1}[Hardware Error]: event severity: fatal", "CperHardwareErrorFatal"),
    ],
)
def test_a_line_of_a_kernel_fails_its_node(line: str, name: str) -> None:
    found = verdict(line)
    assert found.standing is NodeHealth.FAILED
    assert name in {each.name for each in found.findings}


@pytest.mark.parametrize(
    "line",
    [
        "NVRM: Xid (PCI:0000:cb:00): 13, pid='<unknown>', name=<unknown>, Graphics Exception: ESR 0x57c730=0xc04000b",
        "NVRM: Xid (PCI:0000:cb:00): 31, pid=9, name=Xid (): 79, Ch 00000009",
        "NVRM: Xid (PCI:0000:cb:00): 790, no such number",
        "NVRM: Xid (PCI:0000:cb:00): 74, pid=1, NVLink: fatal error detected on link 2",
        "NVRM: GPU at PCI:0000:2b:00: GPU-0b11d014-1685-04bd-26ed-5fc0bc1c44ae",
        "{1}[Hardware Error]: event severity: corrected",
        "INFO: task kubelet:4711 blocked for more than 120 seconds.",
        "EXT4-fs error (device sdb): ext4_find_entry:1455: inode #2: comm ls: reading directory lblock 0",
    ],
)
def test_what_passes_or_is_a_programs_own_takes_no_node_away(line: str) -> None:
    assert verdict(line).standing is NodeHealth.WELL
    assert all(rule["type"] == "temporary" for rule in seen(line))


def test_reasons_are_one_word_each_and_conditions_have_one_entry() -> None:
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9]*", rule["reason"]) for rule in RULES)
    assert len({rule["pattern"] for rule in RULES}) == len(RULES)
