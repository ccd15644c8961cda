"""How many nodes of a machine type the copies of a demand take: spread over nodes, packed into them, or sharing."""

from __future__ import annotations

from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple

from planning.sizing import assumptions
from planning.sizing.demand import (
    BANDWIDTH_UNKNOWN,
    CARD_TOO_SMALL,
    HAS_ACCELERATOR,
    MEMORY_UNKNOWN,
    NODE_TOO_SMALL,
    REPLICA_SPANS,
    SIZE_UNKNOWN,
    TINY,
    TOO_FEW_NODES,
    TOO_SLOW_PER_TOKEN,
    Fit,
    Rejection,
)
from planning.sizing.run_time import node_hours

if TYPE_CHECKING:
    from catalogs.model import Accelerator, Machine
    from planning.sizing.demand import Demand, ServingLoad
    from planning.values.money import Range


class NodePacking(NamedTuple):
    """Nodes without spares."""

    working: int  # at the peak
    low: int  # at the least number of copies
    expected: Decimal  # at the expected number of copies
    needed: int  # accelerators of one job, of one replica, or of all who share
    spans: bool  # one job covers all of the nodes
    ms_per_token: Decimal | None


def pack_nodes(demand: Demand, machine: Machine, accelerator: Accelerator) -> NodePacking | Rejection:
    """The nodes that hold a demand for accelerators, whatever its deadline."""
    if demand.indivisible_gb > accelerator.memory_gb:
        return CARD_TOO_SMALL
    if demand.one_node:
        return _replicas(demand, machine, accelerator)
    if demand.indivisible_gb and demand.copies.max > 1:
        return _sharers(demand, machine, accelerator)
    return _job(demand, machine, accelerator)


def _job(demand: Demand, machine: Machine, accelerator: Accelerator) -> NodePacking | Rejection:
    needed = demand.accelerators
    if demand.memory_gb:
        needed = max(needed, ceil(demand.memory_gb / accelerator.memory_gb))
    nodes = -(-needed // machine.accelerators)
    if demand.vcpus or demand.memory_gib:
        beside = nodes_beside(demand, machine)
        if isinstance(beside, Rejection):
            return beside
        nodes = max(nodes, beside)
    if demand.copies.max > 1:
        nodes *= ceil(demand.copies.max)
    return NodePacking(nodes, nodes, Decimal(nodes), needed, spans=True, ms_per_token=None)


def nodes_beside(demand: Demand, machine: Machine) -> int | Rejection:
    """Nodes that hold the cores and the main memory asked for in all; 1 where none are."""
    nodes = 1
    if demand.vcpus:
        if not machine.vcpus:
            return SIZE_UNKNOWN
        nodes = -(-demand.vcpus // machine.vcpus)
    if demand.memory_gib:
        if not machine.memory_gib:
            return MEMORY_UNKNOWN
        nodes = max(nodes, ceil(demand.memory_gib / machine.memory_gib))
    return nodes


def _replicas(demand: Demand, machine: Machine, accelerator: Accelerator) -> NodePacking | Rejection:
    needed = max(demand.accelerators, demand.per_copy, ceil(demand.memory_gb / accelerator.memory_gb))
    if needed > machine.accelerators:
        return REPLICA_SPANS
    if demand.load is not None:
        return _answering(demand, demand.load, machine, accelerator, needed=needed)
    time = None
    bandwidth = accelerator.hbm_gb_per_s
    if demand.bytes_per_token is not None and bandwidth:
        time = demand.bytes_per_token / (needed * bandwidth * assumptions.BYTES_PER_GB_AND_MS)
        allowed = demand.latency_ms_per_token
        if allowed is not None and time > allowed:
            needed = ceil(time * needed / allowed)
            if needed > machine.accelerators:
                return TOO_SLOW_PER_TOKEN
            time = demand.bytes_per_token / (needed * bandwidth * assumptions.BYTES_PER_GB_AND_MS)
    elif demand.latency_ms_per_token is not None:
        return BANDWIDTH_UNKNOWN
    return _build_packing(demand.copies, per_node=machine.accelerators // needed, needed=needed, ms_per_token=time)


def _answering(
    demand: Demand, load: ServingLoad, machine: Machine, accelerator: Accelerator, *, needed: int
) -> NodePacking | Rejection:
    # A checklist that gives replicas never pays for reading the benchmarks.
    from planning.sizing.serving import replicas_for  # noqa: PLC0415 - as above

    found = replicas_for(demand, load, accelerator, least=needed, most=machine.accelerators)
    if isinstance(found, Rejection):
        return found
    return _build_packing(
        found.copies,
        per_node=machine.accelerators // found.accelerators,
        needed=found.accelerators,
        ms_per_token=found.ms_per_token,
    )


def _sharers(demand: Demand, machine: Machine, accelerator: Accelerator) -> NodePacking | Rejection:
    if demand.per_copy > 1:
        per_node = machine.accelerators // demand.per_copy
        if not per_node:
            return NODE_TOO_SMALL
        return _build_packing(demand.copies, per_node=per_node, needed=demand.accelerators)
    by_memory = ceil(demand.copies.max / (accelerator.memory_gb // demand.indivisible_gb))
    needed = max(demand.accelerators, by_memory)
    nodes = -(-needed // machine.accelerators)
    return NodePacking(nodes, 0, Decimal(nodes), needed, spans=False, ms_per_token=None)


def _build_packing(copies: Range, *, per_node: int, needed: int, ms_per_token: Decimal | None = None) -> NodePacking:
    low = ceil(copies.min / per_node)
    return NodePacking(
        ceil(copies.max / per_node),
        low,
        max(Decimal(low), copies.expected / per_node),
        needed,
        spans=False,
        ms_per_token=ms_per_token,
    )


ARM_NOTE: Final = "arm64: images must be built for it"


def fit_cpu(demand: Demand, machine: Machine, *, nodes: int | None = None) -> Fit | Rejection:
    """How a CPU demand sits on a machine type, or why it does not. System pools have at least three nodes."""
    if machine.accelerators:
        return HAS_ACCELERATOR
    if not machine.vcpus or not machine.memory_gib:
        return SIZE_UNKNOWN
    if machine.vcpus < assumptions.CPU_NODE_VCPUS:
        return TINY
    needed = nodes_beside(demand, machine)
    if isinstance(needed, Rejection):
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
        write_note=(lambda: ARM_NOTE) if machine.architecture == "arm64" else str,
    )
