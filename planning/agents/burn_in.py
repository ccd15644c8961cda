"""Decides whether a new node may take work: after rounds of tests whose results are known.

It runs in a pod too: standard library only. Time counts while a round runs, by the clock of the cluster; a round of
which nothing is known adds none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NOTHING: Final = timedelta(0)
# Our choices. A round is as long as one hears of a dead node at the latest; one that lasts twice as long hangs.
ROUND: Final = timedelta(hours=4)
SHORTEST: Final = timedelta(minutes=30)
HANGS: Final = timedelta(hours=4)
STUCK_AFTER: Final = 3  # rounds in a row of which nothing is known, after which somebody is told


class BurnInVerdict(Enum):
    """What is known of a node."""

    PENDING = "pending"
    PASSED = "passed"
    FAILED = "failed"


class Act(Enum):
    """What follows."""

    START = "start"
    WAIT = "wait"
    LIFT = "lift"
    FAIL = "fail"


class RoundState(Enum):
    """How a round went; what is not told is unknown."""

    RUNS = "runs"
    GONE = "gone"
    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnInPlan:
    """What the lock says.

    Args:
        hours: for which a node is tested.
        checks: pool to the checks of which every round must tell.
    """

    hours: int
    checks: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnInNode:
    """A node that has the taint.

    Args:
        uid: another one under the same name is another node.
        passed: whether it says that it passed before: somebody wants it tested again.
    """

    name: str
    uid: str
    pool: str
    passed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnInRound:
    """A round as the cluster tells it.

    Args:
        lasted: from its start to its end; None while it runs, or where the cluster does not say.
        started: None where it has not begun.
        failed: what was found wrong, in the tools' words.
        checked: checks of which a record was read.
    """

    went: RoundState
    started: datetime | None = None
    lasted: timedelta | None = None
    failed: Sequence[str] = ()
    checked: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnInEntry:
    """What is written down of a node.

    Args:
        started: when its first round was asked for.
        tested: how long it has been tested, in rounds that passed.
        rounds: that passed.
        unknown: rounds in a row of which nothing is known.
        asked: number of the round that was asked for last; it names the job.
        why: what was found wrong, or why nothing is known.
    """

    uid: str
    started: datetime
    tested: timedelta = NOTHING
    rounds: int = 0
    unknown: int = 0
    asked: int = 1
    verdict: BurnInVerdict = BurnInVerdict.PENDING
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnInDecision:
    """What to write down first, and what to do then."""

    entry: BurnInEntry
    act: Act


def decide(
    plan: BurnInPlan, node: BurnInNode, entry: BurnInEntry | None, seen: BurnInRound, *, now: datetime
) -> BurnInDecision:
    """What follows from one look at a tainted node.

    Args:
        entry: what was written down; None for nothing.
        seen: the round that the entry asked for last; of a new node it says nothing.
    """
    if entry is None or entry.uid != node.uid or (node.passed and entry.verdict is BurnInVerdict.PASSED):
        return BurnInDecision(entry=BurnInEntry(uid=node.uid, started=now, asked=_next(entry)), act=Act.START)
    if entry.verdict is BurnInVerdict.FAILED:
        return BurnInDecision(entry=entry, act=Act.FAIL)
    if entry.verdict is BurnInVerdict.PASSED:
        return BurnInDecision(entry=entry, act=Act.LIFT)
    return _after(plan, entry, judge_round(plan, node, seen, now=now))


def judge_round(plan: BurnInPlan, node: BurnInNode, seen: BurnInRound, *, now: datetime) -> BurnInRound:
    """The round, verified: passed only with a record of every check and a known duration."""
    wanted = plan.checks.get(node.pool, ())
    if seen.failed:
        return replace(seen, went=RoundState.FAILED)
    if seen.went is RoundState.RUNS and seen.started is not None and now - seen.started > ROUND + HANGS:
        # A GPU that hangs lets no program on it end.
        return replace(seen, went=RoundState.FAILED, failed=("a round does not end: the node hangs",))
    lacking = [check for check in wanted if check not in seen.checked]
    told = bool(wanted) and not lacking and seen.lasted is not None and seen.lasted > NOTHING
    return replace(seen, went=RoundState.UNKNOWN) if seen.went is RoundState.PASSED and not told else seen


def _after(plan: BurnInPlan, entry: BurnInEntry, seen: BurnInRound) -> BurnInDecision:
    if seen.went is RoundState.RUNS:
        return BurnInDecision(entry=entry, act=Act.WAIT)
    if seen.went is RoundState.GONE:  # asked for and never made, or taken away: the same round again
        return BurnInDecision(entry=entry, act=Act.START)
    if seen.went is RoundState.FAILED:
        why = "; ".join(seen.failed) or "a round failed and did not say why"
        return BurnInDecision(entry=replace(entry, verdict=BurnInVerdict.FAILED, why=why), act=Act.FAIL)
    if seen.went is RoundState.UNKNOWN:
        lost = replace(entry, unknown=entry.unknown + 1, asked=entry.asked + 1, why="a round told nothing")
        return BurnInDecision(entry=lost, act=Act.START)
    counted = replace(entry, tested=entry.tested + (seen.lasted or NOTHING), rounds=entry.rounds + 1, unknown=0, why="")
    if calculate_remaining_time(plan, counted) <= NOTHING:
        return BurnInDecision(entry=replace(counted, verdict=BurnInVerdict.PASSED), act=Act.LIFT)
    return BurnInDecision(entry=replace(counted, asked=counted.asked + 1), act=Act.START)


def calculate_remaining_time(plan: BurnInPlan, entry: BurnInEntry) -> timedelta:
    """How long a node has to be tested yet."""
    return timedelta(hours=plan.hours) - entry.tested


def length(plan: BurnInPlan, entry: BurnInEntry) -> timedelta:
    """How long the next round lasts: what is left, within bounds."""
    return max(SHORTEST, min(ROUND, calculate_remaining_time(plan, entry)))


def _next(entry: BurnInEntry | None) -> int:
    """Number of the next round."""
    # Numbers of rounds never come again, so that no job is taken for another.
    return entry.asked + 1 if entry is not None else 1
