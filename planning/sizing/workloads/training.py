"""Training and fine-tuning: one job over as many accelerators as it takes, and simulators beside it."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.checklist.model.vocabulary import FabricAsk
from planning.checklist.model.workload import Compute
from planning.sizing import assumptions, training_compute
from planning.sizing.demand import Demand, figure, unknown
from planning.sizing.training_compute import exchange_figures
from planning.sizing.workloads import memory
from planning.sizing.workloads.memory import checkpoint_figures, checkpoint_hours
from planning.sizing.workloads.storage import hot_gb
from planning.values.money import HOURS_PER_MONTH, Range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist
    from planning.checklist.model.workload import ModelFacts, Workload
    from planning.sizing.demand import SizingFigure


SHARE: Final = "share of peak reached"
REFERENCE: Final = "H100-SXM-80GB"
SOURCE: Final = "catalogs/training_runs.csv; docs/reference/training-runs.md shows each run beside our estimate"
PLACES: Final = Decimal("0.01")


def utilization_figures(workload: Compute) -> Iterator[SizingFigure]:
    """The share on a reference accelerator, and the error of the estimate."""
    from catalogs.measurements import training_runs  # noqa: PLC0415 - only where the customer gives no mfu
    from planning.sizing import utilization  # noqa: PLC0415

    runs = training_runs()
    peaks = {run.precision: run.peak_tflops for run in runs if run.accelerator == REFERENCE}
    precision = str(workload.precision) if str(workload.precision) in peaks else "bf16"
    share = utilization.predict_share(
        peaks[precision],
        precision,
        training_compute.active_parameters(workload),
        experts=training_compute.has_experts(workload),
    )
    left_out, fresh = utilization.model().errors, utilization.fresh_errors()
    yield figure(
        subject=workload.name,
        name=SHARE,
        value=share.expected,
        unit=f"of the dense peak of an {REFERENCE}; each accelerator has its own",
        formula="what whole published runs reach, by peak, precision, active parameters and mixture of experts; "
        "80% of runs that the estimate had not seen, each organization alike, lie between low and high",
        inputs={
            "precision": precision,
            "low": share.min,
            "high": share.max,
            "published measurements": sum(run.use == "fit" for run in runs),
        },
        source=SOURCE,
    )
    yield figure(
        subject=workload.name,
        name="error of that share",
        value=Decimal(utilization.median_doublings(fresh)).quantize(PLACES),
        unit="powers of two, median of whole runs that took no part in the estimate (0.26 is a fifth)",
        formula="median of |log2(published / estimated)|",
        inputs={
            "median, older runs each without its organization": Decimal(
                utilization.median_doublings(left_out)
            ).quantize(PLACES),
            "within 25%, older runs": f"{utilization.count_close(left_out)} of {len(left_out)}",
            "within 25%, fresh runs": f"{utilization.count_close(fresh)} of {len(fresh)}",
            "in the range, older runs": f"{utilization.count_covered(left_out)} of {len(left_out)}",
            "in the range, fresh runs": f"{utilization.count_covered(fresh)} of {len(fresh)}",
        },
        source=SOURCE,
    )


ONE_JOB = Range(Decimal(0), Decimal(1), Decimal(1))
REFERENCE_GB = 80  # the accelerator of the example of Bekman's ML Engineering Open Book


def demands(workload: Compute, checklist: Checklist, *, kind: str) -> Iterator[Demand]:
    """The accelerator pool, and a CPU pool for simulators where they are asked for."""
    yield _job(workload, checklist, kind=kind)
    if has_rollouts(workload):
        yield _rollouts(workload)


def has_rollouts(workload: Compute | Workload) -> bool:
    return isinstance(workload, Compute) and workload.rollout_vcpus > 0


def rollouts_of(workload: str) -> str:
    return f"{workload}-rollouts"


def _job(workload: Compute, checklist: Checklist, *, kind: str) -> Demand:
    asked = workload.hardware
    rate = workload.samples_per_second
    samples = training_compute.samples_per_run(workload)
    return Demand(
        workload=workload.name,
        kind=kind,
        precision=workload.precision,
        accelerators=1,
        memory_gb=memory_gb(workload) or Decimal(0),
        copies=ONE_JOB,
        global_batch=workload.global_batch,
        exchange_gb=training_compute.exchange_gb(workload) or Decimal(0),
        flops=None if rate is not None and samples is not None else training_compute.flops_per_run(workload),
        mfu=workload.mfu,
        active_parameters=training_compute.active_parameters(workload),
        experts=training_compute.has_experts(workload),
        micro_batches=training_compute.micro_batches(workload),
        samples_per_run=samples if rate is not None else None,
        rate_per_accelerator=rate,
        measured_on=workload.measured_on,
        deadline_hours=training_compute.deadline_hours(workload),
        checkpoint_hours=checkpoint_hours(workload.checkpointing),
        most_hours_per_run=training_compute.most_hours_per_run(workload),
        runs_per_month=training_compute.runs_per_month(workload),
        vcpus_per_accelerator=assumptions.TRAINING_CORES.value,
        local_nvme_gb=hot_gb(checklist, kind=kind),
        spot=workload.spot and workload.checkpointing.enabled,
        spare_share=checklist.spare_share,
        rdma=asked is None or asked.fabric is not FabricAsk.NONE,
        hardware=asked,
    )


def _rollouts(workload: Compute) -> Demand:
    deadline = training_compute.deadline_hours(workload)
    return Demand(
        workload=rollouts_of(workload.name),
        kind="batch",
        copies=ONE_JOB,
        runs_per_month=training_compute.runs_per_month(workload),
        busy_hours=None
        if deadline is None
        else min(HOURS_PER_MONTH, deadline * training_compute.runs_per_month(workload)),
        checkpoint_hours=checkpoint_hours(workload.checkpointing),
        beside=workload.name,
        vcpus=workload.rollout_vcpus,
        spot=workload.spot and workload.checkpointing.enabled,
    )


def memory_gb(workload: Compute) -> Decimal | None:
    """GB of accelerator memory of the job; None without a model."""
    model = workload.model
    if model is None:
        return None
    share = training_compute.adapter_share(workload)
    if share is None:
        return memory.training_gb(model.parameters, precision=workload.precision)
    return memory.adapters_gb(model.parameters, adapter_share=share, precision=workload.precision)


def figures(workload: Compute, checklist: Checklist) -> Iterator[SizingFigure]:
    """Every figure of the job."""
    yield from _memory_figures(workload)
    yield training_compute.work_figure(workload)
    yield from _pace_figures(workload)
    yield figure(
        subject=workload.name,
        name="cores beside each accelerator",
        value=assumptions.TRAINING_CORES.value,
        unit=assumptions.TRAINING_CORES.unit,
        formula="30 cores / 8 accelerators: 2-3 loader processes and 1 more for each",
        inputs={"cores of a node of 8": 30},
        source=assumptions.TRAINING_CORES.source,
    )
    yield from checkpoint_figures(workload)
    yield from exchange_figures(workload)
    yield figure(
        subject=workload.name,
        name="spare nodes",
        value=checklist.spare_share,
        unit="of the working nodes, where the job spans nodes",
        formula="spare share, rounded up to whole nodes",
        inputs={"spare share": checklist.spare_share},
        source=assumptions.SPARES.source,
    )


def _memory_figures(workload: Compute) -> Iterator[SizingFigure]:
    name = "accelerator memory to train"
    needed, model = memory_gb(workload), workload.model
    if needed is None or model is None:
        yield unknown(
            subject=workload.name, name=name, unit="GB", missing="model.parameters", source=assumptions.TEXT_MEMORY
        )
        return
    yield _memory_figure(workload, model, name=name, needed=needed)
    count = memory.accelerators_for(needed, REFERENCE_GB)
    yield figure(
        subject=workload.name,
        name=f"accelerators of {REFERENCE_GB} GB that hold it",
        value=count,
        unit="accelerator" if count == 1 else "accelerators",
        formula=f"memory / {REFERENCE_GB} GB, rounded up",
        inputs={"memory in GB": needed},
        source=assumptions.TEXT_MEMORY,
    )


def _memory_figure(workload: Compute, model: ModelFacts, *, name: str, needed: Decimal) -> SizingFigure:
    share = training_compute.adapter_share(workload)
    full = "parameters x bytes per trained parameter x 1.25"
    lora = "parameters x (bytes per frozen parameter + bytes per trained parameter x adapter share) x 1.25"
    rule = memory.training_rule(workload.precision)
    extra = (
        {} if share is None else {"bytes per frozen parameter": memory.bytes_per_frozen_parameter(workload.precision)}
    )
    trained = {} if share is None else {"adapter share": share}
    return figure(
        subject=workload.name,
        name=name,
        value=needed,
        unit="GB",
        formula=full if share is None else lora,
        inputs={"parameters": model.parameters, **extra, "bytes per trained parameter": rule.value, **trained},
        source=rule.source,
    )


def _pace_figures(workload: Compute) -> Iterator[SizingFigure]:
    yield from _share_figures(workload)
    yield from _month_figures(workload)
    flops, deadline = training_compute.flops_per_run(workload), training_compute.deadline_hours(workload)
    if flops is None or deadline is None:
        return
    yield figure(
        subject=workload.name,
        name="rate that meets the deadline",
        value=flops / (deadline * assumptions.SECONDS_PER_HOUR * assumptions.TERA),
        unit="TFLOPS reached, all accelerators together",
        formula="FLOPs / (hours x 3600 x 10^12)",
        inputs={"FLOPs": flops, "hours": deadline},
        source=f"{assumptions.CHECKLIST}; Bekman, ML Engineering Open Book, section on time from FLOPs",
    )


def _month_figures(workload: Compute) -> Iterator[SizingFigure]:
    most = training_compute.most_hours_per_run(workload)
    if most is None:
        return
    yield figure(
        subject=workload.name,
        name="most hours of one run",
        value=most,
        unit="hours, so that the runs of a month fit into a month",
        formula="730 / runs per month",
        inputs={"runs per month": workload.runs_per_month or "1, since nothing else is given"},
    )


def _share_figures(workload: Compute) -> Iterator[SizingFigure]:
    if workload.mfu is None:
        yield from utilization_figures(workload)
        return
    yield figure(
        subject=workload.name,
        name=SHARE,
        value=workload.mfu,
        unit="of dense peak FLOPS",
        formula="as expected by the customer; 0.5 at best, times 0.9 over several nodes",
        inputs={"mfu": workload.mfu, "at best": assumptions.MFU_AT_BEST.value, "scaling": assumptions.SCALING.value},
        source=f"{assumptions.CHECKLIST}; {assumptions.MFU_AT_BEST.source}; {assumptions.SCALING.source}",
    )
