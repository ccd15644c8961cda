"""Origins of values: the registered resource behind an unknown, and settings that belong to a bucket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.costs.resources.resource import UnknownValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from planning.costs.resources.resource import Resource
    from policies.stack_context import StackContext

OWN_GATEWAY: Final = ("atoll:access:Gateway", "atoll:access:GatewayPod")


def sources(subject: StackContext, resource: Resource, value: object, *, name: str) -> Iterator[Resource]:
    """The registered resources that a value comes from, by its origin or the program's dependencies.

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
    """The same for unknown values only: a plain text names itself."""
    if isinstance(value, UnknownValue):
        yield from sources(subject, resource, value, name=name)


def settings_of(subject: StackContext, bucket: Resource, token: str) -> tuple[Resource, ...]:
    """Resources of a type that configure a bucket."""
    return tuple(
        each
        for each in subject.of_types((token,))
        if any(bucket.urn == one.urn for one in sources(subject, each, each.inputs.get("bucket"), name="bucket"))
    )


def is_owned_by(subject: StackContext, resource: Resource, tokens: Iterable[str]) -> bool:
    """Whether it is below a component of ours of one of these types."""
    return any(owner.type in tokens for owner in subject.registered.owners(resource))
