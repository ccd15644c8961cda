"""JSON of what is left of a stack; shapes and builders side by side, they are small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from planning.values.json_format import SCHEMA_VERSION, decimal_text

if TYPE_CHECKING:
    from planning.cloud_checks.orphans import Leftover, Leftovers

_CLOSED: Final = ConfigDict(extra="forbid")


@with_config(_CLOSED)
class LeftoverForm(TypedDict):
    """Something that is still there."""

    placement: str
    provider: str
    region: str
    kind: str
    id: str
    status: str
    """The cloud's own word."""
    state: Literal["priced", "free", "unpriced"]
    usd_per_month: str | None
    """What is known of it; a floor where it is unpriced."""
    kept: str
    """Why it is there on purpose; nothing where it was forgotten."""
    note: str


@with_config(_CLOSED)
class UnansweredForm(TypedDict):
    """Something that could not be asked."""

    placement: str
    what: str
    reason: str


@with_config(_CLOSED)
class LeftoversForm(TypedDict):
    """`atoll leftovers --json`."""

    schema_version: int
    stack: str
    forgotten: list[LeftoverForm]
    """What costs money and nobody wanted to keep."""
    kept: list[LeftoverForm]
    free: list[LeftoverForm]
    unanswered: list[UnansweredForm]


def leftovers_form(left: Leftovers) -> LeftoversForm:
    """Leftovers as they are."""
    return {
        "schema_version": SCHEMA_VERSION,
        "stack": left.stack,
        "forgotten": [_leftover(each) for each in left.forgotten],
        "kept": [_leftover(each) for each in left.kept],
        "free": [_leftover(each) for each in left.free],
        "unanswered": [
            {"placement": each.placement, "what": each.what, "reason": each.reason} for each in left.unanswered
        ],
    }


def _leftover(each: Leftover) -> LeftoverForm:
    found = each.found
    return {
        "placement": found.placement,
        "provider": found.provider,
        "region": found.region,
        "kind": found.kind,
        "id": found.id,
        "status": found.status,
        "state": each.state.value,
        "usd_per_month": None if each.usd_per_month is None else decimal_text(each.usd_per_month),
        "kept": found.kept,
        "note": each.note,
    }
