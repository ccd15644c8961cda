from __future__ import annotations

from decimal import Decimal

from planning.costs.node_prices import growth, node_prices
from planning.spec.lock import LockedLine


def line(key: str, *, unit: str | None, month: str | None) -> LockedLine:
    return LockedLine(
        key=key,
        label=key,
        item="item",
        state="priced" if unit else "unpriced",
        unit="hour",
        quantity=(Decimal(0), Decimal(365), Decimal(730)),
        usd_per_unit=Decimal(unit) if unit else None,
        usd_per_month=(Decimal(0), Decimal(month), Decimal(month) * 2) if month else None,
        source="test",
        as_of=None,
    )


def test_a_pools_machine_is_its_nodes_price_an_hour() -> None:
    found = node_prices([line("pool/train/machine", unit="98.32", month="35886.80")])
    assert found.usd_per_hour == {"train": Decimal("98.32")}
    assert found.other_usd_per_month == 0


def test_everything_else_counts_as_expected_other_placements_nodes_too() -> None:
    bill = [
        line("pool/train/machine", unit="98.32", month="35886.80"),
        line("pool/train/disk", unit="0.08", month="40"),
        line("control-plane", unit="0.10", month="73"),
        line("east/pool/train/machine", unit="50", month="1000"),
    ]
    assert node_prices(bill).other_usd_per_month == Decimal(1113)


def test_what_nobody_knows_a_price_of_is_left_out() -> None:
    found = node_prices([line("pool/train/machine", unit=None, month=None), line("logs", unit=None, month=None)])
    assert (found.usd_per_hour, found.other_usd_per_month) == ({}, 0)


def test_what_is_paid_by_the_node_grows_with_all_nodes_and_support_no_further_than_the_ceiling() -> None:
    bill = [
        line("pool/train/machine", unit="10", month="3650"),
        line("pool/train/disk", unit="0.08", month="40"),
        line("services/support", unit="0.1", month="369"),
    ]
    full = growth(bill, {"pool/train": 2})
    assert full["pool/train/machine"] == 7300
    assert full["pool/train/disk"] == 80
    assert full["services/support"] == 738
    held = growth(bill, {"pool/train": 2}, ceiling_usd=Decimal(8218))
    assert held["services/support"] == 10
    assert growth(bill, {"pool/train": 2}, ceiling_usd=Decimal(1))["services/support"] == 0
    assert node_prices(bill, nodes={"pool/train": 2}).other_most_usd_per_month == 80 + 80 + 738 + 738
