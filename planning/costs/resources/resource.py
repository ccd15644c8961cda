"""Registered resources as plain values, one and the tree of a stack, whoever reports them.

They come from our offline run, a preview, or an exported stack.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias, cast, final

from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Value: TypeAlias = "str | int | float | bool | UnknownValue | Secret | list[Value] | dict[str, Value] | None"


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """A value known only after creation; `urn` and `output` name where it comes from, "" where that is not known."""

    urn: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that may not be shown."""


UNKNOWN: Final = UnknownValue()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One registration.

    Args:
        urn: unique in the stack.
        type: type token, "aws:eks/cluster:Cluster".
        parent: URN, None for the stack's children.
        custom: False for components.
        dependencies: URNs.
        property_dependencies: input name to the URNs its value comes from.
        provider: URN of the provider resource (without its id), None for the default one.
    """

    urn: str
    type: str
    name: str
    parent: str | None
    custom: bool
    inputs: Mapping[str, Value]
    dependencies: tuple[str, ...] = ()
    property_dependencies: Mapping[str, tuple[str, ...]]
    provider: str | None = None
    protect: bool = False
    retain_on_delete: bool = False


_LARGEST: Final = (
    Decimal(10) ** 10
)  # an exabyte in GB is a tenth of it; more would make amounts too long for exact cents


class UnreadableError(Exception):
    """A property on which a price or a rule hangs cannot be read. The message names it: a resource is unpriced with it.

    Args:
        path: the property ("scalingConfig.minSize"); "" where it is about no single one.
    """

    def __init__(self, message: str, *, path: str = "") -> None:
        super().__init__(message)
        self.path = path


@final
class Properties:
    """A value inside a resource's inputs, together with its path ("scalingConfig.minSize")."""

    __slots__ = ("path", "value")

    def __init__(self, value: object, path: str = "") -> None:
        self.value = value
        self.path = path

    def at(self, name: str) -> Properties:
        """The property `name` of this object; of something unknown or absent, again something unknown or absent.

        Raises:
            UnreadableError: this is neither.
        """
        path = f"{self.path}.{name}" if self.path else name
        value = self.value
        if isinstance(value, Mapping):
            return Properties(cast("Mapping[str, object]", value).get(name), path)
        if value is None or isinstance(value, UnknownValue | Secret):
            return Properties(value, path)
        raise UnreadableError(f"{self.path} is not an object", path=self.path)

    @property
    def said(self) -> bool:
        """Whether anything stands here, even something unknown."""
        return self.value is not None

    def each(self) -> tuple[Properties, ...]:
        """The elements of a list; none where nothing is said.

        Raises:
            UnreadableError: unknown, secret, or not a list.
        """
        if self.value is None:
            return ()
        if not isinstance(self._plain(), list):
            raise UnreadableError(f"{self.path} is not a list", path=self.path)
        elements = cast("list[object]", self.value)
        return tuple(Properties(element, f"{self.path}[{index}]") for index, element in enumerate(elements))

    def text(self, default: str | None = None) -> str:
        """A text; `default` where nothing is said.

        Raises:
            UnreadableError: unknown, secret, not a text, or not said and without default.
        """
        if self.value is None and default is not None:
            return default
        value = self._plain()
        if not isinstance(value, str):
            raise UnreadableError(f"{self.path} is not a text", path=self.path)
        return value

    def flag(self, *, default: bool) -> bool:
        """True or false; `default` where nothing is said.

        Raises:
            UnreadableError: unknown, secret or something else.
        """
        if self.value is None:
            return default
        value = self._plain()
        if value in ("true", "false"):
            return value == "true"
        if not isinstance(value, bool):
            raise UnreadableError(f"{self.path} is neither true nor false", path=self.path)
        return value

    def number(self, default: Decimal | int | None = None) -> Decimal:
        """A quantity, which is never negative; `default` where nothing is said.

        Raises:
            UnreadableError: unknown, secret, not a number, negative, beyond reason, or not said and without default.
        """
        if self.value is None and default is not None:
            return Decimal(default)
        value = self._plain()
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise UnreadableError(f"{self.path} is not a number", path=self.path)
        return self._parse_bounded(value)

    def _parse_bounded(self, value: float | str) -> Decimal:
        """The value as a decimal between 0 and what is reasonable."""
        try:
            number = Decimal(value) if isinstance(value, int) else Decimal(str(value))
        except InvalidOperation:
            raise UnreadableError(f"{self.path} is not a number", path=self.path) from None
        if not number.is_finite() or not ZERO <= number <= _LARGEST:
            raise UnreadableError(f"{self.path} is not a quantity between 0 and {_LARGEST:.0e}", path=self.path)
        return number

    def _plain(self) -> object:
        """The value, once it is said, known and no secret."""
        if self.value is None:
            raise UnreadableError(f"{self.path} is not said", path=self.path)
        if isinstance(self.value, UnknownValue):
            raise UnreadableError(f"{self.path} is known only after creation{_origin(self.value)}", path=self.path)
        if isinstance(self.value, Secret):
            raise UnreadableError(f"{self.path} is secret", path=self.path)
        return self.value


def _origin(unknown: UnknownValue) -> str:
    """Where an unknown value comes from, as far as that is known."""
    name = unknown.urn.rsplit("::", 1)[-1]
    return f" of {name}" if name else ""


OWN_PREFIX: Final = "atoll:"
PLACEMENT: Final = "placement"  # input that makes one of our components an additional placement
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
        # A file of foreign origin may name parents in a circle.
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

    def find_linked(self, resource: Resource, name: str, token: str) -> Resource:
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
