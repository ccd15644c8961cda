"""A registered resource as plain values, whoever reports it: our offline run, a preview, or an exported stack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Value: TypeAlias = "str | int | float | bool | Unknown | Secret | list[Value] | dict[str, Value] | None"


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value known only after creation; `urn` and `output` name where it comes from, "" where that is not known."""

    urn: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that may not be shown."""


UNKNOWN: Final = Unknown()


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
