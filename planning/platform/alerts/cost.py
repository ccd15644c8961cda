"""Alerts of money: what runs now against the ceiling, and machines that are paid for and do nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.platform.alerts.model import Alert, RuleGroup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.platform.alerts.model import AlertFacts

IDLE_POOL: Final = "1h"


def group(facts: AlertFacts) -> Iterator[RuleGroup]:
    """Nothing that has no price, no ceiling or no accelerators to be said of."""
    rules = [*_ceiling(facts), *_guard(facts), *_idle_pool(facts)]
    if rules:
        yield RuleGroup(name="atoll-money", rules=rules)


def _ceiling(facts: AlertFacts) -> Iterator[Alert]:
    if facts.ceiling_usd_per_month is None or not facts.prices:
        return
    yield Alert(
        name="SpendOverCeiling",
        expr="atoll:run_rate_usd_per_month > on () atoll:ceiling_usd_per_month",
        lasting="30m",
        severity="warning",
        summary="What runs now would cost {{ $value | humanize }} USD a month, above the ceiling",
        description=f"The ceiling is {facts.ceiling_usd_per_month:,.0f} USD a month. The rate is the nodes that are up"
        " at the quote's prices, plus everything else in the bill.",
    )


def _guard(facts: AlertFacts) -> Iterator[Alert]:
    if facts.ceiling_usd_per_month is None or "spend_guard" not in facts.parts:
        return
    yield Alert(
        name="SpendHeld",
        expr="max(atoll_spend_stop) > 0",
        lasting="0m",
        severity="warning",
        summary="The ceiling of this month is nearly spent, and queues are stopped (1: nothing new, 2: all evicted)",
        description=f"The ceiling is {facts.ceiling_usd_per_month:,.0f} USD a month. Queues whose nodes come and go are"
        " stopped until the month ends, or until an option with another ceiling is accepted.",
    )
    yield Alert(
        name="SpendGuardSilent",
        expr="absent(atoll_spend_seen_seconds) or time() - max(atoll_spend_seen_seconds) > 600",
        lasting="5m",
        severity="critical",
        summary="The spend guard has seen no nodes for ten minutes: nothing in the cluster stops at the ceiling",
        description="When it sees them again, the time between counts as if every pool had been at its full size.",
    )


def _idle_pool(facts: AlertFacts) -> Iterator[Alert]:
    if not facts.gpu_pools:
        return
    pool = "* on (node) group_left (pool) atoll:node_pool"
    yield Alert(
        name="GpuPoolIdle",
        expr=f"sum by (pool) (atoll:node_gpus {pool}) unless sum by (pool) (sum by (node) (atoll:pod_gpus) {pool}) > 0",
        lasting=IDLE_POOL,
        severity="warning",
        summary="Pool {{ $labels.pool }} has {{ $value }} GPUs up and no pod uses any",
        description="Elastic nodes should have been removed; reserved ones are paid for whether used or not.",
    )
