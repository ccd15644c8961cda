"""Every reason for which a demand does not sit on a machine type, in words that many machines share."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from planning.sizing.demand import Misfit

if TYPE_CHECKING:
    from catalogs.model import Accelerator, Machine
    from planning.checklist.model.workload import HardwareAsk


NO_ACCELERATOR: Final = Misfit("no accelerator")
HAS_ACCELERATOR: Final = Misfit("accelerators that a CPU pool would not use")
SIZE_UNKNOWN: Final = Misfit("vCPU or memory not known")
TINY: Final = Misfit("fewer than 4 vCPUs")

OTHER_ACCELERATOR: Final = Misfit("not the accelerator asked for")
OTHER_FORM: Final = Misfit("not the form asked for")
OTHER_PER_NODE: Final = Misfit("not the number of accelerators per node asked for")
OTHER_NODES: Final = Misfit("not the number of nodes asked for")
NOT_WHOLE_NODES: Final = Misfit("the accelerators asked for are no whole number of nodes")

LACKS_PRECISION: Final = Misfit("no peak in this precision: the accelerator lacks it, or its source does not say")
PEAK_UNKNOWN: Final = Misfit("peak not known")
RATE_UNPLACED: Final = Misfit("nobody said what the rate was measured on")

CARD_TOO_SMALL: Final = Misfit("one accelerator has too little memory")
NODE_TOO_SMALL: Final = Misfit("one node has too few accelerators for one copy")
REPLICA_SPANS: Final = Misfit("a replica spans nodes")
BANDWIDTH_UNKNOWN: Final = Misfit("memory bandwidth not known, and a time per token is asked for")
TOO_SLOW_PER_TOKEN: Final = Misfit("too slow per token, even over a whole node")

TOO_SLOW_PER_ANSWER: Final = Misfit("too slow per answer, even over a whole node")
TOO_FEW_CORES: Final = Misfit("too few vCPUs to feed the accelerators")
NVME_UNKNOWN: Final = Misfit("local NVMe not known")
TOO_LITTLE_NVME: Final = Misfit("too little local NVMe for the hot tier")
MEMORY_UNKNOWN: Final = Misfit("main memory not known")

NO_FABRIC: Final = Misfit("several nodes without a fabric between them")
NETWORK_TOO_SLOW: Final = Misfit("the network between nodes is too slow: more of them would not be quicker")
TOO_MANY: Final = Misfit("more accelerators than any published cluster has")
BATCH_TOO_SMALL: Final = Misfit("the global batch is too small to feed so many nodes")
MONTH_TOO_SHORT: Final = Misfit("the runs of a month do not fit into a month")
START_TOO_LONG: Final = Misfit("a node takes as long to start as a run may take in all")
TOO_FEW_NODES: Final = Misfit("fewer nodes than the work needs")


@cache
def rate_elsewhere(measured_on: str) -> Misfit:
    """The rate says nothing about this accelerator."""
    return Misfit(f"the rate was measured on {measured_on}")


@cache
def asked_too_small(needed: int) -> Misfit:
    """The hardware that was asked for holds less than the work needs."""
    return Misfit(f"asked hardware is too small: needs {needed} accelerators")


@cache
def asked_too_slow(needed: int) -> Misfit:
    """The hardware that was asked for holds the work, but not all of its runs in a month."""
    return Misfit(f"the runs of a month do not fit into a month on the asked hardware: they need {needed} accelerators")


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
