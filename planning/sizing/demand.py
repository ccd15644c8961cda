"""Demands: what sizing derives from the checklist. No provider words: machines are tried against a demand later."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
        exchange_gb: gradients summed over all nodes in one run, at least; 0 where nobody can tell.
        copies: jobs or replicas up at the same time, min / expected / max (0..n for autoscaled).
        flops: of one run; None where time does not follow from FLOPs.
        mfu: share of peak that the customer expects; None: what published runs reach.
        active_parameters: used per token; None where no model is given.
        experts: a mixture of experts.
        micro_batches: of one step, for traffic of weights that no node holds in full; 0 where nobody can tell.
        samples_per_run: with a measured rate instead of FLOPs.
        rate_per_accelerator: samples per second on `measured_on`.
        deadline_hours: of one run, as the customer set it.
        most_hours_per_run: so that the runs of a month fit into a month; None where nobody said how often.
        runs_per_month: how often.
        busy_hours: hours a month one copy is up, where time does not follow from work.
        bytes_per_token: read from accelerator memory for each token generated.
        latency_ms_per_token: longest time per generated token that is accepted.
        checkpoint_hours: between two checkpoints; 0 where an interruption loses no work.
        idle_hours: that a notebook nobody uses goes on until it is stopped; 0 for everything else.
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
    inputs: Mapping[str, Term],
    source: str,
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
    """A term as a reader writes it: 80000000000, not 8.0E+10; but 8.4e23, not 24 digits."""
    if isinstance(given, Decimal):
        return f"{given.normalize():f}" if abs(given) < LONGEST_WRITTEN_OUT else _as_power(given)
    return "not given" if given is None else str(given)


def _as_power(given: Decimal) -> str:
    digits, _, power = f"{given:.3e}".partition("e")
    return f"{digits.rstrip('0').rstrip('.')}e{power.removeprefix('+')}"
