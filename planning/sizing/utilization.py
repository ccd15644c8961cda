"""The share of their peak that accelerators reach in training, learned from published runs.

A log-linear model with few terms, fitted by least squares with a small penalty (ridge) when it is first asked: how
much is reached falls as the peak grows (memory and network do not keep up), with 8-bit formats and with mixtures of
experts, and rises with the parameters used per token. Whole runs reach less than benchmarks of a few steps, the more
so on newer accelerators: a customer pays for whole runs, so that is what is expected. The number of accelerators is
no term: over 8 to 16,384 of them the table shows no dependence (a term for it comes out as 0.00).

The terms were chosen on the fitted rows. Choosing them anew among 2,496 subsets, penalties and weights, in nested
cross-validation by organisation, errs as much as they do, so they stay; the fresh rows took no part in that.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from math import exp, log
from statistics import median
from typing import TYPE_CHECKING, Final

from catalogs.measurements import training_runs
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from catalogs.measurements import TrainingRun

    Vector = Sequence[float]


TERMS: Final = (
    "constant",
    "ln(peak / 1000 TFLOPS)",
    "8-bit",
    "ln(active parameters / 10B)",
    "mixture of experts",
    "whole run",
    "whole run x ln(peak / 1000 TFLOPS)",
    "before 2023 (no fused attention)",
    "whole run x mixture of experts",
)
PENALTY: Final = 1.0  # on every term but the constant; chosen by the leave-one-out error of the fitted runs
FUSED_ATTENTION_YEAR: Final = 2023
RUN: Final = "run"
EIGHT_BIT: Final = frozenset({"fp8", "int8"})
UNKNOWN_ACTIVE: Final = 1e10  # where the checklist gives no model: the middle of the table
SECONDS_PER_HOUR: Final = 3600
CLOSE: Final = 0.25
OUTSIDE: Final = 0.1  # a range leaves out a tenth at either end: it holds 80%
LN_2: Final = log(2)
PLACES: Final = Decimal("0.001")


@dataclass(frozen=True, slots=True, kw_only=True)
class UtilizationModel:
    """Coefficients in the order of TERMS, and how far they may be trusted.

    Args:
        errors: ln(published / estimated) of each whole run, estimated without any row of its organization.
        organizations: of each of these runs.
        peaks, actives: smallest and largest of the table; nothing is extrapolated beyond them.
        most: largest share in the table.
    """

    coefficients: tuple[float, ...]
    errors: tuple[float, ...]
    organizations: tuple[str, ...]
    peaks: tuple[float, float]
    actives: tuple[float, float]
    most: float


def calculate_share_of_run(run: TrainingRun) -> float:
    """The share of peak of a published run, counting 6 FLOPs per active parameter and token."""
    if run.mfu is not None:
        return float(run.mfu)
    if run.tokens_per_s is not None:
        rate = float(run.tokens_per_s)
    else:
        rate = float(run.tokens_b or 0) * 1e9 / (float(run.accelerator_hours or 1) * SECONDS_PER_HOUR)
    return 6 * float(run.active_b) * 1e9 * rate / (float(run.peak_tflops) * 1e12)


@cache
def model() -> UtilizationModel:
    """The model, fitted to the rows of the table that are not fresh."""
    used = [run for run in training_runs() if run.use == "fit"]
    peaks = [float(run.peak_tflops) for run in used]
    actives = [float(run.active_b) * 1e9 for run in used]
    rows = [_terms_of(run) for run in used]
    targets = [log(calculate_share_of_run(run)) for run in used]
    errors = list(_errors_by_organization(used, rows, targets))
    return UtilizationModel(
        coefficients=tuple(_fit(*_sums(rows, targets))),
        errors=tuple(error for _, error in errors),
        organizations=tuple(organization for organization, _ in errors),
        peaks=(min(peaks), max(peaks)),
        actives=(min(actives), max(actives)),
        most=max(map(calculate_share_of_run, used)),
    )


@cache
def fresh_errors() -> tuple[float, ...]:
    """ln(published / estimated) of each run that was collected after the terms were chosen."""
    return tuple(
        log(calculate_share_of_run(run) / predict_share_of_run(run)) for run in training_runs() if run.use == "fresh"
    )


@cache
def error_range() -> tuple[float, float]:
    """Between which errors 80% of the whole runs lie that the estimate had not seen, fresh ones among them."""
    fresh = (run.organization for run in training_runs() if run.use == "fresh")
    known = model()
    errors = [*zip(known.organizations, known.errors, strict=True), *zip(fresh, fresh_errors(), strict=True)]
    # Each organization counts alike, however many runs it published: a customer is one more organization.
    runs = Counter(organization for organization, _ in errors)
    rising = sorted((error, 1 / (runs[organization] * len(runs))) for organization, error in errors)
    return _percentile(rising), -_percentile([(-error, weight) for error, weight in reversed(rising)])


def _percentile(rising: Sequence[tuple[float, float]]) -> float:
    """The first error below which a tenth of the weight lies."""
    total = 0.0
    return next(error for error, weight in rising if (total := total + weight) > OUTSIDE)


def median_doublings(errors: Sequence[float]) -> float:
    """Median of the errors' size as powers of two: 0.26 is a fifth."""
    return median(abs(error) for error in errors) / LN_2


def count_close(errors: Sequence[float]) -> int:
    """How many of the errors put the hours within 25% of the published ones."""
    return sum(abs(exp(error) - 1) <= CLOSE for error in errors)


def count_covered(errors: Sequence[float]) -> int:
    """How many of the errors lie in the range."""
    low, high = error_range()
    return sum(low <= error <= high for error in errors)


def predict_share_of_run(run: TrainingRun) -> float:
    """What the model says of a published run, in its year and of its kind."""
    return exp(dot_product(model().coefficients, _terms_of(run)))


@cache
def predict_share(peak_tflops: Decimal, precision: str, active: Decimal | None, *, experts: bool) -> Range:
    """Share of peak of a whole run today: what is expected, and a range that 80% of published runs reach."""
    known = model()
    row = _terms(
        peak_tflops=_within(float(peak_tflops), known.peaks),
        eight_bit=precision in EIGHT_BIT,
        active=_within(UNKNOWN_ACTIVE if active is None else float(active), known.actives),
        experts=experts,
        whole=True,
        early=False,
    )
    middle = dot_product(known.coefficients, row)
    below, above = error_range()
    low, expected, high = (min(known.most, exp(middle + error)) for error in (below, 0, above))
    return Range(_round_share(low), _round_share(expected), _round_share(high))


def _round_share(share: float) -> Decimal:
    return Decimal(share).quantize(PLACES)


def _within(value: float, bounds: tuple[float, float]) -> float:
    return min(max(value, bounds[0]), bounds[1])


def _terms_of(run: TrainingRun) -> tuple[float, ...]:
    return _terms(
        peak_tflops=float(run.peak_tflops),
        eight_bit=run.precision in EIGHT_BIT,
        active=float(run.active_b) * 1e9,
        experts=run.active_b < run.parameters_b,
        whole=run.kind == RUN,
        early=run.year < FUSED_ATTENTION_YEAR,
    )


def _terms(
    *, peak_tflops: float, eight_bit: bool, active: float, experts: bool, whole: bool, early: bool
) -> tuple[float, ...]:
    peak = log(peak_tflops / 1000)
    return (1.0, peak, eight_bit, log(active / 1e10), experts, whole, whole * peak, early, whole * experts)


def _sums(rows: Sequence[Vector], targets: Vector) -> tuple[list[list[float]], list[float]]:
    """The normal equations of least squares: products of the terms, and of terms and targets."""
    columns = list(zip(*rows, strict=True))
    return [[dot_product(one, other) for other in columns] for one in columns], [
        dot_product(column, targets) for column in columns
    ]


def _fit(matrix: Sequence[Vector], moments: Vector) -> list[float]:
    """The coefficients, with the penalty on every term but the constant."""
    penalized = [
        [cell + PENALTY if i == j and i else cell for j, cell in enumerate(line)] for i, line in enumerate(matrix)
    ]
    return solve_equations(penalized, moments)


def _errors_by_organization(
    runs: Sequence[TrainingRun], rows: Sequence[Vector], targets: Vector
) -> Iterator[tuple[str, float]]:
    """The errors of the whole runs, organization by organization, in the model that is fitted to all others."""
    matrix, moments = _sums(rows, targets)
    for organization in dict.fromkeys(run.organization for run in runs if run.kind == RUN):
        own = [at for at, run in enumerate(runs) if run.organization == organization]
        part, moment = _sums([rows[at] for at in own], [targets[at] for at in own])
        coefficients = _fit(
            [[a - b for a, b in zip(*lines, strict=True)] for lines in zip(matrix, part, strict=True)],
            [a - b for a, b in zip(moments, moment, strict=True)],
        )
        for at in own:
            if runs[at].kind == RUN:
                yield organization, targets[at] - dot_product(coefficients, rows[at])


def solve_equations(matrix: Sequence[Vector], moments: Vector) -> list[float]:
    lines = [[*line, moment] for line, moment in zip(matrix, moments, strict=True)]
    for at in range(len(lines)):
        best = max(range(at, len(lines)), key=lambda line: abs(lines[line][at]))
        lines[at], lines[best] = lines[best], lines[at]
        pivot = lines[at]
        for other, line in enumerate(lines):
            if other != at and line[at]:
                factor = line[at] / pivot[at]
                lines[other] = [cell - factor * above for cell, above in zip(line, pivot, strict=True)]
    return [line[-1] / line[at] for at, line in enumerate(lines)]


def dot_product(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
