"""Shapes of what the rules say of a stack, in plans, diffs and watches."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

_CLOSED: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)


@with_config(_CLOSED)
class FoundForm(TypedDict):
    """A rule that a stack breaks, or of which nobody can tell."""

    rule: str
    title: str
    verdict: Literal["over", "cannot tell"]
    level: Literal["mandatory", "advisory"]
    stops: bool
    """Mandatory and not exempt."""
    sentence: str
    urn: str
    path: str
    exemption: str
    """Who lets it through and until when; "" for nobody."""


@with_config(_CLOSED)
class ExemptionForm(TypedDict):
    """An exemption of the stack, needed or not."""

    rule: str
    resource: str
    owner: str
    reason: str
    expires: str
    max_usd_per_month: str | None
    standing: Literal["used", "unused", "expired", "exceeded"]
