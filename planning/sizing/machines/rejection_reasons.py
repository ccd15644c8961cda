"""Every reason for which a demand does not sit on a machine type, in words that many machines share."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from planning.sizing.demand import Rejection

if TYPE_CHECKING:
    from catalogs.model import Accelerator, Machine
    from planning.checklist.model.workload import HardwareAsk


NO_ACCELERATOR: Final = Rejection("no accelerator")
HAS_ACCELERATOR: Final = Rejection("accelerators that a CPU pool would not use")
SIZE_UNKNOWN: Final = Rejection("vCPU or memory not known")
TINY: Final = Rejection("fewer than 4 vCPUs")

OTHER_ACCELERATOR: Final = Rejection("not the accelerator asked for")
OTHER_FORM: Final = Rejection("not the form asked for")
OTHER_PER_NODE: Final = Rejection("not the number of accelerators per node asked for")
OTHER_NODES: Final = Rejection("not the number of nodes asked for")
NOT_WHOLE_NODES: Final = Rejection("the accelerators asked for are no whole number of nodes")

LACKS_PRECISION: Final = Rejection("no peak in this precision: the accelerator lacks it, or its source does not say")
PEAK_UNKNOWN: Final = Rejection("peak not known")
RATE_UNPLACED: Final = Rejection("nobody said what the rate was measured on")

CARD_TOO_SMALL: Final = Rejection("one accelerator has too little memory")
NODE_TOO_SMALL: Final = Rejection("one node has too few accelerators for one copy")
REPLICA_SPANS: Final = Rejection("a replica spans nodes")
BANDWIDTH_UNKNOWN: Final = Rejection("memory bandwidth not known, and a time per token is asked for")
TOO_SLOW_PER_TOKEN: Final = Rejection("too slow per token, even over a whole node")

TOO_SLOW_PER_ANSWER: Final = Rejection("too slow per answer, even over a whole node")
TOO_FEW_CORES: Final = Rejection("too few vCPUs to feed the accelerators")
NVME_UNKNOWN: Final = Rejection("local NVMe not known")
TOO_LITTLE_NVME: Final = Rejection("too little local NVMe for the hot tier")
MEMORY_UNKNOWN: Final = Rejection("main memory not known")

NO_FABRIC: Final = Rejection("several nodes without a fabric between them")
NETWORK_TOO_SLOW: Final = Rejection("the network between nodes is too slow: more of them would not be quicker")
TOO_MANY: Final = Rejection("more accelerators than any published cluster has")
BATCH_TOO_SMALL: Final = Rejection("the global batch is too small to feed so many nodes")
MONTH_TOO_SHORT: Final = Rejection("the runs of a month do not fit into a month")
START_TOO_LONG: Final = Rejection("a node takes as long to start as a run may take in all")
TOO_FEW_NODES: Final = Rejection("fewer nodes than the work needs")


@cache
def rate_elsewhere(measured_on: str) -> Rejection:
    """The rate says nothing about this accelerator."""
    return Rejection(f"the rate was measured on {measured_on}")


@cache
def reject_too_small(needed: int) -> Rejection:
    """The hardware that was asked for holds less than the work needs."""
    return Rejection(f"asked hardware is too small: needs {needed} accelerators")


@cache
def reject_too_slow(needed: int) -> Rejection:
    """The hardware that was asked for holds the work, but not all of its runs in a month."""
    return Rejection(
        f"the runs of a month do not fit into a month on the asked hardware: they need {needed} accelerators"
    )


def refusal(asked: HardwareAsk, machine: Machine, accelerator: Accelerator) -> Rejection | None:
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
