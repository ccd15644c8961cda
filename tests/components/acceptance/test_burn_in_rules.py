"""No node is let in that has not been tested for its hours, whatever the cluster tells or leaves unsaid."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.agents.burn_in import (
    HANGS,
    NOTHING,
    ROUND,
    SHORTEST,
    STUCK_AFTER,
    Act,
    BurnInEntry,
    BurnInNode,
    BurnInPlan,
    BurnInRound,
    BurnInVerdict,
    RoundState,
    calculate_remaining_time,
    decide,
    length,
)
from planning.agents.burn_in_ledger import ledger_of_text, ledger_to_text, parse_burn_in_log

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
PLAN = BurnInPlan(hours=48, checks={"train": ("dcgm", "matmul")})
NODE = BurnInNode(name="ip-1", uid="u-1", pool="train")
NEW = BurnInEntry(uid="u-1", started=NOW)
GOOD = BurnInRound(went=RoundState.PASSED, started=NOW, lasted=ROUND, checked=("dcgm", "matmul"))

LOG = """a tool says {
{"check": "dcgm", "subject": "node/ip-1", "failed": ["GPU 3: memory"]}
{"check": "matmul", "subject": "node/ip-2", "failed": []}
{"check": "matmul", "subject": "node/ip-1"}
{"check": "nvlink", "subject": "node/ip-1", "failed": []}
{"check":
[1]
"""

rounds = st.builds(
    BurnInRound,
    went=st.sampled_from(RoundState),
    started=st.none() | st.just(NOW),
    lasted=st.none() | st.timedeltas(min_value=timedelta(hours=-1), max_value=timedelta(hours=12)),
    failed=st.just(()) | st.just(()) | st.just(("Xid 79",)),
    checked=st.sampled_from([(), ("dcgm",), ("dcgm", "matmul"), ("dcgm", "matmul", "burn_in")]),
)


def good(seen: BurnInRound) -> bool:
    whole = {"dcgm", "matmul"} <= set(seen.checked)
    return seen.went is RoundState.PASSED and not seen.failed and whole and bool(seen.lasted and seen.lasted > NOTHING)


@given(st.lists(rounds, max_size=40))
def test_a_node_is_let_in_only_after_its_hours_in_rounds_that_passed(story: list[BurnInRound]) -> None:
    entry, tested, broken = NEW, NOTHING, False
    for seen in story:
        decision = decide(PLAN, NODE, entry, seen, now=NOW)
        broken = broken or seen.went is RoundState.FAILED or bool(seen.failed)
        tested += seen.lasted if good(seen) and seen.lasted else NOTHING
        if decision.act is Act.LIFT:
            assert tested >= timedelta(hours=PLAN.hours)
            assert not broken
            return
        entry = decision.entry
        assert (entry.verdict is BurnInVerdict.FAILED) == broken
        assert entry.tested <= tested


def test_forty_eight_hours_of_good_rounds_let_it_in_and_not_one_less() -> None:
    entry, acts = NEW, list[Act]()
    for _ in range(12):
        decision = decide(PLAN, NODE, entry, GOOD, now=NOW)
        entry, acts = decision.entry, [*acts, decision.act]
    assert acts == [*[Act.START] * 11, Act.LIFT]
    assert (entry.rounds, entry.tested, entry.verdict) == (12, timedelta(hours=48), BurnInVerdict.PASSED)
    again = decide(
        PLAN, NODE, entry, BurnInRound(went=RoundState.GONE), now=NOW
    )  # killed between the ledger and the node
    assert (again.act, again.entry) == (Act.LIFT, entry)


def test_a_failure_stays_whatever_is_seen_afterwards() -> None:
    failed = decide(PLAN, NODE, NEW, replace(GOOD, failed=("dcgm: GPU 3",)), now=NOW)
    assert (failed.act, failed.entry.why) == (Act.FAIL, "dcgm: GPU 3")
    assert decide(PLAN, NODE, failed.entry, GOOD, now=NOW).act is Act.FAIL


@pytest.mark.parametrize(
    "seen",
    [
        replace(GOOD, checked=("dcgm",)),
        replace(GOOD, lasted=None),
        replace(GOOD, lasted=NOTHING),
        BurnInRound(went=RoundState.UNKNOWN),
    ],
    ids=["a check is lacking", "nobody knows how long", "no time", "nothing told"],
)
def test_what_is_not_known_adds_no_time_and_is_tried_again(seen: BurnInRound) -> None:
    entry = NEW
    for _ in range(STUCK_AFTER):
        decision = decide(PLAN, NODE, entry, seen, now=NOW)
        assert (decision.act, decision.entry.tested, decision.entry.asked) == (Act.START, NOTHING, entry.asked + 1)
        entry = decision.entry
    assert (entry.unknown, entry.verdict) == (STUCK_AFTER, BurnInVerdict.PENDING)


def test_a_pool_that_the_plan_does_not_know_is_never_let_in() -> None:
    other = replace(NODE, pool="other")
    assert decide(PLAN, other, replace(NEW, tested=timedelta(hours=99)), GOOD, now=NOW).act is Act.START


def test_a_round_that_never_ends_is_a_failure_and_one_that_waits_is_none() -> None:
    late = NOW + ROUND + HANGS + timedelta(seconds=1)
    assert decide(PLAN, NODE, NEW, BurnInRound(went=RoundState.RUNS, started=NOW), now=late).act is Act.FAIL
    assert decide(PLAN, NODE, NEW, BurnInRound(went=RoundState.RUNS), now=late).act is Act.WAIT
    assert decide(PLAN, NODE, NEW, BurnInRound(went=RoundState.RUNS, started=NOW), now=NOW + ROUND).act is Act.WAIT


def test_another_node_of_the_same_name_begins_anew_with_jobs_of_its_own() -> None:
    old = replace(NEW, uid="u-0", tested=timedelta(hours=47), asked=9, verdict=BurnInVerdict.PASSED)
    decision = decide(PLAN, NODE, old, GOOD, now=NOW)
    assert (decision.act, decision.entry) == (Act.START, BurnInEntry(uid="u-1", started=NOW, asked=10))


def test_a_node_that_passed_and_is_tainted_again_is_tested_again() -> None:
    done = replace(NEW, tested=timedelta(hours=48), verdict=BurnInVerdict.PASSED)
    decision = decide(PLAN, replace(NODE, passed=True), done, GOOD, now=NOW)
    assert (decision.act, decision.entry.tested, decision.entry.verdict) == (Act.START, NOTHING, BurnInVerdict.PENDING)


@given(st.timedeltas(min_value=NOTHING, max_value=timedelta(hours=60)))
def test_rounds_have_their_bounds(tested: timedelta) -> None:
    entry = replace(NEW, tested=tested)
    assert SHORTEST <= length(PLAN, entry) <= ROUND
    assert calculate_remaining_time(PLAN, entry) == timedelta(hours=48) - tested


entries = st.builds(
    BurnInEntry,
    uid=st.text(max_size=20),
    started=st.datetimes(timezones=st.just(UTC)),
    tested=st.integers(0, 10**6).map(lambda seconds: timedelta(seconds=seconds)),
    rounds=st.integers(0, 99),
    unknown=st.integers(0, 99),
    asked=st.integers(1, 99),
    verdict=st.sampled_from(BurnInVerdict),
    why=st.text(max_size=50),
)


@given(st.dictionaries(st.text(max_size=10), entries, max_size=4))
def test_a_ledger_is_read_as_it_was_written(found: dict[str, BurnInEntry]) -> None:
    assert ledger_of_text(ledger_to_text(found)) == found
    assert ledger_of_text("") == {}


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"a": 1}', '{"a": {}}', ledger_to_text({"a": NEW}).replace("pending", "fine"),
     ledger_to_text({"a": NEW}).replace('"tested_seconds": 0', '"tested_seconds": -5')],
)  # fmt: skip
def test_a_ledger_that_cannot_be_read_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        ledger_of_text(text)


def test_records_are_believed_only_about_their_own_node() -> None:
    assert parse_burn_in_log(LOG, subject="node/ip-1") == (("dcgm", "nvlink"), ("dcgm: GPU 3: memory",))
