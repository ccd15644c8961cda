"""What only the quote finds out, said with the checklist's line that asked for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from planning.inputs.faults import Source, locate
from planning.inputs.files import read_text
from planning.inputs.yaml_nodes import Fields, Node, compose
from planning.values.errors import InputError, counted

if TYPE_CHECKING:
    from pathlib import Path

    from planning.values.errors import Fault

STEP: Final = re.compile(r"[^.\[\]]+")


def in_checklist(error: InputError, file: Path) -> InputError:
    """The same error; faults that name a path and no line get the checklist's line, and the error's hint."""
    if not any(_has_no_line(fault) for fault in error.faults):
        return error
    text = read_text(file)
    root, _ = compose(text)
    if not isinstance(root, Fields):
        return error
    source = Source(file=str(file), lines=text.splitlines())
    faults = [_placed(fault, source, root, hint=error.hint) for fault in error.faults]
    return InputError(f"{file}: {counted(faults)}", faults=faults)


def _has_no_line(fault: Fault) -> bool:
    return bool(fault.path) and not fault.line


def _placed(fault: Fault, source: Source, root: Node, *, hint: str) -> Fault:
    if not _has_no_line(fault):
        return fault
    path = [int(step) if step.isdigit() else step for step in STEP.findall(fault.path)]
    return source.fault(fault.message, place=locate(root, path), hint=fault.hint or hint, path=fault.path)
