"""Registered resources as JSON, for `atoll plan --json`; `planning.costs.resources.formats` reads it again.

An unknown is `{"$ref": urn, "property": output}`, or `{"$unknown": true}` where nothing is known of its origin;
`property` is "" where the value was computed from that resource. A secret is `{"$secret": true}`, never its value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from planning.costs.resources.resource import Secret, UnknownValue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planning.costs.resources.resource import Resource, Value

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"

REF: Final = "$ref"
PROPERTY: Final = "property"
UNKNOWN_MARK: Final = "$unknown"
SECRET_MARK: Final = "$secret"  # noqa: S105 - the mark of a secret, not one


def to_json(resources: Iterable[Resource]) -> list[Json]:
    """One object for each resource, in the given order."""
    return [_resource_to_json(resource) for resource in resources]


def value_to_json(value: Value) -> Json:
    match value:
        case UnknownValue(urn=""):
            return {UNKNOWN_MARK: True}
        case UnknownValue(urn=urn, output=output):
            return {REF: urn, PROPERTY: output}
        case Secret():
            return {SECRET_MARK: True}
        case list():
            return [value_to_json(part) for part in value]
        case dict():
            return {name: value_to_json(part) for name, part in sorted(value.items())}
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
