"""Hardware that was asked for directly: a machine type is out where it is another, or cannot make up the number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.sizing.machines.rejection_reasons import NOT_WHOLE_NODES, OTHER_ACCELERATOR, OTHER_FORM, OTHER_PER_NODE

if TYPE_CHECKING:
    from catalogs.model import Accelerator, Machine
    from planning.checklist.model.workload import HardwareAsk
    from planning.sizing.demand import Misfit


def refusal(asked: HardwareAsk, machine: Machine, accelerator: Accelerator) -> Misfit | None:
    """Why this machine type is not what was asked for; None where it is."""
    if asked.accelerator is not None and asked.accelerator not in (accelerator.family, accelerator.name):
        return OTHER_ACCELERATOR
    if asked.form is not None and asked.form != accelerator.form:
        return OTHER_FORM
    if asked.per_node is not None and asked.per_node != machine.accelerators:
        return OTHER_PER_NODE
    if asked.count is None:
        return None
    nodes, rest = divmod(asked.count, machine.accelerators)
    if rest or asked.nodes not in (None, nodes):
        return NOT_WHOLE_NODES
    return None


def nodes_asked(asked: HardwareAsk | None, machine: Machine) -> int | None:
    """The number of nodes that was asked for, as nodes or as accelerators; None where neither was."""
    if asked is None:
        return None
    if asked.count is not None and machine.accelerators:
        return asked.count // machine.accelerators
    return asked.nodes
