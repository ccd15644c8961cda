"""The model seen from outside: which section has which fields. Hints, schema and reference page are written from it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, get_args, get_origin

from pydantic import BaseModel

from planning.checklist.model.checklist import Checklist

if TYPE_CHECKING:
    from collections.abc import Iterator

Model = type[BaseModel]
Location = tuple[str | int, ...]


def kind_of(model: Model) -> str:
    """The word in `kind` that chooses this workload; "" for any other section."""
    field = model.model_fields.get("kind")
    words = get_args(field.annotation) if field else ()
    return str(words[0]) if len(words) == 1 else ""


def kinds() -> tuple[str, ...]:
    """Every kind of workload, in the model's order."""
    return tuple(kind_of(model) for model in inner_models(Checklist.model_fields["workloads"].annotation))


def inner_models(annotation: object) -> tuple[Model, ...]:
    """The sections a field's type is made of, in order."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return (annotation,)
    if get_origin(annotation) is Literal:
        return ()
    return tuple(model for part in get_args(annotation) for model in inner_models(part))


def section_at(location: Location) -> Model | None:
    """The section at a location that still names the kind after a workload's index, as pydantic writes it."""
    candidates: tuple[Model, ...] = (Checklist,)
    for part in location:
        if isinstance(part, int):
            continue
        candidates = _step(candidates, part=part)
    return candidates[0] if len(candidates) == 1 else None


def _step(candidates: tuple[Model, ...], *, part: str) -> tuple[Model, ...]:
    if len(candidates) > 1:
        return tuple(model for model in candidates if kind_of(model) == part)
    if not candidates or part not in candidates[0].model_fields:
        return ()
    return inner_models(candidates[0].model_fields[part].annotation)


@cache
def homes() -> dict[str, tuple[str, ...]]:
    """For every field name, the sections that have it, outermost first."""
    found: dict[str, list[str]] = {}
    for section, model in sections():
        for name in model.model_fields:
            found.setdefault(name, []).append(section)
    return {name: tuple(places) for name, places in found.items()}


def sections(model: Model = Checklist, *, at: str = "") -> Iterator[tuple[str, Model]]:
    """Every section with its path: "", "customer", "workloads[training]", "workloads[training].model", ..."""
    yield at, model
    for name, field in model.model_fields.items():
        for inner in inner_models(field.annotation):
            kind = kind_of(inner)
            path = f"{name}[{kind}]" if kind else name
            yield from sections(inner, at=f"{at}.{path}" if at else path)
