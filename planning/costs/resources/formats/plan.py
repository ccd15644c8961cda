"""`atoll plan --json`: the registrations that our own program makes, run without an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.costs.resources.formats.pulumi import REGION
from planning.costs.resources.formats.values import (
    Preview,
    is_object,
    objects,
    plan_inputs,
    provider_urn,
    references,
    strangers,
    text,
    texts,
    urn_lists,
)
from planning.costs.resources.resource import Resource

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def find_plan_faults(document: dict[str, object]) -> Iterator[str]:
    """What keeps the document from being a plan, each with its path."""
    return strangers(document.get("resources"), "resources")


def read_plan(document: dict[str, object]) -> Preview:
    """The stack after; a plan knows nothing of what exists."""
    registered = objects(document.get("resources"))
    urns = {text(each.get("urn")) for each in registered}
    config = document.get("config")
    return Preview(
        stack=text(document.get("stack")),
        old=None,
        new=tuple(_resource(each, urns) for each in registered),
        default_region=text(config.get(REGION)) or None if is_object(config) else None,
    )


def _resource(each: Mapping[str, object], urns: set[str]) -> Resource:
    """One registration; property dependencies are those it names, else what its unknown inputs refer to."""
    inputs = plan_inputs(each.get("inputs"))
    origins = {name: found for name, value in inputs.items() if (found := references(value))}
    urn, provider = text(each.get("urn")), text(each.get("provider"))
    return Resource(
        urn=urn,
        type=text(each.get("type")),
        name=text(each.get("name")) or urn.rsplit("::", 1)[-1],
        parent=text(each.get("parent")) or None,
        custom=each.get("custom") is True,
        inputs=inputs,
        dependencies=texts(each.get("dependencies")),
        property_dependencies={**origins, **urn_lists(each.get("propertyDependencies"))},
        provider=provider if provider in urns else provider_urn(provider),
        protect=each.get("protect") is True,
        retain_on_delete=each.get("retain_on_delete") is True,
    )
