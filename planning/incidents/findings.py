"""Diagnosis of a node: conditions, labels and Xids against catalogs/failures.csv; rules of node-problem-detector.

Only certain failures set a condition; those that a person should look at are events of the node, and those that a
program causes are neither. Fields: node-problem-detector v1.36.0, pkg/systemlogmonitor.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from catalogs.nodes import Action, Failure, FailureSignal, failures
from planning.incidents.node import READY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from planning.incidents.node import Condition, Node


# "NVRM: Xid (PCI:0000:b4:00): 79, pid=1", "Xid 79", "NvidiaXID79Error".
_XID: Final = re.compile(r"xid(?:\s*error)?\s*(?:\([^)]{0,80}\)\s*:)?\s*:?\s*(?P<number>\d{1,3})(?!\d)", re.IGNORECASE)
_CODE: Final = re.compile(r"ErrorCode:(?P<number>\d{1,3})\b")  # NVSentinel, in the message of its Xid checks
_UUID: Final = re.compile(r"GPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_CODED: Final = frozenset({"SysLogsXIDError", "GpuXidError"})
# Longest interval between a kubelet's reports on an unchanged node (nodeStatusReportFrequency, kubelet v1beta1).
REPORTS: Final = timedelta(minutes=5)
SEVERITY: Final = tuple(Action)  # from no action to the provider's


class NodeHealth(StrEnum):
    WELL = "well"
    DOUBTFUL = "doubtful"  # a fault that may pass, or that a program caused
    FAILED = "failed"
    UNKNOWN = "unknown"  # its kubelet no longer reports


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault.

    Args:
        name: "Ready", "Xid 79".
        certain: whether it alone justifies a cordon.
        detail: reason and message of the condition or label.
    """

    name: str
    meaning: str
    action: Action
    certain: bool
    source: str
    since: datetime | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDiagnosis:
    standing: NodeHealth
    findings: tuple[Finding, ...] = ()

    @property
    def action(self) -> Action:
        return max((each.action for each in self.findings), key=SEVERITY.index, default=Action.NONE)

    @property
    def words(self) -> str:
        return "; ".join(f"{each.name}: {each.meaning}" for each in self.findings)


def diagnose_node(node: Node, *, now: datetime, xids: Iterable[int] = ()) -> NodeDiagnosis:
    """Diagnose a node.

    Args:
        now: reference for the age of conditions.
        xids: of its GPUs, from metrics.
    """
    findings = (*_of_conditions(node, _by_its_clock(node, now)), *_of_labels(node), *_of_xids(node, xids))
    if any(each.certain for each in findings):
        return NodeDiagnosis(standing=NodeHealth.FAILED, findings=findings)
    if node.ready not in {"True", "False"}:
        return NodeDiagnosis(standing=NodeHealth.UNKNOWN, findings=findings)
    worse = any(each.action not in {Action.NONE, Action.RESTART_APP} for each in findings)
    return NodeDiagnosis(standing=NodeHealth.DOUBTFUL if worse else NodeHealth.WELL, findings=findings)


def xids_in(text: str, *, coded: bool = False) -> tuple[int, ...]:
    """Distinct numbers of the Xids in a text.

    Args:
        coded: whether "ErrorCode:79" is one, too.
    """
    found = [*_XID.finditer(text), *(_CODE.finditer(text) if coded else ())]
    return tuple(dict.fromkeys(int(each["number"]) for each in found))


def gpus_in(node: Node) -> tuple[str, ...]:
    """Distinct UUIDs of GPUs in its conditions."""
    return tuple(dict.fromkeys(uuid for each in node.conditions for uuid in _UUID.findall(each.message)))


def _of_conditions(node: Node, now: datetime) -> Iterator[Finding]:
    known = failures()
    for each in node.conditions:
        row = known.get((FailureSignal.CONDITION, each.type))
        if row is None or not row.fails(each.status):
            continue
        least = timedelta(minutes=row.after_minutes)
        # A condition without the time of its last change counts as a new one.
        has_lasted = not least or (each.since is not None and now - each.since >= least)
        yield Finding(
            name=each.type,
            meaning=row.meaning,
            action=row.action,
            certain=row.certain and has_lasted and not _is_excused(each),
            source=row.source,
            since=each.since,
            detail=": ".join(part for part in (each.reason, each.message) if part),
        )


def _by_its_clock(node: Node, now: datetime) -> datetime:
    """The current time by the node's own clock, which wrote the times of its conditions."""
    # A wrong clock is no failure. A live kubelet has reported within `REPORTS`: only a larger difference is corrected.
    beat = next((each.beat for each in node.conditions if each.type == READY), None)
    if beat is None or node.ready not in {"True", "False"}:
        return now
    return min(max(now, beat), beat + REPORTS)


def _is_excused(condition: Condition) -> bool:
    """Whether it names only Xids that a program causes."""
    named = _find_xids(condition)
    rows = [failures().get((FailureSignal.XID, str(number))) for number in named]
    return bool(named) and all(row is not None and not row.certain for row in rows)


def _find_xids(condition: Condition) -> tuple[int, ...]:
    coded = condition.type in _CODED
    return xids_in(f"{condition.reason} {condition.message}", coded=coded)


def _build_finding(name: str, row: Failure, *, detail: str = "") -> Finding:
    certain, source = row.certain, row.source
    return Finding(name=name, meaning=row.meaning, action=row.action, certain=certain, source=source, detail=detail)


def _of_labels(node: Node) -> Iterator[Finding]:
    for (kind, name), row in failures().items():
        value = node.labels.get(name)
        if kind is FailureSignal.LABEL and value is not None and row.fails(value):
            yield _build_finding(name, row, detail=node.annotations.get(f"{name}-why", value))


def _of_xids(node: Node, told: Iterable[int]) -> Iterator[Finding]:
    known = failures()
    failing = (
        each
        for each in node.conditions
        if (row := known.get((FailureSignal.CONDITION, each.type))) and each.type != READY and row.fails(each.status)
    )
    numbers = dict.fromkeys((*(number for each in failing for number in _find_xids(each)), *told))
    for number in numbers:
        row = known.get((FailureSignal.XID, str(number)))
        if row is None:
            unknown = "an Xid that is not in the catalog"
            yield Finding(name=f"Xid {number}", meaning=unknown, action=Action.LOOK, certain=False, source="")
        else:
            yield _build_finding(f"Xid {number}", row)


SOURCE: Final = "atoll-kernel-monitor"
XID: Final = "SysLogsXIDError"  # NVSentinel's name, so that operators meet one name for one fault
FALLEN: Final = "SysLogsGPUFallenOff"
# Condition to its reason and message while nothing is wrong.
HEALTHY: Final = {
    XID: ("NoXid", "the kernel's log has no Xid that takes a GPU away"),
    FALLEN: ("NoGPUFallenOff", "the kernel's log has no GPU that fell off the bus"),
    "XfsShutdown": ("XfsHasNotShutDown", "no XFS file system was shut down"),
    "CperHardwareErrorFatal": ("CperHardwareHasNoFatalError", "the firmware reported no fatal error"),
    "ReadonlyFilesystem": ("FilesystemIsNotReadOnly", "no file system became read-only"),
}
# Condition to the reason and the pattern that fail it: of config/kernel-monitor.json and config/readonly-monitor.json,
# and of the driver, which has said "NVRM: GPU at 0000:01:00.0 has" and "NVRM: GPU 0000:2b:00.0: GPU has".
FAILING: Final = {
    FALLEN: ("GPUFallenOff", r"NVRM: GPU [^\n]*has fallen off the bus.*"),
    "XfsShutdown": ("XfsHasShutdown", r"XFS .* Shutting down filesystem.?"),
    "CperHardwareErrorFatal": ("CperHardwareErrorFatal", r".*\[Hardware Error\]: event severity: fatal"),
    "ReadonlyFilesystem": ("FilesystemIsReadOnly", r"Remounting filesystem read-only"),
}
TOLD: Final = {  # an event and no condition: slow storage alone blocks tasks
    "TaskHung": r"task [\S ]+:\w+ blocked for more than \w+ seconds\.",
    "Ext4Error": r"EXT4-fs error .*",
    "IOError": r"Buffer I/O error .*",
    "MemoryReadError": r"CE memory read error .*",
}
# A restarted pod reads the kernel's log from the start of the node, so that it withdraws no failure.
LOOKBACK: Final = "8760h"

Rule = dict[str, str]


def monitor() -> dict[str, object]:
    return {
        "plugin": "kmsg",
        "logPath": "/dev/kmsg",
        "lookback": LOOKBACK,
        "bufferSize": 10,
        "source": SOURCE,
        "metricsReporting": False,
        "conditions": [
            {"type": name, "reason": reason, "message": message} for name, (reason, message) in HEALTHY.items()
        ],
        "rules": [
            *_build_xid_rules(),
            *(
                {"type": "permanent", "condition": name, "reason": reason, "pattern": pattern}
                for name, (reason, pattern) in FAILING.items()
            ),
            *({"type": "temporary", "reason": reason, "pattern": pattern} for reason, pattern in TOLD.items()),
        ],
    }


def _build_xid_rules() -> list[Rule]:
    """One rule for each Xid that needs more than a restart of its program."""
    found: list[Rule] = []
    for (kind, number), row in failures().items():
        if kind is FailureSignal.XID and row.certain:
            found.append({"type": "permanent", "condition": XID, "reason": f"Xid{number}", "pattern": _line(number)})
        elif kind is FailureSignal.XID and row.action is Action.LOOK:
            found.append({"type": "temporary", "reason": f"Xid{number}", "pattern": _line(number)})
    return found


def _line(number: str) -> str:
    """As the driver writes it: "NVRM: Xid (PCI:0000:b4:00): 79, pid=1582259, name=python, ..."."""
    return rf"NVRM: Xid \([^)\n]*\): {number},.*"
