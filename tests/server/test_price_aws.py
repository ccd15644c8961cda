"""The reader of the AWS price list against recorded offers over a real connection: rows, traps, units and dates."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from aws_recordings import ROOT, ROWS, VERSION, index, offer_routes, offer_text
from price_server import Answer, Route, make_request, price_server

from catalogs.catalog import load
from operations.price_refresh.aws import reader
from operations.price_refresh.aws.matching import offer_items
from operations.price_refresh.gates import PriceGates, PriceVerdict
from operations.price_refresh.model import PriceSection, SectionKind, SilentSection

pytestmark = [pytest.mark.server, pytest.mark.enable_socket]
DAY = date(2026, 11, 18)
EXPECTED = {
    ("control_plane", "hour", "0.1", "0"),
    ("cross_zone_data", "GB", "0.01", "0"),
    ("disk", "GB-month", "0.08", "0"),
    ("disk_fast", "GB-month", "0.125", "0"),
    ("disk_fast_iops", "IOPS-month", "0.065", "0"),
    ("disk_iops", "IOPS-month", "0.005", "0"),
    ("disk_throughput", "MBps-month", "0.04", "0"),
    ("encryption_key", "key-month", "1", "0"),
    ("inter_region_data", "GB", "0.02", "0"),
    ("interface_endpoint", "hour", "0.01", "0"),
    ("internet_egress", "GB", "0.05", "153600"),
    ("internet_egress", "GB", "0.07", "51200"),
    ("internet_egress", "GB", "0.085", "10240"),
    ("internet_egress", "GB", "0.09", "0"),
    ("load_balancer", "hour", "0.0225", "0"),
    ("load_balancer_unit", "hour", "0.006", "0"),
    ("log_ingest", "GB", "0.5", "0"),
    ("log_storage", "GB-month", "0.03", "0"),
    ("nat_data", "GB", "0.045", "0"),
    ("nat_gateway", "hour", "0.045", "0"),
    ("object", "GB-month", "0.023", "0"),
    ("object_archive", "GB-month", "0.0036", "0"),
    ("object_get", "1k requests", "0.0004", "0"),
    ("object_infrequent", "GB-month", "0.0125", "0"),
    ("object_put", "1k requests", "0.005", "0"),
    ("public_ipv4", "hour", "0.005", "0"),
    ("shared_disk", "GB-month", "0.3", "0"),
    ("shared_scratch", "GB-month", "0.14", "0"),
    ("shared_ssd", "GB-month", "0.145", "0"),
    ("transit_attachment", "hour", "0.05", "0"),
    ("transit_data", "GB", "0.02", "0"),
    ("vpn_connection", "hour", "0.05", "0"),
}


def read(routes: dict[str, Route], **asked: Any) -> list[PriceSection | SilentSection]:
    with price_server(routes) as server:
        return list(reader.read(make_request(server, provider="aws", **{"regions": ("us-east-1",), **asked})))


def of_kind(sections: list[PriceSection | SilentSection], kind: SectionKind) -> PriceSection | SilentSection:
    return next(each for each in sections if each.kind is kind)


def plain(amount: Decimal) -> str:
    return f"{amount.normalize():f}"


def test_each_item_has_the_row_that_is_its_price_and_no_other() -> None:
    services = of_kind(read(offer_routes()), SectionKind.SERVICES)
    assert isinstance(services, PriceSection)
    found = [(each.item, each.unit, plain(each.amount), plain(each.above)) for each in services.prices]
    assert (set(found), len(found)) == (EXPECTED, len(EXPECTED))
    assert {each.as_of for each in services.prices} == {DAY}
    assert (services.source.id, services.source.as_of, services.skipped, services.whole) == (
        "aws-price-list",
        DAY,
        (),
        True,
    )


def test_a_machine_is_linux_shared_and_on_demand() -> None:
    machines = of_kind(read(offer_routes(["AmazonEC2"]), kinds=frozenset({SectionKind.MACHINES})), SectionKind.MACHINES)
    assert isinstance(machines, PriceSection)
    assert {(each.item, each.purchase, each.unit, plain(each.amount)) for each in machines.prices} == {
        ("m5.xlarge", "on_demand", "hour", "0.192"),
        ("m5.metal", "on_demand", "hour", "4.608"),
        ("p5.48xlarge", "on_demand", "hour", "55.04"),
    }
    assert len(machines.prices) == 3


def test_what_is_read_is_what_the_catalog_says_of_the_region() -> None:
    """Two readings of one price list, months apart, agree: the figures above are no invention of the test."""
    gates = PriceGates(catalog=load(), today=date(2026, 11, 23))
    judged = [gates.judge(each) for each in read(offer_routes()) if isinstance(each, PriceSection)]
    verdicts = {price.key[1]: price.verdict for section in judged for price in section.prices}
    assert set(verdicts.values()) <= {PriceVerdict.SAME, PriceVerdict.NEW, PriceVerdict.OLDER}, verdicts


def test_every_item_is_a_row_of_the_table_once() -> None:
    named = [each.item for each in offer_items()]
    assert len(named) == len(set(named))
    assert {item for item, *_ in EXPECTED} == set(named)
    assert {each.offer for each in offer_items()} == set(ROWS)


@pytest.mark.parametrize("item", [each.item for each in offer_items()])
def test_a_usage_type_that_is_renamed_leaves_its_item_out_and_no_other(item: str) -> None:
    rule = next(each for each in offer_items() if each.item == item)
    usage = rule.usage.replace("{region}", "us-east-1") or "AWS-Out-Bytes"
    rows = [(name.replace(usage, f"X{usage}"), unit, price, more) for name, unit, price, more in ROWS[rule.offer]]
    if not rule.usage:
        rows = [(name, unit, price, {**more, "Transfer Type": "Other"}) for name, unit, price, more in rows]
    services = of_kind(read(offer_routes(**{rule.offer: offer_text(rule.offer, rows)})), SectionKind.SERVICES)
    assert isinstance(services, PriceSection)
    assert item not in {each.item for each in services.prices}


def with_unit(unit: str) -> str:
    rows = [
        (usage, unit if "Throughput" in usage else word, price, more) for usage, word, price, more in ROWS["AmazonEC2"]
    ]
    return offer_text("AmazonEC2", rows)


@pytest.mark.parametrize(("unit", "amount"), [("GiBps-mo", "0.04"), ("MiBps-Mo", "40.96"), ("TiBps-mo", "40.96")])
def test_a_unit_is_converted_or_passed_on_to_be_refused(unit: str, amount: str) -> None:
    services = of_kind(read(offer_routes(AmazonEC2=with_unit(unit))), SectionKind.SERVICES)
    assert isinstance(services, PriceSection)
    found = next(each for each in services.prices if each.item == "disk_throughput")
    assert (plain(found.amount), found.unit) == (amount, unit if unit == "TiBps-mo" else "MBps-month")
    judged = PriceGates(catalog=load(), today=date(2026, 11, 23)).judge(
        replace(services, prices=(found, services.prices[0]))
    )
    verdict = next(each for each in judged.prices if each.key[1] == "disk_throughput")
    assert (verdict.verdict is PriceVerdict.REFUSED) == (unit == "TiBps-mo")


EC2 = offer_text("AmazonEC2")
FILE = f"{ROOT}/AmazonEC2/{VERSION}/us-east-1/index.csv"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            "<html><body>Sign in</body></html>",
            "AmazonEC2 has '<html><body>Sign in</body></html>' where its FormatVersion",
        ),
        (EC2[:60], "where its"),
        (
            EC2.replace('"usageType"', '"usage"'),
            "AmazonEC2 has no column usageType: the price list has changed its form",
        ),
        (EC2.replace('"Tenancy"', '"Tenure"'), "AmazonEC2 has no column Tenancy"),
        (EC2.replace('"OfferCode","AmazonEC2"', '"OfferCode","AmazonS3"'), "it is AmazonS3 in form v1.0"),
        (EC2.replace("2026-11-18T", "soon"), "which is no date"),
        (EC2.replace('"0.0800000000"', '"cheap"'), "'cheap' and no amount"),
        (EC2[: EC2.rindex('"m5.metal"')], "AmazonEC2"),
        (Answer(body=EC2.encode()[:2000], claimed=len(EC2)), "broke off after"),
        (Answer(status=302, headers={"Location": "https://elsewhere.example/"}), "answers 302"),
        (Answer(status=429, headers={"Retry-After": "1"}), "answers 429"),
        (Answer(status=404), "answers 404"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 60 else "",
)
def test_an_offer_that_is_wrong_leaves_out_its_own_items_alone(answer: Route, said: str) -> None:
    sections = read({**offer_routes(), FILE: answer})
    services, machines = of_kind(sections, SectionKind.SERVICES), of_kind(sections, SectionKind.MACHINES)
    assert isinstance(services, PriceSection)
    assert isinstance(machines, SilentSection)
    assert said in machines.reason
    assert [said in each for each in services.skipped] == [True]
    assert not services.whole
    assert {each.item for each in services.prices} == {item for item, *_ in EXPECTED} - {
        each.item for each in offer_items() if each.offer == "AmazonEC2"
    }


def test_a_region_that_vanished_is_said_and_so_is_an_index_that_leads_elsewhere() -> None:
    sections = read(offer_routes(), regions=("eu-west-1", "us-east-1"))
    assert [type(each) for each in sections] == [SilentSection, SilentSection, PriceSection, PriceSection]
    assert isinstance(sections[0], SilentSection)
    assert sections[0].reason == "the AWS price list has no eu-west-1 any more"
    name = f"{ROOT}/AmazonS3/current/region_index.json"
    for url in ("https://elsewhere.example/x.json", f"{ROOT}/AmazonS3/../../secret/index.json"):
        wrong = {"regions": {"us-east-1": {"currentVersionUrl": url}}}
        services = of_kind(read({**offer_routes(), name: wrong}), SectionKind.SERVICES)
        assert isinstance(services, PriceSection)
        assert services.skipped == ("AmazonS3: the index of AmazonS3 names an address that is none of the price list",)
    services = of_kind(read({**offer_routes(), name: "<html>"}), SectionKind.SERVICES)
    assert isinstance(services, PriceSection)
    assert "answers no JSON" in services.skipped[0]


def test_only_what_is_wanted_is_asked() -> None:
    with price_server(offer_routes()) as server:
        kinds = frozenset({SectionKind.MACHINES})
        list(reader.read(make_request(server, provider="aws", regions=("us-east-1",), kinds=kinds)))
        assert [each.path for each in server.asked] == [f"{ROOT}/AmazonEC2/current/region_index.json", FILE]
    assert index("AmazonEC2", "x")["regions"]
