"""Reads recorded series from answers of Prometheus and from a CSV file of runs.

An answer is that of a range query, as /api/v1/query_range gives it (resultType matrix). The file has one line for each
run of equal values; `from` is included, `until` is not, and time in no line was not measured:

    # stack: demo
    # month: 2026-10
    # step_seconds: 60
    series,of,from,until,value
    atoll:healthy_nodes,train,2026-10-01T00:00Z,2026-11-01T00:00Z,4
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final, cast, final

from planning.service_levels.series import (
    COARSEST_STEP,
    LABELS,
    USUAL_STEP,
    Name,
    RecordedSeries,
    SampleError,
    SeriesSegment,
    build_segments,
    check_value,
    find_step,
    merge_segments,
    round_share,
)
from planning.values.errors import Fault, InputError, format_fault_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


NOT_NUMBERS: Final = frozenset({"NaN", "+Inf", "-Inf", "Inf"})
SAMPLE_NUMBER: Final = re.compile(r"[+-]?\d{1,20}(\.\d{1,40})?([eE][+-]?\d{1,2})?")
PAIR: Final = 2

Samples = dict[Name, dict[int, Fraction]]


def read_answers(answers: Iterable[object], *, file: str) -> RecordedSeries:
    """Read the known series of several answers; a note names the others.

    Raises:
        InputError: an answer is not one of a range query, is an error, or its samples contradict each other.
    """
    samples: Samples = {}
    strange: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    try:
        for answer in answers:
            for series in _matrix(answer):
                _take(series, samples=samples, strange=strange, lost=lost)
        return _build_recorded_series(samples, notes=(*_describe_ignored_series(strange), *_no_numbers(lost)))
    except SampleError as error:
        raise InputError(f"{file}: {error}", hint="export it again, or leave out what is wrong") from error


def _build_recorded_series(samples: Samples, *, notes: tuple[str, ...]) -> RecordedSeries:
    runs: dict[Name, tuple[SeriesSegment, ...]] = {}
    longest = 0
    for name, found in samples.items():
        ordered = sorted(found.items())
        try:
            step = find_step([time for time, _ in ordered]) or USUAL_STEP
        except SampleError as error:
            raise SampleError(f"{name}: {error}") from error
        if step > COARSEST_STEP:
            raise SampleError(f"{name}: its samples are {step} s apart: outages of an hour would not be seen")
        runs[name] = build_segments(ordered, step=step)
        longest = max(longest, step)
    return RecordedSeries(runs, notes=notes, step_seconds=longest)


def _matrix(answer: object) -> Iterable[object]:
    if not isinstance(answer, dict):
        raise SampleError("no answer of Prometheus: it is a JSON object with a status")
    said = cast("dict[str, object]", answer)
    if said.get("status") != "success":
        raise SampleError(f"Prometheus answered with an error: {str(said.get('error', said.get('status')))[:200]}")
    inner = said.get("data")
    fields = cast("dict[str, object]", inner) if isinstance(inner, dict) else {}
    if fields.get("resultType") != "matrix" or not isinstance(fields.get("result"), list):
        raise SampleError("no answer to a range query (resultType matrix), as /api/v1/query_range gives it")
    return cast("list[object]", fields["result"])


def _take(series: object, *, samples: Samples, strange: Counter[str], lost: Counter[str]) -> None:
    fields = cast("dict[str, object]", series) if isinstance(series, dict) else {}
    labels, values = fields.get("metric"), fields.get("values")
    if not isinstance(labels, dict) or not isinstance(values, list):
        raise SampleError("a series without labels or without values")
    named = cast("dict[str, object]", labels)
    name = _name({key: str(value) for key, value in named.items()}, strange)
    if name is None:
        return
    found = samples.setdefault(name, {})
    for each in cast("list[object]", values):
        time, text = _sample(each, name)
        if text in NOT_NUMBERS:
            lost[str(name)] += 1
            continue
        value = _value(text, name)
        if found.setdefault(time, value) != value:
            raise SampleError(f"{name}: two values for one moment, {float(found[time]):g} and {text} at {time}")


def _name(labels: Mapping[str, str], strange: Counter[str]) -> Name | None:
    metric = labels.get("__name__", "")
    if metric not in LABELS:
        strange[metric or "a series without a name"] += 1
        return None
    label = LABELS[metric]
    if label and not labels.get(label):
        raise SampleError(f"{metric} without the label {label}")
    return Name(metric, labels[label] if label else "")


def _sample(each: object, name: Name) -> tuple[int, str]:
    pair = cast("list[object]", each) if isinstance(each, list) else list[object]()
    if len(pair) != PAIR or not isinstance(pair[0], (int, float)) or isinstance(pair[0], bool):
        raise SampleError(f"{name}: a sample is a time and a value, not {str(pair)[:60]}")
    if pair[0] != pair[0] or not 0 <= pair[0] < 2**40:
        raise SampleError(f"{name}: {pair[0]} is no time")
    return int(pair[0]), str(pair[1])


@lru_cache(maxsize=10_000)  # most samples of a series are the same few numbers
def _value(text: str, name: Name) -> Fraction:
    if not SAMPLE_NUMBER.fullmatch(text):
        raise SampleError(f"{name}: {text[:40]!r} is not a number")
    value = round_share(Fraction(text))
    check_value(name, value)
    return value


def _describe_ignored_series(strange: Counter[str]) -> Iterable[str]:
    if strange:
        yield f"series that are not ours were left out: {', '.join(sorted(strange)[:5])}"


def _no_numbers(lost: Counter[str]) -> Iterable[str]:
    for name, count in sorted(lost.items()):
        yield f"{name}: {count} samples are no number (NaN or infinite) and count as not known"


HEAD: Final = ("series", "of", "from", "until", "value")
SAID: Final = re.compile(r"#\s*(stack|month|step_seconds|asked):\s*(.*)")
MAX_FAULTS: Final = 100
FILE_NUMBER: Final = re.compile(r"\d{1,9}(\.\d{1,12})?")
SECONDS: Final = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsFile:
    stack: str
    month: str
    recorded: RecordedSeries


def to_text(recorded: RecordedSeries, *, stack: str, month: str, asked: str) -> str:
    """Write the file; `asked` names the source of the samples and the day."""
    lines = [f"# stack: {stack}", f"# month: {month}", f"# step_seconds: {recorded.step_seconds}", f"# asked: {asked}"]
    lines.append(",".join(HEAD))
    for name in sorted(recorded.runs, key=str):
        lines += [
            f"{name.metric},{name.of},{_time(run.start)},{_time(run.end)},{_number(run.value)}"
            for run in recorded.runs[name]
        ]
    return "\n".join(lines) + "\n"


def read_runs(text: str, *, file: str) -> RunsFile:
    """Read the file.

    Raises:
        InputError: with every fault in it, a hundred at most.
    """
    return _SeriesReader(file=file).read(text)


@final
@dataclass(kw_only=True)
class _SeriesReader:
    file: str
    faults: list[Fault] = field(default_factory=list[Fault])
    said: dict[str, str] = field(default_factory=dict[str, str])
    runs: dict[Name, list[SeriesSegment]] = field(default_factory=dict[Name, "list[SeriesSegment]"])

    def read(self, text: str) -> RunsFile:
        headed = False
        for number, line in enumerate(text.splitlines(), start=1):
            if line.startswith("#"):
                if found := SAID.match(line):
                    self._take_comment(found[1], found[2].strip(), number, line)
            elif line.strip() and not headed:
                headed = True
                self._check_head(line, number)
            elif line.strip() and len(self.faults) < MAX_FAULTS:
                self._read_row(line, number)
        runs = self._merge()
        if not headed:
            self._add_fault("nothing is in it", 0)
        if self.faults:
            raise InputError(f"{self.file}: {format_fault_count(self.faults)}", faults=self.faults)
        recorded = RecordedSeries(runs, step_seconds=int(self.said.get("step_seconds", 0)))
        return RunsFile(stack=self.said.get("stack", ""), month=self.said.get("month", ""), recorded=recorded)

    def _take_comment(self, key: str, value: str, number: int, line: str) -> None:
        if self.said.setdefault(key, value) != value:
            self._add_fault(f"{key} is given twice, as {self.said[key][:40]} and as {value[:40]}", number, line)
        if key != "step_seconds":
            return
        if not SECONDS.fullmatch(value):
            self._add_fault(f"step_seconds {value[:40]!r} is not a whole number of seconds", number, line)
        elif int(value) > COARSEST_STEP:
            self._add_fault(f"samples {value} s apart: outages of an hour would not be seen", number, line)

    def _check_head(self, line: str, number: int) -> None:
        if tuple(cell.strip() for cell in line.split(",")) != HEAD:
            self._add_fault(f"the first line must be {','.join(HEAD)}", number, line)

    def _read_row(self, line: str, number: int) -> None:
        cells = [cell.strip() for cell in next(csv.reader([line]))]
        if len(cells) != len(HEAD):
            self._add_fault(f"{len(cells)} cells, and there must be {len(HEAD)}", number, line)
            return
        metric, of, start, end, value = cells
        name = self._read_name(metric, of, number, line)
        begins, ends = self._read_moment(start, number, line), self._read_moment(end, number, line)
        if begins is not None and ends is not None and ends <= begins:
            self._add_fault('"until" is not after "from"', number, line)
            return
        if not FILE_NUMBER.fullmatch(value):
            self._add_fault(f"{value[:40]!r} is not a number; omit the line where nothing was measured", number, line)
            return
        if name is None or begins is None or ends is None:
            return
        try:
            check_value(name, Fraction(value))
        except SampleError as error:
            self._add_fault(str(error), number, line)
            return
        self.runs.setdefault(name, []).append(SeriesSegment(begins, ends, Fraction(value)))

    def _read_name(self, metric: str, of: str, number: int, line: str) -> Name | None:
        if metric not in LABELS:
            self._add_fault(
                f"{metric[:60]!r} is none of our series", number, line, hint=f"there are: {', '.join(LABELS)}"
            )
            return None
        if bool(of) != bool(LABELS[metric]):
            wanted = f"the {LABELS[metric]}" if LABELS[metric] else "nothing"
            self._add_fault(f'"of" of {metric} must be {wanted}', number, line)
            return None
        return Name(metric, of)

    def _read_moment(self, text: str, number: int, line: str) -> int | None:
        try:
            found = datetime.fromisoformat(text)
        except ValueError:
            found = None
        if found is None or found.tzinfo is None:
            self._add_fault(f"{text[:40]!r} is not a moment", number, line, hint="write it as 2026-10-07T03:00Z")
            return None
        return int(found.timestamp())

    def _merge(self) -> Mapping[Name, tuple[SeriesSegment, ...]]:
        found: dict[Name, tuple[SeriesSegment, ...]] = {}
        for name, runs in self.runs.items():
            try:
                found[name] = merge_segments(runs)
            except SampleError as error:
                self._add_fault(f"{name}: {error}", 0)
        return found

    def _add_fault(self, message: str, number: int, line: str = "", *, hint: str = "") -> None:
        self.faults.append(
            Fault(message=message, file=self.file, line=number, column=1 if number else 0, source_line=line, hint=hint)
        )


def together(files: Iterable[RecordedSeries]) -> RecordedSeries:
    """Merge several files, as the weeks of a month.

    Raises:
        SampleError: they contradict each other.
    """
    every = list(files)
    runs: dict[Name, list[SeriesSegment]] = {}
    for each in every:
        for name, found in each.runs.items():
            runs.setdefault(name, []).extend(found)
    notes = dict.fromkeys(note for each in every for note in each.notes)
    step = max((each.step_seconds for each in every), default=0)
    return RecordedSeries(
        {name: merge_segments(found) for name, found in runs.items()}, notes=tuple(notes), step_seconds=step
    )


def _time(second: int) -> str:
    found = datetime.fromtimestamp(second, tz=UTC)
    return f"{found:%Y-%m-%dT%H:%M:%SZ}" if found.second else f"{found:%Y-%m-%dT%H:%MZ}"


def _number(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    return f"{value.numerator / value.denominator:.12f}".rstrip("0")
