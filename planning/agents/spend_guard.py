"""Holds the queues before a month costs more than its ceiling; it runs in a pod too: standard library only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

ZERO: Final = Decimal(0)
HOURS_PER_MONTH: Final = Decimal(730)  # of the bill; a calendar month has up to 744
# Our choices. A GPU machine is paid for some minutes before its node is there, and some after its last pod has gone:
# scalers take an empty node away after ten minutes (`EMPTY_FOR` in components.clouds.aws.nodepools.karpenter; GKE: the
# same).
BOOT: Final = timedelta(minutes=10)
GAP: Final = timedelta(minutes=5)  # between two looks; what lies between them further apart counts at the full rate
BLIND: Final = timedelta(minutes=15)  # after which what cannot be seen is held
DRAIN_HOURS: Final = Decimal(1)  # from the eviction of the last pod to the end of the last machine, with room
HOLD_HOURS: Final = Decimal(6)  # what runs may go on for that long before it is evicted


class Stop(Enum):
    """Kueue's words for how far a queue is stopped."""

    NONE = "None"
    HOLD = "Hold"  # nothing new is admitted, what runs ends
    DRAIN = "HoldAndDrain"  # what runs is evicted too


@dataclass(frozen=True, slots=True, kw_only=True)
class MeteredPool:
    """Equal nodes, by what their label says.

    Args:
        usd_per_hour: of one node, at most.
        usd_as_spot: of one that was bought as spot.
        least: nodes that stay whatever is stopped.
        held: whether a queue that can be stopped is the only way to more of them.
    """

    key: str
    usd_per_hour: Decimal
    usd_as_spot: Decimal
    least: int
    most: int
    held: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendGuardPlan:
    """What the lock says: nothing of it is measured.

    Args:
        other_usd_per_month: everything in the bill that is no machine of this cluster.
        stranger_usd_per_hour: of a node that is in no pool of the lock.
        label: of nodes, whose values are the keys of the pools.
        queues: cluster queues that are stopped.
    """

    ceiling_usd_per_month: Decimal
    other_usd_per_month: Decimal
    stranger_usd_per_hour: Decimal
    label: str
    pools: tuple[MeteredPool, ...]
    queues: tuple[str, ...]

    @property
    def full_usd_per_hour(self) -> Decimal:
        """Of every pool at its full size."""
        return sum((pool.usd_per_hour * pool.most for pool in self.pools), ZERO)

    @property
    def elastic_usd_per_hour(self) -> Decimal:
        """Of everything that comes and goes with the queues, at its full size."""
        return sum((pool.usd_per_hour * (pool.most - pool.least) for pool in self.pools if pool.held), ZERO)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeteredNode:
    """A node that is there, the key of its pool, and since when."""

    key: str
    spot: bool
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendLedger:
    """What machines cost this month so far, never too little.

    Args:
        month: as in "2026-11".
        until: up to when it is counted.
        usd_per_hour: of the nodes that were there then.
    """

    month: str
    usd: Decimal
    until: datetime
    usd_per_hour: Decimal = ZERO


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendGuardDecision:
    """What was found, and what follows.

    Args:
        headroom_usd: what may still be spent on nodes that come and go; below 0 the ceiling is passed.
    """

    ledger: SpendLedger | None
    headroom_usd: Decimal
    stop: Stop


def decide_stop(
    plan: SpendGuardPlan, ledger: SpendLedger | None, nodes: Sequence[MeteredNode] | None, *, now: datetime
) -> SpendGuardDecision:
    """What to do now.

    Args:
        ledger: as it was written down; None on a cluster that has none yet.
        nodes: None where they cannot be read: then everything runs at its full size, and nothing is written down.
    """
    if nodes is None:
        return _blind(plan, ledger, now=now)
    counted = _advance_ledger(plan, ledger, nodes, now=now)
    left = _headroom(plan, counted, _running(nodes), now=now)
    return SpendGuardDecision(ledger=counted, headroom_usd=left, stop=_stop(plan, left))


def _blind(plan: SpendGuardPlan, ledger: SpendLedger | None, *, now: datetime) -> SpendGuardDecision:
    if ledger is None:
        return SpendGuardDecision(ledger=None, headroom_usd=ZERO, stop=Stop.HOLD)
    base = _of_month(plan, ledger, now=now)
    rate = max(base.usd_per_hour, plan.full_usd_per_hour)
    feared = replace(base, usd=base.usd + rate * hours(now - base.until))
    left = _headroom(plan, feared, {pool.key: pool.most for pool in plan.pools}, now=now)
    stop = _stop(plan, left)
    if stop is Stop.NONE and now - ledger.until > BLIND:
        stop = Stop.HOLD
    return SpendGuardDecision(ledger=None, headroom_usd=left, stop=stop)


def _advance_ledger(
    plan: SpendGuardPlan, ledger: SpendLedger | None, nodes: Sequence[MeteredNode], *, now: datetime
) -> SpendLedger:
    """The ledger up to now: time between two looks at the higher rate of both, and the start of every new machine."""
    rate = sum((_price(plan, node) for node in nodes), ZERO)
    if ledger is None:
        start = month_start(now)
        spent = (_price(plan, node) * hours(now - max(start, node.since - BOOT)) for node in nodes)
        return SpendLedger(month=month_of(now), usd=sum(spent, ZERO), until=now, usd_per_hour=rate)
    base = _of_month(plan, ledger, now=now)
    if base.until > now:  # a clock was set back; what is counted stays counted
        return replace(base, usd_per_hour=max(base.usd_per_hour, rate))
    lasted = now - base.until
    # The higher of both rates: what went up in between may have gone up at once.
    seen = max(base.usd_per_hour, rate)
    usd = base.usd + hours(lasted) * (seen if lasted <= GAP else max(seen, plan.full_usd_per_hour))
    # A machine is paid for from its start, which lies before the node is seen.
    new = (_price(plan, node) * hours(BOOT) for node in nodes if node.since > base.until)
    return SpendLedger(month=base.month, usd=usd + sum(new, ZERO), until=now, usd_per_hour=rate)


def _of_month(plan: SpendGuardPlan, ledger: SpendLedger, *, now: datetime) -> SpendLedger:
    """The ledger of the month that it is; one of an earlier month begins anew at the first."""
    # A clock that was far ahead has begun a month too early and forgotten this one: all of it counts at the full size.
    if ledger.month > month_of(now) and ledger.until - now > BLIND:
        return unreadable(plan, now=now)
    if ledger.month >= month_of(now):
        return ledger
    return replace(ledger, month=month_of(now), usd=ZERO, until=month_start(now))


def unreadable(plan: SpendGuardPlan, *, now: datetime) -> SpendLedger:
    """What stands for a ledger that tells nothing of this month: everything at its full size since the first."""
    return SpendLedger(month=month_of(now), usd=ZERO, until=month_start(now), usd_per_hour=plan.full_usd_per_hour)


def _headroom(plan: SpendGuardPlan, ledger: SpendLedger, running: dict[str, int], *, now: datetime) -> Decimal:
    """What is left when all that cannot be stopped runs to the end of the month."""
    start, end = month_start(now), month_end(now)
    rest, month = hours(end - now), hours(end - start)
    other = plan.other_usd_per_month * max(Decimal(1), month / HOURS_PER_MONTH)
    # The queue can hold back what is started anew, not what runs.
    kept = {pool.key: pool.least if pool.held else max(pool.least, running.get(pool.key, 0)) for pool in plan.pools}
    stays = sum((pool.usd_per_hour * kept[pool.key] for pool in plan.pools), ZERO)
    strangers = sum(count for key, count in running.items() if key not in kept) * plan.stranger_usd_per_hour
    return plan.ceiling_usd_per_month - other - ledger.usd - (stays + strangers) * rest


def _stop(plan: SpendGuardPlan, headroom: Decimal) -> Stop:
    if headroom < plan.elastic_usd_per_hour * DRAIN_HOURS:
        return Stop.DRAIN
    return Stop.HOLD if headroom < plan.elastic_usd_per_hour * HOLD_HOURS else Stop.NONE


def _price(plan: SpendGuardPlan, node: MeteredNode) -> Decimal:
    pool = next((each for each in plan.pools if each.key == node.key), None)
    if pool is None:
        return plan.stranger_usd_per_hour
    return pool.usd_as_spot if node.spot else pool.usd_per_hour


def _running(nodes: Sequence[MeteredNode]) -> dict[str, int]:
    found: dict[str, int] = {}
    for node in nodes:
        found[node.key] = found.get(node.key, 0) + 1
    return found


def hours(span: timedelta) -> Decimal:
    """A span in hours; 0 for one that goes backwards."""
    return max(ZERO, Decimal(span // timedelta(microseconds=1)) / 3_600_000_000)


def month_of(now: datetime) -> str:
    """As in "2026-11", in UTC, by which clouds bill."""
    return now.astimezone(UTC).strftime("%Y-%m")


def month_start(now: datetime) -> datetime:
    """First moment of its month."""
    return now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def month_end(now: datetime) -> datetime:
    """First moment of the next month."""
    return month_start(month_start(now) + timedelta(days=32))
