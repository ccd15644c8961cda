"""What has been measured: trained and served models, accelerators, storage. Small files, read without prices."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date  # noqa: TC003 - types of fields are read to parse rows, here and below
from decimal import Decimal  # noqa: TC003
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs import parsing

if TYPE_CHECKING:
    from collections.abc import Mapping

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

    def __post_init__(self) -> None:
        """Raises ValueError where there is not exactly one measure of speed, or for an unknown word."""
        if sum(speed is not None for speed in (self.tokens_per_s, self.mfu, self.accelerator_hours)) != 1 or (
            (self.tokens_b is None) != (self.accelerator_hours is None)
        ):
            raise ValueError("give tokens_per_s, or mfu, or tokens_b with accelerator_hours")
        if self.kind not in KINDS or self.use not in USES:
            raise ValueError(f"kind is one of {KINDS} and use one of {USES}")


@cache
def training_runs() -> tuple[TrainingRun, ...]:
    """Every measurement, in the order of the file.

    Raises:
        CatalogError: a row cannot be read.
    """
    return tuple(parsing.read_facts(ROOT / "training_runs.csv", TrainingRun))


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingRun:
    """One published benchmark of one replica, with requests of equal length.

    Args:
        name: unique.
        accelerator: as in accelerators.csv; `accelerators` of them make the replica.
        peak_tflops: dense, of one accelerator in this precision, as in accelerators.csv.
        parameters_b: billions, in all; `active_b` those used per token.
        concurrency: requests at the same time; None where as many are sent as the engine takes.
        tokens_per_s: output tokens of the whole replica.
        ttft_ms: mean time to the first token; `itl_ms` mean time between tokens; None where not published.
    """

    name: str
    model: str
    accelerator: str
    precision: str
    peak_tflops: Decimal
    parameters_b: Decimal
    active_b: Decimal
    accelerators: int
    engine: str
    concurrency: int | None
    input_tokens: int
    output_tokens: int
    tokens_per_s: Decimal
    ttft_ms: Decimal | None
    itl_ms: Decimal | None
    source: str
    as_of: date | None

    def __post_init__(self) -> None:
        """Raises ValueError for one of the two latencies without the other."""
        if (self.ttft_ms is None) != (self.itl_ms is None):
            raise ValueError("give ttft_ms and itl_ms, or neither")


@cache
def serving_runs() -> tuple[ServingRun, ...]:
    """Every benchmark, in the order of the file.

    Raises:
        CatalogError: a row cannot be read.
    """
    return tuple(parsing.read_facts(ROOT / "serving_runs.csv", ServingRun))


@dataclass(frozen=True, slots=True, kw_only=True)
class Achievable:
    """The most that somebody has measured of one accelerator's matrix multiplication.

    Args:
        shape: "MxNxK", at which it was reached.
    """

    accelerator: str
    precision: str
    tflops: Decimal
    shape: str
    note: str
    source: str
    as_of: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSpeed:
    """Throughput that a storage tier is sold with, by what is provisioned."""

    provider: str
    tier: str
    mb_per_s_per_tib: Decimal
    note: str
    source: str
    as_of: date | None


@cache
def achievable() -> Mapping[tuple[str, str], Achievable]:
    """By accelerator and precision; what is not published is not there.

    Raises:
        CatalogError: a row cannot be read.
    """
    found = parsing.read_facts(ROOT / "achievable.csv", Achievable)
    return {(each.accelerator, each.precision): each for each in found}


@cache
def tier_speeds() -> Mapping[tuple[str, str], TierSpeed]:
    """By provider and tier.

    Raises:
        CatalogError: a row cannot be read.
    """
    return {(each.provider, each.tier): each for each in parsing.read_facts(ROOT / "tier_speeds.csv", TierSpeed)}


@cache
def read_visible_memory() -> Mapping[str, Decimal]:
    """Memory that an accelerator shows where it is whole, in MiB, by accelerator.

    Raises:
        CatalogError: a row cannot be read.
    """
    return dict(
        parsing.read_rows(ROOT / "seen_memory.csv", lambda row: (row["accelerator"], parsing.money(row["mib"])))
    )
