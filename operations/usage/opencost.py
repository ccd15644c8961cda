"""An answer of OpenCost's allocation API as rows in FOCUS columns.

OpenCost counts bytes of pods wherever they go; only the cost of internet traffic tells what left for the internet, so
that the price which OpenCost reckons with is needed to tell the volume (opencost.io/docs, allocation API, 2026-11).
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final, cast

from planning.inputs.files import parse_json, read_content
from planning.usage.meters import CATEGORY, QUANTITY, ROW, START, UNIT, USAGE_TYPE
from planning.values.errors import InputError
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

COST: Final = "networkInternetCost"
LARGEST_BYTES: Final = 64_000_000
HINT: Final = "ask OpenCost for /allocation?window=90d&step=1d&aggregate=cluster, and save its whole answer"


def opencost_rows(path: Path, *, usd_per_gb: Decimal) -> Iterator[Mapping[str, str]]:
    """One row for each allocation of each step.

    Args:
        usd_per_gb: what OpenCost is configured to reckon for a GB to the internet.

    Raises:
        InputError: not readable, or not an answer of OpenCost.
    """
    if usd_per_gb <= ZERO:
        raise InputError("a price of 0 USD for a GB tells no volume", hint="name what OpenCost reckons with")
    for step in _steps(path):
        for name, allocation in step.items():
            if not isinstance(allocation, dict):
                raise InputError(f"{path}: {name[:60]} is no allocation", hint=HINT)
            yield _row(cast("dict[str, object]", allocation), name, path, usd_per_gb=usd_per_gb)


def _steps(path: Path) -> list[dict[str, object]]:
    content = read_content(path, most_bytes=LARGEST_BYTES, hint="ask for fewer days at a time")
    document = parse_json(content, file=str(path), hint=HINT)
    answer: object = cast("dict[str, object]", document).get("data") if isinstance(document, dict) else None
    if not isinstance(answer, list):
        raise InputError(f"{path}: not an answer of OpenCost", hint=HINT)
    steps = [step for step in cast("list[object]", answer) if step is not None]  # null: nothing ran in that step
    if not all(isinstance(step, dict) for step in steps):
        raise InputError(f"{path}: a step is no object of allocations", hint=HINT)
    return cast("list[dict[str, object]]", steps)


def _row(allocation: Mapping[str, object], name: str, path: Path, *, usd_per_gb: Decimal) -> dict[str, str]:
    cost, start = allocation.get(COST), allocation.get("start")
    if not isinstance(start, str) or isinstance(cost, bool) or not isinstance(cost, int | float):
        raise InputError(f"{path}: {name[:60]} has no start and {COST}", hint=HINT)
    try:
        volume = Decimal(str(cost)) / usd_per_gb * 10**9
    except InvalidOperation as error:
        raise InputError(f"{path}: {name[:60]}: {COST} is no amount", hint=HINT) from error
    return {
        START: start,
        QUANTITY: str(volume),
        UNIT: "bytes",
        CATEGORY: "Usage",
        USAGE_TYPE: "DataTransfer-Out-Bytes",
        ROW: f"{start} {allocation.get('end')} {name}",
    }
