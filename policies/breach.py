"""What a broken rule says: where the breach is, how bad it is, and what it leads to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from decimal import Decimal

    from planning.values.verdict import Verdict


class Level(StrEnum):
    """What a breach leads to, in the words of Pulumi's policy packs."""

    MANDATORY = "mandatory"
    ADVISORY = "advisory"
    DISABLED = "disabled"


class Severity(StrEnum):
    """How bad a breach is, in the words of Pulumi's policy packs."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Settings(BaseModel):
    """What a project may set of a rule; its JSON Schema is the rule's configuration schema."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class NoSettings(Settings):
    """A rule without anything to set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """One place where a stack breaks a rule, or where nobody can tell.

    Args:
        verdict: over, or undetermined; a stack that keeps the rule has no breach.
        urn: the resource; "" for the stack as a whole.
        path: property inside the resource's inputs; "" where it is about no single one.
        given: what there is, with its unit, as a clause: "the month comes to 31,000.00 USD".
        limit: what the rule allows, as a clause: "the ceiling is 30,000.00 USD".
        fix: the cheapest change that would pass, as an imperative sentence without its full stop.
        usd_per_month: what is judged, where that is money a month; an exemption is held against it.
    """

    verdict: Verdict
    given: str
    limit: str
    fix: str
    urn: str = ""
    path: str = ""
    usd_per_month: Decimal | None = None

    @property
    def resource(self) -> str:
        """Logical name of the resource; "" for the stack as a whole."""
        return self.urn.rpartition("::")[2]
