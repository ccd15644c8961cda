from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from policy_kit import changed, with_resource

from planning.costs.resources.resource import Value
from policies.stack_context import StackContext


def plain(stack: StackContext, type_: str, values: Mapping[str, Value], *, name: str = "") -> StackContext:
    """The same stack with plain values in one resource: what the program writes itself depends on nothing."""
    found = changed(stack, type_, values, name=name)
    at = next(at for at, each in enumerate(found.resources) if each.type == type_ and name in ("", each.name))
    written = {path.partition(".")[0] for path in values}
    kept = {key: urns for key, urns in found.resources[at].property_dependencies.items() if key not in written}
    return with_resource(found, at, replace(found.resources[at], property_dependencies=kept))
