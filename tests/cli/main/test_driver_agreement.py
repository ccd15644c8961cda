"""Bill and takeoff agree to the cent, or the lines on which they do not are named."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import hand_built

from operations.plans.plan import differences
from planning.costs.bill import Bill, BillGroup
from planning.values.money import Range

MACHINE = hand_built.line("pool/train/machine", BillGroup.COMPUTE)


def test_the_same_bill_agrees() -> None:
    assert differences(hand_built.bill(), hand_built.bill()) == ()


def test_labels_order_and_tenths_of_a_cent_do_not_matter() -> None:
    amount = hand_built.rising("1460.0001", "1460.002", "1460.0049")
    theirs = replace(MACHINE, label="nodes-train: gpu8", usd_per_month=amount)
    other = hand_built.line("storage/warm", BillGroup.STORAGE)
    assert differences(Bill((MACHINE, other)), Bill((other, theirs))) == ()


def test_a_cent_matters() -> None:
    theirs = replace(MACHINE, usd_per_month=Range.exactly(Decimal("1460.01")))
    (found,) = differences(Bill((MACHINE,)), Bill((theirs,)))
    assert found.key == "pool/train/machine"
    assert found.bill == Range.exactly(1460)
    assert found.takeoff == Range.exactly(Decimal("1460.01"))


def test_tiers_and_equal_keys_of_several_resources_are_one_line() -> None:
    half = replace(MACHINE, usd_per_month=Range.exactly(730))
    parts = (replace(half, key="pool/train/machine"), replace(half, key="pool/train/machine~2"))
    tiers = (replace(half, key="pool/train/machine"), replace(half, key="pool/train/machine#2"))
    assert differences(Bill((MACHINE,)), Bill(parts)) == ()
    assert differences(Bill((MACHINE,)), Bill(tiers)) == ()


def test_what_only_one_side_has_is_named_unless_it_costs_nothing() -> None:
    free = hand_built.free("control_plane", BillGroup.CONTROL_PLANE)
    assert differences(Bill((free,)), Bill(())) == ()
    assert differences(Bill(()), Bill((free,))) == ()
    assert [each.key for each in differences(Bill((MACHINE,)), Bill(()))] == ["pool/train/machine"]
    assert [each.key for each in differences(Bill(()), Bill((MACHINE,)))] == ["pool/train/machine"]


def test_unpriced_on_one_side_only_is_a_difference_and_says_why() -> None:
    theirs = replace(
        hand_built.unpriced("pool/train/machine", BillGroup.COMPUTE), note="type is known only after creation"
    )
    (found,) = differences(Bill((MACHINE,)), Bill((theirs,)))
    assert found.takeoff is None
    assert found.reason == "type is known only after creation"


def test_unpriced_on_both_sides_agrees() -> None:
    line = hand_built.unpriced("network/egress", BillGroup.NETWORK)
    assert differences(Bill((line,)), Bill((line,))) == ()
