"""A checklist field by field, in the order of its model, each with the name that a person would give it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist

# Fields that tell the entries of one list apart, the first that a section has; people may share a name, not a role.
KEYS: Final = (("role",), ("sort",), ("step",), ("placement", "tier"), ("below_percent",), ("name",))


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
                yield from _leaves(each, at=f"{path}.{_called(each)}", pattern=generic)
        else:
            default = field.get_default(call_default_factory=True)
            yield Leaf(path=path, pattern=generic, text=text_of(shown[name]), is_default=value == default)


def _called(entry: BaseModel) -> str:
    """What an entry of a list is called, by words that no other entry of the list has."""
    fields = type(entry).model_fields
    names = next((names for names in KEYS if all(name in fields for name in names)), ())
    return "/".join(str(getattr(entry, name)) for name in names)


def text_of(value: object) -> str:
    """A value in words."""
    if value is None or value == []:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(text_of(each) for each in cast("list[object]", value))
    return str(value)
