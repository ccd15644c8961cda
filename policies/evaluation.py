"""Evaluation of all rules over one stack: findings, exemptions and the verdict."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, cast

from planning.values.errors import UndeterminedError
from planning.values.verdict import Verdict
from policies.rule import BROKEN, MONEY, OLD_PRICES
from policies.settings import Level

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date
    from typing import Literal

    from planning.diff.form import ExemptionForm, FoundForm
    from policies.rule import Breach, Rule
    from policies.settings import Exemption, PolicySettings
    from policies.stack_context import StackContext


WORST_FIRST: Final = (MONEY, BROKEN, OLD_PRICES, UndeterminedError.exit_code)


class ExemptionState(StrEnum):
    USED = "used"
    UNUSED = "unused"
    EXPIRED = "expired"
    EXCEEDED = "exceeded"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFinding:
    """A breach with its level and the exemption that covers it.

    Args:
        exemption: also one that has expired or is too small.
        standing: state of the exemption; None without one.
    """

    rule: Rule
    breach: Breach
    level: Level
    exemption: Exemption | None = None
    standing: ExemptionState | None = None

    @property
    def exempt(self) -> bool:
        return self.standing is ExemptionState.USED

    @property
    def stops(self) -> bool:
        return self.level is Level.MANDATORY and not self.exempt

    @property
    def sentence(self) -> str:
        said = self.rule.format_breach(self.breach)
        if self.exemption is None or self.standing is None:
            return said
        by = f"exemption of {self.exemption.owner} until {self.exemption.expires}"
        words = {
            ExemptionState.USED: f"allowed by the {by}: {self.exemption.reason}",
            ExemptionState.EXPIRED: f"the {by} has expired",
            ExemptionState.EXCEEDED: (f"the {by} allows {self.exemption.max_usd_per_month or 0} USD a month at most"),
        }
        return f"{said} ({words[self.standing]})"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyReport:
    """Findings of all rules about one stack.

    Args:
        found: breaches in the order of the rules.
        exemptions: every exemption of the stack with its state, used or not.
        notes: what could not be evaluated here, and where it is.
    """

    stack: str
    found: tuple[PolicyFinding, ...]
    exemptions: tuple[tuple[Exemption, ExemptionState], ...] = ()
    notes: tuple[str, ...] = field(default_factory=tuple)

    @property
    def stopping(self) -> tuple[PolicyFinding, ...]:
        return tuple(each for each in self.found if each.stops)

    def without_old_prices(self) -> PolicyReport:
        """The report of a caller who accepts old prices."""
        return replace(self, found=tuple(each for each in self.found if each.rule.exit_code != OLD_PRICES))

    @property
    def verdict(self) -> Verdict:
        """Over where a mandatory rule is broken, else undetermined where one cannot be evaluated, else within."""
        verdicts = {each.breach.verdict for each in self.stopping}
        return next((each for each in (Verdict.OVER, Verdict.UNDETERMINED) if each in verdicts), Verdict.WITHIN)

    @property
    def exit_code(self) -> int:
        codes = {
            each.rule.exit_code if each.breach.verdict is Verdict.OVER else UndeterminedError.exit_code
            for each in self.stopping
        }
        return next((code for code in WORST_FIRST if code in codes), 0)


def evaluate_rules(subject: StackContext, rules: Sequence[Rule]) -> PolicyReport:
    """Policy results of a stack; exempted breaches are in the report too."""
    mine = [each for each in subject.law.exemptions if each.stack == subject.lock.stack]
    found = tuple(_find_breaches(subject, rules, mine))
    return PolicyReport(
        stack=subject.lock.stack,
        found=found,
        exemptions=tuple((each, _became(each, found, today=subject.today)) for each in mine),
    )


def _find_breaches(
    subject: StackContext, rules: Sequence[Rule], exemptions: Sequence[Exemption]
) -> Iterator[PolicyFinding]:
    for rule in rules:
        for breach in rule.judge(subject):
            level = _decide_level(subject.law, rule, breach)
            if level is not Level.DISABLED:
                yield _apply_exemption(PolicyFinding(rule=rule, breach=breach, level=level), subject, exemptions)


def _decide_level(law: PolicySettings, rule: Rule, breach: Breach) -> Level:
    return law.levels.get(rule.name) or rule.leads_to(breach.verdict)


def _apply_exemption(found: PolicyFinding, subject: StackContext, exemptions: Sequence[Exemption]) -> PolicyFinding:
    """The finding with the exemption that helps it most."""
    covering = [
        (_judge_exemption(each, found.breach, today=subject.today), each)
        for each in exemptions
        if _covers(each, found.breach, rule=found.rule.name, stack=subject.lock.stack)
    ]
    if not covering:
        return found
    order = (ExemptionState.USED, ExemptionState.EXCEEDED, ExemptionState.EXPIRED)
    became, exemption = min(covering, key=lambda pair: order.index(pair[0]))
    return PolicyFinding(rule=found.rule, breach=found.breach, level=found.level, exemption=exemption, standing=became)


def _covers(exemption: Exemption, breach: Breach, *, rule: str, stack: str) -> bool:
    """Whether an exemption is about a breach, whatever the day and the amount."""
    return (
        exemption.rule == rule
        and exemption.stack == stack
        and fnmatchcase(breach.resource, exemption.resource)
        # fnmatch lets "*" take the empty name too: an exemption of resources must not cover the stack as a whole.
        and bool(breach.resource) == bool(exemption.resource)
    )


def _judge_exemption(exemption: Exemption, breach: Breach, *, today: date) -> ExemptionState:
    if today > exemption.expires:
        return ExemptionState.EXPIRED
    if breach.usd_per_month is None:
        return ExemptionState.USED
    within = exemption.max_usd_per_month is not None and breach.usd_per_month <= exemption.max_usd_per_month
    return ExemptionState.USED if within else ExemptionState.EXCEEDED


def _became(exemption: Exemption, found: Sequence[PolicyFinding], *, today: date) -> ExemptionState:
    """State of one exemption; an expired one is reported as such, needed or not."""
    if today > exemption.expires:
        return ExemptionState.EXPIRED
    mine = [each.standing for each in found if each.exemption is exemption and each.standing]
    return next(
        (each for each in (ExemptionState.EXCEEDED, ExemptionState.USED) if each in mine), ExemptionState.UNUSED
    )


def build_finding_forms(report: PolicyReport) -> list[FoundForm]:
    return [_build_finding_form(each) for each in report.found]


def exemption_forms(report: PolicyReport) -> list[ExemptionForm]:
    return [_exemption_form(exemption, standing) for exemption, standing in report.exemptions]


def _build_finding_form(found: PolicyFinding) -> FoundForm:
    exemption = found.exemption
    return {
        "rule": found.rule.name,
        "title": found.rule.title,
        "verdict": cast('Literal["over", "undetermined"]', found.breach.verdict.value),
        "level": cast('Literal["mandatory", "advisory"]', found.level.value),
        "stops": found.stops,
        "sentence": found.sentence,
        "urn": found.breach.urn,
        "path": found.breach.path,
        "exemption": f"{exemption.owner} until {exemption.expires}" if exemption and found.exempt else "",
    }


def _exemption_form(exemption: Exemption, standing: ExemptionState) -> ExemptionForm:
    most = exemption.max_usd_per_month
    return {
        "rule": exemption.rule,
        "resource": exemption.resource,
        "owner": exemption.owner,
        "reason": exemption.reason,
        "expires": exemption.expires.isoformat(),
        "max_usd_per_month": None if most is None else str(most),
        "standing": standing.value,
    }
