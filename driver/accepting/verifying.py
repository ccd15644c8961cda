"""Whether a report is what somebody has signed, and about this stack."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from pydantic import TypeAdapter, ValidationError

from driver.accepting import signing
from planning.acceptance_report.form import AcceptanceForm
from planning.acceptance_report.forming import DOCUMENT
from planning.errors import Fault, InputError

if TYPE_CHECKING:
    from pathlib import Path

MOST_FAULTS = 20


def read_report(path: Path) -> tuple[AcceptanceForm, dict[str, object]]:
    """A report, and the very object that stands in the file.

    Raises:
        InputError: unreadable, cut short, a key twice, or no report.
    """
    try:
        text = path.read_text(encoding="utf-8")
        found = cast("object", json.loads(text, object_pairs_hook=_once, parse_constant=_refused))
    except json.JSONDecodeError as error:
        cut = " (it ends in the middle)" if error.pos >= len(error.doc.rstrip()) else ""
        fault = Fault(message=f"{error.msg}{cut}", file=str(path), line=error.lineno, column=error.colno)
        raise InputError(f"{path}: not whole, or not JSON", faults=(fault,)) from error
    except RecursionError as error:
        raise InputError(f"{path}: nested too deeply to be a report") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
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
    key = signing.public_key(key_file)
    found = [signing.fault(raw, key, key_file=str(key_file))]
    if form["document"] != DOCUMENT:
        found.append(f"it is {form['document']!r}, not {DOCUMENT!r}")
    if form["stack"] != stack:
        found.append(f"it is about the stack {form['stack']!r}, not about {stack!r}")
    elif form["lock_digest"] != lock_digest:
        found.append(f"it is about another lock: {form['lock_digest']}, and that of {stack} is {lock_digest}")
    return [f"{path}: {each}" for each in found if each]


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for number, (key, _) in enumerate(pairs) if key in dict(pairs[:number]))
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found


def _refused(text: str) -> object:
    raise ValueError(f"{text} is no JSON")
