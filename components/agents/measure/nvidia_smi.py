"""What `nvidia-smi --query-gpu=... --format=csv` prints: a header that names the columns and their units, then rows."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.agents.measure.faults import CannotMeasureError, FoundWrongError
from components.agents.measure.numbers import number, shown

if TYPE_CHECKING:
    from decimal import Decimal

FIELDS: Final = ("index", "name", "uuid", "memory.total", "memory.free", "driver_version")
COMMAND: Final = ("nvidia-smi", f"--query-gpu={','.join(FIELDS)}", "--format=csv")
MEMORY_UNIT: Final = "MiB"
BROKEN: Final = re.compile(
    r"No devices were found|has failed because|Failed to initialize NVML|Unable to determine the device handle|"
    r"GPU is lost|Unknown Error|\[GPU requires reset\]",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Accelerator:
    """One accelerator, in MiB; `free_mib` is what nothing has taken."""

    index: str
    name: str
    uuid: str
    total_mib: Decimal
    free_mib: Decimal
    driver: str


def parse_nvidia_smi(output: str) -> tuple[Accelerator, ...]:
    """Every accelerator.

    Raises:
        FoundWrongError: the driver or an accelerator is broken, in nvidia-smi's words.
        CannotMeasureError: not the columns that were asked for, or a figure that is none.
    """
    broken = next((line for line in output.splitlines() if BROKEN.search(line)), "")
    if broken:
        raise FoundWrongError(f"nvidia-smi: {shown(broken)}")
    lines = [line for line in output.splitlines() if line.strip()]
    try:
        header, *rows = list(csv.reader(lines, skipinitialspace=True)) or [[]]
    except csv.Error as error:
        raise CannotMeasureError(f"the output of nvidia-smi is no table: {shown(output)}") from error
    columns = {cell.split("[")[0].strip(): place for place, cell in enumerate(header)}
    lacking = [name for name in FIELDS if name not in columns]
    if lacking:
        raise CannotMeasureError(f"nvidia-smi does not print {', '.join(lacking)}: {shown(output)}")
    if not rows:
        raise CannotMeasureError("nvidia-smi names no accelerator")
    return tuple(_accelerator(row, columns) for row in rows)


def _accelerator(row: list[str], columns: dict[str, int]) -> Accelerator:
    if len(row) < len(columns):
        raise CannotMeasureError(f"a row of nvidia-smi is cut short: {shown(','.join(row))}")
    cells = {name: row[columns[name]].strip() for name in FIELDS}
    return Accelerator(
        index=cells["index"],
        name=cells["name"],
        uuid=cells["uuid"],
        total_mib=_mib(cells["memory.total"], row),
        free_mib=_mib(cells["memory.free"], row),
        driver=cells["driver_version"],
    )


def _mib(cell: str, row: list[str]) -> Decimal:
    value = number(cell.removesuffix(MEMORY_UNIT).strip())
    if value is None or value < 0 or not cell.endswith(MEMORY_UNIT):
        raise CannotMeasureError(f"nvidia-smi gives no memory in MiB: {shown(','.join(row))}")
    return value
