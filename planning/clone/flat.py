"""A checklist field by field, in the order of its model, each with the name that a person would give it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model import Checklist


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One field.

    Args:
        path: with names in place of positions, "workloads.finetune-7b.deadline".
        pattern: without them, "workloads.deadline".
        text: its value as the file says it; "none" for nothing.
        is_default: whether nobody said it.
    """

    path: str
    pattern: str
    text: str
    is_default: bool


def flat(checklist: Checklist) -> dict[str, Leaf]:
    """Every field by its path."""
    return {leaf.path: leaf for leaf in _leaves(checklist, at="", pattern="")}


def _leaves(section: BaseModel, *, at: str, pattern: str) -> Iterator[Leaf]:
    shown = cast("dict[str, object]", section.model_dump(mode="json"))
    for name, field in type(section).model_fields.items():
        value: object = getattr(section, name)
        path, generic = f"{at}.{name}".removeprefix("."), f"{pattern}.{name}".removeprefix(".")
        if isinstance(value, BaseModel):
            yield from _leaves(value, at=path, pattern=generic)
        elif isinstance(value, tuple) and value and isinstance(value[0], BaseModel):
            for each in cast("tuple[BaseModel, ...]", value):
                yield from _leaves(each, at=f"{path}.{getattr(each, 'name', '')}", pattern=generic)
        else:
            default = field.get_default(call_default_factory=True)
            yield Leaf(path=path, pattern=generic, text=text_of(shown[name]), is_default=value == default)


def text_of(value: object) -> str:
    """A value in words."""
    if value is None or value == []:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(text_of(each) for each in cast("list[object]", value))
    return str(value)
