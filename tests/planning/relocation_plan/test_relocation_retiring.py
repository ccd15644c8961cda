"""The source goes only after its days, with a deletion list that is the inventory, and a bill that comes to nothing."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as some

from planning.cloud_checks.orphans import Orphan, OrphanReport, PricedOrphan, Unanswered
from planning.relocation.decommission import Deletion, judge_decommission, judge_remaining_bill
from planning.relocation.inventory.assets import AssetKind, AssetTreatment, Loss, StatefulAsset
from planning.relocation.inventory.stack_inventory import Inventory
from planning.spec.lock_content import State

COMMITTED = date(2026, 11, 1)
LATER = date(2026, 12, 1)


def inventory(*keys: str) -> Inventory:
    return Inventory(
        things=tuple(
            StatefulAsset(
                key=key,
                title=key,
                kind=AssetKind.BUCKET,
                loss=Loss.LARGE,
                treatment=AssetTreatment.MOVED,
                reason="test",
            )
            for key in keys
        )
    )


def test_equal_lists_after_enough_days_are_allowed() -> None:
    found = judge_decommission(
        inventory("a", "b"),
        [Deletion(key="a", name="bucket a"), Deletion(key="b", name="bucket b")],
        committed=COMMITTED,
        retain_days=30,
        today=LATER,
    )
    assert found.allowed
    assert found.on == LATER


def test_a_day_too_early_is_refused_and_says_the_day() -> None:
    found = judge_decommission(inventory(), [], committed=COMMITTED, retain_days=30, today=LATER - timedelta(days=1))
    assert not found.allowed
    assert (found.early, found.on) == (1, LATER)


def test_what_is_not_in_the_inventory_is_not_deleted_and_what_is_must_be() -> None:
    found = judge_decommission(
        inventory("a", "b", "audit"),
        [Deletion(key="a", name="a"), Deletion(key="", name="somebody's bucket")],
        committed=COMMITTED,
        retain_days=1,
        today=LATER,
        kept=[("audit", "evidence")],
    )
    assert not found.allowed
    assert [each.name for each in found.unknown] == ["somebody's bucket"]
    assert found.forgotten == ("b",)
    assert found.kept == (("audit", "evidence"),)


def test_what_is_kept_on_purpose_may_not_be_on_the_deletion_list() -> None:
    found = judge_decommission(
        inventory("audit"),
        [Deletion(key="audit", name="audit")],
        committed=COMMITTED,
        retain_days=1,
        today=LATER,
        kept=[("audit", "evidence")],
    )
    assert [each.name for each in found.unknown] == ["audit"]


@pytest.mark.parametrize(("committed", "days"), [(LATER + timedelta(days=1), 1), (COMMITTED, 0)])
def test_days_that_cannot_be_are_refused(committed: date, days: int) -> None:
    with pytest.raises(ValueError, match=r"commit lies ahead|a day at least"):
        judge_decommission(inventory(), [], committed=committed, retain_days=days, today=LATER)


@given(there=some.sets(some.text(min_size=1, max_size=3)), listed=some.sets(some.text(min_size=1, max_size=3)))
def test_only_equal_lists_are_allowed(there: set[str], listed: set[str]) -> None:
    found = judge_decommission(
        inventory(*there),
        [Deletion(key=key, name=key) for key in listed],
        committed=COMMITTED,
        retain_days=1,
        today=LATER,
    )
    assert found.allowed == (there == listed)
    assert {each.key for each in found.unknown} == listed - there
    assert set(found.forgotten) == there - listed


def leftover(name: str, *, kept: str = "") -> PricedOrphan:
    found = Orphan(kind="bucket", id=name, provider="aws", region="us-east-1", kept=kept)
    return PricedOrphan(found=found, state=State.PRICED, usd_per_month=Decimal(3), note="")


@pytest.mark.parametrize(
    ("things", "unanswered", "verdict"),
    [
        ((), (), "nothing"),
        ((leftover("a", kept="evidence"),), (), "kept"),
        ((leftover("a"),), (), "costs"),
        ((leftover("a"),), ("x",), "costs"),
        ((), ("x",), "undetermined"),
    ],
)
def test_silence_is_no_proof_of_nothing(
    things: tuple[PricedOrphan, ...], unanswered: tuple[str, ...], verdict: str
) -> None:
    silent = tuple(Unanswered(placement="home", what=each, reason="no keys") for each in unanswered)
    assert judge_remaining_bill(OrphanReport(stack="s", things=things, unanswered=silent)).verdict == verdict
