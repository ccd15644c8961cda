"""One resource as the engine writes it, in a preview's states and in an exported stack (apitype.ResourceV3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.costs.resources.formats.values import state_inputs, text, texts, urn_lists
from planning.costs.resources.resource import Resource

if TYPE_CHECKING:
    from collections.abc import Mapping


FIELDS: Final = (  # of a state, all that `resource` reads
    "urn",
    "type",
    "parent",
    "custom",
    "inputs",
    "dependencies",
    "propertyDependencies",
    "provider",
    "protect",
    "retainOnDelete",
)


def resource(state: Mapping[str, object]) -> Resource:
    """The resource of one state, inputs only: outputs hold what a provider filled in, not what was asked for."""
    urn = text(state.get("urn"))
    origins = urn_lists(state.get("propertyDependencies"))
    return Resource(
        urn=urn,
        type=text(state.get("type")),
        name=urn.rsplit("::", 1)[-1],
        parent=text(state.get("parent")) or None,
        custom=state.get("custom") is True,
        inputs=state_inputs(state.get("inputs"), origins),
        dependencies=texts(state.get("dependencies")),
        property_dependencies=origins,
        provider=provider_urn(text(state.get("provider"))),
        protect=state.get("protect") is True,
        retain_on_delete=state.get("retainOnDelete") is True,
    )


def provider_urn(reference: str) -> str | None:
    """URN of a provider reference "urn::id"; None where there is none."""
    return reference.rsplit("::", 1)[0] or None


def stack_of(urn: str) -> str:
    """Stack name in "urn:pulumi:<stack>::<project>::<type>::<name>"; "" where there is none."""
    head = urn.split("::", 1)[0].split(":")
    return head[2] if len(head) > 2 else ""  # noqa: PLR2004 - the third word
