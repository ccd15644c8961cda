"""Answers of Prometheus to range queries, as its HTTP API gives them (prometheus.io/docs, querying/api).

{"status": "success", "data": {"resultType": "matrix", "result": [
    {"metric": {"__name__": "atoll:fabric_up", "pool": "train"}, "values": [[1759276800, "1"], ...]}]}}
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final, cast

from planning.service_levels.samples import check_value, rounded
from planning.service_levels.series import (
    COARSEST_STEP,
    LABELS,
    USUAL_STEP,
    Name,
    Recorded,
    Run,
    SampleError,
    joined,
    step_of,
)
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NOT_NUMBERS: Final = frozenset({"NaN", "+Inf", "-Inf", "Inf"})
SAMPLE_NUMBER: Final = re.compile(r"[+-]?\d{1,20}(\.\d{1,40})?([eE][+-]?\d{1,2})?")
PAIR: Final = 2

Samples = dict[Name, dict[int, Fraction]]


def read_answers(answers: Iterable[object], *, file: str) -> Recorded:
    """Every series of ours in some answers; others are left out and told of.

    Raises:
        InputError: an answer is no range query's, tells of an error, or its samples contradict each other.
    """
    samples: Samples = {}
    strange: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    try:
        for answer in answers:
            for series in _matrix(answer):
                _take(series, samples=samples, strange=strange, lost=lost)
        return _recorded(samples, notes=(*_left_out(strange), *_no_numbers(lost)))
    except SampleError as error:
        raise InputError(f"{file}: {error}", hint="export it again, or leave out what is wrong") from error


def _recorded(samples: Samples, *, notes: tuple[str, ...]) -> Recorded:
    runs: dict[Name, tuple[Run, ...]] = {}
    longest = 0
    for name, found in samples.items():
        ordered = sorted(found.items())
        try:
            step = step_of([time for time, _ in ordered]) or USUAL_STEP
        except SampleError as error:
            raise SampleError(f"{name}: {error}") from error
        if step > COARSEST_STEP:
            raise SampleError(f"{name}: its samples are {step} s apart: outages of an hour would not be seen")
        runs[name] = joined(ordered, step=step)
        longest = max(longest, step)
    return Recorded(runs, notes=notes, step_seconds=longest)


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
    value = rounded(Fraction(text))
    check_value(name, value)
    return value


def _left_out(strange: Counter[str]) -> Iterable[str]:
    if strange:
        yield f"series that are not ours were left out: {', '.join(sorted(strange)[:5])}"


def _no_numbers(lost: Counter[str]) -> Iterable[str]:
    for name, count in sorted(lost.items()):
        yield f"{name}: {count} samples are no number (NaN or infinite) and count as not known"
