"""How fast models have been served: published benchmarks of inference engines."""

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

SERVING_FILE: Final = "serving_runs.csv"
ROOT: Final = Path(__file__).parent


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


@cache
def serving_runs() -> tuple[ServingRun, ...]:
    """Every benchmark, in the order of the file.

    Raises:
        CatalogError: a row cannot be read.
    """
    return tuple(parsing.read_rows(ROOT / SERVING_FILE, serving_run))


def serving_run(row: Mapping[str, str]) -> ServingRun:
    """A row of serving_runs.csv.

    Raises:
        ValueError: a number that is none, or one of the two latencies without the other.
        KeyError: a column is missing.
    """
    if bool(row["ttft_ms"]) != bool(row["itl_ms"]):
        raise ValueError("give ttft_ms and itl_ms, or neither")
    return ServingRun(
        name=row["name"],
        model=row["model"],
        accelerator=row["accelerator"],
        precision=row["precision"],
        peak_tflops=parsing.money(row["peak_tflops"]),
        parameters_b=parsing.money(row["parameters_b"]),
        active_b=parsing.money(row["active_b"]),
        accelerators=int(row["accelerators"]),
        engine=row["engine"],
        concurrency=parsing.read_count(row["concurrency"]),
        input_tokens=int(row["input_tokens"]),
        output_tokens=int(row["output_tokens"]),
        tokens_per_s=parsing.money(row["tokens_per_s"]),
        ttft_ms=parsing.read_amount(row["ttft_ms"]),
        itl_ms=parsing.read_amount(row["itl_ms"]),
        source=row["source"],
        as_of=parsing.day(row["as_of"]),
    )
