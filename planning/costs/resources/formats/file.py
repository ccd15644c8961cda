"""A file of any kind we read, found out by its own keys: a preview or an exported stack of Pulumi, or our own plan.

`pulumi preview --json` is one document with a step for each resource (pkg/display/json.go, PreviewDigest). Without
--show-sames the document holds only what changes, and always the stack itself. A replacement is one step ("replace"),
or three with --show-replacement-steps ("create-replacement", "replace", "delete-replaced").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.costs.resources.formats.values import (
    FIELDS,
    Preview,
    is_list,
    is_object,
    is_resource,
    objects,
    plan_inputs,
    provider_urn,
    references,
    resource,
    stack_of,
    strangers,
    text,
    texts,
    urn_lists,
)
from planning.costs.resources.resource import Resource
from planning.inputs.files import MORE_THAN_ONE, as_object, parse_json, read_content
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path


REGION: Final = "aws:region"
SAME: Final = "same"
ERROR: Final = "error"
LONGEST_MESSAGE: Final = 400  # of a diagnostic, which may hold a whole traceback
_SHOW_SAMES: Final = "run `pulumi preview --json --show-sames` for whole totals"


def find_digest_faults(document: dict[str, object]) -> Iterator[str]:
    """What keeps the document from being a preview, each with its path."""
    steps = document.get("steps", [])
    if not is_list(steps):
        yield "steps: not a list"
        return
    for index, step in enumerate(steps):
        if not is_object(step):
            yield f"steps[{index}]: not an object"
            continue
        for name in ("oldState", "newState"):
            if step.get(name) is not None and not is_resource(step[name]):
                yield f"steps[{index}].{name}: not a resource with urn and type"


def read_digest(document: dict[str, object]) -> Preview:
    """The stack before and after: first old state and last new state of each URN.

    Raises:
        InputError: the preview failed before its first step: it says nothing of what the stack costs.
    """
    steps = objects(document.get("steps"))
    errors = [each for each in objects(document.get("diagnostics")) if each.get("severity") == ERROR]
    if errors and not steps:
        said = " ".join(text(errors[0].get("message")).split()) or "it does not say why"
        raise InputError(f"the preview failed: {said[:LONGEST_MESSAGE]}", hint="mend the program, and preview again")
    gaps = tuple(_gaps(document, steps))
    old: dict[str, Resource] = {}
    new: dict[str, Resource] = {}
    read_only = 0
    for step in steps:
        before, after = step.get("oldState"), step.get("newState")
        kept = _keep_first(old, before) if is_object(before) else None
        if not is_object(after):
            continue
        if _elsewhere(after):
            read_only += 1
            continue
        # Two states that say the same are one resource, which needs reading only once.
        same = is_object(before) and all(before.get(name) == after.get(name) for name in FIELDS)
        made = kept if kept is not None and same else resource(after)
        new[made.urn] = made
    return Preview(
        stack=next(iter(stack_of(urn) for urn in (*new, *old)), ""),
        old=tuple(old.values()),
        new=tuple(new.values()),
        default_region=read_region(document.get("config")),
        notes=(*gaps, f"{read_only} resources are only read by this stack and not counted") if read_only else gaps,
        gaps=gaps,
    )


def _keep_first(old: dict[str, Resource], state: dict[str, object]) -> Resource | None:
    """Keep the state before, unless it is read only, a leftover of an earlier replacement, or known already."""
    urn = text(state.get("urn"))
    if urn in old or state.get("delete") is True or _elsewhere(state):
        return None
    old[urn] = resource(state)
    return old[urn]


def _elsewhere(state: dict[str, object]) -> bool:
    """Whether the resource is only read here: another stack pays for it."""
    return state.get("external") is True


def read_region(config: object) -> str | None:
    return text(config.get(REGION)) or None if is_object(config) else None


def _gaps(document: dict[str, object], steps: Sequence[dict[str, object]]) -> Iterator[str]:
    hidden = _count_unlisted(document, steps)
    if hidden:
        yield f"{hidden} unchanged resources are not in this preview: {_SHOW_SAMES}"
    if any(each.get("severity") == ERROR for each in objects(document.get("diagnostics"))):
        yield "the preview ended with an error: resources may be missing"


def _count_unlisted(document: dict[str, object], steps: Sequence[dict[str, object]]) -> int:
    """How many unchanged resources the engine counted and did not write down."""
    summary = document.get("changeSummary")
    counted = summary.get(SAME) if is_object(summary) else None
    written = sum(1 for step in steps if step.get("op") == SAME)
    return max(counted - written, 0) if isinstance(counted, int) else 0


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
    deployment = document.get("deployment")
    states = objects(deployment.get("resources")) if is_object(deployment) else []
    kept = [state for state in states if state.get("delete") is not True and state.get("external") is not True]
    left = sum(1 for state in states if state.get("delete") is True)
    note = f"{left} resources wait for deletion and are not counted, though they may still be paid for"
    return Preview(
        stack=next((stack_of(text(state.get("urn"))) for state in states), ""),
        old=None,
        new=tuple(resource(state) for state in kept),
        notes=(note,) if left else (),
    )


LARGEST_BYTES: Final = 64_000_000  # a preview of 500 resources has about 1 MB
_KINDS: Final = "`pulumi preview --json --show-sames`, `pulumi stack export` or `atoll plan --json`"
_PREVIEW_KEYS: Final = ("steps", "changeSummary", "diagnostics")
_EVENT_KEYS: Final = ("sequence", "timestamp")
_STREAM_HINT: Final = "this is a stream of events: unset PULUMI_ENABLE_STREAMING_JSON_PREVIEW and run the preview again"


def find_plan_faults(document: dict[str, object]) -> Iterator[str]:
    """What keeps the document from being a plan, each with its path."""
    return strangers(document.get("resources"), "resources")


def read_plan(document: dict[str, object]) -> Preview:
    """The stack after; a plan knows nothing of what exists."""
    registered = objects(document.get("resources"))
    urns = {text(each.get("urn")) for each in registered}
    return Preview(
        stack=text(document.get("stack")),
        old=None,
        new=tuple(_registration(each, urns) for each in registered),
        default_region=read_region(document.get("config")),
    )


def _registration(each: Mapping[str, object], urns: set[str]) -> Resource:
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


Reader = tuple[
    "Callable[[dict[str, object]], bool]",
    "Callable[[dict[str, object]], Iterable[str]]",
    "Callable[[dict[str, object]], Preview]",
]
_READERS: Final[tuple[Reader, ...]] = (
    (lambda document: "deployment" in document, find_export_faults, read_export),
    (lambda document: any(key in document for key in _PREVIEW_KEYS), find_digest_faults, read_digest),
    (lambda document: "resources" in document and "stack" in document, find_plan_faults, read_plan),
)


def read_file(path: Path) -> Preview:
    """The stack that the file at `path` describes.

    Raises:
        InputError: as `read`, and where the file cannot be read at all.
    """
    return read(read_content(path, most_bytes=LARGEST_BYTES), file=str(path))


def read(content: bytes, *, file: str) -> Preview:
    """The stack that a file describes.

    Args:
        content: the file's bytes, UTF-8 or what a Windows shell makes of it.
        file: its name, for messages.

    Raises:
        InputError: too large, no JSON (with line and column), or none of the kinds we read; with every fault found.
    """
    if len(content) > LARGEST_BYTES:
        raise InputError(f"{file}: over {LARGEST_BYTES // 10**6} MB")
    document = _document(content, file=file)
    for fits, faults, preview in _READERS:
        if fits(document):
            return _read(document, faults, preview, file=file)
    hint = _STREAM_HINT if all(key in document for key in _EVENT_KEYS) else f"it should come from {_KINDS}"
    raise _build_refusal(f"{file} is no preview, export or plan", file=file, hint=hint)


def _read(
    document: dict[str, object],
    faults: Callable[[dict[str, object]], Iterable[str]],
    preview: Callable[[dict[str, object]], Preview],
    *,
    file: str,
) -> Preview:
    """The stack of a document, once nothing is wrong with it."""
    found = [Fault(message=fault, file=file, path=fault.split(":", 1)[0]) for fault in faults(document)]
    if found:
        raise InputError(f"{file} is damaged: {found[0].message}", faults=found, hint=f"it should come from {_KINDS}")
    try:
        return preview(document)
    except RecursionError:
        raise _build_refusal(f"{file} is nested too deeply", file=file) from None


def _document(content: bytes, *, file: str) -> dict[str, object]:
    hint = f"it should come from {_KINDS}"
    try:
        return as_object(parse_json(content, file=file, hint=hint), file=file, hint=hint)
    except InputError as error:
        if any(each.message == MORE_THAN_ONE for each in error.faults) and all(
            f'"{key}"'.encode() in content for key in _EVENT_KEYS
        ):
            raise _build_refusal(f"{file} holds more than one JSON document", file=file, hint=_STREAM_HINT) from None
        raise


def _build_refusal(message: str, *, file: str, hint: str = "") -> InputError:
    return InputError(message, faults=[Fault(message=message, file=file, hint=hint)], hint=hint)
