"""`pulumi stack export`: the deployment as the engine keeps it (apitype.UntypedDeployment around DeploymentV3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.costs.resources.formats.preview import Preview
from planning.costs.resources.formats.resource_state import resource, stack_of
from planning.costs.resources.formats.values import is_object, objects, strangers, text

if TYPE_CHECKING:
    from collections.abc import Iterator


def find_export_faults(document: dict[str, object]) -> Iterator[str]:
    """What keeps the document from being an exported stack, each with its path."""
    deployment = document.get("deployment")
    if deployment is not None and not is_object(deployment):
        yield "deployment: not an object"
        return
    if deployment is not None:
        yield from strangers(deployment.get("resources", []), "deployment.resources")


def read_export(document: dict[str, object]) -> Preview:
    """The stack as it stands. What waits for deletion and what is only read is left out, and said."""
    states = _states(document)
    kept = [state for state in states if state.get("delete") is not True and state.get("external") is not True]
    left = sum(1 for state in states if state.get("delete") is True)
    note = f"{left} resources wait for deletion and are not counted, though they may still be paid for"
    return Preview(
        stack=next((stack_of(text(state.get("urn"))) for state in states), ""),
        old=None,
        new=tuple(resource(state) for state in kept),
        notes=(note,) if left else (),
    )


def _states(document: dict[str, object]) -> list[dict[str, object]]:
    deployment = document.get("deployment")
    return objects(deployment.get("resources")) if is_object(deployment) else []
