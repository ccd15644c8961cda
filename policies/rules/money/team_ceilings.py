"""The guaranteed capacity of each team costs no more than the team's budget."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING

from planning.ceilings.verdict import NO_AMOUNT, of_lines
from planning.checklist.model.vocabulary import HOME
from planning.costs.bill import BillGroup, component_of, has_placement
from planning.spec.lock_content import State
from planning.values.money import ZERO
from planning.values.verdict import Verdict
from policies.rule import MONEY, Rule, Severity
from policies.rules.money.spend_limits import at_least, bill_of, check_limit, find_cheapest_fix, usd, whole_month

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.ceilings.verdict import Interval
    from planning.costs.bill import Bill, LineItem
    from planning.spec.cluster import ClusterSpec
    from planning.spec.platform import TeamShare
    from policies.rule import Breach
    from policies.stack_context import StackContext


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamPoolShare:
    """A team's guaranteed share of one pool; `each` is USD a month of one accelerator."""

    pool: str
    accelerators: int
    each: Interval

    @property
    def together(self) -> Interval:
        """USD a month."""
        return self.each.times(self.accelerators)


def parts(bill: Bill, spec: ClusterSpec, team: TeamShare, reading: str) -> Iterator[TeamPoolShare]:
    """A team's share of each pool, at the pool's cost for each accelerator of its working nodes."""
    prefix = "" if spec.placement.name == HOME else f"{spec.placement.name}/"
    sizes = {pool.name: pool.accelerators * pool.working for pool in spec.pools}
    for quota in team.quotas:
        lines = [line for line in bill.lines if _of_pool(line, f"{prefix}pool/{quota.pool}")]
        size = max(sizes.get(quota.pool, 0), 1)
        each = of_lines(lines, reading).times(Decimal(1) / size)
        yield TeamPoolShare(pool=prefix + quota.pool, accelerators=quota.accelerators, each=each)


def _of_pool(line: LineItem, pool: str) -> bool:
    """Whether a line is, or may be, of the pool's machines; an unpriced one without a placement may."""
    if line.group is not BillGroup.COMPUTE:
        return False
    return component_of(line.key) == pool or (line.state is State.UNPRICED and not has_placement(line.key))


def _breaches(subject: StackContext) -> Iterator[Breach]:
    held_by: dict[str, list[TeamPoolShare]] = {}
    limits: dict[str, Decimal] = {}
    bill, reading, before = bill_of(subject), subject.ceilings.binds, _before(subject)
    for spec in subject.lock.placements:
        for team in spec.platform.teams if spec.platform else ():
            limit = before.get(team.name, team.usd_per_month)
            if limit is not None:
                limits[team.name] = limit
                held_by.setdefault(team.name, []).extend(parts(bill, spec, team, reading))
    for name, limit in limits.items():
        found = _breach(subject, name, limit, held_by[name])
        if found:
            yield found


def _before(subject: StackContext) -> dict[str, Decimal]:
    """Budgets before the change."""
    # No change is judged by a budget that it raises itself.
    specs = subject.before.placements if subject.before else ()
    teams = (team for spec in specs if spec.platform for team in spec.platform.teams)
    return {team.name: team.usd_per_month for team in teams if team.usd_per_month is not None}


def _breach(subject: StackContext, team: str, limit: Decimal, mine: Sequence[TeamPoolShare]) -> Breach | None:
    together = sum((part.together for part in mine), start=NO_AMOUNT)
    raised = f"raise usd_per_month of the team {team} to at least {at_least(together.high or together.low)}"

    def fix(verdict: Verdict) -> str:
        if verdict is Verdict.UNDETERMINED and together.high is None:
            return find_cheapest_fix(subject, limit, together, verdict, raised=raised, of=whole_month(subject))
        fewer = " and ".join(f"{count} fewer of {pool}" for pool, count in find_reductions(mine, limit))
        return f"Guarantee the team {fewer}, or {raised}" if fewer else raised[:1].upper() + raised[1:]

    return check_limit(
        together,
        limit,
        what=f"the capacity guaranteed to the team {team}",
        reading=subject.ceilings.binds,
        limit_words=f"the team's budget is {usd(limit)} a month",
        fix=fix,
        bill=bill_of(subject),
        part=team,
    )


def find_reductions(mine: Sequence[TeamPoolShare], limit: Decimal) -> list[tuple[str, int]]:
    """The fewest accelerators to give up to stay within the budget, the most expensive first: pool and number."""

    def price(part: TeamPoolShare) -> Decimal:
        return part.each.low if part.each.high is None else part.each.high

    over = sum((price(part) * part.accelerators for part in mine), start=ZERO) - limit
    found: list[tuple[str, int]] = []
    for part in sorted(mine, key=price, reverse=True):
        if over > ZERO and price(part):
            # A part of an accelerator cannot be given up.
            count = min(part.accelerators, int((over / price(part)).to_integral_value(ROUND_CEILING)))
            over -= price(part) * count
            found.append((part.pool, count))
    return found


RULE = Rule(
    name="team-ceilings",
    title="Team ceilings",
    demand="The capacity guaranteed to a team costs no more in a month than the team's budget.",
    why="A team with more guaranteed capacity than budget spends the money of others.",
    remedy="Guarantee the team fewer accelerators, or raise its usd_per_month in the checklist, and accept again.",
    severity=Severity.HIGH,
    judge=_breaches,
    exit_code=MONEY,
)
