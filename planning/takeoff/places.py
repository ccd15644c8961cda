"""Where a resource is priced: provider and region, by the kind of resource."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from planning.takeoff.findings import Place
from planning.takeoff.properties import Properties, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from planning.takeoff.case import Case
    from planning.takeoff.resource import Resource

ZONE_LETTER: Final = re.compile(r"(?<=\d)-[a-z]$")
EKS: Final = "aws:eks/cluster:Cluster"


def _aws(case: Case) -> Place:
    return Place("aws", case.registered.region(case.resource))


def _gcp(case: Case) -> Place:
    """Where it says it is, a zone being part of its region; what is known only later lies with its component."""
    for name in ("location", "zone"):
        location = case.inputs.at(name)
        if isinstance(location.value, str):
            return Place("gcp", ZONE_LETTER.sub("", location.value.lower()))
        if location.said and case.owner is not None:
            return _declared(case)
    return Place("gcp", case.registered.region(case.resource))


def _declared(case: Case) -> Place:
    """The place that the component, or the nearest one above it, names."""
    for owner in (case.resource, *case.registered.owners(case.resource)):
        if "provider" in owner.inputs:
            return _named(owner)
    raise UnreadableError("provider is not said")


def _host(case: Case) -> Place:
    """The place of the cluster that an object lives in.

    Raises:
        UnreadableError: neither a component above nor exactly one cluster among the resources tells it.
    """
    for owner in case.registered.owners(case.resource):
        if "provider" in owner.inputs:
            return _named(owner)
    clusters = case.registered.by_type.get(EKS, ())
    if len(clusters) != 1:
        raise UnreadableError("which provider hosts the cluster is not known")
    return Place("aws", case.registered.region(clusters[0]))


def _named(owner: Resource) -> Place:
    inputs = Properties(owner.inputs, owner.name)
    return Place(inputs.at("provider").text(), inputs.at("region").text())


_PLACES: Final[dict[str, Callable[[Case], Place]]] = {
    "aws": _aws,
    "atoll": _declared,
    "coreweave": _declared,
    "gcp": _gcp,
    "kubernetes": _host,
}


def place_of(case: Case) -> Place:
    """Provider and region whose prices hold for the resource.

    Raises:
        UnreadableError: they are unknown, or not said.
    """
    find = _PLACES.get(case.resource.type.split(":", 1)[0])
    if find is None:
        raise UnreadableError("no rule for its provider")
    return find(case)
