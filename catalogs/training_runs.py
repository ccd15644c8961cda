"""How fast models have been trained: published measurements, and whole runs with their accelerator hours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs import parsing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date
    from decimal import Decimal

TRAINING_FILE: Final = "training_runs.csv"
ROOT: Final = Path(__file__).parent
KINDS: Final = ("benchmark", "run")
USES: Final = ("fit", "fresh")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRun:
    """One published measurement. Exactly one of `tokens_per_s`, `mfu` and `accelerator_hours` is given.

    Args:
        name: unique.
        organization: who trained it, or measured it.
        accelerator: as in accelerators.csv.
        peak_tflops: dense, of one accelerator in this precision, as in accelerators.csv.
        parameters_b: billions, in all; `active_b` those used per token.
        accelerators: how many; None where the source does not say.
        fabric: between nodes, in the source's words; "unknown" where it does not say.
        tokens_per_s: of one accelerator.
        mfu: share of the dense peak, where only that is published.
        tokens_b: billions of tokens of a whole run.
        accelerator_hours: of a whole run, with restarts and everything else that it was billed for.
        kind: "benchmark", some steps without a failure; or "run", from start to end.
        use: "fit" where the sizing learns from it; "fresh" where it was collected afterwards, to test it.
        year: of the training.
        notes: "second-hand" and by whom, where what was read only quotes the source.
    """

    name: str
    model: str
    organization: str
    accelerator: str
    precision: str
    peak_tflops: Decimal
    parameters_b: Decimal
    active_b: Decimal
    accelerators: int | None
    fabric: str
    framework: str
    sequence: int | None
    tokens_per_s: Decimal | None
    mfu: Decimal | None
    tokens_b: Decimal | None
    accelerator_hours: Decimal | None
    kind: str
    use: str
    year: int
    source: str
    as_of: date | None
    notes: str


@cache
def training_runs() -> tuple[TrainingRun, ...]:
    """Every measurement, in the order of the file.

    Raises:
        CatalogError: a row cannot be read.
    """
    return tuple(parsing.read_rows(ROOT / TRAINING_FILE, training_run))


def training_run(row: Mapping[str, str]) -> TrainingRun:
    """A row of training_runs.csv.

    Raises:
        ValueError: a word or number that is none, or not exactly one measure of speed.
        KeyError: a column is missing.
    """
    speeds = [row[column] for column in ("tokens_per_s", "mfu", "accelerator_hours") if row[column]]
    if len(speeds) != 1 or bool(row["tokens_b"]) != bool(row["accelerator_hours"]):
        raise ValueError("give tokens_per_s, or mfu, or tokens_b with accelerator_hours")
    if row["kind"] not in KINDS or row["use"] not in USES:
        raise ValueError(f"kind is one of {KINDS} and use one of {USES}")
    return TrainingRun(
        name=row["name"],
        model=row["model"],
        organization=row["organization"],
        accelerator=row["accelerator"],
        precision=row["precision"],
        peak_tflops=parsing.money(row["peak_tflops"]),
        parameters_b=parsing.money(row["parameters_b"]),
        active_b=parsing.money(row["active_b"]),
        accelerators=parsing.read_count(row["accelerators"]),
        fabric=row["fabric"],
        framework=row["framework"],
        sequence=parsing.read_count(row["sequence"]),
        tokens_per_s=parsing.read_amount(row["tokens_per_s"]),
        mfu=parsing.read_amount(row["mfu"]),
        tokens_b=parsing.read_amount(row["tokens_b"]),
        accelerator_hours=parsing.read_amount(row["accelerator_hours"]),
        kind=row["kind"],
        use=row["use"],
        year=int(row["year"]),
        source=row["source"],
        as_of=parsing.day(row["as_of"]),
        notes=row["notes"],
    )
