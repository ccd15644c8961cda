"""The lock: the accepted quote, in canonical bytes, with digests that tell when it was touched."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from planning.checklist.words import Residency
from planning.decided import Decided
from planning.errors import Fault, InputError
from planning.spec import ClusterSpec

if TYPE_CHECKING:
    from pathlib import Path

    from planning.quote import Option, Quote

SCHEMA_VERSION: Final = 3
LOCK_NAME: Final = "quote.lock.json"
CHECKLIST_NAME: Final = "checklist.yaml"


class LockedLine(Decided):
    """One line of the bill as it was accepted."""

    key: str
    label: str
    item: str
    state: str
    unit: str
    quantity: tuple[Decimal, Decimal, Decimal]
    """min, expected, max in a month."""
    usd_per_unit: Decimal | None
    usd_per_month: tuple[Decimal, Decimal, Decimal] | None
    source: str
    as_of: date | None


class Ceilings(Decided):
    """The limits that hold for the life of the cluster."""

    usd_per_month: Decimal | None
    usd_per_contract: Decimal | None
    usd_per_gpu_hour: Decimal | None
    binds: str


class Lock(Decided):
    """quote.lock.json."""

    schema_version: int
    stack: str
    option: str
    views: tuple[str, ...]
    checklist_digest: str
    prices: str
    prices_digest: str
    prices_as_of: date | None
    priced_at: date
    valid_until: date
    ceiling: Ceilings
    contract_months: int
    placements: tuple[ClusterSpec, ...]
    """One cluster each; the first is home."""
    joined: bool
    """Whether jobs of the home cluster are sent on to the others (Kueue MultiKueue)."""
    residency: str = "any"
    """Where data may lie, as the checklist says it."""
    bill: tuple[LockedLine, ...]

    @property
    def spec(self) -> ClusterSpec:
        """The cluster at home."""
        return self.placements[0]


def lock(
    quote: Quote, option: Option, *, ceiling: Ceilings, contract_months: int, residency: str = Residency.ANY
) -> Lock:
    """The lock of one option of a quote."""
    lines = tuple(
        LockedLine(
            key=line.key,
            label=line.label,
            item=line.item,
            state=line.state,
            unit=line.unit,
            quantity=(line.quantity.min, line.quantity.expected, line.quantity.max),
            usd_per_unit=line.usd_per_unit,
            usd_per_month=(line.usd_per_month.min, line.usd_per_month.expected, line.usd_per_month.max)
            if line.usd_per_month is not None
            else None,
            source=line.source,
            as_of=line.as_of,
        )
        for line in option.bill.lines
    )
    return Lock(
        schema_version=SCHEMA_VERSION,
        stack=quote.stack,
        option=option.id,
        views=option.views,
        checklist_digest=quote.checklist_digest,
        prices=quote.prices,
        prices_digest=quote.prices_digest,
        prices_as_of=quote.prices_as_of,
        priced_at=quote.priced_at,
        valid_until=quote.valid_until,
        ceiling=ceiling,
        contract_months=contract_months,
        placements=option.placements,
        joined=option.joined,
        residency=residency,
        bill=lines,
    )


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
    if not isinstance(version, int) or version > SCHEMA_VERSION:
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
        return Lock.model_validate(body)
    except ValidationError as error:
        raise InputError(f"{file}: not a lock this Atoll can read", faults=_faults(error, file=file)) from error


def read_lock(path: Path) -> Lock:
    """The lock in a file.

    Raises:
        InputError: missing or unreadable, or as `parse`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError(
            f"{path}: there is no lock yet", hint="accept an option first: atoll accept STACK OPTION"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error
    return parse(text, file=str(path))


def _object(text: str, *, file: str) -> dict[str, object]:
    try:
        body = json.loads(text)
    except json.JSONDecodeError as error:
        fault = Fault(message=error.msg, file=file, line=error.lineno, column=error.colno)
        raise InputError(f"{file}: not JSON", faults=(fault,)) from error
    except RecursionError as error:
        raise InputError(f"{file}: nested too deeply to be a lock") from error
    if not isinstance(body, dict):
        raise InputError(f"{file}: not a lock, which is a JSON object")
    return {str(key): value for key, value in body.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _canonical(body: dict[str, object]) -> str:
    return json.dumps(body, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _digest(body: dict[str, object]) -> str:
    return "sha256:" + sha256(_canonical(body).encode()).hexdigest()


def _faults(error: ValidationError, *, file: str) -> tuple[Fault, ...]:
    return tuple(
        Fault(message=each["msg"], file=file, path=".".join(str(part) for part in each["loc"]))
        for each in error.errors()
    )
