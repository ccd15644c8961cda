"""Whether a report is what somebody has signed, and about this stack."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pydantic import TypeAdapter, ValidationError

from operations.acceptance import signatures
from planning.acceptance.report.builder import DOCUMENT
from planning.acceptance.report.form import AcceptanceForm
from planning.inputs.files import read_json
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from pathlib import Path

MOST_FAULTS = 20
MOST_BYTES = 64_000_000


def read_report(path: Path) -> tuple[AcceptanceForm, dict[str, object]]:
    """A report, and the very object that stands in the file.

    Raises:
        InputError: unreadable, cut short, a key twice, or no report.
    """
    found = read_json(path, most_bytes=MOST_BYTES)
    try:
        form = TypeAdapter(AcceptanceForm).validate_python(found, strict=True)
    except ValidationError as error:
        faults = [
            Fault(message=each["msg"], file=str(path), path=".".join(map(str, each["loc"])))
            for each in error.errors()[:MOST_FAULTS]
        ]
        raise InputError(f"{path}: not the report of an acceptance", faults=faults) from error
    return form, cast("dict[str, object]", found)


def faults(
    path: Path, form: AcceptanceForm, raw: dict[str, object], *, key_file: Path, stack: str, lock_digest: str
) -> list[str]:
    """Everything that keeps the report from being believed; none where it may be.

    Raises:
        InputError: the public key cannot be used.
    """
    key = signatures.public_key(key_file)
    found = [signatures.fault(raw, key, key_file=str(key_file))]
    if form["document"] != DOCUMENT:
        found.append(f"it is {form['document']!r}, not {DOCUMENT!r}")
    if form["stack"] != stack:
        found.append(f"it is about the stack {form['stack']!r}, not about {stack!r}")
    elif form["lock_digest"] != lock_digest:
        found.append(f"it is about another lock: {form['lock_digest']}, and that of {stack} is {lock_digest}")
    return [f"{path}: {each}" for each in found if each]
