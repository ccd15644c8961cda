"""What a new price must hold before it takes the place of an old one."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from refresh_kit import LIST, OLD, TODAY, found, make_catalog, section

from catalogs.catalog import Catalog, load
from operations.price_refresh.gates import PriceGates, PriceVerdict, free_items
from operations.price_refresh.model import FoundPrice, PriceSection

DISK = found("disk", "0.09", unit="GB-month")


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    layers = make_catalog(
        tmp_path_factory.mktemp("gates"),
        seconds=["aws,m5.xlarge,eu-west-1,on_demand,0.3,aws-sky,"],
    )
    return load(root=layers.root, layers=layers)


def machine(amount: str, **more: object) -> FoundPrice:
    return found("m5.xlarge", amount, purchase="on_demand", **more)


@pytest.mark.parametrize(
    ("price", "verdict"),
    [
        (DISK, PriceVerdict.CHANGED),
        (found("disk", "0.0880000000", unit="GB-month"), PriceVerdict.SAME),
        (found("disk_iops", "0.0055", unit="IOPS-month"), PriceVerdict.NEW),
        (found("disk", "0.11", unit="GB-month"), PriceVerdict.CHANGED),  # exactly 25% more
        (found("disk", "0.1101", unit="GB-month"), PriceVerdict.HELD),
        (found("disk", "0.065", unit="GB-month"), PriceVerdict.HELD),
        (found("disk", "0.88", unit="GB-month"), PriceVerdict.HELD),  # ten times the old one
        (found("disk", "0.09", unit="GB-month", as_of=date(2026, 4, 30)), PriceVerdict.OLDER),
        (found("disk", "0.09", unit="GB-month", as_of=date(2026, 5, 1)), PriceVerdict.CHANGED),
        (found("public_ipv4", "0.005"), PriceVerdict.NEW),  # beside the row of every region
        (found("public_ipv4", "0.05"), PriceVerdict.HELD),  # against the row of every region
        (machine("0.214"), PriceVerdict.SAME),
        (found("m99.metal", "1", purchase="on_demand"), PriceVerdict.UNDESCRIBED),
    ],
    ids=lambda value: f"{value.item}-{value.amount}" if isinstance(value, FoundPrice) else "",
)
def test_a_price_goes_one_way(catalog: Catalog, price: FoundPrice, verdict: PriceVerdict) -> None:
    judged = PriceGates(catalog=catalog, today=TODAY).judge(section(price)).prices[0]
    assert (judged.verdict, judged.reason) == (verdict, "")


@pytest.mark.parametrize(
    ("price", "reason"),
    [
        (replace(DISK, currency="EUR"), "its currency is EUR, not USD"),
        (replace(DISK, amount=Decimal(-1)), "-1 is no price"),
        (replace(DISK, amount=Decimal("NaN")), "NaN is no price"),
        (replace(DISK, amount=Decimal("Infinity")), "Infinity is no price"),
        (replace(DISK, amount=Decimal("1e400000")), "1E+400000 is no price"),
        (replace(DISK, amount=Decimal(10) ** 7), f"{Decimal(10) ** 7} is no price"),
        (replace(DISK, above=Decimal("1e400000")), "1E+400000 is no quantity"),
        (replace(DISK, amount=Decimal("1e-400000")), "a price of 0 is not known to be true: free.csv does not name it"),
        (replace(DISK, amount=Decimal(0)), "a price of 0 is not known to be true: free.csv does not name it"),
        (replace(DISK, unit="GiBps-mo"), "its unit 'GiBps-mo' is not 'GB-month'"),
        (replace(DISK, as_of=date(2026, 11, 24)), "it is dated 2026-11-24, after today, 2026-11-23"),
        (replace(DISK, above=Decimal(-1)), "-1 is no quantity"),
        (replace(DISK, purchase="spot"), "a service is priced for 'list', not 'spot'"),
        (machine("0.2", unit="month"), "its unit 'month' is not 'hour'"),
        (replace(machine("0.2"), purchase="barter"), "terms.csv does not explain 'barter'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("accept", [False, True])
def test_a_price_that_is_none_is_refused_whatever_is_accepted(
    catalog: Catalog, price: FoundPrice, reason: str, accept: bool
) -> None:
    other = machine("0.2") if price.item == "m5.xlarge" else found("disk_iops", "0.005", unit="IOPS-month")
    given = section(replace(other, item="m5.2xlarge") if other.item == price.item else other, price)
    judged = PriceGates(catalog=catalog, today=TODAY, accept=accept).judge(given)
    refused = next(each for each in judged.prices if each.key[1] == price.item)
    assert (refused.verdict, refused.reason) == (PriceVerdict.REFUSED, reason)
    assert judged.refused == ""


def test_two_rows_for_one_key_are_refused_both(catalog: Catalog) -> None:
    judged = PriceGates(catalog=catalog, today=TODAY, accept=True).judge(
        section(DISK, replace(DISK, amount=Decimal("0.091")), found("disk_iops", "0.005", unit="IOPS-month"))
    )
    disk = judged.prices[0]
    assert (disk.verdict, disk.reason) == (PriceVerdict.REFUSED, "it has 2 rows for one key")


def test_tiers_are_one_price_and_moved_as_far_as_the_one_that_moved_most(catalog: Catalog) -> None:
    gates = PriceGates(catalog=catalog, today=TODAY)
    first, second = (
        found("internet_egress", "0.09", unit="GB"),
        found("internet_egress", "0.05", unit="GB", above=Decimal(10240)),
    )
    judged = gates.judge(section(first, second)).prices[0]
    assert judged.verdict is PriceVerdict.HELD
    assert judged.change is not None
    assert round(judged.change, 3) == Decimal("0.412")
    assert gates.judge(section(first, replace(second, amount=Decimal("0.085")))).prices[0].verdict is PriceVerdict.SAME
    assert gates.judge(section(first)).prices[0].verdict is PriceVerdict.CHANGED  # a tier less


def test_what_moved_far_is_taken_once_it_is_accepted(catalog: Catalog) -> None:
    judged = PriceGates(catalog=catalog, today=TODAY, accept=True).judge(section(replace(DISK, amount=Decimal("0.88"))))
    assert [each.verdict for each in judged.prices] == [PriceVerdict.CHANGED]


def test_a_second_source_that_says_otherwise_is_named(catalog: Catalog) -> None:
    judged = PriceGates(catalog=catalog, today=TODAY).judge(section(machine("0.22")))
    assert judged.prices[0].flags == ("aws-sky, undated says 0.3 (36% apart)",)


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        (section(), "it has no price"),
        (section(DISK, region="eu-west-9"), "regions.csv has no such region"),
        (
            section(DISK, source=replace(LIST, as_of=date(2026, 12, 1))),
            "it is dated 2026-12-01, after today, 2026-11-23: one of the two clocks is wrong",
        ),
        (section(replace(DISK, amount=Decimal(0))), "no price of it can be used"),
        (section(machine("0.2"), region="*"), "a machine has no price of every region"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_section_is_refused_as_a_whole(catalog: Catalog, given: PriceSection, refused: str) -> None:
    assert PriceGates(catalog=catalog, today=TODAY).judge(given).refused == refused


def test_a_source_that_gives_less_than_half_of_what_it_gave_is_not_believed(tmp_path: Path) -> None:
    before = [
        *(f"aws,{item},eu-west-1,list,{unit},{usd},0,aws-bulk,2026-05-01" for item, unit, usd in GAVE),
        *(row for row in OLD if ",disk," not in row),
    ]
    layers = make_catalog(tmp_path, rows=[row.replace("aws-bulk", "ic-2024-07") for row in before])
    catalog = load(root=layers.root, layers=layers)
    again = section(DISK, source=replace(LIST, id="ic-2024-07"))
    judged = PriceGates(catalog=catalog, today=TODAY).judge(again)
    assert judged.refused == "it gives 1 of 3 prices that it gave before"
    assert [key[1] for key in judged.gone] == ["disk_iops", "log_ingest"]
    more = replace(again, prices=(DISK, found("disk_iops", "0.005", unit="IOPS-month")))
    judged = PriceGates(catalog=catalog, today=TODAY).judge(more)
    assert (judged.refused, [key[1] for key in judged.gone]) == ("", ["log_ingest"])


GAVE = (("disk", "GB-month", "0.088"), ("disk_iops", "IOPS-month", "0.005"), ("log_ingest", "GB", "0.57"))


def test_the_free_list_names_what_the_catalog_sells_for_nothing() -> None:
    prices = load().prices
    free = {
        (row[0], row[1])
        for provider in load().providers
        for row in (line.split(",") for line in prices.lines_of_provider(provider))
        if not float(row[5])
    }
    assert free <= free_items()


@pytest.mark.parametrize(
    ("new", "verdict"),
    [
        ((("0.09", 0), ("0.07", 10240)), PriceVerdict.CHANGED),
        ((("0.09", 0), ("0.06", 10240)), PriceVerdict.HELD),
        ((("0.09", 0), ("0.085", 10240), ("0.05", 51200)), PriceVerdict.HELD),  # far from what held there
        ((("0.112", 0),), PriceVerdict.HELD),  # little from the first tier, much from the second
        ((("0.085", 10240),), PriceVerdict.REFUSED),
    ],
)
def test_tiers_are_compared_by_what_holds_at_each_quantity(
    catalog: Catalog, new: tuple[tuple[str, int], ...], verdict: PriceVerdict
) -> None:
    tiers = [found("internet_egress", amount, unit="GB", above=Decimal(above)) for amount, above in new]
    assert PriceGates(catalog=catalog, today=TODAY).judge(section(*tiers)).prices[0].verdict is verdict
