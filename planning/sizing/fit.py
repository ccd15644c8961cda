"""Fit: how a demand sits on a machine type, or why it does not.

Called for every machine type on sale in every quote: cheap checks come first, reasons are made beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Final

from planning.sizing import assumptions
from planning.sizing.demand import (
    BATCH_TOO_SMALL,
    LACKS_PRECISION,
    MONTH_TOO_SHORT,
    NETWORK_TOO_SLOW,
    NO_ACCELERATOR,
    NO_FABRIC,
    NVME_UNKNOWN,
    OTHER_NODES,
    START_TOO_LONG,
    TOO_FEW_CORES,
    TOO_FEW_NODES,
    TOO_LITTLE_NVME,
    TOO_MANY,
    Fit,
    Rejection,
    count_asked_nodes,
    refuse_other_hardware,
    reject_too_slow,
    reject_too_small,
)
from planning.sizing.packing import ARM_NOTE, fit_cpu, pack_nodes
from planning.sizing.run_time import GPU, RunTime, estimate_run_time, node_hours, node_start
from planning.sizing.training_compute import joins_nodes
from planning.values.money import HOURS_PER_MONTH

if TYPE_CHECKING:
    from collections.abc import Callable

    from catalogs.model import Accelerator, Machine
    from planning.sizing.demand import Demand
    from planning.sizing.packing import NodePacking

ONE_SPINE: Final = int(assumptions.ONE_SPINE.value)
LARGEST_CLUSTER: Final = int(assumptions.LARGEST_CLUSTER.value)
PERCENT: Final = 100
TIGHT_SHARE: Final = Decimal("0.9")

TIGHT_NOTE: Final = "over 90% of the accelerator memory is used, before what drivers and network software take"
CORES_NOTE: Final = "its source does not say how many vCPUs"
LONG_NOTE: Final = "its runs fill more than a month: every month until they are done is counted in full"
HUNGRY_NOTE: Final = "the global batch does not feed all of its accelerators"
FABRIC_NOTE: Final = "no fabric between nodes"
SPINES_NOTE: Final = (
    f"over several network spines, {assumptions.OVERSUBSCRIPTION.value:f}:1 oversubscribed between them"
)
UNBENCHMARKED_NOTE: Final = "no published serving benchmark of this accelerator: estimated from its peak"
OPEN_NOTE: Final = "time not known: counted as busy all month"


def fit(
    demand: Demand, machine: Machine, accelerator: Accelerator | None, *, nodes: int | None = None
) -> Fit | Rejection:
    """How `demand` sits on `machine`, or why it does not.

    Args:
        demand: what one pool has to hold.
        machine: the type of all nodes of the pool.
        accelerator: facts about `machine.accelerator`; None for a CPU machine.
        nodes: working nodes, where more than the least number are wanted; fewer are a misfit.
    """
    if not demand.accelerators:
        return fit_cpu(demand, machine, nodes=nodes)
    basis = find_basis(demand, machine, accelerator)
    return basis if isinstance(basis, Rejection) else basis.fit(nodes)


@dataclass(frozen=True, slots=True)
class FitBasis:
    """What of a fit does not depend on the number of nodes.

    Args:
        least: nodes that hold the work and meet its deadline.
        monthly: nodes on which a month's runs fit into it as well.
    """

    demand: Demand
    machine: Machine
    accelerator: Accelerator
    seats: NodePacking
    speed: RunTime | None
    least: int
    monthly: int

    def fit(self, nodes: int | None) -> Fit | Rejection:
        """How the demand sits on this many working nodes; None: on the least."""
        working = _working(self, nodes)
        if isinstance(working, Rejection):
            return working
        return _fit(self, working, is_least=nodes is None)

    def fit_least(self) -> Callable[[], Fit] | Rejection:
        """Makes the fit on the least number of nodes, which only machines on sale need; or why there is none."""
        working = _working(self, None)
        return working if isinstance(working, Rejection) else partial(_fit, self, working, is_least=True)


def find_basis(demand: Demand, machine: Machine, accelerator: Accelerator | None) -> FitBasis | Rejection:
    """The basis of the fits of a demand for accelerators on a machine type, or why there are none."""
    if accelerator is None or not machine.accelerators:
        return NO_ACCELERATOR
    refusal = _refusal(demand, machine, accelerator)
    if refusal is not None:
        return refusal
    seats = pack_nodes(demand, machine, accelerator)
    if isinstance(seats, Rejection):
        return seats
    speed = estimate_run_time(demand, machine, accelerator) if seats.spans else None
    if isinstance(speed, Rejection):
        return speed
    limits = (demand.deadline_hours, demand.most_hours_per_run)
    if speed is not None and any(hours is not None and hours <= start_hours(machine) for hours in limits):
        return START_TOO_LONG
    least = _within(demand.deadline_hours, machine, speed, seats.working)
    monthly = _within(demand.most_hours_per_run, machine, speed, least)
    return FitBasis(demand, machine, accelerator, seats, speed, least=least, monthly=monthly)


def _within(hours: Decimal | None, machine: Machine, speed: RunTime | None, least: int) -> int:
    """The least nodes on which a run ends in time, their start included."""
    if speed is None or hours is None:
        return least
    return max(least, speed.count_nodes_within(hours - start_hours(machine)))


def _refusal(demand: Demand, machine: Machine, accelerator: Accelerator) -> Rejection | None:
    """What is wrong with one node, whatever their number."""
    if demand.hardware is not None:
        other = refuse_other_hardware(demand.hardware, machine, accelerator)
        if other is not None:
            return other
    if demand.precision is not None and _lacks(demand.precision, demand, accelerator):
        return LACKS_PRECISION
    cores = demand.vcpus_per_accelerator
    if cores and machine.vcpus is not None and machine.vcpus < cores * machine.accelerators:
        return TOO_FEW_CORES
    if not demand.local_nvme_gb:
        return None
    if machine.local_nvme_gb is None:
        return NVME_UNKNOWN
    return TOO_LITTLE_NVME if machine.local_nvme_gb < demand.local_nvme_gb else None


def _lacks(precision: str, demand: Demand, accelerator: Accelerator) -> bool:
    """Whether an accelerator certainly cannot calculate in a precision."""
    peaks = accelerator.tflops
    # A measured rate proves that the accelerator can; one without any known peak proves nothing.
    return bool(peaks) and not peaks.get(precision) and demand.rate_per_accelerator is None


def _working(basis: FitBasis, nodes: int | None) -> int | Rejection:
    """Working nodes: the least that hold the work, meet its deadline and fit a month's runs, or those asked for."""
    least, monthly = basis.least, basis.monthly
    found = _choose_node_count(basis, nodes=nodes, least=monthly)
    if not isinstance(found, Rejection) or monthly == least:
        return found
    if isinstance(_choose_node_count(basis, nodes=nodes, least=least), Rejection):
        return found
    wanted = count_asked_nodes(basis.demand.hardware, basis.machine)
    return MONTH_TOO_SHORT if wanted is None else reject_too_slow(monthly * basis.machine.accelerators)


def start_hours(machine: Machine) -> Decimal:
    """Hours from the order of a node with accelerators until its work begins: boot, driver and image."""
    return node_start(machine.provider, GPU).again.expected


def _choose_node_count(basis: FitBasis, *, nodes: int | None, least: int) -> int | Rejection:
    per_node, needed = basis.machine.accelerators, basis.seats.needed
    wanted = count_asked_nodes(basis.demand.hardware, basis.machine)
    if wanted is not None and wanted < least:
        return reject_too_small(needed if needed > wanted * per_node else least * per_node)
    if wanted is not None and nodes not in (None, wanted):
        return OTHER_NODES
    working = wanted or nodes or least
    return TOO_FEW_NODES if working < least else _limit(basis, working)


def _limit(basis: FitBasis, working: int) -> int | Rejection:
    """`working` again, unless so many nodes of this machine type make no pool."""
    if working == 1:
        return working
    demand, machine, seats, speed = basis.demand, basis.machine, basis.seats, basis.speed
    per_node = machine.accelerators
    if demand.rdma and not joins_nodes(machine):
        return NO_FABRIC
    if speed is not None and speed.is_starved(working):
        return NETWORK_TOO_SLOW
    if working * per_node > LARGEST_CLUSTER:
        return TOO_MANY
    batch = demand.global_batch
    if seats.spans and batch is not None and (working - 1) * per_node >= batch * seats.needed:
        return BATCH_TOO_SMALL
    return working


def _fit(basis: FitBasis, working: int, *, is_least: bool) -> Fit:
    demand, machine, seats, speed = basis.demand, basis.machine, basis.seats, basis.speed
    if count_asked_nodes(demand.hardware, machine) is not None:
        seats = seats._replace(low=working, expected=Decimal(working))
    hours = None if speed is None else speed.count_hours(working)
    spares = ceil(demand.spare_share * working) if seats.spans and working > 1 else 0
    return Fit(
        working=working,
        spares=spares,
        min_nodes=seats.low + spares if demand.always_on else 0,
        node_hours=node_hours(
            demand,
            working=working,
            low=seats.low,
            expected=Decimal(working) if seats.spans else seats.expected,
            spares=spares,
            hours_per_run=hours,
        ),
        hours_per_run=None if hours is None else hours + start_hours(machine),
        work_hours=hours or assumptions.NOTHING,
        is_least=is_least,
        ms_per_token=seats.ms_per_token,
        mfu=None if speed is None else speed.mfu,
        write_note=partial(_note, demand, machine, basis.accelerator, seats=seats, speed=speed, working=working),
    )


def _note(
    demand: Demand,
    machine: Machine,
    accelerator: Accelerator,
    *,
    seats: NodePacking,
    speed: RunTime | None,
    working: int,
) -> str:
    hours = None if speed is None else speed.count_hours(working)
    holders = working * machine.accelerators if seats.spans else seats.needed
    notes = [
        note
        for applies, note in (
            (demand.memory_gb > TIGHT_SHARE * holders * accelerator.memory_gb, TIGHT_NOTE),
            (hours is not None and (hours + start_hours(machine)) * demand.runs_per_month > HOURS_PER_MONTH, LONG_NOTE),
            (hours is None and demand.busy_hours is None and not demand.always_on, OPEN_NOTE),
            (_is_hungry(demand, machine, seats, working), HUNGRY_NOTE),
            (seats.spans and working > 1 and not demand.rdma and not machine.cluster, FABRIC_NOTE),
            (working * machine.accelerators > ONE_SPINE, SPINES_NOTE),
            (machine.vcpus is None, CORES_NOTE),
            (demand.load is not None and not _is_benchmarked(demand, accelerator), UNBENCHMARKED_NOTE),
            (machine.architecture == "arm64", ARM_NOTE),
        )
        if applies
    ]
    lost = "" if speed is None else _loss_note(machine, speed, working)
    return "; ".join([*notes, lost] if lost else notes)


def _is_benchmarked(demand: Demand, accelerator: Accelerator) -> bool:
    from planning.sizing.serving import is_benchmarked  # noqa: PLC0415 - only where a load is given

    return is_benchmarked(accelerator.family, experts=demand.experts)


def _loss_note(machine: Machine, speed: RunTime, working: int) -> str:
    lost = speed.count_lost_hours(working)
    percent = round(lost * PERCENT / speed.count_hours(working)) if lost else 0
    rate = "network" if machine.network_gbps is None else f"{machine.network_gbps:f} Gbps"
    unknown = ", of which its source does not say the rate" if machine.network_gbps is None else ""
    return f"{percent}% of the time is lost to the {rate} between nodes{unknown}" if percent else ""


def _is_hungry(demand: Demand, machine: Machine, seats: NodePacking, working: int) -> bool:
    batch = demand.global_batch
    return seats.spans and batch is not None and working * machine.accelerators > batch * seats.needed
