"""Rules and their breaches: where the breach is, how severe, what it leads to, and how it is worded."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from planning.values.errors import AtollError, OverCeilingError, StalePricesError
from planning.values.verdict import Verdict
from policies.settings import Level, NoSettings, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from decimal import Decimal

    from policies.stack_context import StackContext

BROKEN: Final = AtollError.exit_code
MONEY: Final = OverCeilingError.exit_code
OLD_PRICES: Final = StalePricesError.exit_code


class Severity(StrEnum):
    """In the words of Pulumi's policy packs."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """One place where a stack breaks a rule, or where the verdict is undetermined.

    Args:
        verdict: over or undetermined; a stack that passes a rule has no breach.
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


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule.

    Args:
        name: as in a file's name, with dashes: "monthly-ceiling".
        title: for people, without a full stop: "Monthly ceiling".
        demand: the rule in one sentence.
        why: what it saves its users from, in one sentence.
        remedy: what to do about a breach, in one or two sentences.
        unknown: level where the verdict is undetermined; None for the same.
        settings: what may be set of it in stacks/policies.yaml.
        exit_code: of a command that finds it broken.
    """

    name: str
    title: str
    demand: str
    why: str
    remedy: str
    severity: Severity
    judge: Callable[[StackContext], Iterable[Breach]]
    level: Level = Level.MANDATORY
    unknown: Level | None = None
    settings: type[Settings] = NoSettings
    exit_code: int = BROKEN

    def leads_to(self, verdict: Verdict) -> Level:
        return self.level if verdict is Verdict.OVER or self.unknown is None else self.unknown

    def format_breach(self, breach: Breach) -> str:
        """A breach in full: what, given, limit, and the cheapest change that would pass."""
        where = f" ({breach.resource}{f': {breach.path}' if breach.path else ''})" if breach.urn else ""
        head = f"{self.title}{where}: " if breach.verdict is Verdict.OVER else f"{self.title}{where}, undetermined: "
        return f"{head}{breach.given}; {breach.limit}. {breach.fix}."
