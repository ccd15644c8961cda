"""Checks of resource properties: an unknown, secret or ill-typed value is undetermined, never a pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.costs.resources.resource import Properties, UnreadableError
from planning.values.verdict import Verdict
from policies.rule import Breach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from planning.costs.resources.resource import Resource


def check_resources(
    resources: Iterable[Resource], check: Callable[[Resource, Properties], Iterable[Breach]], *, limit: str
) -> Iterator[Breach]:
    """The breaches that `check` finds in each resource; an undetermined one where a property cannot be read."""
    for resource in resources:
        try:
            yield from check(resource, Properties(resource.inputs))
        except UnreadableError as error:
            # One resource that cannot be read must not hide the breaches of the others.
            yield unclear(resource, error, limit=limit)


def unclear(resource: Resource, error: UnreadableError, *, limit: str) -> Breach:
    return Breach(
        verdict=Verdict.UNDETERMINED,
        urn=resource.urn,
        path=error.path,
        given=str(error),
        limit=limit,
        fix=f"Write {error.path or 'the property'} as a plain value, known before anything is created",
    )


def walk(inputs: Properties, path: str) -> tuple[Properties, ...]:
    """The properties at a path; "[]" goes through every element of a list.

    Raises:
        UnreadableError: a list on the way is unknown, secret or no list.
    """
    found = (inputs,)
    for step in path.split("."):
        there = tuple(each.at(step.removesuffix("[]")) for each in found)
        found = tuple(element for each in there for element in each.each()) if step.endswith("[]") else there
    return found


def over(resource: Resource, path: str = "", *, given: str, limit: str, fix: str) -> Breach:
    return Breach(verdict=Verdict.OVER, urn=resource.urn, path=path, given=given, limit=limit, fix=fix)
