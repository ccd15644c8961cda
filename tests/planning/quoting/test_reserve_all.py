"""`reserve: all` on a cluster there is: what nobody publishes a reserved price for is priced as used, and said so."""

from __future__ import annotations

from decimal import Decimal

from small import TODAY, TRAINING, SmallCatalog, checklist, machine, market, price, services

from catalogs.model import Item, Price
from planning.checklist.model.checklist import Checklist
from planning.quoting.quote import Option
from planning.quoting.quote_builder import quote

PLACE = {"provider": "coreweave", "region": "us-east-1"}
MACHINES = (machine("big", provider="coreweave"), machine("cpu", provider="coreweave", gpu=None))
ROWS = (
    price("coreweave", "big", "us-east-1", "60"),
    price("coreweave", "cpu", "us-east-1", "0.4"),
    *services("coreweave"),
)
RESERVED = price("coreweave", "big", "us-east-1", "59", purchase="reserved_12m")


def wanted(*, months: int = 12, reserve: str = "all", where: dict[str, object] | None = None) -> Checklist:
    existing = {"existing": PLACE | {"kubeconfig_env": "KUBE"}}
    return checklist(TRAINING, contract={"months": months, "reserve": reserve}, where=where or existing)


def only(asked: Checklist, *, rows: tuple[Price, ...] = ROWS) -> Option:
    small = market(SmallCatalog(MACHINES, rows))
    return quote(asked, checklist_digest="", stack="acme", market=small, today=TODAY).options[0]


def test_the_month_in_which_nothing_is_given_back_is_named() -> None:
    option = only(wanted())
    pool = next(each for each in option.spec.pools if each.accelerator)
    rest = 730 * pool.max_nodes - pool.node_hours.expected
    held = option.bill.usd_per_month.expected + rest * 60
    assert rest > 0
    assert option.held_usd_per_month is not None
    assert round(option.held_usd_per_month, 2) == round(held, 2)
    assert option.notes[0] == (
        "reserve: all: no reserved price is published for big; priced on demand, as used; "
        f"held all month it would be {held:,.2f} USD"
    )


def test_what_has_no_price_makes_it_a_least() -> None:
    rows = tuple(row for row in ROWS if row.item != Item.PUBLIC_IPV4)
    assert "held all month it would be at least " in only(wanted(), rows=rows).notes[0]


def test_nothing_is_said_where_the_bill_is_what_was_asked_for() -> None:
    built: dict[str, object] = {"wanted": ["coreweave"]}
    for asked, rows in (
        (wanted(reserve="always_on"), ROWS),
        (wanted(months=0), ROWS),
        (wanted(where=built), ROWS),
        (wanted(), (*ROWS, RESERVED)),
    ):
        option = only(asked, rows=rows)
        assert option.held_usd_per_month is None
        assert not any(note.startswith("reserve: all") for note in option.notes)
    assert only(wanted()).held_usd_per_month != Decimal(0)
