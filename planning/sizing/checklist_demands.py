"""The whole sizing of a checklist: one demand per workload, those that follow from it, and every figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.checklist.model.workload import Batch, FineTuning, Inference, Notebooks, Training
from planning.sizing import assumptions
from planning.sizing.demand import Sizing, figure
from planning.sizing.workloads import batch, inference, network, notebooks, storage, system, training

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist
    from planning.checklist.model.workload import Workload
    from planning.sizing.demand import Demand, SizingFigure


def size(checklist: Checklist, *, beside: bool = False) -> Sizing:
    """Demands in the order of the workloads, the system pool last, and the reason for each number.

    `beside`: the checklist is the share of a cluster other than home.

    Raises:
        InputError: notebooks are asked for and no engineers.
    """
    demands = [demand for workload in checklist.workloads for demand in _demands(workload, checklist)]
    figures = [figure for workload in checklist.workloads for figure in _figures(workload, checklist)]
    return Sizing(
        demands=(*demands, system.demand(checklist, beside=beside)),
        figures=(
            *figures,
            *system.figures(checklist, beside=beside),
            *storage.figures(checklist),
            *network.figures(checklist),
            *_failures(checklist),
        ),
    )


def _demands(workload: Workload, checklist: Checklist) -> Iterator[Demand]:
    match workload:
        case Training() | FineTuning():
            yield from training.demands(workload, checklist, kind=workload.kind)
        case Inference():
            yield inference.demand(workload, checklist)
        case Notebooks():
            yield notebooks.demand(workload, checklist)
        case Batch():
            yield batch.demand(workload, checklist)


def _figures(workload: Workload, checklist: Checklist) -> Iterator[SizingFigure]:
    match workload:
        case Training() | FineTuning():
            yield from training.figures(workload, checklist)
        case Inference():
            yield from inference.figures(workload)
        case Notebooks():
            yield from notebooks.figures(workload, checklist)
        case Batch():
            yield from batch.figures(workload)


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
