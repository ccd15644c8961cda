"""How long a run takes on a number of nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from functools import cache
from math import ceil
from typing import TYPE_CHECKING, Final

from catalogs.nodes import node_fact
from planning.sizing import assumptions
from planning.sizing.assumptions import OWN, SizingAssumption
from planning.sizing.demand import LACKS_PRECISION, PEAK_UNKNOWN, RATE_UNPLACED, rate_elsewhere
from planning.sizing.training_compute import interconnect
from planning.values.money import HOURS_PER_MONTH, ZERO, Range

if TYPE_CHECKING:
    from catalogs.model import Accelerator, Machine
    from planning.sizing.demand import Demand, Fit, Rejection
    from planning.sizing.training_compute import Interconnect


SCALING: Final = assumptions.SCALING.value
FLOPS_PER_TFLOPS_HOUR: Final = assumptions.TERA * assumptions.SECONDS_PER_HOUR
SECONDS_PER_HOUR: Final = assumptions.SECONDS_PER_HOUR
LARGEST_CLUSTER: Final = int(assumptions.LARGEST_CLUSTER.value)


@dataclass(frozen=True, slots=True)
class RunTime:
    """Time of one run on `n` equal nodes: that of one node, / n, / scaling as soon as there are two, and what is lost.

    Args:
        one_node_hours: of one run on one node.
        scaling: 0.9 where the share of peak or the rate is the customer's; 1 where published runs over several nodes
            say it, which have lost it already.
        mfu: share of peak of published runs, with its range; None where the customer says it.
        links: what crosses the network between the nodes; None where unknown.
        free_nodes: a number of nodes up to which nothing is lost, so that most are looked at no closer.
    """

    one_node_hours: Decimal
    scaling: Decimal = SCALING
    mfu: Range | None = None
    links: Interconnect | None = None
    free_nodes: int = 1

    def count_computing_hours(self, nodes: int) -> Decimal:
        """Hours of one run on `nodes` nodes that never wait for each other."""
        return self.one_node_hours if nodes == 1 else self.one_node_hours / (nodes * self.scaling)

    def count_lost_hours(self, nodes: int) -> Decimal:
        """Hours of one run that `nodes` nodes wait for the network."""
        if self.links is None or nodes <= self.free_nodes:
            return assumptions.NOTHING
        return self.links.count_lost_hours(nodes, self.count_computing_hours(nodes))

    def count_hours(self, nodes: int) -> Decimal:
        """Hours of one run on `nodes` nodes."""
        if self.links is None or nodes <= self.free_nodes:
            return self.count_computing_hours(nodes)
        return self.count_computing_hours(nodes) + self.count_lost_hours(nodes)

    def is_starved(self, nodes: int) -> bool:
        """Whether `nodes` nodes wait longer than they compute, or one fewer would be as quick."""
        if self.links is None or nodes <= self.free_nodes:
            return False
        lost = self.count_lost_hours(nodes)
        return bool(lost) and (
            lost > self.count_computing_hours(nodes) or self.count_hours(nodes - 1) <= self.count_hours(nodes)
        )

    def count_nodes_within(self, hours: Decimal) -> int:
        """The least number of nodes on which one run takes at most `hours`; where none do, one that is starved."""
        if self.one_node_hours <= hours:
            return 1
        least = max(2, ceil(self.one_node_hours / (hours * self.scaling)))
        # Nodes x hours never falls as nodes are added, so that what one step says is a lower bound for the next.
        while self.links is not None and self.free_nodes < least <= LARGEST_CLUSTER:
            computing, lost = self.count_computing_hours(least), self.count_lost_hours(least)
            needed = computing + lost
            if needed <= hours or lost > computing:
                return least
            least = max(least + 1, ceil(least * needed / hours))
        return least


def estimate_run_time(demand: Demand, machine: Machine, accelerator: Accelerator) -> RunTime | Rejection | None:
    """The speed of a job on nodes of this machine type; None where time does not follow from its work.

    A measured rate goes before FLOPs, and holds for the accelerator family it was measured on only.
    """
    rate = demand.rate_per_accelerator
    if rate is not None and demand.samples_per_run is not None:
        # What was measured goes before what is calculated, on the family that it was measured on.
        placed = _reject_foreign_rate(demand.measured_on, accelerator)
        hours = demand.samples_per_run / (rate * machine.accelerators * SECONDS_PER_HOUR)
        return placed or _build_with_network(hours, demand, machine, accelerator)
    if demand.flops is None or demand.precision is None:
        return None
    peak = accelerator.tflops.get(demand.precision)
    if not peak:
        return LACKS_PRECISION if accelerator.tflops else PEAK_UNKNOWN
    at_peak = demand.flops / (peak * machine.accelerators * FLOPS_PER_TFLOPS_HOUR)
    if demand.mfu is not None:
        return _build_with_network(at_peak / demand.mfu, demand, machine, accelerator)
    # A customer who says the share never pays for reading the table of published runs.
    from planning.sizing.utilization import predict_share  # noqa: PLC0415 - see above

    share = predict_share(peak, demand.precision, demand.active_parameters, experts=demand.experts)
    return _build_with_network(at_peak / share.expected, demand, machine, accelerator, share=share)


def _build_with_network(
    hours: Decimal, demand: Demand, machine: Machine, accelerator: Accelerator, *, share: Range | None = None
) -> RunTime:
    """The speed of nodes that are joined by this machine type's network."""
    scaling = SCALING if share is None else assumptions.ONE
    links = interconnect(demand, machine, accelerator)
    free = 1 if links is None else max(1, links.count_nodes_without_loss(hours / scaling))
    return RunTime(hours, scaling=scaling, mfu=share, links=links, free_nodes=free)


def _reject_foreign_rate(measured_on: str | None, accelerator: Accelerator) -> Rejection | None:
    """Why a measured rate says nothing about this accelerator; None where it holds."""
    if measured_on is None:
        return RATE_UNPLACED
    # A rate is measured on a family, or on an accelerator by its name.
    family = accelerator.family
    holds = measured_on in (family, accelerator.name) or measured_on.startswith(f"{family}-")
    return None if holds else rate_elsewhere(measured_on)


NEVER: Final = Decimal(0)
ATTEMPTS: Final = SizingAssumption(
    Decimal(2), "times", f"{OWN}: in the busiest month each run fails once at its end and is repeated in full"
)
REPEATED: Final = frozenset(
    {"training", "fine_tuning", "batch"}
)  # kinds of work that has an end, and may fail before it
SHARED_BY: Final = "notebooks"


def node_hours(
    demand: Demand, *, working: int, low: int, expected: Decimal, spares: int, hours_per_run: Decimal | None
) -> Range:
    """Hours of all nodes, spares included.

    Always on: from the least to the largest number of copies, around the clock. Else from none at all, over the
    hours the work takes (the whole month where they are unknown), to the most that it can take: whole runs with their
    repetitions, each engineer's hours on a node of their own, all replicas at every busy hour.
    """
    nodes = working + spares
    peak = HOURS_PER_MONTH * nodes
    if demand.always_on:
        return Range(HOURS_PER_MONTH * (low + spares), HOURS_PER_MONTH * (expected + spares), peak)
    runs = demand.runs_per_month
    if hours_per_run is None and demand.busy_hours is not None:
        hours_per_run = demand.busy_hours / runs
    if hours_per_run is None:
        return Range(NEVER, HOURS_PER_MONTH * (expected + spares), peak)
    usual = min(hours_per_run * runs, HOURS_PER_MONTH) * (expected + spares)
    return Range(NEVER, usual, min(peak, max(usual, _most(demand, hours_per_run, nodes=nodes))))


def _most(demand: Demand, hours_per_run: Decimal, *, nodes: int) -> Decimal:
    """Node hours of the busiest month, before the month ends."""
    if demand.kind == SHARED_BY:
        return hours_per_run * max(demand.copies.max, nodes)
    if demand.kind not in REPEATED:
        return hours_per_run * nodes
    return hours_per_run * demand.runs_per_month.to_integral_value(ROUND_CEILING) * ATTEMPTS.value * nodes


def hours_beside(leader: Fit) -> Decimal:
    """Hours a month that a pool `beside` another is up: as long as the leader's nodes are."""
    return leader.node_hours.expected / (leader.working + leader.spares)


def all_month(demand: Demand) -> Demand:
    """The demand as if it were up all month: what an hour of it costs shows in its month."""
    return replace(demand, busy_hours=HOURS_PER_MONTH)


MINUTES: Final = Decimal(60)
SECONDS: Final = Decimal(3600)
HALF: Final = Decimal("0.5")
GPU: Final = "gpu"
CPU: Final = "cpu"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStart:
    """Hours that one start of one node adds to its work.

    Args:
        boot: until it has joined, with its driver.
        image: until the first container runs.
        idle: from its last pod until the autoscaler removes it.
        rounding: up to the unit of billing, half of one on average.
        total: all of these.
        again: boot and image, which a node that replaces another takes.
    """

    boot: Range
    image: Range
    idle: Range
    rounding: Range
    total: Range
    again: Range


@cache
def node_start(provider: str, about: str) -> NodeStart:
    """The start of a node with accelerators ("gpu") or without ("cpu")."""
    boot = _hours("boot_minutes", provider, about, MINUTES)
    pull, size = read_fact("pull_minutes_per_gb", provider, about), read_fact("image_gb", provider, about)
    image = _divide_range(Range(pull.min * size.min, pull.expected * size.expected, pull.max * size.max), MINUTES)
    idle = _hours("idle_minutes", provider, about, MINUTES)
    unit = _hours("billing_seconds", provider, about, SECONDS)
    rounding = Range(ZERO, unit.expected * HALF, unit.max)
    again = boot + image
    total = again + idle + rounding
    return NodeStart(boot=boot, image=image, idle=idle, rounding=rounding, total=total, again=again)


@cache
def interruptions(provider: str, family: str) -> Range:
    """How often an hour a spot node is taken away."""
    return _divide_range(read_fact("spot_per_month", provider, family), HOURS_PER_MONTH)


def read_fact(name: str, provider: str, about: str) -> Range:
    """A row of catalogs/node_billing.csv as a range."""
    found = node_fact(name, provider=provider, about=about)
    return Range(found.low, found.expected, found.high)


def _hours(name: str, provider: str, about: str, per_hour: Decimal) -> Range:
    return _divide_range(read_fact(name, provider, about), per_hour)


def _divide_range(found: Range, by: Decimal) -> Range:
    return Range(found.min / by, found.expected / by, found.max / by)
