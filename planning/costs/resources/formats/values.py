"""JSON values as plan, preview and exported stack write them: unknown and secret become types of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeGuard, cast

from planning.costs.resources.resource import UNKNOWN, Resource, Secret, UnknownValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.costs.resources.resource import Value


UNKNOWNS: Final = frozenset(
    {  # pulumi sdk/go/common/resource/plugin/rpc.go, one for each type of value
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)
SIGNATURE: Final = "4dabf18193072939515e22adb298388d"  # key of special objects (sdk/go/common/resource/sig/sig.go)
SECRET_SIGNATURE: Final = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - the mark of a secret, not one
BLINDED: Final = "[secret]"  # how a preview writes a secret (pkg/backend/display/json.go)
_SECRET: Final = Secret()


def is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def objects(value: object) -> list[dict[str, object]]:
    """The objects in a JSON list; none where it is no list."""
    return [element for element in value if is_object(element)] if is_list(value) else []


def texts(value: object) -> tuple[str, ...]:
    """The texts in a JSON list; none where it is no list."""
    return tuple(element for element in value if isinstance(element, str)) if is_list(value) else ()


def urn_lists(value: object) -> dict[str, tuple[str, ...]]:
    """Input name to the URNs its value comes from; nothing where it is no object."""
    return {name: texts(urns) for name, urns in value.items()} if is_object(value) else {}


def strangers(value: object, path: str) -> Iterator[str]:
    """Faults of a list that should hold resources, each with its path."""
    if not is_list(value):
        yield f"{path}: not a list"
        return
    for index, element in enumerate(value):
        if not is_resource(element):
            yield f"{path}[{index}]: not a resource with urn and type"


def is_resource(value: object) -> bool:
    """Whether a JSON value says at least which resource it is."""
    return is_object(value) and bool(text(value.get("urn"))) and bool(text(value.get("type")))


def text(value: object) -> str:
    """A JSON text, "" for anything else."""
    return value if isinstance(value, str) else ""


def state_inputs(value: object, origins: Mapping[str, tuple[str, ...]]) -> dict[str, Value]:
    """Inputs as the engine writes them. An unknown below an input that depends on one resource names that one."""
    if not is_object(value):
        return {}
    found: dict[str, Value] = {}
    for name, given in value.items():
        urns = origins.get(name, ())
        found[name] = _state_value(given, UnknownValue(urns[0]) if len(urns) == 1 else UNKNOWN)
    return found


def _state_value(value: object, unknown: UnknownValue) -> Value:
    if isinstance(value, str):
        if value in UNKNOWNS:
            return unknown
        return _SECRET if value == BLINDED else value
    if is_object(value):
        if value.get(SIGNATURE) == SECRET_SIGNATURE:
            return _SECRET
        return {name: _state_value(given, unknown) for name, given in value.items()}
    if is_list(value):
        return [_state_value(element, unknown) for element in value]
    return cast("Value", value)


def plan_inputs(value: object) -> dict[str, Value]:
    """Inputs as our own plan writes them: {"$ref": urn, "property": name}, {"$unknown": true}, {"$secret": true}."""
    if not is_object(value):
        return {}
    return {name: _plan_value(given) for name, given in value.items()}


def _plan_value(value: object) -> Value:
    if is_object(value):
        if value.get("$secret") is True:
            return _SECRET
        if "$ref" in value:
            return UnknownValue(text(value["$ref"]), text(value.get("property")))
        if value.get("$unknown") is True:
            return UNKNOWN
        return {name: _plan_value(given) for name, given in value.items()}
    if is_list(value):
        return [_plan_value(element) for element in value]
    return cast("Value", value)


def references(value: Value) -> tuple[str, ...]:
    """URNs that unknown parts of a value come from, each once."""
    if isinstance(value, UnknownValue):
        return (value.urn,) if value.urn else ()
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return tuple(dict.fromkeys(urn for part in parts for urn in references(part)))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A stack as one file describes it.

    Args:
        stack: name of the stack; "" where the file does not say.
        old: resources that exist now; None where the file does not say.
        new: resources that will exist, or do in the case of an exported stack.
        default_region: config "aws:region", None where the file does not say.
        notes: what a reader of the figures should know, as that unchanged resources are not in the file.
        gaps: which of them keep resources out, so that a total is only a floor.
    """

    stack: str
    old: tuple[Resource, ...] | None
    new: tuple[Resource, ...]
    default_region: str | None = None
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
