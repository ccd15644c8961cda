"""What a rule is, and how it words a breach."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.values.errors import AtollError, OverCeilingError, StalePricesError
from planning.values.verdict import Verdict
from policies.breach import Breach, Level, NoSettings, Settings, Severity

if TYPE_CHECKING:
    from policies.stack_context import StackContext

BROKEN: Final = AtollError.exit_code
MONEY: Final = OverCeilingError.exit_code
OLD_PRICES: Final = StalePricesError.exit_code

Judge = Callable[["StackContext"], Iterable[Breach]]


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
        return self.level if verdict is Verdict.OVER or self.unknown is None else self.unknown

    def sentence(self, breach: Breach) -> str:
        """A breach in full: what, given, limit, and the cheapest change that would pass."""
        where = f" ({breach.resource}{f': {breach.path}' if breach.path else ''})" if breach.urn else ""
        head = f"{self.title}{where}: " if breach.verdict is Verdict.OVER else f"{self.title}{where}, undetermined: "
        return f"{head}{breach.given}; {breach.limit}. {breach.fix}."
