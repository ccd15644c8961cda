"""Fit of a CPU pool on a machine type without accelerators."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.sizing import assumptions
from planning.sizing.demand import Fit, Misfit
from planning.sizing.machines.node_hours import node_hours
from planning.sizing.machines.packing import nodes_beside
from planning.sizing.machines.rejection_reasons import HAS_ACCELERATOR, SIZE_UNKNOWN, TINY, TOO_FEW_NODES

if TYPE_CHECKING:
    from catalogs.model import Machine
    from planning.sizing.demand import Demand

ARM_NOTE: Final = "arm64: images must be built for it"


def _note_arm() -> str:
    return ARM_NOTE


def fit_cpu(demand: Demand, machine: Machine, *, nodes: int | None = None) -> Fit | Misfit:
    """How a CPU demand sits on a machine type, or why it does not. System pools have at least three nodes."""
    if machine.accelerators:
        return HAS_ACCELERATOR
    if not machine.vcpus or not machine.memory_gib:
        return SIZE_UNKNOWN
    if machine.vcpus < assumptions.CPU_NODE_VCPUS:
        return TINY
    needed = nodes_beside(demand, machine)
    if isinstance(needed, Misfit):
        return needed
    if demand.kind == "system":
        needed = max(int(demand.copies.max), needed)
    working = nodes or (demand.hardware is not None and demand.hardware.nodes) or needed
    if working < needed:
        return TOO_FEW_NODES
    return Fit(
        working=working,
        spares=0,
        min_nodes=working if demand.always_on else 0,
        node_hours=node_hours(
            demand, working=working, low=working, expected=Decimal(working), spares=0, hours_per_run=None
        ),
        write_note=_note_arm if machine.architecture == "arm64" else str,
    )
