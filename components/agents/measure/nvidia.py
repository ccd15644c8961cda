"""What `dcgmi diag --json` prints, of DCGM 3 ("DCGM GPU Diagnostic") and of DCGM 4 ("DCGM Diagnostic").

Format: github.com/NVIDIA/DCGM, dcgmi/Diag.cpp and nvvs at 72fa3fea. A test that was skipped says nothing of the
hardware and does not count; one that did not run, because another had failed, counts and did not pass; one that warns
counts as passed, and is named.
"""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from components.agents.measure.child_process import CannotMeasureError, FoundWrongError, abbreviate_output, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
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
class NvidiaGpu:
    """One accelerator, in MiB; `free_mib` is what nothing has taken."""

    index: str
    name: str
    uuid: str
    total_mib: Decimal
    free_mib: Decimal
    driver: str


def parse_nvidia_smi(output: str) -> tuple[NvidiaGpu, ...]:
    """Every accelerator.

    Raises:
        FoundWrongError: the driver or an accelerator is broken, in nvidia-smi's words.
        CannotMeasureError: not the columns that were asked for, or a figure that is none.
    """
    broken = next((line for line in output.splitlines() if BROKEN.search(line)), "")
    if broken:
        raise FoundWrongError(f"nvidia-smi: {abbreviate_output(broken)}")
    lines = [line for line in output.splitlines() if line.strip()]
    try:
        header, *rows = list(csv.reader(lines, skipinitialspace=True)) or [[]]
    except csv.Error as error:
        raise CannotMeasureError(f"the output of nvidia-smi is no table: {abbreviate_output(output)}") from error
    columns = {cell.split("[")[0].strip(): place for place, cell in enumerate(header)}
    lacking = [name for name in FIELDS if name not in columns]
    if lacking:
        raise CannotMeasureError(f"nvidia-smi does not print {', '.join(lacking)}: {abbreviate_output(output)}")
    if not rows:
        raise CannotMeasureError("nvidia-smi names no accelerator")
    return tuple(_accelerator(row, columns) for row in rows)


def _accelerator(row: list[str], columns: dict[str, int]) -> NvidiaGpu:
    if len(row) < len(columns):
        raise CannotMeasureError(f"a row of nvidia-smi is cut short: {abbreviate_output(','.join(row))}")
    cells = {name: row[columns[name]].strip() for name in FIELDS}
    return NvidiaGpu(
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
        raise CannotMeasureError(f"nvidia-smi gives no memory in MiB: {abbreviate_output(','.join(row))}")
    return value


ROOTS: Final = ("DCGM Diagnostic", "DCGM GPU Diagnostic")
FAILED: Final = "fail"
FINE: Final = ("pass", "warn")
SKIPPED: Final = ("skip", "skipped")
NOT_RUN: Final = "not run"


@dataclass(frozen=True)
class DcgmDiagnosis:
    """One diagnosis.

    Args:
        tests: that were run, one for each accelerator and kind.
        failed: what failed, with the accelerator and DCGM's words.
        warned: likewise.
    """

    version: str
    tests: int
    passed: int
    failed: tuple[str, ...]
    warned: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """One test of one accelerator, or of all at once."""

    test: str
    of: str
    status: str
    words: str

    @property
    def sentence(self) -> str:
        """What happened, in one line."""
        return ": ".join(part for part in (f"{self.test} of {self.of}" if self.of else self.test, self.words) if part)


def parse_dcgm(output: str) -> DcgmDiagnosis:
    """The results of one diagnosis.

    Raises:
        FoundWrongError: DCGM could not run it on this hardware, in its words.
        CannotMeasureError: no output of DCGM, one that was cut short, or of a format that is not known.
    """
    body = _object(output)
    root = next((body[name] for name in ROOTS if name in body), None)
    if not isinstance(root, dict):
        raise CannotMeasureError(f"this is no diagnosis of DCGM: {abbreviate_output(output)}")
    whole = cast("Mapping[str, object]", root)
    error = whole.get("runtime_error")
    if isinstance(error, str) and error:
        raise FoundWrongError(f"DCGM: {abbreviate_output(error)}")
    categories = whole.get("test_categories")
    if not isinstance(categories, list):
        raise CannotMeasureError("DCGM names no test")
    found = [result for category in cast("list[object]", categories) for result in _of_category(category)]
    strange = {each.status for each in found} - {FAILED, NOT_RUN, *FINE, *SKIPPED}
    if strange:
        raise CannotMeasureError(f"DCGM ends a test in a way that is not known: {', '.join(sorted(strange))}")
    run = [each for each in found if each.status not in SKIPPED]
    return DcgmDiagnosis(
        version=_version(whole, body),
        tests=len(run),
        passed=sum(each.status in FINE for each in run),
        failed=tuple(each.sentence for each in run if each.status == FAILED),
        warned=tuple(each.sentence for each in run if each.status == "warn"),
    )


def _of_category(category: object) -> Iterator[Result]:
    tests = cast("Mapping[str, object]", category).get("tests") if isinstance(category, dict) else None
    for test in cast("list[object]", tests) if isinstance(tests, list) else ():
        if isinstance(test, dict):  # DCGM prints a null here and there
            yield from _of_test(cast("Mapping[str, object]", test))


def _of_test(test: Mapping[str, object]) -> Iterator[Result]:
    name = str(test.get("name") or "a test")
    results = [cast("Mapping[str, object]", each) for each in _list(test.get("results")) if isinstance(each, dict)]
    for each in results:
        yield Result(test=name, of=_of(each), status=_status(each), words=_words(each.get("warnings")))
    summary = test.get("test_summary")
    if isinstance(summary, dict):
        whole = cast("Mapping[str, object]", summary)
        hidden = _status(whole) == FAILED and all(_status(each) != FAILED for each in results)
        if hidden or not results:
            yield Result(test=name, of="", status=_status(whole), words=_words(whole.get("warnings")))


def _of(result: Mapping[str, object]) -> str:
    ids = result.get("gpu_ids", result.get("gpu_id"))
    if ids is not None:
        return f"GPU {ids}"
    place = result.get("entity_id")
    return f"{result.get('entity_group') or 'entity'} {place}" if place is not None else ""


def _status(result: Mapping[str, object]) -> str:
    return str(result.get("status") or "without a result").strip().lower()


def _words(warnings: object) -> str:
    """DCGM 3 writes texts, DCGM 4 objects with a text in them."""
    found = [
        str(cast("Mapping[str, object]", each).get("warning", "")) if isinstance(each, dict) else str(each)
        for each in (_list(warnings) or ([warnings] if warnings else []))
    ]
    return "; ".join(" ".join(each.split()) for each in found if each)


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _version(root: Mapping[str, object], body: Mapping[str, object]) -> str:
    for whole in (root, body):
        metadata = whole.get("metadata")
        cells = cast("Mapping[str, object]", metadata) if isinstance(metadata, dict) else whole
        for name in ("DCGM Version", "version"):
            if isinstance(found := cells.get(name), str):
                return f"DCGM {found}"
    return "DCGM"


def _object(output: str) -> Mapping[str, object]:
    start = output.find("{")
    try:
        body: Any = json.JSONDecoder().raw_decode(output, start)[0] if start >= 0 else None
    except (ValueError, RecursionError) as error:
        raise CannotMeasureError(
            f"the output of DCGM is not JSON, or cut short: {abbreviate_output(output)}"
        ) from error
    if not isinstance(body, dict):
        raise CannotMeasureError(f"dcgmi printed no JSON: {abbreviate_output(output)}")
    return cast("Mapping[str, object]", body)
