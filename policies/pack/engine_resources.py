"""Resources of an engine's run in our model: the engine sends inputs one by one, then the whole stack."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from planning.costs.resources.formats.values import BLINDED, SECRET_SIGNATURE, SIGNATURE, UNKNOWNS
from planning.costs.resources.resource import UNKNOWN, Resource, Secret, UnknownValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from google.protobuf import struct_pb2

    from planning.costs.resources.resource import Value

ROOT_TYPE: Final = "pulumi:pulumi:Stack"
OURS: Final = "atoll:"
IN_CLUSTER: Final = "kubernetes:"
NODES: Final = ("kubernetes:karpenter", "kubernetes:compute.coreweave.com/", "kubernetes:eks.amazonaws.com/")
_SECRET: Final = Secret()


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineResource:
    """One resource at the end of a run, as the engine sends it.

    Args:
        parent: URN; "" for none.
        provider: URN; "" for none.
        outputs: of a component, what it registered as outputs.
    """

    urn: str
    type: str
    name: str
    parent: str
    custom: bool
    protect: bool
    provider: str
    dependencies: tuple[str, ...]
    property_dependencies: Mapping[str, tuple[str, ...]]
    outputs: struct_pb2.Struct


@dataclass(slots=True)
class Captured:
    """Inputs of each resource of one run, in the order in which the engine sends them."""

    inputs: dict[str, struct_pb2.Struct] = field(default_factory=dict[str, "struct_pb2.Struct"])

    def take(self, urn: str, inputs: struct_pb2.Struct) -> None:
        self.inputs[urn] = inputs

    def build_resources(self, told: Sequence[EngineResource]) -> tuple[Resource, ...]:
        """Every resource that the program registers, ordered by URN; with its outputs where no inputs were sent.

        Not included are the children of a chart or a folder of manifests below a component of ours: an engine sends
        them without inputs, an offline run has none, and the component states their versions and charges. Resources
        of a cloud, and objects that make a cluster start machines, are always included.
        """
        by_urn = {each.urn: each for each in told}
        made = (
            self._build_resource(each)
            for each in by_urn.values()
            if each.type != ROOT_TYPE and not self._is_inside(each, by_urn)
        )
        return tuple(sorted(made, key=lambda resource: resource.urn))

    def list_unseen(self, told: Iterable[EngineResource]) -> tuple[str, ...]:
        """Our components whose inputs were not sent: they are left from an earlier program and cannot be evaluated."""
        return tuple(each.urn for each in told if each.type.startswith(OURS) and each.urn not in self.inputs)

    def _is_inside(self, told: EngineResource, by_urn: Mapping[str, EngineResource]) -> bool:
        """Whether it is, or is below, a chart or a folder of manifests that is below a component of ours."""
        if not told.type.startswith(IN_CLUSTER) or told.type.startswith(NODES):
            return False
        foreign, seen = False, set[str]()
        at: EngineResource | None = told
        while at is not None and at.urn not in seen:
            seen.add(at.urn)
            if at.type.startswith(OURS):
                return foreign
            foreign = foreign or self._is_hollow(at)
            at = by_urn.get(at.parent)
        return False

    def _is_hollow(self, told: EngineResource) -> bool:
        """Whether it is a component of the Kubernetes package without inputs."""
        given = self.inputs.get(told.urn)
        return not told.custom and told.type.startswith(IN_CLUSTER) and not (given and given.fields)

    def _build_resource(self, told: EngineResource) -> Resource:
        is_child_of_stack = told.parent.partition("::")[2].partition("::")[2].startswith(ROOT_TYPE + "::")
        given = self.inputs.get(told.urn, told.outputs)
        return Resource(
            urn=told.urn,
            type=told.type,
            name=told.name,
            parent=None if is_child_of_stack else told.parent or None,
            custom=told.custom,
            inputs=_inputs(given, told.property_dependencies),
            dependencies=told.dependencies,
            property_dependencies=told.property_dependencies,
            provider=told.provider or None,
            protect=told.protect,
        )


def _inputs(given: struct_pb2.Struct, origins: Mapping[str, tuple[str, ...]]) -> dict[str, Value]:
    """Inputs by name. An unknown below an input that depends on one resource names that one."""
    found: dict[str, Value] = {}
    for name, value in given.fields.items():
        urns = origins.get(name, ())
        read = _value(value, UnknownValue(urns[0]) if len(urns) == 1 else UNKNOWN)
        if read is not None:
            found[name] = read
    return found


def _value(value: struct_pb2.Value, unknown: UnknownValue) -> Value:
    match value.WhichOneof("kind"):
        case "string_value":
            return _text(value.string_value, unknown)
        case "number_value":
            number = value.number_value
            return int(number) if number.is_integer() else number
        case "bool_value":
            return value.bool_value
        case "struct_value":
            return _object(value.struct_value, unknown)
        case "list_value":
            return [_value(part, unknown) for part in value.list_value.values]
        case _:
            return None


def _text(text: str, unknown: UnknownValue) -> Value:
    if text in UNKNOWNS:
        return unknown
    return _SECRET if text == BLINDED else text


def _object(given: struct_pb2.Struct, unknown: UnknownValue) -> Value:
    if SIGNATURE in given.fields and given.fields[SIGNATURE].string_value == SECRET_SIGNATURE:
        return _SECRET
    found = {name: _value(value, unknown) for name, value in given.fields.items() if name != SIGNATURE}
    return {name: value for name, value in found.items() if value is not None}
