"""How values stand in our JSON: the version of its shapes, decimals as text, and the forms that are published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Final, TypeVar, cast

SCHEMA_VERSION: Final = 2
TEN_THOUSANDTH: Final = Decimal("0.0001")

Form = TypeVar("Form")


def decimal_text(value: Decimal) -> str:
    """A decimal without exponent and without trailing zeros."""
    return format(value.normalize(), "f") if value else "0"


def to_json(value: object) -> object:
    """A value of ours in JSON: amounts as text, so that no reader turns them into floats, days in ISO 8601."""
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    match value:
        case Enum():
            return value.value
        case Decimal():
            return decimal_text(value)
        case date():
            return value.isoformat()
        case tuple() | list():
            return [to_json(element) for element in cast("tuple[object, ...]", value)]
        case Mapping():
            return {name: to_json(element) for name, element in cast("Mapping[str, object]", value).items()}
        case _:
            return value


def to_mapping(value: object) -> dict[str, object]:
    """A JSON object; an empty one for anything else."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def to_mappings(value: object) -> list[dict[str, object]]:
    """The elements of a JSON list as objects; none for anything else."""
    return [to_mapping(element) for element in cast("list[object]", value)] if isinstance(value, list) else []


def to_json_fields(result: object) -> dict[str, object]:
    """The fields of a result that is printed as it is."""
    return cast("dict[str, object]", to_json(result))


def fill_form(form: type[Form], source: object, /, **own: object) -> Form:
    """A published form (a TypedDict), each key from the attribute of the same name.

    Args:
        own: the keys that the source does not have, or has otherwise.
    """
    names = form.__annotations__
    if strange := own.keys() - names.keys():
        raise TypeError(f"{form.__name__} has no {', '.join(sorted(strange))}")
    return cast("Form", {name: own[name] if name in own else to_json(getattr(source, name)) for name in names})
