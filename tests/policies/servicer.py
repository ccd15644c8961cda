"""The pack's own servicer in process, told of resources in the messages that an engine would send."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from google.protobuf import struct_pb2
from pulumi.runtime.proto import analyzer_pb2 as wire
from pulumi_policy import EnforcementLevel

from planning.costs.resources.formats.values import SECRET_SIGNATURE, SIGNATURE, references
from planning.costs.resources.resource import Resource, Secret, UnknownValue, Value
from policies.pack.engine_adapter import PACK, Desk, policies, servicer

UNKNOWN_TEXT = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
HIDDEN = "hunter2-in-clear-text"


def ask(
    root: Path,
    resources: Iterable[Resource],
    *,
    config: Mapping[str, wire.PolicyConfig] | None = None,
    stack_config: Mapping[str, str] | None = None,
    seen: bool = True,
) -> list[wire.AnalyzeDiagnostic]:
    """What the pack of the project in `root` says of the resources; not `seen`: their inputs were never sent."""
    talk = servicer(Desk(root))(PACK, "0.0.1", policies(), EnforcementLevel.MANDATORY)
    everything = [*resources]
    stack = everything[0].urn.split(":")[2].partition("::")[0] if everything else ""
    talk.ConfigureStack(wire.AnalyzerStackConfigureRequest(stack=stack, config=stack_config or {}), None)
    talk.Configure(wire.ConfigureAnalyzerRequest(policyConfig=dict(config or {})), None)
    for each in everything if seen else ():
        talk.Analyze(wire.AnalyzeRequest(urn=each.urn, type=each.type, properties=struct(each.inputs)), None)
    request = wire.AnalyzeStackRequest(resources=[root_of(everything), *map(told, everything)])
    return [*talk.AnalyzeStack(request, None).diagnostics]


def root_of(resources: Iterable[Resource]) -> wire.AnalyzerResource:
    """The stack's own resource, parent of all that have no other."""
    urn = next((stack_urn(each) for each in resources), "urn:pulumi:none::atoll::pulumi:pulumi:Stack::atoll-none")
    return wire.AnalyzerResource(urn=urn, type="pulumi:pulumi:Stack", name=urn.rpartition("::")[2])


def stack_urn(resource: Resource) -> str:
    head, project = resource.urn.split("::")[:2]
    return f"{head}::{project}::pulumi:pulumi:Stack::{project}-{head.rpartition(':')[2]}"


def told(resource: Resource) -> wire.AnalyzerResource:
    """A resource at the end of a run, with outputs that are of no use to a rule."""
    found = wire.AnalyzerResource(
        urn=resource.urn,
        type=resource.type,
        name=resource.name,
        properties=struct({"id": UnknownValue(), "only": "outputs"}),
        options=wire.AnalyzerResourceOptions(protect=resource.protect),
        parent=resource.parent or stack_urn(resource),
        dependencies=resource.dependencies,
        propertyDependencies={
            name: wire.AnalyzerPropertyDependencies(urns=urns) for name, urns in origins(resource).items()
        },
    )
    if resource.custom:
        found.provider.urn = resource.provider or ""
        found.provider.SetInParent()
    return found


def origins(resource: Resource) -> dict[str, list[str]]:
    """What each input depends on; with what its unknowns come from, where a case has changed one of the two."""
    of_unknowns = {name: references(value) for name, value in resource.inputs.items()}
    of_all = {**of_unknowns, **resource.property_dependencies}
    return {name: sorted({*urns, *of_unknowns.get(name, ())}) for name, urns in of_all.items() if urns}


def struct(inputs: Mapping[str, Value]) -> struct_pb2.Struct:
    return struct_pb2.Struct(fields={name: sent(value) for name, value in inputs.items()})


def sent(value: Value) -> struct_pb2.Value:
    """A value as an engine sends it."""
    found = struct_pb2.Value()
    match value:
        case UnknownValue():
            found.string_value = UNKNOWN_TEXT
        case Secret():
            found.struct_value.CopyFrom(struct({SIGNATURE: SECRET_SIGNATURE, "value": HIDDEN}))
        case bool():
            found.bool_value = value
        case int() | float():
            found.number_value = value
        case str():
            found.string_value = value
        case list():
            found.list_value.CopyFrom(struct_pb2.ListValue(values=[sent(each) for each in value]))
        case dict():
            found.struct_value.CopyFrom(struct(value))
        case None:
            found.null_value = struct_pb2.NULL_VALUE
    return found
