"""Where a value comes from: the registered resource behind an unknown, and what belongs to a bucket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.costs.resources.resource import UnknownValue
from planning.values.verdict import Verdict
from policies.breach import Breach

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from planning.costs.resources.resource import Properties, Resource
    from policies.stack_context import StackContext

OWN_GATEWAY: Final = ("atoll:access:Gateway", "atoll:access:GatewayPod")


def sources(subject: StackContext, resource: Resource, value: object, *, name: str) -> Iterator[Resource]:
    """The registered resources that a value comes from, as its origin or the program's dependencies say.

    Args:
        name: the input, at the top of the resource, that holds the value.
    """
    known = isinstance(value, UnknownValue) and value.urn
    urns = (known,) if known else resource.property_dependencies.get(name, ())
    for urn in dict.fromkeys(urns):
        found = subject.registered.find(urn)
        if found is not None:
            yield found


def origins(subject: StackContext, resource: Resource, value: object, *, name: str) -> Iterator[Resource]:
    """The same for an unknown value only: what stands there in plain text says itself what it is."""
    if isinstance(value, UnknownValue):
        yield from sources(subject, resource, value, name=name)


def settings_of(subject: StackContext, bucket: Resource, token: str) -> tuple[Resource, ...]:
    """Resources of a type that say something about a bucket."""
    return tuple(
        each
        for each in subject.of_types((token,))
        if any(bucket.urn == one.urn for one in sources(subject, each, each.inputs.get("bucket"), name="bucket"))
    )


def is_owned_by(subject: StackContext, resource: Resource, tokens: Iterable[str]) -> bool:
    """Whether it stands below a component of ours of one of these types."""
    return any(owner.type in tokens for owner in subject.registered.owners(resource))


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


def over(resource: Resource, path: str, *, given: str, limit: str, fix: str) -> Breach:
    """The rule is broken at one property."""
    return Breach(verdict=Verdict.OVER, urn=resource.urn, path=path, given=given, limit=limit, fix=fix)
