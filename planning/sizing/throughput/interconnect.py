"""Time that a job loses because its nodes wait for each other: gradients, and weights that no node holds in full.

What published runs lose over a fabric is in the share of peak that they reached. Here is what a slower network adds:
only what cannot hide behind the computing. Where one copy of the weights takes several nodes, the job gathers the
weights layer by layer, or becomes a pipeline of these nodes: whichever loses less.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final

from catalogs.model import Fabric
from planning.sizing import assumptions
from planning.sizing.demand import figure
from planning.sizing.throughput import training_compute

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from catalogs.model import Accelerator, Machine
    from planning.checklist.model.workload import Compute
    from planning.sizing.demand import Demand, SizingFigure


GBIT_PER_GB: Final = assumptions.BITS_PER_BYTE * assumptions.ALL_REDUCE.value
GBIT_PER_GBPS_HOUR: Final = assumptions.NETWORK_SHARE.value * assumptions.SECONDS_PER_HOUR


def exchange_hours(exchange_gb: Decimal, *, nodes: int, network_gbps: Decimal) -> Decimal:
    """Hours for which summing `exchange_gb` over `nodes` fills the network of each, at 80% of what is advertised."""
    return exchange_gb * GBIT_PER_GB * (nodes - 1) / (nodes * network_gbps * GBIT_PER_GBPS_HOUR)


def exchange_figures(workload: Compute) -> Iterator[SizingFigure]:
    """The volume of a run; nothing where nobody can tell."""
    volume, trained = training_compute.exchange_gb(workload), training_compute.count_trained_parameters(workload)
    if volume is None or trained is None:
        return
    yield figure(
        subject=workload.name,
        name="gradients exchanged between nodes",
        value=volume,
        unit="GB in one run, at least",
        formula="trained parameters x 2 bytes x steps; each node sends it 2 x (n - 1) / n times",
        inputs={"trained parameters": trained, "steps": training_compute.steps_per_run(workload)},
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
        micro_batches: of one step, all accelerators together; 0 where nobody can tell.
        per_node: accelerators.
        copy_nodes: nodes over which one copy of the weights lies.
    """

    ring_hours: Decimal
    gather_hours: Decimal
    micro_batches: Decimal
    per_node: int
    copy_nodes: int

    def nodes_without_loss(self, one_node_hours: Decimal) -> int:
        """A number of nodes up to which nothing is lost, at least; `one_node_hours` of computing in all."""
        hidden = OVERLAP * one_node_hours
        if self.copy_nodes > 1:
            hidden -= self.gather_hours
        spines = 1 + OVERSUBSCRIPTION / max(1, ONE_SPINE // self.per_node // self.copy_nodes)
        return int(hidden / (self.ring_hours * spines)) if hidden > 0 else 1

    def lost_hours(self, nodes: int, computing: Decimal) -> Decimal:
        """Hours that one run waits for the network on `nodes` nodes that compute for `computing` hours."""
        hidden = OVERLAP * computing
        ring = self._exchange_hours(nodes)
        if self.copy_nodes == 1 or not self.micro_batches:
            return max(ring - hidden, assumptions.NOTHING)
        sharded = max(ring + self.gather_hours / nodes - hidden, assumptions.NOTHING)
        if not sharded:
            return sharded
        per_copy = max(assumptions.ONE, self.micro_batches * self.copy_nodes / nodes)
        pipeline = max(ring - hidden, assumptions.NOTHING) + computing * (self.copy_nodes - 1) / per_copy
        return min(sharded, pipeline)

    def _exchange_hours(self, nodes: int) -> Decimal:
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
    """The interconnect of a job on this machine type; None where it cannot be known, or only one node will do.

    Where no fabric joins the nodes and their rate is not known, they are held to the least that any machine has: what
    is not known must not make them quicker.
    """
    if not demand.exchange_gb:
        return None
    joined = joins_nodes(machine)
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
