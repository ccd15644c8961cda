"""The reader of Google's Cloud Billing Catalog against recorded SKUs over a connection: tiers, places, sums, dates."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from google_recordings import IDS, SKUS, routes, sku
from price_server import TODAY, Answer, Asked, Route, make_request, price_server

from catalogs.catalog import load
from operations.price_refresh.gates import PriceGates, PriceVerdict
from operations.price_refresh.google import reader
from operations.price_refresh.google.matching import sku_items
from operations.price_refresh.google.skus import PAGE
from operations.price_refresh.model import PriceReadError, PriceSection, SectionKind, SilentSection
from operations.project.http import HttpError

pytestmark = [pytest.mark.server, pytest.mark.enable_socket]
SERVICES = frozenset({SectionKind.SERVICES})
COMPUTE = f"/v1/services/{IDS['Compute Engine']}/skus"
EXPECTED = {
    ("control_plane", "hour", "0.1", "0"),
    ("cross_zone_data", "GB", "0.01", "0"),
    ("disk", "GB-month", "0.1", "0"),
    ("disk_fast", "GB-month", "0.125", "0"),
    ("encryption_key", "key-month", "0.06", "0"),
    ("internet_egress", "GB", "0.08", "10240"),
    ("internet_egress", "GB", "0.11", "1024"),
    ("internet_egress", "GB", "0.12", "0"),
    ("load_balancer", "hour", "0.025", "0"),
    ("log_storage", "GB-month", "0.01", "0"),
    ("nat_data", "GB", "0.045", "0"),
    ("object", "GB-month", "0.02", "0"),
    ("object_archive", "GB-month", "0.0012", "0"),
    ("object_infrequent", "GB-month", "0.01", "0"),
    ("public_ipv4", "hour", "0.005", "0"),
    ("shared_disk", "GB-month", "0.16", "0"),
}


def read(served: dict[str, Route] | None = None, **asked: Any) -> list[PriceSection | SilentSection]:
    with price_server(served or routes()) as server:
        settings = {"regions": ("us-central1",), "keys": {"GOOGLE_API_KEY": "the key"}, **asked}
        sections = list(reader.read(make_request(server, provider="gcp", **settings)))
        assert {each.headers["x-goog-api-key"] for each in server.asked} == {"the key"}
        assert not any("the%20key" in each.path or "the+key" in each.path for each in server.asked)
        return sections


def prices(section: PriceSection | SilentSection) -> list[tuple[str, str, str, str]]:
    assert isinstance(section, PriceSection), section
    return [
        (each.item, each.unit, f"{each.amount.normalize():f}", f"{each.above.normalize():f}") for each in section.prices
    ]


def test_each_item_has_the_sku_that_is_its_price_and_no_other() -> None:
    _, services = read()
    assert (set(prices(services)), len(prices(services))) == (EXPECTED, len(EXPECTED))
    assert isinstance(services, PriceSection)
    assert {each.as_of for each in services.prices} == {date(2026, 11, 20)}
    assert (services.source.as_of, services.whole) == (date(2026, 11, 20), True)


def test_a_machine_is_the_sum_of_its_parts_or_is_not_priced() -> None:
    (machines,) = read(kinds=frozenset({SectionKind.MACHINES}))
    assert isinstance(machines, PriceSection)
    found = {(each.item, each.purchase): each.amount for each in machines.prices}
    assert found["e2-standard-4", "on_demand"] == Decimal("0.13402284")
    assert found["e2-standard-4", "spot"] == Decimal("0.0536")
    a3 = 208 * Decimal("0.03222") + 1872 * Decimal("0.002817") + 8 * Decimal("11.06") + 6000 * Decimal("0.08") / 730
    assert abs(found["a3-highgpu-8g", "on_demand"] - a3) < Decimal("1e-9")
    assert not any(item.startswith(("g2-", "e2-micro")) or item == "a3-megagpu-8g" for item, _ in found)
    assert ("a3-highgpu-8g", "spot") not in found
    assert {each.unit for each in machines.prices} == {"hour"}


def test_what_is_read_is_what_the_catalog_says_of_the_region() -> None:
    gates = PriceGates(catalog=load(), today=TODAY)
    (services,) = [each for each in read(kinds=SERVICES) if isinstance(each, PriceSection)]
    verdicts = {price.key[1]: price.verdict for price in gates.judge(services).prices}
    assert set(verdicts.values()) <= {PriceVerdict.SAME, PriceVerdict.NEW, PriceVerdict.OLDER}, verdicts


def test_every_item_is_a_row_of_the_table_once() -> None:
    assert sorted(each.item for each in sku_items()) == sorted({item for item, *_ in EXPECTED})
    assert {each.service for each in sku_items()} == set(IDS)


def test_pages_are_followed_by_their_token() -> None:
    skus = SKUS["Compute Engine"]

    def in_pages(asked: Asked) -> dict[str, Any]:
        assert f"pageSize={PAGE}" in asked.path
        if "pageToken=second" in asked.path:
            return {"skus": list(skus[5:]), "nextPageToken": ""}
        return {"skus": list(skus[:5]), "nextPageToken": "second"}

    assert set(prices(read({**routes(), COMPUTE: in_pages}, kinds=SERVICES)[0])) == EXPECTED
    circle = read({**routes(), COMPUTE: {"skus": [], "nextPageToken": "again"}}, kinds=SERVICES)[0]
    assert isinstance(circle, PriceSection)
    assert "have no end" in circle.skipped[0]


@pytest.mark.parametrize(
    ("route", "said"),
    [
        ("<html>Sign in</html>", "answers no JSON but '<html>Sign in</html>'"),
        ('{"skus": [', "answers no JSON"),
        ({"skus": {}}, "skus is no list of objects"),
        ({"skus": [{"description": "x"}]}, "pricingInfo is no list of objects"),
        ({"skus": [sku("x", "h", (0, "1"), since="soon")]}, "x has no price or no date"),
        (Answer(status=403, body=b'{"error": {"code": 403}}'), "answers 403"),
        (Answer(status=302, headers={"Location": "https://elsewhere.example/"}), "redirects to another host"),
        (Answer(status=429, headers={"Retry-After": "1"}), "answers 429"),
        (Answer(body=b"{", claimed=900), "Error"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_service_that_is_wrong_skips_its_own_items_alone(route: Route, said: str) -> None:
    machines, services = read({**routes(), COMPUTE: route})
    assert isinstance(services, PriceSection)
    assert isinstance(machines, SilentSection)
    assert said in machines.reason
    assert [said in each for each in services.skipped] == [True]
    own = {each.item for each in sku_items() if each.service == "Compute Engine"}
    assert {each.item for each in services.prices} == {item for item, *_ in EXPECTED} - own


@pytest.mark.parametrize("route", ["<html>", {"services": 1}, Answer(status=400)])
def test_without_the_list_of_services_nothing_is_read(route: Route) -> None:
    with pytest.raises((PriceReadError, HttpError)):
        read({**routes(), "/v1/services": route})


def test_a_service_that_was_renamed_and_a_region_that_vanished_are_said() -> None:
    listed = {
        "services": [{"serviceId": id_, "displayName": name} for name, id_ in IDS.items() if name != "Networking"]
    }
    services = read({**routes(), "/v1/services": listed}, kinds=SERVICES)[0]
    assert isinstance(services, PriceSection)
    assert services.skipped == ("Networking: Google has no service of that name any more",)
    only_here = {
        name: {"skus": [each for each in SKUS[name] if each["serviceRegions"] == ["us-central1"]]} for name in IDS
    }
    served = {**routes(), **{f"/v1/services/{IDS[name]}/skus": page for name, page in only_here.items()}}
    gone = read(served, regions=("africa-south1",), kinds=SERVICES)[0]
    assert isinstance(gone, SilentSection)
    assert gone.reason == "the Cloud Billing Catalog has no services of africa-south1 any more"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (sku("Balanced PD Capacity", "GiBy.mo", (0, "0.1"), currency="EUR"), "its currency is EUR, not USD"),
        (sku("Balanced PD Capacity", "GiBy.mo", (0, "-0.1")), "-0.100000000 is no price"),
        (sku("Balanced PD Capacity", "GiBy.mo", (0, "0")), "a price of 0 is not known to be true"),
        (sku("Balanced PD Capacity", "TiBy.mo", (0, "0.1")), "its unit 'TiBy.mo' is not 'GB-month'"),
        (sku("Balanced PD Capacity", "GiBy.mo", (0, "0.1"), since="2027-01-01T00:00:00Z"), "it is dated 2027-01-01"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_sku_of_another_kind_is_passed_on_and_refused(changed: dict[str, Any], reason: str) -> None:
    others = [each for each in SKUS["Compute Engine"] if each["description"] != "Balanced PD Capacity"]
    services = read({**routes(), COMPUTE: {"skus": [changed, *others]}}, kinds=SERVICES)[0]
    assert isinstance(services, PriceSection)
    gates = PriceGates(catalog=load(), today=TODAY)
    disk = next(each for each in services.prices if each.item == "disk")
    assert next(gates._faults(("gcp", "disk", "us-central1", "list"), [disk])).startswith(reason)


def test_two_prices_for_one_item_are_passed_on_to_be_refused() -> None:
    twice = [*SKUS["Compute Engine"], sku("Balanced PD Capacity in Iowa", "GiBy.mo", (0, "0.11"))]
    services = read({**routes(), COMPUTE: {"skus": twice}}, kinds=SERVICES)[0]
    assert isinstance(services, PriceSection)
    judged = PriceGates(catalog=load(), today=TODAY).judge(services)
    disk = next(each for each in judged.prices if each.key[1] == "disk")
    assert (disk.verdict, disk.reason) == (PriceVerdict.REFUSED, "it has 2 rows for one key")
