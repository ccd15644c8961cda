"""Files of samples: runs as Atoll saves them, or answers of Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from planning.inputs.files import parse_json, read_text
from planning.service_levels.exclusions import read_exclusions
from planning.service_levels.series import SampleError
from planning.service_levels.series_sources import read_answers, read_runs, together
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from planning.service_levels.exclusions import Exclusion
    from planning.service_levels.month import Month
    from planning.service_levels.series import RecordedSeries

LARGEST: Final = 32_000_000  # a week of answers for a hundred series is 21 MB
EXCLUSIONS_NAME: Final = "exclusions.yaml"


def read_samples(paths: Sequence[Path], *, stack: str, month: Month) -> RecordedSeries:
    """What several files recorded together.

    Raises:
        InputError: one cannot be read, is of another stack or month, or they contradict each other.
    """
    found = [_one(path, stack=stack, month=month) for path in paths]
    try:
        every = together(found)
    except SampleError as error:
        raise InputError(f"{', '.join(map(str, paths))}: {error}", hint="leave out the file that is wrong") from error
    if not any(run.start < month.end and run.end > month.start for runs in every.runs.values() for run in runs):
        raise InputError(f"{', '.join(map(str, paths))}: nothing in it is of {month}")
    return every


def exclusions_in(path: Path, *, components: Sequence[str]) -> tuple[Exclusion, ...]:
    """The exclusions of a file.

    Raises:
        InputError: it cannot be read, or with every fault in it.
    """
    return read_exclusions(_text(path), file=str(path), components=components)


def _one(path: Path, *, stack: str, month: Month) -> RecordedSeries:
    text = _text(path)
    if not text.strip():
        raise InputError(f"{path}: nothing is in it")
    if text.lstrip()[:1] in {"{", "["}:
        return read_answers(_answers(text, path), file=str(path))
    found = read_runs(text, file=str(path))
    if found.stack and found.stack != stack:
        raise InputError(f"{path}: is of the stack {found.stack}, not of {stack}")
    if found.month and found.month != str(month):
        raise InputError(f"{path}: is of {found.month}, not of {month}")
    return found.recorded


def _answers(text: str, path: Path) -> list[object]:
    found = parse_json(text, file=str(path))
    return cast("list[object]", found) if isinstance(found, list) else [found]


def _text(path: Path) -> str:
    text = read_text(path, most_bytes=LARGEST, hint="a file has at most 32 MB; name several, each with --from")
    if text.lstrip()[:1] == "<":
        raise InputError(f"{path}: a web page, not samples", hint="was it saved behind a page to sign in?")
    return text
