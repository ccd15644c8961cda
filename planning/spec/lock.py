"""The lock: the accepted quote, in canonical bytes, with digests that tell when it was touched."""

from __future__ import annotations

import json
from decimal import Decimal
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from planning.inputs.files import MissingFileError, as_object, parse_json, read_text
from planning.spec.lock_content import Ceilings, Lock, LockedLine, inconsistencies
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "Ceilings",
    "Lock",
    "LockedLine",
    "parse",
    "read_lock",
    "refuse_other_option",
    "refuse_other_stack",
    "sum_accepted_usd",
    "to_text",
]

MOST_BYTES: Final = 16_000_000  # a lock of 300 machines has about 1 MB
SCHEMA_VERSION: Final = 3
LOCK_NAME: Final = "quote.lock.json"
CHECKLIST_NAME: Final = "checklist.yaml"
ACCEPTED_KEY: Final = "atoll:accepted"  # of the stack's configuration: the option whose lock is built


def to_text(value: Lock) -> str:
    """Canonical text: sorted keys, two spaces, one newline at the end, and a digest over everything else."""
    body = value.model_dump(mode="json")
    return _canonical({**body, "digest": _digest(body)})


def parse(text: str, *, file: str) -> Lock:
    """The lock in a text.

    Raises:
        InputError: not JSON, a schema newer than this Atoll, edited by hand, or a field that does not fit.
    """
    body = _object(text, file=file)
    version = body.get("schema_version")
    if type(version) is not int:
        raise InputError(
            f"{file}: it has no schema_version, so it is no lock",
            hint="restore it from version control, or run `atoll accept` again",
        )
    if version > SCHEMA_VERSION:
        raise InputError(
            f"{file}: written by a newer Atoll (schema {version}; this one reads up to {SCHEMA_VERSION})",
            hint="update Atoll, or accept an option again with this one",
        )
    if version < SCHEMA_VERSION:
        raise InputError(
            f"{file}: written by an older Atoll (schema {version}; this one reads schema {SCHEMA_VERSION})",
            hint="run `atoll accept` again: prices and machines are those of the day",
        )
    stated = body.pop("digest", None)
    if stated != _digest(body):
        raise InputError(
            f"{file}: its digest does not match its content, so it was edited after it was accepted",
            hint="restore it from version control, or run `atoll accept` again",
        )
    try:
        found = Lock.model_validate(body)
    except ValidationError as error:
        raise InputError(f"{file}: not a lock this Atoll can read", faults=_faults(error, file=file)) from error
    contradictions = tuple(Fault(message=text, file=file, path=where) for where, text in inconsistencies(found))
    if contradictions:
        raise InputError(
            f"{file}: the lock contradicts itself",
            faults=contradictions,
            hint="restore it from version control, or run `atoll accept` again",
        )
    return found


def read_lock(path: Path, *, stack: str = "") -> Lock:
    """The lock in a file.

    Args:
        stack: whose lock it has to be; "" where the file alone says that.

    Raises:
        InputError: missing or unreadable, as `parse`, or the lock of another stack.
    """
    try:
        text = read_text(path, most_bytes=MOST_BYTES)
    except MissingFileError as error:
        raise InputError(
            f"{path}: there is no lock yet", hint="accept an option first: atoll accept STACK OPTION"
        ) from error
    found = parse(text, file=str(path))
    if stack:
        refuse_other_stack(found, stack=stack, file=str(path))
    return found


def sum_accepted_usd(lock: Lock) -> Decimal:
    """USD a month expected, as it was accepted: what had a price then."""
    return sum((line.usd_per_month[1] for line in lock.bill if line.usd_per_month), start=Decimal(0))


def refuse_other_stack(found: Lock, *, stack: str, file: str) -> None:
    """Refuse a lock that was copied: names, addresses and exemptions are those of the stack that it names.

    Raises:
        InputError: it names another stack.
    """
    if found.stack != stack:
        raise InputError(
            f'{file}: it is the lock of "{found.stack}", not of "{stack}"',
            hint=f"atoll accept {stack} OPTION writes its own, and atoll clone takes over another's",
        )


def refuse_other_option(found: Lock, *, accepted: str | None, file: str) -> None:
    """Refuse a lock of which the stack's configuration says something else than what it holds.

    Args:
        accepted: what the configuration in `file` names; None where it names none, or is not there.

    Raises:
        InputError: they differ, or nothing is named.
    """
    if accepted == found.option:
        return
    said = f"has no {ACCEPTED_KEY}" if accepted is None else f"says {ACCEPTED_KEY}: {accepted}"
    raise InputError(
        f"{file} {said}, and {LOCK_NAME} of {found.stack} holds {found.option}",
        hint=f"atoll accept {found.stack} {found.option} writes both; or restore both from version control",
    )


def _object(text: str, *, file: str) -> dict[str, object]:
    return as_object(parse_json(text, file=file), file=file, hint="restore the lock from version control")


def _canonical(body: dict[str, object]) -> str:
    return json.dumps(body, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _digest(body: dict[str, object]) -> str:
    return "sha256:" + sha256(_canonical(body).encode()).hexdigest()


def _faults(error: ValidationError, *, file: str) -> tuple[Fault, ...]:
    return tuple(
        Fault(message=each["msg"], file=file, path=".".join(str(part) for part in each["loc"]))
        for each in error.errors()
    )
