"""Training: the FLOPs of a run, and the time that it loses because its nodes wait for each other.

What published runs lose over a fabric is in the share of peak that they reached. `Interconnect` is what a slower
network adds: only what cannot hide behind the computing. Where one copy of the weights takes several nodes, the job
gathers the weights layer by layer, or becomes a pipeline of these nodes: whichever loses less.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING, Final

from catalogs.model import Fabric
from planning.checklist.model.workload import FineTuning
from planning.sizing import assumptions
from planning.sizing.demand import figure, unknown
from planning.values.money import HOURS_PER_MONTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalogs.model import Accelerator, Machine
    from planning.checklist.model.workload import Compute
    from planning.sizing.demand import Demand, SizingFigure


WORK = "work of one run"


def adapter_share(workload: Compute) -> Decimal | None:
    """Trained share of the parameters under LoRA; None where all weights are trained."""
    return workload.adapter_share if isinstance(workload, FineTuning) and workload.method == "lora" else None


def deadline_hours(workload: Compute) -> Decimal | None:
    """Hours within which one run is to end; None without a deadline."""
    return None if workload.deadline is None else workload.deadline * assumptions.HOURS_PER_DAY


def runs_per_month(workload: Compute) -> Decimal:
    """Runs started in a month: as stated, else one."""
    return Decimal(1) if workload.runs_per_month is None else workload.runs_per_month


def most_hours_per_run(workload: Compute) -> Decimal | None:
    """Hours that one run may take so that the runs of a month fit into a month.

    None where the customer allows a longer run and states no frequency: by a deadline beyond a month, or by a number
    of accelerators, from which the time follows.
    """
    if workload.runs_per_month is None:
        deadline, asked = deadline_hours(workload), workload.hardware
        sized = asked is not None and (asked.count is not None or asked.nodes is not None)
        if sized or (deadline is not None and deadline > HOURS_PER_MONTH):
            return None
    return HOURS_PER_MONTH / runs_per_month(workload)


def active_parameters(workload: Compute) -> Decimal | None:
    """Parameters used per token; None without a model."""
    model = workload.model
    return None if model is None else model.active_parameters or model.parameters


def has_experts(workload: Compute) -> bool:
    """Whether only part of the parameters is used per token."""
    model, active = workload.model, active_parameters(workload)
    return model is not None and active is not None and active < model.parameters


def flops_per_token(workload: Compute) -> Decimal | None:
    """FLOPs per token: the parameters used per token, forward and backward; None without a model."""
    model = workload.model
    if model is None:
        return None
    used = model.active_parameters or model.parameters
    share = adapter_share(workload)
    if share is None:
        return used * assumptions.TRAINING_FLOPS.value
    return used * (assumptions.LORA_FROZEN_FLOPS.value + assumptions.TRAINING_FLOPS.value * share)


def samples_per_run(workload: Compute) -> Decimal | None:
    """Samples of all epochs; None where samples are not given."""
    return None if workload.samples is None else workload.samples * workload.epochs


def flops_per_run(workload: Compute) -> Decimal | None:
    """FLOPs of one run; None where neither tokens nor FLOPs per sample say."""
    per_token = flops_per_token(workload)
    if workload.tokens is not None and per_token is not None:
        return workload.tokens * per_token
    samples = samples_per_run(workload)
    if samples is None or workload.flops_per_sample is None:
        return None
    return samples * workload.flops_per_sample


def count_trained_parameters(workload: Compute) -> Decimal | None:
    """Parameters that change: all, or the adapters; None without a model."""
    if workload.model is None:
        return None
    share = adapter_share(workload)
    return workload.model.parameters if share is None else workload.model.parameters * share


def step_tokens(workload: Compute) -> assumptions.SizingAssumption:
    """Tokens of one step, at most."""
    model = workload.model
    large = model is not None and model.parameters >= assumptions.LARGE_MODEL
    return assumptions.STEP_TOKENS_LARGE if large else assumptions.STEP_TOKENS


def micro_batches(workload: Compute) -> Decimal:
    """Micro-batches of one step, all accelerators together; 0 where no tokens say."""
    if workload.tokens is None:
        return Decimal(0)
    return step_tokens(workload).value / assumptions.MICRO_BATCH_TOKENS.value


def steps_per_run(workload: Compute) -> Decimal | None:
    """The least number of steps of one run; None where neither tokens nor samples with a batch say."""
    if workload.tokens is not None:
        return workload.tokens / step_tokens(workload).value
    samples = samples_per_run(workload)
    if samples is None or workload.global_batch is None:
        return None
    return samples / workload.global_batch


def exchange_gb(workload: Compute) -> Decimal | None:
    """GB of gradients that all nodes of a job sum up in one run, at least; None where unknown."""
    trained, steps = count_trained_parameters(workload), steps_per_run(workload)
    if trained is None or steps is None:
        return None
    return trained * assumptions.GRADIENT_BYTES.value * steps / assumptions.GIGA


def work_figure(workload: Compute) -> SizingFigure:
    """The work of one run: measured, from tokens, from samples, or unknown."""
    samples = samples_per_run(workload)
    if samples is not None and workload.samples_per_second is not None:
        return figure(
            subject=workload.name,
            name=WORK,
            value=samples,
            unit="samples",
            formula="samples x epochs",
            inputs={"samples": workload.samples, "epochs": workload.epochs},
        )
    flops = flops_per_run(workload)
    if flops is None:
        return unknown(
            subject=workload.name,
            name=WORK,
            unit="FLOPs",
            missing="tokens with a model, or samples with flops_per_sample or samples_per_second",
            source=assumptions.TRAINING_FLOPS.source,
        )
    return _from_tokens(workload, flops) if workload.tokens is not None else _from_samples(workload, flops)


def _from_tokens(workload: Compute, flops: Decimal) -> SizingFigure:
    share, model = adapter_share(workload), workload.model
    lora = share is not None
    used = None if model is None else model.active_parameters or model.parameters
    return figure(
        subject=workload.name,
        name=WORK,
        value=flops,
        unit="FLOPs",
        formula="(4 + 6 x adapter share) x parameters x tokens" if lora else "6 x parameters x tokens",
        inputs={
            **({"adapter share": share} if lora else {}),
            "parameters used per token": used,
            "tokens": workload.tokens,
        },
        source=assumptions.LORA_FROZEN_FLOPS.source if lora else assumptions.TRAINING_FLOPS.source,
    )


def _from_samples(workload: Compute, flops: Decimal) -> SizingFigure:
    return figure(
        subject=workload.name,
        name=WORK,
        value=flops,
        unit="FLOPs",
        formula="FLOPs per sample x samples x epochs",
        inputs={
            "FLOPs per sample": workload.flops_per_sample,
            "samples": workload.samples,
            "epochs": workload.epochs,
        },
    )


GBIT_PER_GB: Final = assumptions.BITS_PER_BYTE * assumptions.ALL_REDUCE.value
GBIT_PER_GBPS_HOUR: Final = assumptions.NETWORK_SHARE.value * assumptions.SECONDS_PER_HOUR


def exchange_figures(workload: Compute) -> Iterator[SizingFigure]:
    """The volume of a run; nothing where it is unknown."""
    volume, trained = exchange_gb(workload), count_trained_parameters(workload)
    if volume is None or trained is None:
        return
    yield figure(
        subject=workload.name,
        name="gradients exchanged between nodes",
        value=volume,
        unit="GB in one run, at least",
        formula="trained parameters x 2 bytes x steps; each node sends it 2 x (n - 1) / n times",
        inputs={"trained parameters": trained, "steps": steps_per_run(workload)},
        source=f"{assumptions.TEXT_NETWORK}; {assumptions.STEP_TOKENS.source}; {assumptions.ALL_REDUCE.source}",
    )


OVERLAP: Final = assumptions.OVERLAP.value
GBIT_GATHERED_PER_GB: Final = assumptions.BITS_PER_BYTE * assumptions.GATHERS.value
ONE_SPINE: Final = int(assumptions.ONE_SPINE.value)
LEAST_NETWORK_GBPS: Final = assumptions.LEAST_NETWORK.value
OVERSUBSCRIPTION: Final = assumptions.OVERSUBSCRIPTION.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Interconnect:
    """What crosses the network between the nodes of one job.

    Args:
        ring_hours: that the gradients of one run fill the network of each of very many nodes.
        gather_hours: that the weights of one run fill the network of a lone node, gathered for both passes of each
            micro-batch.
        micro_batches: of one step, all accelerators together; 0 where unknown.
        per_node: accelerators.
        copy_nodes: nodes over which one copy of the weights lies.
    """

    ring_hours: Decimal
    gather_hours: Decimal
    micro_batches: Decimal
    per_node: int
    copy_nodes: int

    def count_nodes_without_loss(self, one_node_hours: Decimal) -> int:
        """A number of nodes up to which nothing is lost, at least; `one_node_hours` of computing in all."""
        hidden = OVERLAP * one_node_hours
        if self.copy_nodes > 1:
            hidden -= self.gather_hours
        spines = 1 + OVERSUBSCRIPTION / max(1, ONE_SPINE // self.per_node // self.copy_nodes)
        return int(hidden / (self.ring_hours * spines)) if hidden > 0 else 1

    def count_lost_hours(self, nodes: int, computing: Decimal) -> Decimal:
        """Hours that one run waits for the network on `nodes` nodes that compute for `computing` hours."""
        hidden = OVERLAP * computing
        ring = self._count_exchange_hours(nodes)
        if self.copy_nodes == 1 or not self.micro_batches:
            return max(ring - hidden, assumptions.NOTHING)
        sharded = max(ring + self.gather_hours / nodes - hidden, assumptions.NOTHING)
        if not sharded:
            return sharded
        per_copy = max(assumptions.ONE, self.micro_batches * self.copy_nodes / nodes)
        pipeline = max(ring - hidden, assumptions.NOTHING) + computing * (self.copy_nodes - 1) / per_copy
        return min(sharded, pipeline)

    def _count_exchange_hours(self, nodes: int) -> Decimal:
        """Hours for which the gradients fill the network, more across spines that are oversubscribed."""
        copies = max(1, nodes // self.copy_nodes)
        if copies == 1:
            return assumptions.NOTHING
        hours = self.ring_hours * (copies - 1) / copies
        spine = ONE_SPINE // self.per_node
        if nodes <= spine:
            return hours
        return hours * (1 + OVERSUBSCRIPTION / max(1, spine // self.copy_nodes))


def joins_nodes(machine: Machine) -> bool:
    return machine.cluster and machine.fabric not in (Fabric.ETHERNET, Fabric.UNKNOWN)


def interconnect(demand: Demand, machine: Machine, accelerator: Accelerator) -> Interconnect | None:
    """The interconnect of a job on this machine type; None where it cannot be known, or only one node will do."""
    if not demand.exchange_gb:
        return None
    joined = joins_nodes(machine)
    # Held to the least that any machine has: what is not known must not make nodes quicker.
    network = machine.network_gbps or (None if joined else LEAST_NETWORK_GBPS)
    if not network or (demand.rdma and not joined):
        return None
    resident = demand.memory_gb * assumptions.RESIDENT_SHARE.value
    copy_nodes = max(1, ceil(resident / (machine.accelerators * accelerator.memory_gb)))
    hours_per_gbit = 1 / (network * GBIT_PER_GBPS_HOUR)
    gathered = demand.micro_batches * GBIT_GATHERED_PER_GB / machine.accelerators
    return Interconnect(
        ring_hours=demand.exchange_gb * GBIT_PER_GB * hours_per_gbit / copy_nodes,
        gather_hours=demand.exchange_gb * gathered * hours_per_gbit,
        micro_batches=demand.micro_batches,
        per_node=machine.accelerators,
        copy_nodes=copy_nodes,
    )
