"""The reader of Azure Retail Prices against recorded pages over a real connection: meters, tiers, pages and dates."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from azure_recordings import GLOBAL, PATH, SERVICES, answer, page
from price_server import TODAY, Answer, Asked, Route, make_request, price_server

from catalogs.catalog import load
from operations.price_refresh.azure import reader
from operations.price_refresh.azure.matching import meter_items
from operations.price_refresh.gates import PriceGates, PriceVerdict
from operations.price_refresh.model import PriceSection, SectionKind, SilentSection

pytestmark = [pytest.mark.server, pytest.mark.enable_socket]
ONLY_SERVICES = frozenset({SectionKind.SERVICES})
EXPECTED = {
    ("control_plane", "hour", "0.1", "0"),
    ("disk", "GB-month", "0.153984375", "0"),
    ("disk_fast", "GB-month", "0.0803", "0"),
    ("disk_fast_iops", "IOPS-month", "0.00511", "0"),
    ("internet_egress", "GB", "0", "0"),
    ("internet_egress", "GB", "0.05", "153695"),
    ("internet_egress", "GB", "0.07", "51295"),
    ("internet_egress", "GB", "0.083", "10335"),
    ("internet_egress", "GB", "0.087", "100"),
    ("log_ingest", "GB", "2.3", "0"),
    ("object", "GB-month", "0.0208", "0"),
    ("object_archive", "GB-month", "0.002", "0"),
    ("object_get", "1k requests", "0.0004", "0"),
    ("object_infrequent", "GB-month", "0.0152", "0"),
    ("object_put", "1k requests", "0.005", "0"),
    ("public_ipv4", "hour", "0.005", "0"),
}
EVERYWHERE = {
    ("interface_endpoint", "hour", "0.01", "0"),
    ("load_balancer", "hour", "0.025", "0"),
    ("nat_data", "GB", "0.045", "0"),
    ("nat_gateway", "hour", "0.045", "0"),
}


def read(route: Route = answer, **asked: Any) -> list[PriceSection | SilentSection]:
    with price_server({PATH: route}) as server:
        return list(reader.read(make_request(server, provider="azure", **{"regions": ("eastus",), **asked})))


def prices(section: PriceSection | SilentSection) -> list[tuple[str, str, str, str]]:
    assert isinstance(section, PriceSection), section
    return [
        (each.item, each.unit, f"{each.amount.normalize():f}", f"{each.above.normalize():f}") for each in section.prices
    ]


def test_each_item_has_the_meter_that_is_its_price_and_no_other() -> None:
    everywhere, machines, services = read()
    assert (set(prices(everywhere)), len(prices(everywhere))) == (EVERYWHERE, len(EVERYWHERE))
    assert (set(prices(services)), len(prices(services))) == (EXPECTED, len(EXPECTED))
    assert [each.region for each in (everywhere, machines, services)] == ["*", "eastus", "eastus"]
    assert isinstance(services, PriceSection)
    assert {each.as_of for each in services.prices} == {TODAY}
    assert "has no date of its own" in services.source.text
    assert services.source.text.endswith("in force since 2025-12-01")


def test_a_machine_is_linux_on_demand_or_spot_and_in_force() -> None:
    (machines,) = read(kinds=frozenset({SectionKind.MACHINES}))
    assert isinstance(machines, PriceSection)
    assert sorted((each.item, each.purchase, each.amount) for each in machines.prices) == [
        ("Standard_D8as_v5", "on_demand", Decimal("0.344")),
        ("Standard_DC48s_v3", "on_demand", Decimal("4.608")),
        ("Standard_ND96isr_H100_v5", "on_demand", Decimal("98.32")),
        ("Standard_ND96isr_H100_v5", "spot", Decimal("39.33")),
    ]


def test_what_is_read_is_what_the_catalog_says_of_the_region() -> None:
    gates = PriceGates(catalog=load(), today=TODAY)
    sections = [each for each in read(kinds=ONLY_SERVICES) if isinstance(each, PriceSection)]
    judged = {price.key[1]: price for each in sections for price in gates.judge(each).prices}
    far = {item: price.change for item, price in judged.items() if price.change and price.change > Decimal("0.05")}
    assert far == {}
    assert {each.verdict for each in judged.values()} <= {PriceVerdict.NEW, PriceVerdict.SAME, PriceVerdict.CHANGED}


def test_every_item_is_a_row_of_the_table_once() -> None:
    named = [each.item for place in ("region", "global") for each in meter_items(place)]
    assert sorted(named) == sorted({item for item, *_ in EXPECTED | EVERYWHERE})


def test_pages_are_followed_to_the_end() -> None:
    def in_pages(asked: Asked) -> dict[str, Any]:
        query = parse_qs(urlsplit(asked.path).query)
        if "'Global'" in query["$filter"][0]:
            return page(GLOBAL)
        skip = int(query.get("$skip", ["0"])[0])
        more = f"{server.address}{asked.path.split('&$skip')[0]}&$skip={skip + 5}" if skip + 5 < len(SERVICES) else None
        return page(SERVICES[skip : skip + 5], link=more)

    with price_server({PATH: in_pages}) as server:
        request = make_request(server, provider="azure", regions=("eastus",), kinds=ONLY_SERVICES)
        _, services = reader.read(request)
        assert set(prices(services)) == EXPECTED
        assert len(server.asked) == 1 + -(-len(SERVICES) // 5)
        assert all("api-version=2023-01-01-preview" in each.path for each in server.asked)


def with_field(**changed: Any) -> dict[str, Any]:
    return page([{**each, **changed} for each in SERVICES])


def without(name: str) -> dict[str, Any]:
    return page([{key: value for key, value in each.items() if key != name} for each in SERVICES])


@pytest.mark.parametrize(
    ("route", "said"),
    [
        ("<html>Sign in</html>", "answers no JSON but '<html>Sign in</html>'"),
        ('{"Items": [{"currencyCode": "USD", ', "answers no JSON"),
        ({"items": []}, "Items is no list of objects: the source has changed its form"),
        (without("meterName"), "meterName is no text"),
        (without("retailPrice"), "and no number"),
        (with_field(retailPrice="0.1"), "and no number"),
        (with_field(effectiveStartDate="soon"), "which is no date"),
        ({**page(SERVICES), "Count": 1000}, "has 25 rows and says 1000"),
        (page(SERVICES, link="https://elsewhere.example/api"), "the next page lies on another host, elsewhere.example"),
        (Answer(status=302, headers={"Location": "https://elsewhere.example/"}), "redirects to another host"),
        (Answer(status=429, headers={"Retry-After": "1"}), "answers 429"),
        (Answer(status=503), "answers 503"),
        (Answer(body=b'{"Items": [', claimed=5000), "Error"),
        (page(()), "has no services of eastus any more"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 60 else "",
)
def test_a_page_that_is_wrong_silences_its_region_and_no_other(route: Route, said: str) -> None:
    def one_wrong(asked: Asked) -> Any:
        return answer(asked) if "'Global'" in parse_qs(urlsplit(asked.path).query)["$filter"][0] else route

    everywhere, services = read(one_wrong, kinds=ONLY_SERVICES)
    assert isinstance(everywhere, PriceSection)
    assert isinstance(services, SilentSection)
    assert said in services.reason
    assert "\n" not in services.reason


def test_pages_that_lead_in_a_circle_end() -> None:
    with price_server({}) as server:
        server.routes[PATH] = lambda asked: page(SERVICES, link=f"{server.address}{asked.path}")
        sections = list(reader.read(make_request(server, provider="azure", regions=(), kinds=ONLY_SERVICES)))
    assert isinstance(sections[0], SilentSection)
    assert "have no end" in sections[0].reason


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"currencyCode": "EUR"}, "its currency is EUR, not USD"),
        ({"retailPrice": -0.1}, "is no price"),
        ({"retailPrice": 0.0}, "a price of 0"),
        ({"unitOfMeasure": "1 Day"}, "its unit '1 Day' is not"),
    ],
)
def test_a_row_of_another_kind_is_passed_on_and_refused(changed: Mapping[str, Any], reason: str) -> None:
    addresses = [{**each, **changed} if "IPv4" in each["meterName"] else each for each in SERVICES]
    services = read(
        lambda asked: page(addresses) if "'eastus'" in asked.path.replace("%27", "'") else page(GLOBAL),
        kinds=ONLY_SERVICES,
    )[1]
    assert isinstance(services, PriceSection)
    judged = PriceGates(catalog=load(), today=TODAY).judge(services)
    refused = next(each for each in judged.prices if each.key[1] == "public_ipv4")
    assert refused.verdict is PriceVerdict.REFUSED
    assert reason in refused.reason
