"""A bill in the columns of FOCUS 1.2: its rules, its sum, what is unknown, and cells that are no formulas."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import focus_rules
import pytest
from accepted import TODAY, catalog, quoted
from command_project import Atoll
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogs.model import OWN_PREFIX, Item
from planning.costs.bill import Bill, BillGroup, LineItem
from planning.documents.csv_text import csv_text, guard_cell
from planning.inputs.fact_tables import read_rows
from planning.spec.lock_content import State
from planning.usage.focus_bill import COLUMNS, PlannedMonth, focus_text
from planning.values.money import Range

ROOT = Path(__file__).parents[3]
STATES = st.sampled_from((State.PRICED, State.FREE, State.ESTIMATED, State.UNPRICED))
AMOUNTS = st.decimals(min_value=0, max_value=10**9, places=6)


def month(
    stack: str = "demo", *, lines: tuple[LineItem, ...] | None = None, at: int = 0, **more: object
) -> PlannedMonth:
    option = quoted("demo" if lines is not None else stack).options[at]
    made = PlannedMonth(
        stack=stack,
        option=option.id,
        bill=option.bill if lines is None else Bill(lines),
        placements=option.placements,
        titles={name: each.title for name, each in catalog().providers.items()},
        today=TODAY,
    )
    return replace(made, **more)


@st.composite
def line_items(draw: st.DrawFn) -> LineItem:
    state, group = draw(STATES), draw(st.sampled_from(BillGroup))
    low, expected, high = sorted(draw(st.tuples(AMOUNTS, AMOUNTS, AMOUNTS)))
    quantity, rate = Range(low, expected, high), draw(AMOUNTS)
    known = state in {State.PRICED, State.ESTIMATED}
    return LineItem(
        key=draw(st.sampled_from(("pool/finetune-7b/machine", "network/egress#2", "far/storage/cold", "a resource"))),
        label=draw(st.text(max_size=20)),
        group=group,
        item=draw(st.sampled_from((*Item, "p5.48xlarge", "aws:s3/bucket:Bucket"))),
        state=state,
        quantity=quantity,
        unit=draw(st.sampled_from(("hour", "GB-month", "1k requests", "USD of monthly bill"))),
        usd_per_unit=rate if known else None,
        usd_per_month=quantity.times(rate) if known else Range.exactly(0) if state is State.FREE else None,
        source=draw(st.sampled_from(("", "estimate", f"{OWN_PREFIX}ours:3", "checklist"))),
        as_of=draw(st.one_of(st.none(), st.just(date(2026, 1, 2)))),
        note=draw(st.text(max_size=20)),
    )


@settings(max_examples=200, deadline=None)
@given(st.lists(line_items(), max_size=6))
def test_rows_add_up_to_the_bill_and_what_is_unknown_is_empty(lines: list[LineItem]) -> None:
    planned = month(lines=tuple(lines))
    text = focus_text((planned,))
    rows = focus_rules.read_table(text)
    assert focus_rules.faults(text) == []
    assert len(rows) == len(lines)
    for column in ("BilledCost", "EffectiveCost", "ContractedCost"):
        assert sum(Decimal(row[column] or 0) for row in rows) == planned.bill.usd_per_month.expected
    assert sum(Decimal(row["x_CostLow"] or 0) for row in rows) == planned.bill.usd_per_month.min
    assert sum(Decimal(row["x_CostHigh"] or 0) for row in rows) == planned.bill.usd_per_month.max
    for row, line in zip(rows, lines, strict=True):
        assert row["x_PriceState"] == line.state
        assert all((row[column] == "") == (line.state is State.UNPRICED) for column in sorted(focus_rules.COSTS))


@pytest.mark.parametrize("stack", ["demo", "coreweave-pretrain", "spanning-two", "gcp-train"])
def test_every_option_of_an_example_keeps_the_rules_of_focus(stack: str) -> None:
    quote = quoted(stack)
    months = [month(stack, at=at) for at in range(len(quote.options))]
    text = focus_text(months)
    assert focus_rules.faults(text) == []
    for option in quote.options:
        mine = [Decimal(row["BilledCost"] or 0) for row in focus_rules.read_table(text) if row["x_Option"] == option.id]
        assert len(mine) == len(option.bill.lines)
        assert sum(mine) == option.bill.usd_per_month.expected


def test_a_row_says_what_it_is_of_and_where_its_price_is_from() -> None:
    rows = {row["x_LineKey"]: row for row in month().rows()}
    machine = rows["pool/notebooks/machine"]
    assert machine["x_Component"] == "pool/notebooks"
    assert machine["Tags"] == '{"atoll:stack": "demo", "atoll:pool": "notebooks"}'
    assert machine["SkuPriceId"].startswith("aws/us-east-1/")
    assert (machine["ServiceCategory"], machine["ProviderName"]) == ("Compute", "Amazon Web Services")
    assert rows["services/onboarding"]["ChargeCategory"] == "Purchase"
    assert rows["services/onboarding"]["ProviderName"] == "Atoll"
    assert (machine["BillingPeriodStart"], machine["BillingPeriodEnd"]) == (
        "2026-11-01T00:00:00Z",
        "2026-12-01T00:00:00Z",
    )


def changed(**more: object) -> dict[str, str]:
    """The row of one line of an example, changed."""
    line = next(each for each in month().bill.lines if each.key == "pool/notebooks/machine")
    return next(month(lines=(replace(line, **more),)).rows())


def test_a_discount_is_between_the_list_price_and_the_contract() -> None:
    row = changed(
        usd_per_unit=Decimal(9),
        list_usd_per_unit=Decimal(10),
        usd_per_month=Range.exactly(18),
        quantity=Range.exactly(2),
    )
    assert (row["ListUnitPrice"], row["ListCost"]) == ("10", "20")
    assert (row["ContractedUnitPrice"], row["ContractedCost"], row["BilledCost"]) == ("9", "18", "18")


def test_an_own_price_has_no_list_price_and_an_estimate_no_price_at_all() -> None:
    own, estimate = changed(source=f"{OWN_PREFIX}ours:3"), changed(state=State.ESTIMATED)
    assert (own["ListUnitPrice"], own["ListCost"]) == ("", own["BilledCost"])
    assert own["ContractedUnitPrice"]
    assert (estimate["ListUnitPrice"], estimate["ContractedUnitPrice"]) == ("", "")
    assert estimate["BilledCost"] == estimate["ListCost"] != ""
    assert estimate["x_PriceState"] == "estimated"


def test_a_line_paid_at_another_place_names_that_place() -> None:
    planned = month("spanning-two")
    places = {row["RegionId"] for row in planned.rows()} - {""}
    assert places >= {each.placement.region for each in planned.placements}


@pytest.mark.parametrize(("day", "ends"), [(date(2026, 12, 31), "2027-01-01"), (date(2028, 2, 29), "2028-03-01")])
def test_a_month_ends_with_the_next(day: date, ends: str) -> None:
    assert next(month(today=day).rows())["ChargePeriodEnd"] == f"{ends}T00:00:00Z"


def test_every_item_and_every_chapter_has_a_service() -> None:
    named = [row["about"] for row in read_rows("resources/focus_services.csv")]
    assert sorted(named) == sorted({*Item, *BillGroup, "machine"} - {BillGroup.COMPUTE})
    allowed = focus_rules.columns()["ServiceSubcategory"]["allowed"].split(";")
    assert {f"{row['category']}/{row['subcategory']}" for row in read_rows("resources/focus_services.csv")} <= set(
        allowed
    )


@pytest.mark.parametrize(
    "hostile", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("x")']
)
def test_no_cell_becomes_a_formula(hostile: str) -> None:
    text = focus_text((month(stack=hostile, lines=month().bill.lines[:1], option=hostile),))
    cells = [cell for row in list(csv.reader(io.StringIO(text)))[1:] for cell in row]
    assert not [cell for cell in cells if cell[:1] in "=+@\t\r" and cell]
    assert f"'{hostile.replace(chr(13), chr(0xFFFD)).replace(chr(9), ' ')}" in cells


@pytest.mark.parametrize(
    ("cell", "shown"), [("-100.2", "-100.2"), ("", ""), ("a=b", "a=b"), ("-", "'-"), ("-1e5", "'-1e5")]
)
def test_a_number_stays_a_number(cell: str, shown: str) -> None:
    assert guard_cell(cell) == shown
    assert csv_text(("a",), [{}]) == 'a\n""\n'


def test_the_columns_are_in_order_and_customs_last() -> None:
    assert sorted(COLUMNS) == list(COLUMNS)


def test_quote_writes_every_option_or_the_one_that_is_asked_for(project: Path, atoll: Atoll) -> None:
    assert atoll("quote", "demo", "--focus", "all.csv", "--today", "2026-11-09").code in {0, 10, 11}
    every = focus_rules.read_table((project / "all.csv").read_text())
    one = every[0]["x_Option"]
    outcome = atoll("quote", "demo", "--option", one, "--focus", "one.csv", "--json", "--today", "2026-11-09")
    assert "written: one.csv" in outcome.err
    mine = focus_rules.read_table((project / "one.csv").read_text())
    assert mine == [row for row in every if row["x_Option"] == one]
    assert len({row["x_Option"] for row in every}) > 1


def test_plan_writes_the_bill_that_is_counted_from_resources(project: Path, atoll: Atoll) -> None:
    shutil.copy(ROOT / "stacks" / "__main__.py", project / "stacks" / "__main__.py")
    day = ("--today", "2026-11-21")
    assert atoll("accept", "demo", "cheapest", *day).code == 0
    plan = json.loads(atoll("plan", "demo", "--focus", "plan.csv", "--json", *day).out)
    text = (project / "plan.csv").read_text()
    assert focus_rules.faults(text) == []
    rows = focus_rules.read_table(text)
    assert {row["x_LineKey"] for row in rows} == {line["key"] for line in plan["bill"]["lines"]}
    billed = sum(Decimal(row["BilledCost"] or 0) for row in rows)
    assert f"{billed:.2f}" == plan["bill"]["usd_per_month"]["expected"]


def test_what_cannot_be_written_is_refused_before_anything_is_calculated(project: Path, atoll: Atoll) -> None:
    (project / "folder").mkdir()
    assert atoll("quote", "demo", "--focus", "folder").code == 1
    outcome = atoll("quote", "demo", "--focus", "a.html", "--html", "a.html")
    assert (outcome.code, (project / "a.html").exists()) == (2, False)


def test_a_small_bill_looks_so(golden: Callable[[str, str], None]) -> None:
    lines = (
        LineItem(
            key="pool/notebooks/machine",
            label="notebooks: g6e.xlarge",
            group=BillGroup.COMPUTE,
            item="g6e.xlarge",
            state=State.PRICED,
            quantity=Range(Decimal(0), Decimal(1200), Decimal(1400)),
            unit="hour",
            usd_per_unit=Decimal("1.861"),
            usd_per_month=Range(Decimal(0), Decimal("2233.2"), Decimal("2605.4")),
            source="aws-karpenter",
            as_of=date(2026, 7, 20),
        ),
        LineItem(
            key="network/load_balancer",
            label="load balancer",
            group=BillGroup.NETWORK,
            item="load_balancer",
            state=State.UNPRICED,
            quantity=Range.exactly(730),
            unit="hour",
            usd_per_unit=None,
            usd_per_month=None,
            source="",
            as_of=None,
            note="no price here",
        ),
    )
    golden("focus.csv", focus_text((month(lines=lines, option="an-option"),)))
