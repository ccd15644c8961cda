"""A file of any kind we read, found out by its own keys; `atoll plan --json` is read here, Pulumi's own in `pulumi`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.costs.resources.formats.pulumi import (
    find_digest_faults,
    find_export_faults,
    read_digest,
    read_export,
    read_region,
)
from planning.costs.resources.formats.values import (
    Preview,
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
from planning.inputs.files import MORE_THAN_ONE, as_object, parse_json, read_content
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path


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
