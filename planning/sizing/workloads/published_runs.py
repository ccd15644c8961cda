"""What published runs say of a training, as figures: the share of peak, its range, and how far the estimate errs."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.sizing.figures import figure
from planning.sizing.throughput import training_compute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.workload import Compute
    from planning.sizing.demand import Figure

SHARE: Final = "share of peak reached"
REFERENCE: Final = "H100-SXM-80GB"
SOURCE: Final = "catalogs/training_runs.csv; docs/reference/training-runs.md shows each run beside our estimate"
PLACES: Final = Decimal("0.01")


def utilization_figures(workload: Compute) -> Iterator[Figure]:
    """The share on a reference accelerator, and the error of the estimate."""
    from catalogs.training_runs import training_runs  # noqa: PLC0415 - only where the customer gives no mfu
    from planning.sizing.throughput import utilization  # noqa: PLC0415

    runs = training_runs()
    peaks = {run.precision: run.peak_tflops for run in runs if run.accelerator == REFERENCE}
    precision = str(workload.precision) if str(workload.precision) in peaks else "bf16"
    share = utilization.expected_share(
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
