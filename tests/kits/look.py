"""How the program tests look at what was registered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.costs.resources.resource import UnknownValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from operations.offline.program import OfflineRun
    from planning.costs.resources.resource import Resource


def of_type(run: OfflineRun, token: str) -> list[Resource]:
    found = [resource for resource in run.resources if resource.type == token]
    assert found, f"nothing of type {token} was registered"
    return found


def one(run: OfflineRun, token: str, name: str) -> Resource:
    (found,) = [resource for resource in of_type(run, token) if resource.name == name]
    return found


def unknowns(value: object) -> Iterator[UnknownValue]:
    if isinstance(value, UnknownValue):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from unknowns(part)
    elif isinstance(value, list):
        for part in value:
            yield from unknowns(part)


def at(resource: Resource, *path: str | int) -> object:
    value: object = resource.inputs
    for step in path:
        value = value[step]  # type: ignore[index]
    return value
