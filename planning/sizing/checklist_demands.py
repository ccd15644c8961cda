"""The whole sizing of a checklist: one demand per workload, those that follow from it, and every figure."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING

from planning.checklist.model.workload import Batch, FineTuning, Inference, Notebooks, Training
from planning.platform.component_selection import choose
from planning.sizing import assumptions
from planning.sizing.demand import Demand, Sizing, figure
from planning.sizing.workloads import storage
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist
    from planning.checklist.model.workload import Workload
    from planning.sizing.demand import SizingFigure


def size(checklist: Checklist, *, beside: bool = False) -> Sizing:
    """Demands in the order of the workloads, the system pool last, and the reason for each number.

    `beside`: the checklist is the share of an additional placement.

    Raises:
        InputError: notebooks are asked for and no engineers.
    """
    sized = [_size_workload(workload, checklist) for workload in checklist.workloads]
    return Sizing(
        demands=(*(demand for demands, _ in sized for demand in demands), _system_demand(checklist, beside=beside)),
        figures=(
            *(figure for _, figures in sized for figure in figures),
            *(_beside() if beside else _platform(checklist)),
            *storage.figures(checklist),
            *storage.network_figures(checklist),
            *_failures(checklist),
        ),
    )


def _size_workload(workload: Workload, checklist: Checklist) -> tuple[tuple[Demand, ...], tuple[SizingFigure, ...]]:
    """The demands and the figures of one workload."""
    # Each kind is imported where a checklist has one: what a quote does not need slows down its start.
    match workload:
        case Training() | FineTuning():
            from planning.sizing.workloads import training  # noqa: PLC0415 - as above

            demands = tuple(training.demands(workload, checklist, kind=workload.kind))
            return demands, tuple(training.figures(workload, checklist))
        case Inference():
            from planning.sizing.workloads import inference  # noqa: PLC0415 - as above

            return (inference.demand(workload, checklist),), tuple(inference.figures(workload))
        case Notebooks():
            from planning.sizing.workloads import notebooks  # noqa: PLC0415 - as above

            return (notebooks.demand(workload, checklist),), tuple(notebooks.figures(workload, checklist))
        case Batch():
            from planning.sizing.workloads import batch  # noqa: PLC0415 - as above

            return (batch.demand(workload, checklist),), tuple(batch.figures(workload))


def _failures(checklist: Checklist) -> Iterator[SizingFigure]:
    rows = {"least": assumptions.EARLY_FAILURES_LOW, "most": assumptions.EARLY_FAILURES_HIGH}
    for word, rule in rows.items():
        yield figure(
            subject="burn-in",
            name=f"accelerators that fail early, at {word}",
            value=rule.value,
            unit="of a new batch",
            formula="found by burn-in before work lands on them" if checklist.burn_in else "found by the work itself",
            inputs={"burn_in": "wanted" if checklist.burn_in else "not wanted"},
            source=rule.source,
        )


SYSTEM = "system"
SUMMED = "sum over the {count} components of the {size} platform"
SIZED = "{asked:f} x {peak} / (({nodes} - 1) nodes x {share}), rounded up, x {nodes} nodes: one may be away"


def _system_demand(checklist: Checklist, *, beside: bool = False) -> Demand:
    """Nodes that are always up: three, and two at an additional placement, where no platform service runs."""
    nodes = assumptions.BESIDE_NODES if beside else assumptions.SYSTEM_NODES
    if beside:
        cores, memory = assumptions.BESIDE_VCPUS.value, assumptions.BESIDE_MEMORY.value
    else:
        footprint = choose(checklist).footprint
        cores, memory = _all_nodes(footprint.cores), _all_nodes(footprint.memory_gib)
    return Demand(
        workload=SYSTEM,
        kind=SYSTEM,
        copies=Range.exactly(nodes.value),
        vcpus=int(cores),
        memory_gib=memory,
        always_on=True,
    )


def _all_nodes(asked: Decimal) -> Decimal:
    """What all nodes have when those that are left, one being away, carry what is asked."""
    nodes = assumptions.SYSTEM_NODES.value
    each = asked * assumptions.SYSTEM_PEAK.value / ((nodes - 1) * assumptions.SYSTEM_SHARE.value)
    return each.to_integral_value(ROUND_CEILING) * nodes


def _platform(checklist: Checklist) -> Iterator[SizingFigure]:
    choice = choose(checklist)
    summed = SUMMED.format(count=len(choice.chosen), size=choice.size)
    footprint = choice.footprint
    nodes = assumptions.SYSTEM_NODES
    yield figure(
        subject=SYSTEM,
        name="nodes that are always up",
        value=nodes.value,
        unit=nodes.unit,
        formula="one may be away",
        source=nodes.source,
    )
    asked = {"cores": (footprint.cores, "vCPUs"), "memory": (footprint.memory_gib.quantize(Decimal("0.1")), "GiB")}
    for word, (value, unit) in asked.items():
        yield figure(
            subject=SYSTEM,
            name=f"{word} that the platform asks for",
            value=value,
            unit=unit,
            formula=summed,
            inputs={"size": choice.size},
            source=assumptions.PLATFORM_SOURCE,
        )
        terms = {
            "asked": value,
            "peak": assumptions.SYSTEM_PEAK.value,
            "nodes": nodes.value,
            "share": assumptions.SYSTEM_SHARE.value,
        }
        exact = footprint.cores if word == "cores" else footprint.memory_gib
        yield figure(
            subject=SYSTEM,
            name=f"{word} of the system nodes",
            value=_all_nodes(exact),
            unit=unit,
            formula=SIZED.format(**terms),
            inputs=terms,
            source=assumptions.SYSTEM_PEAK.source,
        )
    yield figure(
        subject=SYSTEM,
        name="volumes of the platform",
        value=footprint.disk_gb,
        unit="GB",
        formula=summed,
        inputs={"size": choice.size},
        source=assumptions.PLATFORM_SOURCE,
    )


def _beside() -> Iterator[SizingFigure]:
    nodes, vcpus, memory = assumptions.BESIDE_NODES, assumptions.BESIDE_VCPUS, assumptions.BESIDE_MEMORY
    rows = {
        "nodes that are always up": nodes,
        "cores of the control software": vcpus,
        "memory of the control software": memory,
    }
    each = f"{vcpus.value / nodes.value:f} vCPUs and {memory.value / nodes.value:f} GiB"
    for name, rule in rows.items():
        yield figure(
            subject=SYSTEM,
            name=name,
            value=rule.value,
            unit=rule.unit,
            formula=f"{nodes.value} nodes of {each}",
            source=rule.source,
        )
