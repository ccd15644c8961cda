"""A stack does not drift away from what was accepted, by prices or by changes."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from planning.ceilings.verdict import Interval, describe_unpriced, of_lines
from planning.spec.lock import sum_accepted_usd
from planning.values.verdict import Verdict
from policies.breach import Breach, Level, Settings, Severity
from policies.rule import Rule
from policies.rules.money.spend_limits import Usd, bill_of, usd

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.stack_context import StackContext


class Growth(Settings):
    """How far a month may lie above what was accepted."""

    most_percent: Annotated[Decimal, Field(ge=0)] | None = Decimal(10)
    """Percent of the accepted month as expected; null for no limit."""
    most_usd: Usd | None = None
    """USD a month; null for no limit. Where both are set, the smaller one binds."""


def measure_growth(subject: StackContext) -> Interval:
    """By how much the expected month lies above the accepted one; what had no price then may still have none."""
    known = {line.key for line in subject.lock.bill if line.usd_per_month is None}
    lines = (line for line in bill_of(subject).lines if line.key not in known or line.usd_per_month)
    now, then = of_lines(lines, "expected"), sum_accepted_usd(subject.lock)
    return Interval(now.low - then, None if now.high is None else now.high - then)


def most(subject: StackContext) -> Decimal | None:
    """USD a month that it may have grown by; None for no limit."""
    settings = subject.law.setting(Growth)
    percent = settings.most_percent
    of_accepted = None if percent is None else sum_accepted_usd(subject.lock) * percent / 100
    return min((each for each in (of_accepted, settings.most_usd) if each is not None), default=None)


def _breaches(subject: StackContext) -> Iterator[Breach]:
    limit, growth = most(subject), measure_growth(subject)
    if limit is None or growth.against(limit) is Verdict.WITHIN:
        return
    verdict, accepted = growth.against(limit), sum_accepted_usd(subject.lock)
    percent = f" ({growth.low / accepted * 100:+.1f}%)" if accepted else ""
    unpriced = f", and {describe_unpriced(bill_of(subject))}" if verdict is Verdict.CANNOT_TELL else ""
    yield Breach(
        verdict=verdict,
        given=f"a month is expected {usd(growth.low)}{percent} above the {usd(accepted)} that were accepted on "
        f"{subject.lock.priced_at}{unpriced}",
        limit=f"it may grow by {usd(limit)} before somebody accepts it again",
        fix=f"Accept the stack again at what it costs now (atoll accept), or bring it down by {usd(growth.low - limit)}"
        if verdict is Verdict.OVER
        else "Give what is unpriced a price (--price-book FILE), or accept the stack again (atoll accept)",
        usd_per_month=growth.low if growth.high is None else growth.high,
    )


RULE = Rule(
    name="growth",
    title="Growth",
    demand="A month is expected to cost little more than what was accepted.",
    why="Prices move and changes add up, each too small to be looked at, until the cluster is another one.",
    remedy="Look at what grew (atoll diff, atoll plan), and accept the stack again if it is wanted.",
    severity=Severity.MEDIUM,
    judge=_breaches,
    level=Level.ADVISORY,
    unknown=Level.ADVISORY,
    settings=Growth,
)
