"""What the program registers of the platform: charts, manifests and objects by the component that they belong to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from planning.costs.resources.resource import Secret, UnknownValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from planning.costs.resources.resource import Resource, Value

Plain: TypeAlias = "str | int | float | bool | list[Plain] | dict[str, Plain] | None"

COMPONENT: Final = "atoll:platform:"
RELEASE: Final = "kubernetes:helm.sh/v3:Release"
DIRECTORY: Final = "kubernetes:kustomize/v2:Directory"
SECRET: Final = "kubernetes:core/v1:Secret"  # noqa: S105 - a type
OBJECT: Final = "kubernetes:"
ARGO_CD: Final = "atoll:platform:ArgoCd"  # who installs cannot take itself over


@dataclass(slots=True)
class ComponentGroup:
    """What one component of the platform is made of.

    Args:
        wave: how many components have to be there before it.
    """

    name: str
    wave: int = 0
    releases: list[Resource] = field(default_factory=list["Resource"])
    directories: list[Resource] = field(default_factory=list["Resource"])
    objects: list[Resource] = field(default_factory=list["Resource"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Staying:
    """Something that Atoll keeps, and why."""

    what: str
    reason: str


def groups(resources: Sequence[Resource]) -> tuple[list[ComponentGroup], list[Staying]]:
    """The primary placement's platform in the order of its installation, and what of it is not handed over."""
    by_urn = {resource.urn: resource for resource in resources}
    tops = {each.urn: ComponentGroup(each.name) for each in resources if _is_top(each)}
    owners = {resource.urn: _top(resource, by_urn, tops) for resource in resources}
    staying: list[Staying] = []
    for resource in resources:
        owner = owners[resource.urn]
        if owner is not None and resource.type.startswith(OBJECT):
            reason = _reason_to_stay(resource)
            if reason:
                staying.append(Staying(what=_describe_resource(resource), reason=reason))
            else:
                _put(tops[owner], resource)
    _order(tops, owners, resources)
    found = [each for each in tops.values() if each.releases or each.directories or each.objects]
    return sorted(found, key=lambda each: (each.wave, each.name)), sorted(staying, key=lambda each: each.what)


def plain(value: Value) -> Plain:
    """A value as YAML has it; whole numbers without a point.

    Raises:
        ValueError: a part of it is secret, or known only after creation.
    """
    match value:
        case UnknownValue() | Secret():
            raise ValueError("not plain")
        case list():
            return [plain(part) for part in value]
        case dict():
            return {name: plain(part) for name, part in value.items()}
        # The engine knows only floats; Kubernetes refuses a replica count of 3.0.
        case float() if value.is_integer():
            return int(value)
        case _:
            return value


def _is_top(resource: Resource) -> bool:
    return resource.type.startswith(COMPONENT) and resource.parent is None and resource.type != ARGO_CD


def _top(resource: Resource, by_urn: Mapping[str, Resource], tops: Mapping[str, ComponentGroup]) -> str | None:
    at: Resource | None = resource
    while at is not None:
        if at.urn in tops:
            return at.urn
        at = by_urn.get(at.parent or "")
    return None


def _reason_to_stay(resource: Resource) -> str:
    if resource.type == SECRET:
        return "a secret; it stays in the cluster under this name"
    hidden = set(_find_hidden_types(dict(resource.inputs)))
    if Secret in hidden:
        return "it holds a secret"
    return "part of it is known only once the cloud has made something" if hidden else ""


def _find_hidden_types(value: Value) -> Iterator[type]:
    if isinstance(value, UnknownValue | Secret):
        yield type(value)
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _find_hidden_types(part)


def _put(group: ComponentGroup, resource: Resource) -> None:
    kinds = {RELEASE: group.releases, DIRECTORY: group.directories}
    kinds.get(resource.type, group.objects).append(resource)


def _order(tops: Mapping[str, ComponentGroup], owners: Mapping[str, str | None], resources: Iterable[Resource]) -> None:
    """Waves: a component comes after every other that something of it waits for."""
    needs: dict[str, set[str]] = {urn: set() for urn in tops}
    for resource in resources:
        owner = owners[resource.urn]
        if owner is not None:
            before = {found for urn in resource.dependencies if (found := owners.get(urn)) not in (None, owner)}
            needs[owner] |= before
    depth: dict[str, int] = {}
    for urn, group in tops.items():
        group.wave = _depth(urn, needs, depth)


def _depth(urn: str, needs: Mapping[str, set[str]], known: dict[str, int]) -> int:
    if urn not in known:
        known[urn] = 0  # an update waits for nothing that waits for it, so no circle ends here
        known[urn] = max((_depth(each, needs, known) + 1 for each in needs[urn]), default=0)
    return known[urn]


def _describe_resource(resource: Resource) -> str:
    metadata = resource.inputs.get("metadata")
    named = metadata if isinstance(metadata, dict) else resource.inputs
    name, namespace = named.get("name"), named.get("namespace")
    where = f"{namespace}/" if isinstance(namespace, str) else ""
    return f"{resource.type.rpartition(':')[2]} {where}{name if isinstance(name, str) else resource.name}"
