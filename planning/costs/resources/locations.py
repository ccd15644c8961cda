"""Where a resource is priced: provider and region, by the kind of resource."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.costs.resources.resource import Properties, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from planning.costs.resources.findings import CostingContext
    from planning.costs.resources.resource import Resource

ZONE_LETTER: Final = re.compile(r"(?<=\d)-[a-z]$")
EKS: Final = "aws:eks/cluster:Cluster"
GKE: Final = "gcp:container/cluster:Cluster"
CKS: Final = "coreweave:index/cksCluster:CksCluster"


@dataclass(frozen=True, slots=True, order=True)
class ProviderRegion:
    """A provider's region, in the words of its prices."""

    provider: str
    region: str

    def __str__(self) -> str:
        return f"{self.provider} {self.region}"


def read_google_region(text: str) -> ProviderRegion:
    """The region of a location of Google Cloud, a zone being part of its region."""
    return ProviderRegion("gcp", ZONE_LETTER.sub("", text.lower()))


def read_azure_region(text: str) -> ProviderRegion:
    """A region of Azure by its short name."""
    return ProviderRegion("azure", text.lower().replace(" ", ""))


def _aws(case: CostingContext) -> ProviderRegion:
    return ProviderRegion("aws", case.registered.region(case.resource))


def _azure(case: CostingContext) -> ProviderRegion:
    return read_azure_region(case.inputs.at("location").text())


def _gcp(case: CostingContext) -> ProviderRegion:
    """Where it says it is; what is known only later lies with its component."""
    for name in ("location", "zone"):
        location = case.inputs.at(name)
        if isinstance(location.value, str):
            return read_google_region(location.value)
        if location.said and case.owner is not None:
            return _find_declared_location(case)
    return ProviderRegion("gcp", case.registered.region(case.resource))


def _find_declared_location(case: CostingContext) -> ProviderRegion:
    """The place that the component, or the nearest one above it, names."""
    for owner in (case.resource, *case.registered.owners(case.resource)):
        if "provider" in owner.inputs:
            return _read_location(owner)
    raise UnreadableError("provider is not said")


def _host(case: CostingContext) -> ProviderRegion:
    """The place of the cluster that an object lives in.

    Raises:
        UnreadableError: neither a component above nor exactly one cluster among the resources tells it.
    """
    for owner in case.registered.owners(case.resource):
        if "provider" in owner.inputs:
            return _read_location(owner)
    clusters = [each for token in (EKS, GKE, CKS) for each in case.registered.by_type.get(token, ())]
    if len(clusters) != 1:
        raise UnreadableError("which provider hosts the cluster is not known")
    return _place_of_cluster(clusters[0], case)


def _place_of_cluster(cluster: Resource, case: CostingContext) -> ProviderRegion:
    """What the cluster's component declares, else where the cluster itself is; CoreWeave's zones have no prices."""
    for owner in case.registered.owners(cluster):
        if "provider" in owner.inputs:
            return _read_location(owner)
    if cluster.type == EKS:
        return ProviderRegion("aws", case.registered.region(cluster))
    location = Properties(cluster.inputs, cluster.name).at("location")
    if cluster.type == GKE and location.said:
        return read_google_region(location.text())
    if cluster.type == GKE:
        return ProviderRegion("gcp", case.registered.region(cluster))
    raise UnreadableError("in which region the cluster is priced is not said")


def _read_location(owner: Resource) -> ProviderRegion:
    inputs = Properties(owner.inputs, owner.name)
    return ProviderRegion(inputs.at("provider").text(), inputs.at("region").text())


_PLACES: Final[dict[str, Callable[[CostingContext], ProviderRegion]]] = {
    "aws": _aws,
    "atoll": _find_declared_location,
    "azure": _azure,
    "coreweave": _find_declared_location,
    "gcp": _gcp,
    "kubernetes": _host,
}


def place_of(case: CostingContext) -> ProviderRegion:
    """Provider and region whose prices hold for the resource.

    Raises:
        UnreadableError: they are unknown, or not said.
    """
    find = _PLACES.get(case.resource.type.split(":", 1)[0])
    if find is None:
        raise UnreadableError("no rule for its provider")
    return find(case)
