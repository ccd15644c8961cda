"""All resources of one stack at one time, and what the tree and the dependencies between them say."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, final

from planning.costs.resources.resource import Properties, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planning.costs.resources.resource import Resource

OWN_PREFIX: Final = "atoll:"
PLACEMENT: Final = "placement"  # input that makes one of our components a placement other than home
POOL_HOURS: Final = "nodeHours"  # input that makes one of our components a node pool
NODE_TYPES: Final = ("aws:eks/nodeGroup:NodeGroup", "aws:autoscaling/group:Group")


@final
class ResourceTree:
    """The resources of one stack.

    Args:
        resources: in any order.
        default_region: region of resources whose provider names none; None where nothing tells it.
    """

    def __init__(self, resources: Sequence[Resource], default_region: str | None) -> None:
        self.default_region = default_region
        self._resources = resources
        self._by_urn = {resource.urn: resource for resource in resources}
        self._owners: dict[str | None, tuple[Resource, ...]] = {None: ()}

    def find(self, urn: str | None) -> Resource | None:
        """The resource of a URN, if it is here."""
        return None if urn is None else self._by_urn.get(urn)

    @cached_property
    def by_type(self) -> Mapping[str, Sequence[Resource]]:
        found: dict[str, list[Resource]] = {}
        for resource in self._resources:
            found.setdefault(resource.type, []).append(resource)
        return found

    def owners(self, resource: Resource) -> tuple[Resource, ...]:
        """Components of ours above the resource, nearest first."""
        if resource.parent not in self._owners:
            self._owners[resource.parent] = tuple(self._climb(resource))
        return self._owners[resource.parent]

    def _climb(self, resource: Resource) -> Iterator[Resource]:
        """Our components on the way up; a tree that bites its tail ends the climb."""
        seen: set[str] = set()
        above = self.find(resource.parent)
        while above is not None and above.urn not in seen:
            seen.add(above.urn)
            if above.type.startswith(OWN_PREFIX):
                yield above
            above = self.find(above.parent)

    def pool(self, resource: Resource) -> Resource | None:
        """The nearest component of ours that is a node pool."""
        return next((owner for owner in self.owners(resource) if POOL_HOURS in owner.inputs), None)

    def prefix(self, resource: Resource) -> str:
        """The prefix of the keys of a resource's lines: its placement, "" for the primary one."""
        for owner in (resource, *self.owners(resource)):
            name = owner.inputs.get(PLACEMENT)
            if isinstance(name, str):
                return f"{name}/"
        return ""

    @cached_property
    def nodes_of_pool(self) -> Mapping[str, Sequence[Resource]]:
        """Node groups under the URN of the pool that they belong to."""
        found: dict[str, list[Resource]] = {}
        for token in NODE_TYPES:
            for group in self.by_type.get(token, ()):
                pool = self.pool(group)
                if pool is not None:
                    found.setdefault(pool.urn, []).append(group)
        return found

    def linked(self, resource: Resource, name: str, token: str) -> Resource:
        """The one resource of type `token` from which the input `name` takes its value.

        Raises:
            UnreadableError: there is none, or more than one.
        """
        urns = dict.fromkeys(resource.property_dependencies.get(name, ()))
        found = [each for urn in urns if (each := self._by_urn.get(urn)) is not None and each.type == token]
        if len(found) != 1:
            raise UnreadableError(f"{name} is not among the resources given")
        return found[0]

    def region(self, resource: Resource) -> str:
        """The region of a resource: its own, else its provider's, else the default.

        Raises:
            UnreadableError: nothing tells it, or it is known only after creation.
        """
        provider = self.find(resource.provider)
        for holder in (resource, provider):
            region = None if holder is None else Properties(holder.inputs).at("region")
            if region is not None and region.said:
                return region.text()
        if self.default_region is None:
            raise UnreadableError("region unknown")
        return self.default_region
