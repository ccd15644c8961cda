"""The generator of valid checklists is judged by the real reader, and reaches every field."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from any_checklist import as_yaml, body_of, sampled
from pydantic import BaseModel

from planning.checklist.model.checklist import Checklist
from planning.checklist.model.structure import inner_models, kind_of, sections
from planning.checklist.reading.checklist_file import read
from planning.values.errors import InputError

SAMPLES = 700  # the rarest field takes its second value before the 600th
MANY = 2000
LEAST_VALID = 0.98
NEVER_VARY = {"workloads[training].kind", "workloads[fine_tuning].kind", "workloads[inference].kind"} | {
    "workloads[notebooks].kind",
    "workloads[batch].kind",
}


@cache
def accepted() -> tuple[Checklist, ...]:
    return tuple(_accepted())


def _accepted() -> Iterator[Checklist]:
    for number in range(SAMPLES):
        try:
            yield sampled(number)
        except InputError:
            continue


def leaves() -> set[str]:
    """Every field that holds a value instead of a section: "workloads[training].model.layers"."""
    return {
        f"{section}.{name}".lstrip(".")
        for section, model in sections()
        for name, field in model.model_fields.items()
        if not inner_models(field.annotation)
    }


def values(model: BaseModel, *, at: str = "") -> Iterator[tuple[str, str]]:
    """Every leaf of a checklist with what stands there."""
    for name in type(model).model_fields:
        value: object = getattr(model, name)
        path = f"{at}.{name}".lstrip(".")
        inner = value if isinstance(value, tuple) else (value,)
        held = [each for each in inner if isinstance(each, BaseModel)]
        for each in held:
            kind = kind_of(type(each))
            yield from values(each, at=f"{path}[{kind}]" if kind else path)
        if not held:
            yield path, repr(value)


def test_what_is_generated_is_valid() -> None:
    assert len(accepted()) / SAMPLES >= LEAST_VALID


def test_every_field_takes_two_values_or_more() -> None:
    seen: dict[str, set[str]] = {}
    for checklist in accepted():
        for path, value in values(checklist):
            seen.setdefault(path, set()).add(value)
    never = sorted(path for path in leaves() - NEVER_VARY if len(seen.get(path, ())) < 2)
    assert never == [], "draw these fields in tests/generators"


def test_a_number_always_gives_the_same_checklist() -> None:
    assert [as_yaml(body_of(number)) for number in range(20)] == [as_yaml(body_of(number)) for number in range(20)]


def test_what_is_read_is_what_was_written() -> None:
    for number in range(30):
        text = as_yaml(body_of(number))
        try:
            found = read(text, file="")
        except InputError:
            continue
        assert found.customer.name == body_of(number)["customer"]["name"]  # type: ignore[index]


def test_the_extremes_are_drawn() -> None:
    models = [job.model.parameters for each in accepted() for job in each.workloads if getattr(job, "model", None)]
    assert min(models) < 2 * 10**8
    assert max(models) > 5 * 10**11
    asked = [job.hardware for each in accepted() for job in each.workloads if job.hardware]
    counts = [ask.count or (ask.nodes or 0) * (ask.per_node or 1) for ask in asked]
    assert min(count for count in counts if count) == 1
    assert max(counts) > 20_000
    runs = [job.runs_per_month for each in accepted() for job in each.workloads if getattr(job, "runs_per_month", None)]
    assert min(runs) < 1
    assert max(runs) > 500
