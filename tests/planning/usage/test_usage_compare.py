"""Planned against actual: parts, prices of quantities, what is not known, and hostile bills."""

from __future__ import annotations

import io
import json
import re
import tracemalloc
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from accepted import accepted, catalog
from actual_bills import aws, coreweave, costs, period
from bill_kit import OURS, table
from command_project import Atoll, valid
from hypothesis import given, settings
from hypothesis import strategies as st
from locked_stack import write_locked
from rich.console import Console

from catalogs.model import Item
from cli.views.cluster_operations.usage import comparison_parts
from operations.usage.bill_files import rows
from planning.inputs.fact_tables import read_rows
from planning.spec.lock import Lock
from planning.spec.lock_content import State
from planning.usage.actual_costs import MOST_NAMES, ActualCosts, pick_month, refuse_foreign
from planning.usage.comparison import ComparedForm, UsageComparisonForm, compare
from planning.usage.rates import LockedRates
from planning.usage.seen_rows import SeenRows
from planning.values.errors import InputError

OCTOBER = (2026, 10)


def demo() -> Lock:
    return accepted("demo", option=0, provider="aws")


def at_coreweave() -> Lock:
    return accepted("coreweave-pretrain", option=0)


def compared(
    path: Path, found: list[dict[str, str]], lock: Lock, *, month: tuple[int, int] = OCTOBER
) -> UsageComparisonForm:
    return compare(lock, costs(path / "bill.csv", found, rates=LockedRates(lock, catalog())), month=month)


def part(form: UsageComparisonForm, name: str) -> ComparedForm:
    return next(each for each in form["parts"] if each["part"] == name)


def test_a_pool_is_told_by_its_tag_and_the_rest_by_its_item(tmp_path: Path) -> None:
    found = [
        aws(1, "BoxUsage:g6e.xlarge", "70", pool="notebooks"),
        aws(1, "EBS:VolumeUsage.gp3", "1.5", pool="notebooks"),
        aws(2, "USE1-EBS:VolumeUsage.gp3", "2"),
        aws(2, "AmazonEKS-Hours:perCluster", "2.4"),
        aws(3, "USE1-NatGateway-Hours", "1.08"),
        aws(3, "TimedStorage-ByteHrs", "7", ServiceName="Amazon Simple Storage Service"),
        aws(3, "USE1-Something", "9", ServiceName="Amazon FSx"),
    ]
    form = compared(tmp_path, found, demo())
    said = {each["part"]: each["actual_usd"] for each in form["parts"] if each["actual_usd"]}
    assert said == {
        "control_plane": "2.40",
        "pool/notebooks": "71.50",
        "disk": "2.00",
        "object": "7.00",
        "storage/warm": "9.00",
        "network": "1.08",
    }
    assert form["total"]["actual_usd"] == "92.98"
    disk = part(form, "disk")
    assert "pool/notebooks" not in disk["components"]
    assert "platform/loki" in disk["components"]


def test_every_line_of_the_plan_is_in_one_part(tmp_path: Path) -> None:
    whole = [aws(day, "BoxUsage:g6e.xlarge", "70", pool="notebooks") for day in range(1, 32)]
    form = compared(tmp_path, whole, demo())
    planned = [Decimal(each["planned_usd"]["expected"]) for each in form["parts"] if each["planned_usd"]]
    total = form["total"]["planned_usd"]
    assert total is not None
    assert abs(sum(planned) - Decimal(total["expected"])) < Decimal("0.2")
    accepted_usd = sum(line.usd_per_month[1] for line in demo().bill if line.usd_per_month)
    assert abs(accepted_usd - Decimal(total["expected"])) < Decimal("0.01")


def test_a_month_that_is_not_complete_is_counted_for_its_days(tmp_path: Path) -> None:
    form = compared(tmp_path, [aws(day, "AmazonEKS-Hours:perCluster", "2.4") for day in range(1, 11)], demo())
    assert (form["days"], form["days_of_month"]) == (10, 31)
    plan = part(form, "control_plane")
    assert plan["planned_usd"] == {"min": "23.55", "expected": "23.55", "max": "23.55"}
    assert plan["stands"] == "within"
    assert plan["difference_usd"] == "0.45"


def test_a_row_of_a_whole_month_covers_its_days_and_a_tax_none(tmp_path: Path) -> None:
    month = {"ChargePeriodStart": "2026-10-01T00:00:00Z", "ChargePeriodEnd": "2026-11-01T00:00:00Z"}
    tax = aws(1, "", "30", ChargeCategory="Tax", **month)
    form = compared(tmp_path, [aws(5, "AmazonEKS-Hours:perCluster", "2.4"), tax], demo())
    assert (form["days"], part(form, "tax")["actual_usd"]) == (1, "30.00")
    form = compared(tmp_path, [aws(5, "AmazonEKS-Hours:perCluster", "73", **month)], demo())
    assert form["days"] == 31


def test_credits_are_negative_and_what_is_bought_ahead_costs_what_it_covers(tmp_path: Path) -> None:
    found = [
        aws(1, "BoxUsage:m6a.xlarge", "13", pool="system"),
        aws(1, "", "-100.5", ChargeCategory="Credit"),
        aws(1, "BoxUsage:m6a.xlarge", "-3", pool="system", ChargeClass="Correction"),
        aws(1, "", "5000", ChargeCategory="Purchase", EffectiveCost="0"),
        aws(1, "", "2", ChargeCategory="Adjustment"),
        aws(1, "", "4", ChargeCategory="SavingsPlanRecurringFee"),
    ]
    form = compared(tmp_path, found, demo())
    said = {each["part"]: each["actual_usd"] for each in form["parts"] if each["actual_usd"]}
    assert said == {
        "pool/system": "10.00",
        "credits and refunds": "-100.50",
        "purchases and fees": "4.00",
        "adjustments": "2.00",
    }


def test_what_the_plan_does_not_have_is_named_most_expensive_first(tmp_path: Path) -> None:
    found = [
        aws(1, "AmazonEKS-Hours:perCluster", "2"),
        aws(1, "USE1-PaidS3DataEventsAnalyzed", "3"),
        aws(1, "BoxUsage:p5.48xlarge", "90"),
        aws(1, "BoxUsage:p5.48xlarge", "91", pool="mine"),
    ]
    form = compared(tmp_path, found, demo())
    assert [each["name"] for each in form["not_planned"]] == [
        "p5.48xlarge, pool mine",
        "p5.48xlarge",
        "USE1-PaidS3DataEventsAnalyzed",
    ]
    assert part(form, "not in the plan")["actual_usd"] == "184.00"


# CoreWeave's export has no cost: quantity, unit, more columns; USD, or why there is none.
Quantity = tuple[str, str, str, dict[str, str], str]
QUANTITIES: tuple[Quantity, ...] = (
    ("b200-8x", "2", "Instance-Hour", {}, "68.22"),
    ("b200-8x", "16", "GPU-Hours", {}, "68.22"),
    ("b200-8x", "2", "Instance-Hour", {"x_CapacityPlan": "Spot", "x_ClusterName": "", "RegionId": ""}, "68.22"),
    ("b200-8x", "2", "Instance-Hour", {"x_CapacityPlan": "On-Demand", "x_ClusterName": "", "RegionId": ""}, "137.60"),
    ("b200-8x", "2", "Instance-Hour", {"PricingCategory": "Standard"}, "137.60"),
    ("b200-8x", "2", "Instance-Hour", {"x_CapacityPlan": "Reservation", "x_ClusterName": ""}, "bought as reserved"),
    ("b200-8x", "2", "Instance-Hour", {"RegionId": "EU-SOUTH-04A"}, "in EU-SOUTH-04A, where the lock has no placement"),
    ("b200-8x", "2", "Rack-Hours", {}, "in 'Rack-Hours', which is no unit"),
    ("gd-8xh100ib-i128", "1", "Instance-Hour", {}, "49.24"),
    ("gb300-4x", "1", "Instance-Hour", {}, "no item of the price list"),
    ("X", "1", "Hours", {"SkuPriceDetails": '{"GpuCount": 8, "InstanceType": "HGX-B200"}'}, "34.11"),
    ("X", "1", "Hours", {"SkuPriceDetails": '{"InstanceType": "p5.48xlarge"}'}, "no item of the price list"),
    ("caios", "730", "GiB-Hour", {"ServiceName": "AI Object Storage"}, "0.06"),
    ("dfs", "7300", "GiB-Hours", {"ServiceName": "Distributed File Storage"}, "0.75"),
    ("dfs", "7300", "GiB-Hours", {"ServiceName": "Storage"}, "no item of the price list"),
    ("ip", "730", "IP-Hours", {"ServiceName": "Network"}, "4.00"),
)


@pytest.mark.parametrize("case", QUANTITIES, ids=str)
def test_a_quantity_has_the_price_of_the_lock_or_is_listed(tmp_path: Path, case: Quantity) -> None:
    sku, quantity, unit, more, expected = case
    form = compared(tmp_path, [coreweave(1, sku, quantity, unit, **more)], at_coreweave())
    if expected[0].isdigit():
        assert (form["total"]["actual_usd"], form["total"]["rated_usd"]) == (expected, expected)
        assert form["unrated"] == []
    else:
        assert form["total"]["actual_usd"] is None
        assert [each["quantity"] for each in form["unrated"]] == [quantity]
        assert form["unrated"][0]["reason"].startswith(expected)


def test_an_estimate_is_no_price_of_a_quantity_and_is_marked_in_the_plan(tmp_path: Path) -> None:
    lock = at_coreweave()
    lines = tuple(
        line.model_copy(update={"state": State.ESTIMATED}) if line.item == "object" else line for line in lock.bill
    )
    lock = lock.model_copy(update={"bill": lines})
    stored = coreweave(1, "caios", "730", "GiB-Hour", ServiceName="AI Object Storage")
    form = compared(tmp_path, [stored], lock)
    assert form["unrated"][0]["reason"] == "its price is an estimate"
    assert part(form, "object")["estimated"] == 2
    assert form["total"]["difference_usd"] is None


def test_what_is_estimated_unpriced_or_counted_by_us_is_marked_in_the_table(tmp_path: Path) -> None:
    lock = at_coreweave()
    lines = tuple(
        line.model_copy(update={"state": State.ESTIMATED}) if line.item == "object" else line for line in lock.bill
    )
    hours = [coreweave(1, "b200-8x", "2", "Instance-Hour"), coreweave(1, "gb300-4x", "1", "Instance-Hour")]
    form = compared(tmp_path, hours, lock.model_copy(update={"bill": lines}))
    console = Console(width=80, file=io.StringIO())
    console.print(*comparison_parts(form), sep="\n")
    assert isinstance(console.file, io.StringIO)
    shown = {line.split()[0]: line for line in console.file.getvalue().splitlines() if line.strip()}
    assert "~" in shown["object"]
    assert "68.22*" in shown["pool/pretrain-13b"]
    assert ">= 68.22*" in " ".join(shown["total"].split())
    assert max(map(len, console.file.getvalue().splitlines())) <= 80
    assert "~ holds an estimate: 2 lines of the plan" in console.file.getvalue()


def test_two_prices_of_one_machine_are_told_apart_by_how_it_is_bought(tmp_path: Path) -> None:
    lock = at_coreweave()
    pools = lock.spec.pools
    dear = pools[0].model_copy(update={"name": "dear", "purchase": "reserved_12m", "kind": "reserved"})
    machine = next(line for line in lock.bill if line.item == pools[0].machine)
    bill = (*lock.bill, machine.model_copy(update={"key": "pool/dear/machine", "usd_per_unit": Decimal(50)}))
    spec = lock.spec.model_copy(update={"pools": (*pools, dear)})
    lock = lock.model_copy(update={"placements": (spec,), "bill": bill})
    hour = coreweave(1, "b200-8x", "1", "Instance-Hour")
    assert compared(tmp_path, [hour], lock)["unrated"][0]["reason"].startswith("the lock has more than one price")
    booked = {**hour, "x_CapacityPlan": "Reservation", "x_ClusterName": ""}
    assert compared(tmp_path, [booked], lock)["total"]["actual_usd"] == "50.00"


def test_the_same_use_in_two_views_is_refused(tmp_path: Path) -> None:
    one = coreweave(1, "b200-8x", "1", "Instance-Hour")
    with pytest.raises(InputError, match="the same use twice"):
        compared(tmp_path, [one, {**one, "x_ClusterName": "", "x_CapacityPlan": "Spot"}], at_coreweave())


@pytest.mark.parametrize("currency", ["EUR", "", "usd ", "GBP"])
def test_a_cost_in_another_currency_is_refused(tmp_path: Path, currency: str) -> None:
    found = [
        aws(1, "AmazonEKS-Hours:perCluster", "2"),
        aws(1, "AmazonEKS-Hours:perCluster", "2", BillingCurrency=currency),
    ]
    counted = costs(tmp_path / "bill.csv", found)
    if currency == "usd ":
        refuse_foreign(counted)
        return
    with pytest.raises(InputError, match=currency or "no currency"):
        refuse_foreign(counted)


HOSTILE = (
    {"EffectiveCost": "NaN"},
    {"EffectiveCost": "Infinity"},
    {"EffectiveCost": "-inf"},
    {"EffectiveCost": "1e400"},
    {"EffectiveCost": "12,5"},
    {"EffectiveCost": "=1+1"},
    {"ConsumedQuantity": "NaN"},
    {"ChargePeriodStart": "31.10.2026"},
    {"ChargePeriodStart": "2026-02-30"},
    {"ChargePeriodStart": ""},
    {"ChargePeriodStart": "9999-12-31T23:59:59-23:00"},
)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_row_that_cannot_be_read_is_left_out_and_said(tmp_path: Path, hostile: dict[str, str]) -> None:
    good = aws(1, "AmazonEKS-Hours:perCluster", "2")
    found = costs(tmp_path / "bill.csv", [good, {**good, **hostile}])
    assert (found.broken, found.months[OCTOBER].usd) == (1, 2)


@pytest.mark.parametrize("end", ["", "nonsense", "2026-09-01", "9999-12-31", "0001-01-01T00:00:00Z"])
def test_an_end_that_is_none_covers_the_day_of_the_start(tmp_path: Path, end: str) -> None:
    found = costs(tmp_path / "bill.csv", [aws(30, "AmazonEKS-Hours:perCluster", "2", ChargePeriodEnd=end)])
    assert found.months[OCTOBER].days == ({30, 31} if end.startswith("9999") else {30})


def test_tags_are_found_however_an_export_spells_them(tmp_path: Path) -> None:
    spelled: tuple[Any, ...] = (
        {"atoll:stack": "demo"},
        {"user:atoll:stack": "demo"},
        {"user_atoll_stack": "demo"},
        {"atoll-stack": "demo"},
        {"atoll_stack": "demo"},
        [{"key": "atoll-stack", "value": "demo"}],
    )
    others: tuple[Any, ...] = ({"atoll:stack": "demo2"}, {"stack": "demo"}, [], "demo", None, [{"value": "demo"}], 5)
    good = aws(1, "AmazonEKS-Hours:perCluster", "2")
    found = [{**good, "Tags": json.dumps(each)} for each in (*spelled, *others)]
    found.append({**good, "Tags": "{" * 5000})
    assert costs(tmp_path / "bill.csv", found, tag=OURS).months[OCTOBER].usd == 2 * len(spelled)


def test_a_file_without_tags_is_known_by_a_column_that_is_named(tmp_path: Path) -> None:
    path = table(tmp_path / "bill.csv", [coreweave(1, "b200-8x", "1", "Instance-Hour")])
    with pytest.raises(InputError, match="no tags") as refused:
        next(iter(rows(path, tag=OURS)))
    assert "--tag x_ClusterName=atoll-demo" in refused.value.hint
    assert len(list(rows(path, tag=("x_ClusterName", "atoll-coreweave-pretrain")))) == 1
    assert not list(rows(path, tag=("x_ClusterName", "another")))


@pytest.mark.parametrize("wrap", [{"data": None, "next_page_token": None, "data_as_of": "2026-11-01"}, None])
def test_an_answer_of_the_export_api_is_read_as_it_is(tmp_path: Path, wrap: dict[str, Any] | None) -> None:
    hours: list[dict[str, Any]] = [coreweave(day, "b200-8x", "2", "Instance-Hour") for day in (1, 2)]
    hours[1] = {**hours[1], "PricingQuantity": 2.5, "RegionId": None}
    path = tmp_path / "answer.json"
    path.write_text(json.dumps({**wrap, "data": hours} if wrap else hours, indent=2))
    found = list(rows(path, tag=None))
    assert [(row["PricingQuantity"], row["RegionId"]) for row in found] == [("2", "US-CENTRAL-07A"), ("2.5", "")]


@pytest.mark.parametrize(
    "text", ['{"data": 5}', '{"data": []}', "[]", "[1, 2]", '{"data": {}}', "5", "", "{", "[" * 9999]
)
def test_a_document_that_is_no_answer_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "answer.json"
    path.write_text(text)
    with pytest.raises(InputError):
        list(rows(path, tag=None))


def test_cur_and_bigquery_are_compared_under_their_own_names(tmp_path: Path) -> None:
    cur = {
        "line_item_usage_start_date": "2026-10-01T00:00:00Z",
        "line_item_usage_end_date": "2026-10-03T00:00:00Z",
        "line_item_line_item_type": "Usage",
        "line_item_usage_type": "USE1-AmazonEKS-Hours:perCluster",
        "line_item_usage_amount": "48",
        "line_item_unblended_cost": "4.8",
        "line_item_currency_code": "USD",
        "line_item_product_code": "AmazonEKS",
        "resource_tags": json.dumps({"user_atoll_stack": "demo"}),
    }
    credit = {**cur, "line_item_line_item_type": "Credit", "line_item_unblended_cost": "-1"}
    form = compared(tmp_path, [cur, credit], demo())
    assert (form["days"], part(form, "control_plane")["actual_usd"]) == (2, "4.80")
    assert part(form, "credits and refunds")["actual_usd"] == "-1.00"
    path = tmp_path / "bigquery.json"
    row = {
        "usage_start_time": "2026-10-01 00:00:00 UTC",
        "usage_end_time": "2026-10-01 01:00:00 UTC",
        "sku": {"description": "Regional Kubernetes Clusters"},
        "usage": {"amount": 3600, "unit": "seconds"},
        "cost": 0.1,
        "currency": "USD",
        "cost_type": "regular",
        "credits": [{"type": "COMMITTED_USAGE_DISCOUNT", "amount": -0.04}, {"type": "PROMOTION", "amount": -0.01}, 5],
        "labels": [{"key": "atoll-stack", "value": "gcp-train"}],
    }
    path.write_text(f"{json.dumps(row)}\n{json.dumps({**row, 'cost_type': 'tax', 'cost': 0.02})}\n")
    lock = accepted("gcp-train", option=0)
    found = ActualCosts(rates=LockedRates(lock, catalog()))
    found.take(rows(path, tag=("atoll:stack", "gcp-train")))
    form = compare(lock, found, month=OCTOBER)
    assert (part(form, "control_plane")["actual_usd"], part(form, "tax")["actual_usd"]) == ("0.06", "0.02")
    assert part(form, "credits and refunds")["actual_usd"] == "-0.01"


def test_a_row_of_two_files_counts_once_and_equal_rows_of_one_are_said(tmp_path: Path) -> None:
    first = [aws(day, "AmazonEKS-Hours:perCluster", "2") for day in (1, 2, 2)]
    found = ActualCosts()
    for name, part_of_it in (("one.csv", first), ("two.csv", first[1:2])):
        found.take(rows(table(tmp_path / name, part_of_it), tag=OURS))
    assert (found.seen.twice, found.seen.repeated, found.months[OCTOBER].usd) == (1, 1, 6)


def test_rows_are_told_apart_over_many_chunks_and_files() -> None:
    seen = SeenRows()
    assert all(seen.is_new(str(row % 150_000)) for row in range(160_000))
    seen.end_file()
    assert (seen.twice, seen.repeated) == (0, 10_000)
    assert [seen.is_new(str(row)) for row in (0, 149_999, 150_000)] == [False, False, True]
    seen.end_file()
    assert not seen.is_new("150000")
    assert (seen.twice, seen.repeated) == (3, 10_000)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("x" * 2**21, "more than 1 MiB"),
        ('"' + "y" * 2**21, "more than 1 MiB"),
        ("2026-10-01,1,USD,Usage,a,1,,9,9\n", "9 cells"),
        ("\x00", ""),
    ],
)
def test_a_hostile_table_is_refused_in_words(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "bill.csv"
    head = "ChargePeriodStart,EffectiveCost,BillingCurrency,ChargeCategory,x_UsageType,ConsumedQuantity,Tags\n"
    path.write_text(head + content)
    found = ActualCosts()
    if not words:
        found.take(rows(path, tag=None))
        assert found.broken == 1
        return
    with pytest.raises(InputError) as refused:
        found.take(rows(path, tag=None))
    assert words in refused.value.faults[0].message


def test_the_table_of_skus_names_items_of_ours() -> None:
    found = read_rows("resources/usage_skus.csv")
    assert {row["item"] for row in found} <= {*Item, "internet_ingress", ""}
    assert {row["provider"] for row in found} <= set(catalog().providers)
    for row in found:
        assert re.compile(row["pattern"]).groupindex.keys() == (set() if row["item"] else {"machine"})
        assert row["source"]
        re.compile(row["service"])


def test_a_lock_that_cannot_be_read_does_not_stop_an_import(project: Path, atoll: Atoll) -> None:
    bill = write_bill(project, [aws(1, "BoxUsage:g6e.xlarge", "70.1")])
    (project / "stacks/demo/quote.lock.json").write_text("{}")
    imported = atoll("usage", "import", "demo", bill)
    assert (imported.code, "rows without a cost are not priced" in imported.err) == (0, True)
    assert atoll("usage", "compare", "demo", bill).code == 1


def test_a_plan_is_no_bill(project: Path, atoll: Atoll) -> None:
    write_locked(project, demo())
    assert atoll("quote", "demo", "--focus", "plan.csv", "--today", "2026-11-09").code in {0, 10, 11}
    for command in ("import", "compare"):
        refused = atoll("usage", command, "demo", "plan.csv")
        assert (refused.code, "a plan that Atoll wrote" in refused.err) == (1, True)


def test_from_1_3_on_the_provider_has_a_new_name(tmp_path: Path) -> None:
    old = aws(1, "AmazonEKS-Hours:perCluster", "2")
    newest = {name: cell for name, cell in old.items() if name != "ProviderName"} | {"ServiceProviderName": "AWS"}
    both = {**old, "ServiceProviderName": "AWS", "ProviderName": ""}
    for number, row in enumerate((old, newest, both)):
        assert next(iter(rows(table(tmp_path / f"{number}.csv", [row]), tag=OURS)))["ProviderName"] == "AWS"


def test_a_month_that_the_bill_does_not_have_names_those_it_has(tmp_path: Path) -> None:
    found = costs(tmp_path / "bill.csv", [aws(1, "AmazonEKS-Hours:perCluster", "2")])
    assert pick_month(found, None) == OCTOBER
    with pytest.raises(InputError, match="2026-09") as refused:
        pick_month(found, (2026, 9))
    assert "2026-10" in refused.value.hint
    with pytest.raises(InputError, match="no row is of this stack"):
        pick_month(ActualCosts(), None)


@pytest.mark.long
def test_memory_does_not_grow_with_the_rows_or_their_names(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    head = (
        "ChargePeriodStart",
        "EffectiveCost",
        "BillingCurrency",
        "ChargeCategory",
        "x_UsageType",
        "ConsumedQuantity",
        "Tags",
    )
    peaks: list[int] = []
    for count in (10_000, 40_000):
        with path.open("w", encoding="utf-8") as file:
            file.write(",".join(head) + "\n")
            file.writelines(f"2026-10-{n % 31 + 1:02},1.5,USD,Usage,Strange-{n},1,\n" for n in range(count))
        tracemalloc.start()
        found = ActualCosts(rates=LockedRates(demo(), catalog()))
        found.take(rows(path, tag=None))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert found.months[OCTOBER].usd == Decimal("1.5") * count
        assert len(found.months[OCTOBER].strange) == MOST_NAMES + 1
    assert peaks[1] - peaks[0] < 30_000 * 100


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["BoxUsage:g6e.xlarge", "EBS:VolumeUsage.gp3", "NatGateway-Hours", "Odd", "BoxUsage:p5.48xlarge"]
            ),
            st.decimals(min_value=-1000, max_value=1000, places=4),
            st.sampled_from(["", "notebooks", "system", "unknown"]),
            st.sampled_from(["Usage", "Tax", "Credit", "Purchase"]),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_parts_add_up_to_what_was_billed(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[str, Decimal, str, str]]
) -> None:
    found = [aws(1, usage, f"{usd:f}", pool=pool, ChargeCategory=kind) for usage, usd, pool, kind in drawn]
    found.append(aws(1, "AmazonEKS-Hours:perCluster", "1"))
    counted = costs(tmp_path_factory.mktemp("bill") / "bill.csv", found, rates=LockedRates(demo(), catalog()))
    form = compare(demo(), counted, month=OCTOBER)
    total = form["total"]["actual_usd"]
    assert total is not None
    billed = sum((usd for _, usd, _, _ in drawn), Decimal(1))
    assert abs(Decimal(total) - billed) < Decimal("0.006")
    assert abs(sum(Decimal(each["actual_usd"] or 0) for each in form["parts"]) - billed) < Decimal("0.2")


def write_bill(project: Path, found: list[dict[str, str]]) -> str:
    write_locked(project, demo())
    return str(table(project / "bill.csv", found))


def test_the_command_shows_a_table_of_80_columns_and_json_of_its_schema(project: Path, atoll: Atoll) -> None:
    hostile = "=cmd\x1b[31m"
    bill = write_bill(
        project,
        [
            aws(1, "BoxUsage:g6e.xlarge", "70.1", pool="notebooks"),
            aws(2, hostile, "1"),
            aws(2, "BoxUsage:g6e.xlarge", "1", **period(2, month="2026-09")),
        ],
    )
    shown = atoll("usage", "compare", "demo", bill)
    assert shown.code == 0, shown.err
    assert max(map(len, shown.out.splitlines())) <= 80
    assert "pool/notebooks" in shown.out
    assert "the bill covers 2 of 31 days: the plan is counted for those" in shown.out
    assert "\x1b" not in shown.out
    form = valid("usage_comparison", atoll("usage", "compare", "demo", bill, "--json").out)
    assert (form["month"], form["other_months"]) == ("2026-10", ["2026-09"])
    september = valid("usage_comparison", atoll("usage", "compare", "demo", bill, "--month", "2026-09", "--json").out)
    assert september["total"]["actual_usd"] == "1.00"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--month", "October"), 2, "write it as 2026-10"),
        (("--month", "2026-08"), 1, "no row is of 2026-08"),
        (("--tag", "atoll:stack=other"), 1, "no row is of this stack"),
    ],
)
def test_what_cannot_be_compared_is_said(
    project: Path, atoll: Atoll, arguments: tuple[str, ...], code: int, words: str
) -> None:
    bill = write_bill(project, [aws(1, "BoxUsage:g6e.xlarge", "70.1", pool="notebooks")])
    outcome = atoll("usage", "compare", "demo", bill, *arguments)
    assert (outcome.code, words in outcome.err) == (code, True), outcome.err


def test_without_a_lock_there_is_nothing_to_compare_with(project: Path, atoll: Atoll) -> None:
    bill = str(table(project / "bill.csv", [aws(1, "BoxUsage:g6e.xlarge", "70.1")]))
    outcome = atoll("usage", "compare", "demo", bill)
    assert (outcome.code, "atoll accept" in outcome.err) == (1, True)
    imported = atoll("usage", "import", "demo", bill, "--json")
    assert json.loads(imported.out)["costs"] == [{"month": "2026-10", "days": 1, "usd": "70.10", "rated_usd": "0.00"}]


def test_import_prices_quantities_and_lists_the_rest(project: Path, atoll: Atoll) -> None:
    write_locked(project, at_coreweave().model_copy(update={"stack": "demo"}))
    found = [coreweave(1, "b200-8x", "2", "Instance-Hour"), coreweave(1, "gb300-4x", "1", "Instance-Hour")]
    bill = str(table(project / "bill.csv", found))
    outcome = atoll("usage", "import", "demo", bill, "--all-rows")
    assert outcome.code == 0, outcome.err
    assert "68.22" in outcome.out
    assert "not counted, no price: gb300-4x, 1.00 Instance-Hour" in outcome.out
    assert atoll("usage", "import", "demo", bill, "--all-rows", "--write").code == 1
