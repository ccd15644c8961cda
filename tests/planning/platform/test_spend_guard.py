"""The guard's decision: no month of any load costs more than its ceiling."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.agents.spend_guard import hold, round_of
from planning.agents.spend_guard import (
    BLIND,
    BOOT,
    DRAIN_HOURS,
    GAP,
    HOURS_PER_MONTH,
    MeteredNode,
    MeteredPool,
    SpendGuardPlan,
    SpendLedger,
    Stop,
    decide_stop,
    hours,
    month_end,
    month_start,
)
from planning.agents.spend_ledger import ledger_of_text, ledger_to_text, plan_of_text, plan_to_text
from planning.values import money

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
TICK = timedelta(minutes=5)
STOPPED_WITHIN = timedelta(minutes=45)  # from an eviction to the end of the machine


def plan(ceiling: int = 10_000) -> SpendGuardPlan:
    return SpendGuardPlan(
        ceiling_usd_per_month=Decimal(ceiling),
        other_usd_per_month=Decimal(1000),
        stranger_usd_per_hour=Decimal(100),
        label="atoll/pool",
        pools=(
            MeteredPool(key="train", usd_per_hour=Decimal(100), usd_as_spot=Decimal(40), least=0, most=2, held=True),
            MeteredPool(key="system", usd_per_hour=Decimal(1), usd_as_spot=Decimal(1), least=3, most=3, held=False),
        ),
        queues=("everybody.train",),
    )


def nodes(count: int, key: str = "train", *, spot: bool = False, age: int = 600) -> list[MeteredNode]:
    return [MeteredNode(key=key, spot=spot, since=NOW - timedelta(minutes=age))] * count


def ledger(usd: int = 0, *, minutes: int = 1, month: str = "2026-11", rate: int = 0) -> SpendLedger:
    until = NOW - timedelta(minutes=minutes)
    return SpendLedger(month=month, usd=Decimal(usd), until=until, usd_per_hour=Decimal(rate))


def test_the_month_of_the_guard_is_the_month_of_the_bill() -> None:
    assert HOURS_PER_MONTH == money.HOURS_PER_MONTH


def test_far_below_the_ceiling_nothing_is_stopped() -> None:
    sight = decide_stop(plan(), ledger(), nodes(1), now=NOW)
    assert sight.stop is Stop.NONE
    rest = hours(month_end(NOW) - NOW)
    assert sight.headroom_usd == 10_000 - 1000 - Decimal(100) / 60 - 3 * rest


def test_six_hours_of_the_full_size_before_the_ceiling_nothing_new_starts() -> None:
    stays = 1000 + 3 * int(hours(month_end(NOW) - NOW))
    for left, stop in ((1250, Stop.NONE), (1150, Stop.HOLD), (205, Stop.HOLD), (150, Stop.DRAIN), (-50, Stop.DRAIN)):
        assert decide_stop(plan(), ledger(10_000 - stays - left), [], now=NOW).stop is stop, left


def test_the_time_between_two_looks_counts_at_the_dearer_of_them() -> None:
    for before, there in ((100, 0), (0, 1)):
        seen = decide_stop(plan(), ledger(minutes=3, rate=before), nodes(there), now=NOW).ledger
        assert seen is not None
        assert seen.usd == Decimal(100) * 3 / 60


def test_a_new_machine_is_paid_for_before_its_node_is_there() -> None:
    seen = decide_stop(plan(), ledger(minutes=3), nodes(1, age=1), now=NOW).ledger
    assert seen is not None
    assert seen.usd == Decimal(100) * 3 / 60 + 100 * hours(BOOT)


def test_time_that_nobody_looked_counts_at_the_full_size() -> None:
    seen = decide_stop(plan(), ledger(minutes=60), [], now=NOW).ledger
    assert seen is not None
    assert seen.usd == Decimal(2 * 100 + 3)


def test_a_spot_node_costs_less_while_it_is_one() -> None:
    spot, other = (decide_stop(plan(), None, nodes(1, spot=each), now=NOW).ledger for each in (True, False))
    assert spot is not None
    assert other is not None
    assert spot.usd / other.usd == Decimal("0.4")


def test_a_node_of_no_pool_counts_as_the_dearest_to_the_end_of_the_month() -> None:
    with_it, without = (decide_stop(plan(100_000), ledger(), each, now=NOW) for each in (nodes(1, "whose"), []))
    assert without.headroom_usd - with_it.headroom_usd > 100 * hours(month_end(NOW) - NOW)


def test_the_first_ledger_counts_what_runs_since_the_month_began() -> None:
    seen = decide_stop(plan(), None, nodes(1, age=120), now=NOW).ledger
    assert seen is not None
    assert seen.usd == 100 * (2 + hours(BOOT))
    old = decide_stop(plan(), None, nodes(1, age=60 * 24 * 90), now=NOW).ledger
    assert old is not None
    assert old.usd == 100 * hours(NOW - month_start(NOW))


def test_the_next_month_begins_anew_and_lifts_the_stop() -> None:
    first = datetime(2026, 12, 1, 0, 1, tzinfo=UTC)
    spent = SpendLedger(month="2026-11", usd=Decimal(9000), until=first - timedelta(minutes=2))
    assert decide_stop(plan(), spent, [], now=first - timedelta(minutes=2)).stop is Stop.DRAIN
    assert decide_stop(plan(), spent, [], now=first).stop is Stop.NONE


def test_nodes_that_cannot_be_read_count_at_the_full_size_and_are_held_after_a_while() -> None:
    ago = int(BLIND.total_seconds() // 60)
    soon, late = (decide_stop(plan(100_000), ledger(minutes=each), None, now=NOW) for each in (ago - 5, ago + 1))
    assert (soon.stop, late.stop) == (Stop.NONE, Stop.HOLD)
    assert soon.ledger is None
    assert decide_stop(plan(100_000), None, None, now=NOW).stop is Stop.HOLD
    assert decide_stop(plan(), ledger(8000, minutes=60), None, now=NOW).stop is Stop.DRAIN


def test_a_clock_that_is_set_back_forgets_nothing() -> None:
    ahead = ledger(5000, minutes=-60)
    assert decide_stop(plan(), ahead, [], now=NOW).ledger == ahead


def test_a_clock_that_was_far_ahead_has_not_spent_the_month_anew() -> None:
    ahead = SpendLedger(month="2026-12", usd=Decimal(5), until=NOW + timedelta(days=12))
    feared = decide_stop(plan(), ahead, [], now=NOW)
    assert feared.stop is Stop.DRAIN
    assert feared.ledger is not None
    assert (feared.ledger.month, feared.ledger.until) == ("2026-11", NOW)
    last = datetime(2026, 11, 30, 23, 59, 50, tzinfo=UTC)
    begun = SpendLedger(month="2026-12", usd=Decimal(5), until=last + timedelta(seconds=20))
    assert decide_stop(plan(), begun, [], now=last).ledger == begun


@pytest.mark.parametrize(("first", "days"), [("2026-02-01", 28), ("2028-02-01", 29), ("2026-12-01", 31)])
def test_a_month_has_the_hours_of_its_days(first: str, days: int) -> None:
    start = datetime.fromisoformat(first).replace(tzinfo=UTC)
    sight = decide_stop(plan(), SpendLedger(month=first[:7], usd=Decimal(0), until=start), [], now=start)
    other = 1000 * max(Decimal(1), Decimal(days * 24) / HOURS_PER_MONTH)
    assert sight.headroom_usd == 10_000 - other - 3 * 24 * days


def test_an_option_that_is_accepted_in_the_month_forgets_nothing_that_was_spent() -> None:
    dearer = replace(plan(20_000), pools=(replace(plan().pools[0], usd_per_hour=Decimal(200)), plan().pools[1]))
    seen = decide_stop(dearer, ledger(7000, minutes=3), nodes(1), now=NOW).ledger
    assert seen is not None
    assert seen.usd == 7000 + Decimal(200) * 3 / 60


def test_a_node_without_the_label_of_its_pool_counts_as_the_dearest() -> None:
    seen = decide_stop(plan(), ledger(minutes=3), nodes(1, ""), now=NOW).ledger
    assert seen is not None
    assert seen.usd == Decimal(100) * 3 / 60


class Deaf:
    """A cluster whose ledger is gone; queues by how far they are stopped."""

    def __init__(self, **queues: str) -> None:
        self.queues = queues

    def list_nodes(self) -> Iterator[Mapping[str, object]]:
        return iter(())

    def read_ledger(self) -> str:
        raise OSError("404")

    def write_ledger(self, ledger: str) -> None:
        raise OSError(ledger)

    def read_stop_policy(self, queue: str) -> str:
        return self.queues[queue]

    def set_stop_policy(self, queue: str, how: str) -> None:
        self.queues[queue] = how


def test_where_the_ledger_is_gone_queues_that_run_are_held_and_none_is_let_go() -> None:
    cluster = Deaf(a="None", b="Hold", c="HoldAndDrain")
    rules = replace(plan(), queues=("a", "b", "c"))
    with pytest.raises(OSError, match="404"):
        round_of(cluster, rules, now=NOW)
    assert len(hold(cluster, rules)) == 1
    assert cluster.queues == {"a": "Hold", "b": "Hold", "c": "HoldAndDrain"}


UNREADABLE = [
    "{",
    "[]",
    '{"usd": "1"}',
    '{"month": "2026-11", "usd": "x", "until": "y"}',
    *(
        json.dumps({"month": "2026-11", "usd": usd, "until": NOW.isoformat(), "usd_per_hour": "0"})
        for usd in ("NaN", "-1000000", "Infinity")
    ),
    json.dumps({"month": "november", "usd": "1", "until": NOW.isoformat(), "usd_per_hour": "0"}),
]


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_ledger_that_nobody_can_read_counts_the_month_at_its_full_size(text: str) -> None:
    feared = decide_stop(plan(), ledger_of_text(text, plan(), now=NOW), [], now=NOW)
    assert feared.stop is Stop.DRAIN
    assert feared.ledger is not None
    assert feared.ledger.usd == 203 * hours(NOW - month_start(NOW))


def test_plan_and_ledger_are_read_as_they_were_written() -> None:
    assert plan_of_text(plan_to_text(plan())) == plan()
    assert ledger_of_text(ledger_to_text(ledger(12)), plan(), now=NOW) == ledger(12)
    assert ledger_of_text("", plan(), now=NOW) is None


@settings(max_examples=40)
@given(
    ceiling=st.integers(2500, 9000),
    most=st.integers(1, 4),
    hourly=st.integers(1, 150),
    start=st.integers(0, 29 * 24),
    wishes=st.lists(st.integers(0, 4), min_size=1, max_size=12),
    seconds=st.integers(0, int(STOPPED_WITHIN.total_seconds())),
)
def test_no_load_brings_a_month_over_its_ceiling(
    *, ceiling: int, most: int, hourly: int, start: int, wishes: list[int], seconds: int
) -> None:
    """Jobs that want as many nodes as they can get for as long as nobody evicts them; machines that end late."""
    held = replace(plan().pools[0], usd_per_hour=Decimal(hourly), usd_as_spot=Decimal(hourly), most=most)
    rules = replace(plan(ceiling), pools=(held,), other_usd_per_month=Decimal(500))
    now = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(hours=start)
    spent, there, before = Decimal(500), [MeteredNode(key="train", spot=False, since=now)] * 0, Stop.NONE
    written: SpendLedger | None = SpendLedger(month="2026-11", usd=Decimal(0), until=now)
    evicted: datetime | None = None
    if decide_stop(rules, written, [], now=now).stop is not Stop.NONE:
        return  # the ceiling leaves no room for a single job: none starts
    for step in range(2000):
        if now >= month_end(datetime(2026, 11, 5, tzinfo=UTC)):
            break
        wanted = wishes[step // 24 % len(wishes)]
        if before is Stop.NONE and len(there) < min(wanted, most):
            new = min(wanted, most) - len(there)
            spent += new * hourly * hours(BOOT)
            there = there + [MeteredNode(key="train", spot=False, since=now)] * new
        if before is Stop.DRAIN:
            evicted = evicted or now
            if now - evicted >= timedelta(seconds=seconds):
                there = []
        spent += len(there) * hourly * hours(TICK)
        now += TICK
        sight = decide_stop(rules, written, there, now=now)
        written, before = sight.ledger, sight.stop
        assert written is not None
        if before is Stop.DRAIN and not there:
            break
    assert spent <= ceiling


def test_what_is_kept_back_covers_the_way_from_a_look_to_the_end_of_the_machine() -> None:
    assert hours(GAP + STOPPED_WITHIN + BOOT) <= DRAIN_HOURS
