"""What a rule is, and what it says of a stack that breaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict

from planning.errors import AtollError, OverCeilingError, StalePricesError
from planning.quote import Verdict

if TYPE_CHECKING:
    from decimal import Decimal

    from policies.subject import Subject

BROKEN: Final = AtollError.exit_code
MONEY: Final = OverCeilingError.exit_code
OLD_PRICES: Final = StalePricesError.exit_code


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
        verdict: over, or cannot tell; a stack that keeps the rule has no breach.
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


Judge = Callable[["Subject"], Iterable[Breach]]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule.

    Args:
        name: as in a file's name, with dashes: "monthly-ceiling".
        title: for people, without a full stop: "Monthly ceiling".
        demand: the rule in one sentence.
        why: what it saves its users from, in one sentence.
        remedy: what to do about a breach, in one or two sentences.
        level: what a breach leads to.
        unknown: what it leads to where nobody can tell; None for the same.
        settings: what may be set of it in stacks/policies.yaml.
        exit_code: of a command that finds it broken.
    """

    name: str
    title: str
    demand: str
    why: str
    remedy: str
    severity: Severity
    judge: Judge
    level: Level = Level.MANDATORY
    unknown: Level | None = None
    settings: type[Settings] = NoSettings
    exit_code: int = BROKEN

    def leads_to(self, verdict: Verdict) -> Level:
        """What a breach with that verdict leads to."""
        return self.level if verdict is Verdict.OVER or self.unknown is None else self.unknown

    def sentence(self, breach: Breach) -> str:
        """A breach in full: what, given, limit, and the cheapest change that would pass."""
        where = f" ({breach.resource}{f': {breach.path}' if breach.path else ''})" if breach.urn else ""
        head = f"{self.title}{where}: " if breach.verdict is Verdict.OVER else f"{self.title}{where}, cannot tell: "
        return f"{head}{breach.given}; {breach.limit}. {breach.fix}."
