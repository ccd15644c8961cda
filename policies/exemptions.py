"""Exemptions: a rule that a named person lets a stack break, for a reason, until a day, and up to an amount."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from planning.checklist.model.people import Email

if TYPE_CHECKING:
    from policies.breach import Breach


class Exemption(BaseModel):
    """One exemption, as it stands in stacks/policies.yaml."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    rule: str
    """Name of the rule."""
    stack: str
    """Name of the stack; no patterns, an exemption is for one customer."""
    resource: str = ""
    """Logical name of the resource, "*" stands for any letters; empty: only what is about the stack as a whole."""
    owner: Email
    """Who answers for it."""
    reason: str = Field(min_length=10)
    """Why, for the person who reads it in half a year."""
    expires: date
    """Last day on which it holds."""
    max_usd_per_month: Decimal | None = Field(default=None, gt=0)
    """For rules about money: the most that is let through."""

    def covers(self, breach: Breach, *, rule: str, stack: str) -> bool:
        """Whether it is about that breach, whatever the day and the amount."""
        return (
            self.rule == rule
            and self.stack == stack
            and fnmatchcase(breach.resource, self.resource)
            and bool(breach.resource) == bool(self.resource)
        )


class ExemptionState(StrEnum):
    """What became of an exemption."""

    USED = "used"
    UNUSED = "unused"
    EXPIRED = "expired"
    EXCEEDED = "exceeded"


def judge_exemption(exemption: Exemption, breach: Breach, *, today: date) -> ExemptionState:
    """Whether an exemption that covers a breach lets it through."""
    if today > exemption.expires:
        return ExemptionState.EXPIRED
    if breach.usd_per_month is None:
        return ExemptionState.USED
    within = exemption.max_usd_per_month is not None and breach.usd_per_month <= exemption.max_usd_per_month
    return ExemptionState.USED if within else ExemptionState.EXCEEDED
