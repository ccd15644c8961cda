"""What node-problem-detector looks for in the kernel's log, in words that catalogs/failures.csv knows.

Only what that table is certain of sets a condition; what a person should look at is an event of the node, and what a
program causes by itself is neither. Fields: node-problem-detector v1.36.0, pkg/systemlogmonitor.
"""

from __future__ import annotations

from typing import Final

from catalogs.failures import Action, Sign, failures

SOURCE: Final = "atoll-kernel-monitor"
XID: Final = "SysLogsXIDError"  # named as NVSentinel names them: an operator meets one word for one thing
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
TOLD: Final = {  # an event and no condition: a slow store alone makes tasks wait
    "TaskHung": r"task [\S ]+:\w+ blocked for more than \w+ seconds\.",
    "Ext4Error": r"EXT4-fs error .*",
    "IOError": r"Buffer I/O error .*",
    "MemoryReadError": r"CE memory read error .*",
}
# A pod that starts anew reads what the kernel still has since the node started, and takes no failure back.
LOOKBACK: Final = "8760h"

Rule = dict[str, str]


def monitor() -> dict[str, object]:
    """The file of the one log monitor."""
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
        "rules": [*_xids(), *_failing(), *_told()],
    }


def _xids() -> list[Rule]:
    """One rule for each Xid that needs more than its program: the reason names it."""
    found: list[Rule] = []
    for (kind, number), row in failures().items():
        if kind is Sign.XID and row.certain:
            found.append({"type": "permanent", "condition": XID, "reason": f"Xid{number}", "pattern": _line(number)})
        elif kind is Sign.XID and row.action is Action.LOOK:
            found.append({"type": "temporary", "reason": f"Xid{number}", "pattern": _line(number)})
    return found


def _line(number: str) -> str:
    """As the driver writes it: "NVRM: Xid (PCI:0000:b4:00): 79, pid=1582259, name=python, ..."."""
    return rf"NVRM: Xid \([^)\n]*\): {number},.*"


def _failing() -> list[Rule]:
    return [
        {"type": "permanent", "condition": name, "reason": reason, "pattern": pattern}
        for name, (reason, pattern) in FAILING.items()
    ]


def _told() -> list[Rule]:
    return [{"type": "temporary", "reason": reason, "pattern": pattern} for reason, pattern in TOLD.items()]
