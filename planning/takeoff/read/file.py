"""A file of any kind we read: found out by its own keys, refused in plain words when it is none of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from planning.errors import Fault, InputError
from planning.takeoff.read import digest, export, plan
from planning.takeoff.read.values import is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from planning.takeoff.read.preview import Preview

LARGEST_BYTES: Final = 256 * 2**20  # a preview of 500 resources has about 1 MiB
_KINDS: Final = "`pulumi preview --json --show-sames`, `pulumi stack export` or `atoll plan --json`"
_EVENT_KEYS: Final = ("sequence", "timestamp")
_STREAM_HINT: Final = "this is a stream of events: unset PULUMI_ENABLE_STREAMING_JSON_PREVIEW and run the preview again"

Reader = tuple[
    "Callable[[dict[str, object]], bool]",
    "Callable[[dict[str, object]], Iterable[str]]",
    "Callable[[dict[str, object]], Preview]",
]
_READERS: Final[tuple[Reader, ...]] = (
    (lambda document: "deployment" in document, export.faults, export.preview),
    (lambda document: "steps" in document or "changeSummary" in document, digest.faults, digest.preview),
    (lambda document: "resources" in document and "stack" in document, plan.faults, plan.preview),
)


def read_file(path: Path) -> Preview:
    """The stack that the file at `path` describes.

    Raises:
        InputError: as `read`, and where the file cannot be read at all.
    """
    try:
        size = path.stat().st_size
        content = b"" if size > LARGEST_BYTES else path.read_bytes()
    except OSError as error:
        raise _refused(f"{path} cannot be read: {error.strerror}", file=str(path)) from None
    if size > LARGEST_BYTES:
        raise _too_large(size, file=str(path))
    return read(content, file=str(path))


def read(content: bytes, *, file: str) -> Preview:
    """The stack that a file describes.

    Args:
        content: the file's bytes, UTF-8 or what a Windows shell makes of it.
        file: its name, for messages.

    Raises:
        InputError: too large, no JSON (with line and column), or none of the kinds we read; with every fault found.
    """
    if len(content) > LARGEST_BYTES:
        raise _too_large(len(content), file=file)
    document = _document(content, file=file)
    for fits, faults, preview in _READERS:
        if fits(document):
            return _read(document, faults, preview, file=file)
    hint = _STREAM_HINT if all(key in document for key in _EVENT_KEYS) else f"it should come from {_KINDS}"
    raise _refused(f"{file} is no preview, export or plan", file=file, hint=hint)


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
        raise _refused(f"{file} is nested too deeply", file=file) from None


def _document(content: bytes, *, file: str) -> dict[str, object]:
    """The JSON object in a file."""
    try:
        document: object = json.loads(content)
    except json.JSONDecodeError as error:
        raise _not_json(error, file=file) from None
    except (ValueError, RecursionError) as error:
        reason = "is nested too deeply" if isinstance(error, RecursionError) else "is not JSON in UTF-8"
        raise _refused(f"{file} {reason}", file=file, hint=f"it should come from {_KINDS}") from None
    if not is_object(document):
        raise _refused(f"{file} is JSON, but not an object", file=file, hint=f"it should come from {_KINDS}")
    return document


def _not_json(error: json.JSONDecodeError, *, file: str) -> InputError:
    """The refusal of a text that is no JSON, with the place where it ends to be."""
    if not error.doc.strip():
        return _refused(f"{file} is empty", file=file, hint="did the command that writes it fail?")
    if error.msg == "Extra data" and all(f'"{key}"' in error.doc[: error.pos] for key in _EVENT_KEYS):
        return _refused(f"{file} holds more than one JSON document", file=file, hint=_STREAM_HINT)
    ends = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    message = f"{file} ends in the middle" if ends else f"{file} is not JSON: {error.msg}"
    fault = Fault(message=message, file=file, line=error.lineno, column=error.colno)
    return InputError(f"{message} (line {error.lineno}, column {error.colno})", faults=[fault])


def _too_large(size: int, *, file: str) -> InputError:
    return _refused(f"{file} has {size >> 20} MiB, more than {LARGEST_BYTES >> 20}", file=file)


def _refused(message: str, *, file: str, hint: str = "") -> InputError:
    return InputError(message, faults=[Fault(message=message, file=file, hint=hint)], hint=hint)
