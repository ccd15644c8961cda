"""Demands: what sizing derives from the checklist, and how one sits on a machine type, or why it does not.

A demand has no provider's words: machines are tried against it later.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from planning.sizing.assumptions import CHECKLIST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from catalogs.model import Accelerator, Machine
    from planning.checklist.model.vocabulary import Precision
    from planning.checklist.model.workload import HardwareAsk
    from planning.values.money import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class SizingFigure:
    """One number of the answer and the reason for it: what `atoll explain` prints.

    Args:
        subject: workload or part of the cluster it belongs to.
        name: what it is, "accelerator memory to train".
        value: None where it cannot be computed; `formula` then says what is missing.
        formula: in words and symbols, "parameters x 18 bytes x 1.25".
        inputs: name and value of each term, in the formula's order.
        source: text, paper or checklist line behind the rule.
    """

    subject: str
    name: str
    value: Decimal | None
    unit: str
    formula: str
    inputs: tuple[tuple[str, str], ...]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingLoad:
    """What a service is asked, from which its replicas follow once the machine is known.

    Args:
        mean_per_s: requests per second on average while it is up.
        peak_per_s: requests per second at the peak.
        latency_s: of a whole answer at the 95th percentile; None for no bound.
        least: replicas that are always up; 0 where the last one goes too.
    """

    mean_per_s: Decimal
    peak_per_s: Decimal
    input_tokens: int
    output_tokens: int
    latency_s: Decimal | None
    least: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What one workload needs of its node pool.

    Args:
        kind: training, fine_tuning, inference, notebooks, batch or system.
        accelerators: least number needed at the same time whatever the memory (0: a CPU pool).
        memory_gb: accelerator memory of one job or replica; spread over as many accelerators as it takes.
        indivisible_gb: memory that must fit one accelerator (notebook user, batch job); 0 for none.
        per_copy: accelerators of one copy that must share a node whatever the memory; 0 for no such need.
        one_node: one job or replica may not span nodes (tensor parallel stays inside a node).
        global_batch: samples per step; more model copies than that find nothing to do.
        exchange_gb: gradients summed over all nodes in one run, at least; 0 where unknown.
        copies: jobs or replicas up at the same time, min / expected / max (0..n for autoscaled).
        flops: of one run; None where time does not follow from FLOPs.
        mfu: share of peak that the customer expects; None: what published runs reach.
        active_parameters: used per token; None where no model is given.
        experts: a mixture of experts.
        micro_batches: of one step, for traffic of weights that no node holds in full; 0 where unknown.
        samples_per_run: with a measured rate instead of FLOPs.
        rate_per_accelerator: samples per second on `measured_on`.
        deadline_hours: of one run, as the customer set it.
        most_hours_per_run: so that the runs of a month fit into a month; None where their number is not given.
        runs_per_month: how often.
        busy_hours: hours a month one copy is up, where time does not follow from work.
        bytes_per_token: read from accelerator memory for each token generated.
        latency_ms_per_token: longest time per generated token that is accepted.
        checkpoint_hours: between two checkpoints; 0 where an interruption loses no work.
        idle_hours: until an unused notebook is stopped; 0 for other kinds.
        load: requests to answer; `copies` then follows from the machine.
        beside: workload whose hours this pool shares (simulators beside a training job).
        vcpus: of a CPU pool, or beside the accelerators, in all.
        vcpus_per_accelerator: loader processes (2-3 per accelerator and 1).
        memory_gib: main memory of a CPU pool, in all.
        local_nvme_gb: hot tier, per node.
        always_on: never scaled to zero; may be reserved for the contract.
        spot: the customer allows spot.
        spare_share: nodes beyond the demand, on the same fabric.
        rdma: more than one node of a job needs a fabric.
        hardware: asked for directly.
    """

    workload: str
    kind: str
    precision: Precision | None = None
    accelerators: int = 0
    memory_gb: Decimal = Decimal(0)
    indivisible_gb: Decimal = Decimal(0)
    per_copy: int = 0
    one_node: bool = False
    global_batch: int | None = None
    exchange_gb: Decimal = Decimal(0)
    copies: Range
    flops: Decimal | None = None
    mfu: Decimal | None = None
    active_parameters: Decimal | None = None
    experts: bool = False
    micro_batches: Decimal = Decimal(0)
    samples_per_run: Decimal | None = None
    rate_per_accelerator: Decimal | None = None
    measured_on: str | None = None
    deadline_hours: Decimal | None = None
    most_hours_per_run: Decimal | None = None
    runs_per_month: Decimal = Decimal(1)
    busy_hours: Decimal | None = None
    bytes_per_token: Decimal | None = None
    latency_ms_per_token: Decimal | None = None
    checkpoint_hours: Decimal = Decimal(0)
    idle_hours: Decimal = Decimal(0)
    load: ServingLoad | None = None
    beside: str | None = None
    vcpus: int = 0
    vcpus_per_accelerator: Decimal = Decimal(0)
    memory_gib: Decimal = Decimal(0)
    local_nvme_gb: Decimal = Decimal(0)
    always_on: bool = False
    spot: bool = False
    spare_share: Decimal = Decimal(0)
    rdma: bool = False
    hardware: HardwareAsk | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How a demand sits on one machine type.

    Args:
        working: nodes at the peak, without spares.
        spares: further nodes on the same fabric.
        min_nodes: nodes that are always up (0: scales to zero).
        node_hours: of all nodes in a month.
        hours_per_run: of one training run, from the start of its nodes to its end; None where it does not apply.
        work_hours: of these, the time that the nodes work, as their hours are billed; 0 where it does not apply.
        is_least: whether it is the least number of nodes, of which multiples are tried.
        ms_per_token: decode time that memory bandwidth allows; None where it does not apply.
        mfu: share of peak that the time rests on, with its range; None where it rests on none.
        write_note: writes `note`, which is asked for where the fit is shown only.
    """

    working: int
    spares: int
    min_nodes: int
    node_hours: Range
    hours_per_run: Decimal | None = None
    work_hours: Decimal = Decimal(0)
    is_least: bool = False
    ms_per_token: Decimal | None = None
    mfu: Range | None = None
    write_note: Callable[[], str] = field(default=str, compare=False, repr=False)

    @property
    def note(self) -> str:
        """What a reader should know ("80% of the memory is used")."""
        return self.write_note()


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a demand does not sit on a machine type, in a few words that many machines share."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizing:
    """Everything sizing derives: demands per pool, storage and network quantities, and the reason for each figure."""

    demands: tuple[Demand, ...]
    figures: tuple[SizingFigure, ...]


LONGEST_WRITTEN_OUT: Final = Decimal(10**15)

Term = Decimal | int | str | None


def figure(
    *,
    subject: str,
    name: str,
    value: Decimal | int,
    unit: str,
    formula: str,
    inputs: Mapping[str, Term] = MappingProxyType({}),
    source: str = CHECKLIST,
) -> SizingFigure:
    """A figure that could be computed. `inputs` in the order of the formula."""
    return SizingFigure(
        subject=subject,
        name=name,
        value=Decimal(value),
        unit=unit,
        formula=formula,
        inputs=tuple((term, as_text(given)) for term, given in inputs.items()),
        source=source,
    )


def unknown(*, subject: str, name: str, unit: str, missing: str, source: str) -> SizingFigure:
    """A figure that cannot be computed. `missing` says what to write into the checklist."""
    return SizingFigure(
        subject=subject,
        name=name,
        value=None,
        unit=unit,
        formula=f"cannot be computed: give {missing}",
        inputs=(),
        source=source,
    )


def as_text(given: Term) -> str:
    """A term of a formula as text."""
    if isinstance(given, Decimal):
        # As a reader writes it: 80000000000, not 8.0E+10; but 8.4e23, not 24 digits.
        return f"{given.normalize():f}" if abs(given) < LONGEST_WRITTEN_OUT else _as_power(given)
    return "not given" if given is None else str(given)


def _as_power(given: Decimal) -> str:
    digits, _, power = f"{given:.3e}".partition("e")
    return f"{digits.rstrip('0').rstrip('.')}e{power.removeprefix('+')}"


# Every reason, made once: a quote refuses thousands of machine types in words that many of them share.
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
RATE_UNPLACED: Final = Rejection("the checklist does not say what the rate was measured on")

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


def refuse_other_hardware(asked: HardwareAsk, machine: Machine, accelerator: Accelerator) -> Rejection | None:
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


def count_asked_nodes(asked: HardwareAsk | None, machine: Machine) -> int | None:
    """The number of nodes that was asked for, as nodes or as accelerators; None where neither was."""
    if asked is None:
        return None
    if asked.count is not None and machine.accelerators:
        return asked.count // machine.accelerators
    return asked.nodes
