"""Registered resources as JSON, for `atoll plan --json`, and back.

An unknown is `{"$ref": urn, "property": output}`, or `{"$unknown": true}` where nothing is known of its origin;
`property` is "" where the value was computed from that resource. A secret is `{"$secret": true}`, never its value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, cast

from planning.errors import InputError
from planning.takeoff.resource import Resource, Secret, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planning.takeoff.resource import Value

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"

REF: Final = "$ref"
PROPERTY: Final = "property"
UNKNOWN_MARK: Final = "$unknown"
SECRET_MARK: Final = "$secret"  # noqa: S105 - the mark of a secret, not one


def to_json(resources: Iterable[Resource]) -> list[Json]:
    """One object for each resource, in the given order."""
    return [_resource_to_json(resource) for resource in resources]


def from_json(plan: object) -> tuple[Resource, ...]:
    """The resources that `to_json` wrote.

    Raises:
        InputError: not a list of objects with the fields of a resource; the message names the entry and the field.
    """
    if not isinstance(plan, list):
        raise InputError("a plan is a list of resources")
    entries = cast("list[object]", plan)
    return tuple(_resource_from_json(entry, place=f"resources[{index}]") for index, entry in enumerate(entries))


def value_to_json(value: Value) -> Json:
    """One input or output."""
    match value:
        case Unknown(urn=""):
            return {UNKNOWN_MARK: True}
        case Unknown(urn=urn, output=output):
            return {REF: urn, PROPERTY: output}
        case Secret():
            return {SECRET_MARK: True}
        case list():
            return [value_to_json(part) for part in value]
        case dict():
            return {name: value_to_json(part) for name, part in sorted(value.items())}
        case _:
            return value


def value_from_json(value: Json) -> Value:
    """The value that `value_to_json` wrote."""
    match value:
        case {"$unknown": True}:
            return Unknown()
        case {"$ref": str(urn), "property": str(output)}:
            return Unknown(urn=urn, output=output)
        case {"$secret": True}:
            return Secret()
        case list():
            return [value_from_json(part) for part in value]
        case dict():
            return {name: value_from_json(part) for name, part in value.items()}
        case _:
            return value


def _resource_to_json(resource: Resource) -> Json:
    return {
        "urn": resource.urn,
        "type": resource.type,
        "name": resource.name,
        "parent": resource.parent,
        "custom": resource.custom,
        "inputs": {name: value_to_json(value) for name, value in sorted(resource.inputs.items())},
        "dependencies": list(resource.dependencies),
        "propertyDependencies": {name: list(urns) for name, urns in sorted(resource.property_dependencies.items())},
        "provider": resource.provider,
        "protect": resource.protect,
        "retain_on_delete": resource.retain_on_delete,
    }


def _resource_from_json(entry: object, *, place: str) -> Resource:
    if not isinstance(entry, dict):
        raise InputError(f"{place} is not an object")
    fields = cast("dict[str, Json]", entry)
    try:
        return Resource(
            urn=str(fields["urn"]),
            type=str(fields["type"]),
            name=str(fields["name"]),
            parent=_text_or_none(fields["parent"]),
            custom=bool(fields["custom"]),
            inputs={name: value_from_json(value) for name, value in _mapping(fields["inputs"]).items()},
            dependencies=_texts(fields["dependencies"]),
            property_dependencies={
                name: _texts(urns) for name, urns in _mapping(fields.get("propertyDependencies", {})).items()
            },
            provider=_text_or_none(fields["provider"]),
            protect=bool(fields["protect"]),
            retain_on_delete=bool(fields["retain_on_delete"]),
        )
    except KeyError as error:
        raise InputError(f"{place} has no {error.args[0]}") from error
    except TypeError as error:
        raise InputError(f"{place}: {error}") from error


def _mapping(value: Json) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        raise TypeError(f"not an object: {value!r}")
    return value


def _texts(value: Json) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError(f"not a list: {value!r}")
    return tuple(str(part) for part in value)


def _text_or_none(value: Json) -> str | None:
    return None if value is None else str(value)
