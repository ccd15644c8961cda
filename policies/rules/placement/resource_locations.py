"""Locations of a stack's resources: every provider and region that they name, with the intended exceptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.costs.resources.locations import ProviderRegion, read_azure_region, read_google_region
from planning.costs.resources.resource import Properties, UnknownValue, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from planning.costs.resources.resource import Resource
    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock
    from policies.stack_context import StackContext

GATEWAY: Final = "gcp:compute/instance:Instance"
SUBNET: Final = "gcp:compute/subnetwork:Subnetwork"
EVERYWHERE: Final = "global"  # Google Cloud's word for no region
OWN: Final = "atoll"
OUTWARD: Final[Mapping[str, str]] = {  # components whose resources are in the main cloud
    "atoll:network:MainSide": "link",
    "atoll:network:Peering": "peering",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRegion:
    """A place, and the property (`path`) of a resource that names it."""

    place: ProviderRegion
    path: str


def of_lock(lock: Lock) -> tuple[ProviderRegion, ...]:
    """Places of the lock's clusters, the primary one first."""
    return tuple(dict.fromkeys(_of_spec(spec) for spec in lock.placements))


def _of_spec(spec: ClusterSpec) -> ProviderRegion:
    return ProviderRegion(spec.placement.provider, spec.placement.region)


def main_cloud(spec: ClusterSpec) -> Mapping[str, ProviderRegion]:
    """Place of the main cloud's end of a tunnel ("link") and of a peering, from the checklist."""
    link, peering = spec.network.link, spec.network.peering
    found = {"link": ProviderRegion(link.provider, link.region)} if link else {}
    return found | ({"peering": ProviderRegion(spec.placement.provider, peering.region)} if peering else {})


def outward(subject: StackContext, resource: Resource) -> str:
    """The end in the main cloud that a resource belongs to: "link", "peering", or "" for neither."""
    above = (resource, *subject.registered.owners(resource))
    return next((OUTWARD[each.type] for each in above if each.type in OUTWARD), "")


def list_resource_regions(subject: StackContext, resource: Resource) -> Iterator[ResourceRegion]:
    """Places that a resource names itself; one that names none is where its provider, a resource too, is.

    Raises:
        UnreadableError: a place cannot be read.
    """
    package = resource.type.split(":", 1)[0]
    # A provider is a resource of Pulumi's own package ("pulumi:providers:aws"); the cloud is its last word.
    kind = resource.type.rsplit(":", 1)[-1] if package == "pulumi" else package
    find = _FINDERS.get(kind)
    if find is not None:
        for place, path in find(subject, resource, Properties(resource.inputs)):
            yield ResourceRegion(place=place, path=path)


Found = tuple[ProviderRegion, str]


def _aws(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Found]:
    del subject, resource
    if inputs.at("region").said:
        yield ProviderRegion("aws", inputs.at("region").text()), "region"


def _gcp(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Found]:
    for name in ("region", "location", "zone"):
        value = inputs.at(name)
        if name == "zone" and resource.type == GATEWAY and isinstance(value.value, UnknownValue):
            yield _of_subnet(subject, resource), "zone"
        elif value.said and value.text().lower() != EVERYWHERE:
            yield read_google_region(value.text()), name
    for zone in inputs.at("nodeLocations").each():
        yield read_google_region(zone.text()), zone.path


def _of_subnet(subject: StackContext, resource: Resource) -> ProviderRegion:
    """The region of a machine whose zone is not known yet: Google Cloud starts it in its subnet's region only.

    Raises:
        UnreadableError: its subnet is not among the resources, or does not say where it is.
    """
    near = (subject.registered.find(urn) for urn in resource.property_dependencies.get("networkInterfaces", ()))
    subnets = [each for each in near if each is not None and each.type == SUBNET]
    regions = {Properties(each.inputs).at("region").text() for each in subnets}
    if len(regions) != 1:
        raise UnreadableError("zone is known only after creation", path="zone")
    return read_google_region(regions.pop())


def _azure(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Found]:
    del subject, resource
    if inputs.at("location").said:
        yield read_azure_region(inputs.at("location").text()), "location"


def _coreweave(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Found]:
    # Resources name a zone; its region is the lock's or the catalog's that has it.
    del resource
    zone = inputs.at("zone")
    if zone.said:
        name = zone.text()
        known = [each for each in subject.catalog.regions.values() if each.provider == "coreweave"]
        locked = [spec.placement for spec in subject.lock.placements if spec.placement.provider == "coreweave"]
        region = next((each.region for each in locked if name in each.zones), "")
        yield (
            ProviderRegion("coreweave", region or next((each.name for each in known if name in each.zones), name)),
            "zone",
        )


def _read_declared_region(subject: StackContext, resource: Resource, inputs: Properties) -> Iterator[Found]:
    del subject, resource
    if inputs.at("provider").said and inputs.at("region").said:
        yield ProviderRegion(inputs.at("provider").text(), inputs.at("region").text()), "region"


_FINDERS: Final[Mapping[str, Callable[[StackContext, Resource, Properties], Iterator[Found]]]] = {
    "aws": _aws,
    "gcp": _gcp,
    "azure": _azure,
    "coreweave": _coreweave,
    OWN: _read_declared_region,
}
