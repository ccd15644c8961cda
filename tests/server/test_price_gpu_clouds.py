"""Every reader of GPU clouds against recorded answers over a real connection: rows, units, dates, sources, keys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from price_recordings import (
    DROPLETS,
    HYPERSTACK_BOOK,
    HYPERSTACK_FLAVORS,
    LAMBDA,
    ORACLE,
    RUNPOD,
    VERSION,
    catalog_row,
    catalog_text,
    packed,
    published,
)
from price_server import TODAY, Answer, make_request, price_server

from catalogs.catalog import load
from catalogs.model import Method
from operations.price_refresh.model import PriceReadError, PriceSection, SectionKind, SilentSection
from operations.price_refresh.registry import reader_entries, reader_of

pytestmark = [pytest.mark.server, pytest.mark.enable_socket]
MACHINES = frozenset({SectionKind.MACHINES})
MADE = date(2026, 11, 18)
ORACLE_DAY = date(2026, 1, 5)
Section = PriceSection | SilentSection


def read(
    entry: str, routes: Mapping[str, Any], *, path: str = "", **asked: Any
) -> tuple[list[Section], list[dict[str, Any]]]:
    """The sections of a reader, and what the server was asked."""
    row = next(each for each in reader_entries() if each.id == entry)
    with price_server(routes) as server:
        sections = list(reader_of(row).read(make_request(server, path=path, **asked)))
        seen = [{"path": each.path, "headers": each.headers, "body": each.body} for each in server.asked]
    return sections, seen


def rows(sections: list[Section]) -> set[tuple[str, str, str, Decimal, str, date]]:
    return {
        (section.region, price.item, price.purchase, price.amount, price.unit, price.as_of)
        for section in sections
        if isinstance(section, PriceSection)
        for price in section.prices
    }


def skipped(sections: list[Section]) -> list[str]:
    said = (section.skipped if isinstance(section, PriceSection) else (section.reason,) for section in sections)
    return [text for texts in said for text in texts]


def row(region: str, item: str, purchase: str, amount: str, day: date = MADE) -> tuple[Any, ...]:
    return region, item, purchase, Decimal(amount), "hour", day


Published = tuple[str, str, list[list[str]], tuple[str, ...], set[tuple[Any, ...]], list[str]]
PUBLISHED: tuple[Published, ...] = (
    (
        "aws",
        "aws",
        [
            catalog_row("p5.48xlarge", "us-east-1", "55.04", 8),
            catalog_row("p5.48xlarge", "us-east-1", "20.5", 8, spot=True),
            catalog_row("m5.xlarge", "us-west-2-lax-1", "0.23"),
            catalog_row("z9.huge", "us-east-1", "1.0"),
        ],
        ("us-east-1",),
        {
            row("us-east-1", "p5.48xlarge", "on_demand", "55.04"),
            row("us-east-1", "p5.48xlarge", "spot", "20.5"),
        },
        [
            "1 place that the catalog does not know: us-west-2-lax-1",
            "1 machine that the catalog does not know: z9.huge",
        ],
    ),
    (
        "gcp",
        "gcp",
        [
            catalog_row("a3-highgpu-8g", "us-central1-a", "88.49", 8),
            catalog_row("a3-highgpu-8g", "us-central1-c", "88.49", 8),
            catalog_row("a4-highgpu-8g", "us-central1-b", "61.2", 8, flags="gcp-dws-calendar-mode gcp-a4"),
            catalog_row("n1-standard-8", "us-central1-a", "0.379998"),
            catalog_row("n1-standard-8", "us-central1-a", "0.729998", 1),
            catalog_row("e2-standard-4", "us-central1-a", "0.134"),
            catalog_row("e2-standard-4", "us-central1-f", "0.135"),
        ],
        ("us-central1",),
        {
            row("us-central1", "a3-highgpu-8g", "on_demand", "88.49"),
            row("us-central1", "a4-highgpu-8g", "dws_calendar", "61.2"),
            row("us-central1", "n1-standard-8", "on_demand", "0.379998"),
        },
        [
            "1 machine with other GPUs than the catalog has it with: n1-standard-8",
            "1 machine with two prices for one region: e2-standard-4",
        ],
    ),
    (
        "lambda",
        "lambdalabs",
        [catalog_row("gpu_1x_a10", "us-east-1", "1.29", 1), catalog_row("gpu_1x_a10", "us-west-1", "1.29", 1)],
        (),
        {row("any", "gpu_1x_a10", "on_demand", "1.29")},
        [],
    ),
    (
        "nebius",
        "nebius",
        [catalog_row("gpu-h100-sxm 8gpu-128vcpu-1600gb", "eu-north1", "35.99999999999999", 8)],
        ("eu-north1",),
        {row("eu-north1", "gpu-h100-sxm_8gpu-128vcpu-1600gb", "on_demand", "36")},
        [],
    ),
    (
        "oci",
        "oci",
        [
            catalog_row("VM.GPU.A10.1", "us-ashburn-1", "2.0", 1),
            catalog_row("VM.GPU.A10.1", "eu-frankfurt-1", "2.0", 1),
            catalog_row("VM.GPU.A10.1", "eu-frankfurt-1", "1.0", 1, spot=True, flags="oci-spot"),
        ],
        (),
        {row("any", "VM.GPU.A10.1", "on_demand", "2"), row("any", "VM.GPU.A10.1", "spot", "1")},
        [],
    ),
    (
        "runpod",
        "runpod",
        [
            catalog_row("NVIDIA H200", "US-TX-3", "4.59", 1),
            catalog_row("NVIDIA H200", "CZ", "3.59", 1),
            catalog_row("NVIDIA A100 80GB PCIe", "US-TX-3", "3.58", 2),
            catalog_row("NVIDIA H200", "US-TX-3", "40", 8, flags="runpod-cluster"),
            catalog_row("NVIDIA H200", "US-TX-3", "18.36", 4),
        ],
        (),
        {
            row("any", "h200-secure", "on_demand", "4.59"),
            row("any", "h200-community", "on_demand", "3.59"),
            row("any", "2x_A100-80GB_SECURE", "on_demand", "3.58"),
        },
        [
            "prices of clusters, which are rented several pods at a time: 1",
            "1 machine with other GPUs than the catalog has it with: NVIDIA H200 (secure)",
        ],
    ),
)


@pytest.mark.parametrize("case", PUBLISHED, ids=lambda case: str(case[0]))
def test_a_published_catalog_gives_what_the_catalog_knows(case: Published) -> None:
    provider, name, found, regions, wanted, said = case
    sections, _ = read("gpuhunt", published(name, found), path="/v3", provider=provider, regions=regions)
    assert rows(sections) == wanted
    assert skipped(sections) == said
    assert {section.kind for section in sections} == MACHINES


def test_a_published_price_says_how_it_came_about() -> None:
    found = [
        catalog_row("p5.48xlarge", "us-east-1", "55.04", 8),
        catalog_row("p5.48xlarge", "us-east-1", "20.5", 8, spot=True),
    ]
    (section,), _ = read("gpuhunt", published("aws", found), path="/v3", provider="aws", regions=("us-east-1",))
    assert isinstance(section, PriceSection)
    of = {price.purchase: price.source or section.source for price in section.prices}
    assert (of["on_demand"].id, of["on_demand"].method) == ("gpuhunt-aws", Method.LIST)
    assert (of["spot"].id, of["spot"].method) == ("gpuhunt-aws-spot", Method.MINIMUM_ZONE)
    assert "spot is the least price of any zone of the region" in of["spot"].text
    assert {each.as_of for each in of.values()} == {MADE}
    assert all(each.url.endswith(f"/v3/aws/{VERSION}/catalog.zip") for each in of.values())


def test_half_the_price_of_a_preemptible_machine_is_said_to_be_calculated() -> None:
    found = [catalog_row("VM.GPU.A10.1", "us-ashburn-1", "1.0", 1, spot=True, flags="oci-spot")]
    (section,), _ = read("gpuhunt", published("oci", found), path="/v3", provider="oci")
    assert isinstance(section, PriceSection)
    assert section.source.method is Method.FIGURE
    assert "preemptible is half of the on-demand price, calculated by gpuhunt" in section.source.text


def test_a_region_without_a_row_is_silent() -> None:
    routes = published("aws", [catalog_row("m5.xlarge", "us-east-1", "0.192")])
    sections, _ = read("gpuhunt", routes, path="/v3", provider="aws", regions=("eu-west-1", "us-east-1"))
    silent, found = sections
    assert isinstance(silent, SilentSection)
    assert (silent.region, silent.reason) == ("eu-west-1", "no price of a machine that the catalog knows")
    assert isinstance(found, PriceSection)


@pytest.mark.parametrize("entry", [each for each in reader_entries() if each.module.split(".")[2] == "gpu_clouds"])
def test_services_alone_cost_no_question_where_a_source_has_none(entry: Any) -> None:
    if SectionKind.SERVICES in entry.kinds:
        return
    services = frozenset({SectionKind.SERVICES})
    sections, asked = read(
        entry.id, {}, provider=entry.providers[0], kinds=services, keys=dict.fromkeys(entry.keys, "k")
    )
    assert (sections, asked) == ([], [])


def test_oracle_adds_up_parts_and_keeps_tiers() -> None:
    sections, asked = read("oracle-list", {"/pls/apex/cetools/api/v1/products/": ORACLE}, provider="oci")
    services = {
        ("*", "control_plane", "list", Decimal("0.1"), "hour", ORACLE_DAY),
        ("*", "disk", "list", Decimal("0.0425"), "GB-month", ORACLE_DAY),  # 0.0255 and ten performance units
        ("*", "internet_egress", "list", Decimal(0), "GB", ORACLE_DAY),
        ("*", "internet_egress", "list", Decimal("0.0085"), "GB", ORACLE_DAY),
        ("*", "load_balancer", "list", Decimal("0.0113"), "hour", ORACLE_DAY),  # its free 744 hours not taken off
        ("*", "object_get", "list", Decimal("0.00034"), "1k requests", ORACLE_DAY),  # of 10,000; 50,000 are free
        ("*", "object_put", "list", Decimal("0.00034"), "1k requests", ORACLE_DAY),
        ("*", "object", "list", Decimal(0), "GB-month", ORACLE_DAY),
        ("*", "object_infrequent", "list", Decimal("0.01"), "GB-month", ORACLE_DAY),
        ("*", "object", "list", Decimal("0.0255"), "GB-month", ORACLE_DAY),
    }
    machines = {
        row("any", "BM.GPU.H100.8", "on_demand", "80", ORACLE_DAY),
        row("any", "BM.GPU.A10.4", "on_demand", "8", ORACLE_DAY),
        row("any", "VM.GPU.A10.1", "on_demand", "2", ORACLE_DAY),
        row("any", "VM.GPU.A10.2", "on_demand", "4", ORACLE_DAY),
        *(
            row("any", f"VM.Standard.E5.Flex.{size}", "on_demand", amount, ORACLE_DAY)  # OCPUs and GB of memory
            for size, amount in (
                ("2-16", "0.092"),
                ("4-32", "0.184"),
                ("8-64", "0.368"),
                ("16-128", "0.736"),
                ("32-256", "1.472"),
            )
        ),
    }
    assert rows(sections) == services | machines
    assert isinstance(sections[0], PriceSection)
    above = {(price.item, price.above) for price in sections[0].prices if price.amount}
    assert {("object", Decimal(10)), ("internet_egress", Decimal(10240))} <= above
    assert skipped(sections)[0].startswith("not in the list any more: ")
    assert asked[0]["path"].endswith("?currencyCode=USD")


def test_lambda_is_asked_with_its_key_and_counts_in_cents() -> None:
    keys = {"LAMBDA_API_KEY": "secret"}
    sections, asked = read("lambda-api", {"/api/v1/instance-types": LAMBDA}, provider="lambda", keys=keys)
    assert rows(sections) == {
        row("any", "gpu_1x_a10", "on_demand", "1.29", TODAY),
        row("any", "gpu_8x_h100_sxm5", "on_demand", "31.92", TODAY),
    }
    assert skipped(sections) == ["1 machine that the catalog does not know: gpu_1x_a100_sxm4"]
    assert asked[0]["headers"]["authorization"] == "Bearer secret"


def test_runpod_multiplies_a_rate_by_the_gpus_of_a_pod() -> None:
    sections, asked = read("runpod-api", {"/graphql": RUNPOD}, provider="runpod")
    assert rows(sections) == {
        row("any", "1x_A100-80GB_SECURE", "on_demand", "1.79", TODAY),
        row("any", "1x_A100-80GB_SECURE", "spot", "0.82", TODAY),
        row("any", "2x_A100-80GB_SECURE", "on_demand", "3.58", TODAY),
        row("any", "2x_A100-80GB_SECURE", "spot", "1.64", TODAY),
        row("any", "4x_A100-80GB_SECURE", "on_demand", "7.16", TODAY),
        row("any", "4x_A100-80GB_SECURE", "spot", "3.28", TODAY),
        row("any", "a100-pcie-community", "on_demand", "1.19", TODAY),
        row("any", "b300-secure", "on_demand", "7.89", TODAY),
        row("any", "h200-secure", "on_demand", "4.59", TODAY),
    }
    (section,) = sections
    assert isinstance(section, PriceSection)
    gpu = "NVIDIA GeForce RTX 4090"
    assert section.skipped == (f"2 machines that the catalog does not know: {gpu} (community), {gpu} (secure)",)
    methods = {(price.item, price.purchase): (price.source or section.source).method for price in section.prices}
    assert methods["a100-pcie-community", "on_demand"] is Method.COMMUNITY
    assert methods["1x_A100-80GB_SECURE", "spot"] is Method.FLOOR
    assert "securePrice" in json.loads(asked[0]["body"])["query"]


def test_droplets_are_sold_by_the_hour_in_the_regions_that_have_them() -> None:
    keys = {"DIGITALOCEAN_TOKEN": "secret"}
    sections, asked = read("digitalocean-api", {"/v2/sizes": DROPLETS}, provider="digitalocean", keys=keys)
    assert rows(sections) == {
        row("any", "gpu-h100x8-640gb", "on_demand", "35.28", TODAY),
        row("tor1", "gpu-h100x8-640gb", "on_demand", "35.28", TODAY),
        row("any", "gpu-h100x1-80gb", "on_demand", "4.41", TODAY),
        row("any", "gpu-mi350x1-288gb-spot", "spot", "2.46", TODAY),
    }
    assert asked[0]["headers"]["authorization"] == "Bearer secret"


def test_every_page_of_droplets_is_read() -> None:
    first = {**DROPLETS, "sizes": DROPLETS["sizes"][:2], "meta": {"total": 501}}
    second = {**DROPLETS, "sizes": DROPLETS["sizes"][2:], "meta": {"total": 501}}
    keys = {"DIGITALOCEAN_TOKEN": "secret"}
    sections, asked = read("digitalocean-api", {"/v2/sizes": [first, second]}, provider="digitalocean", keys=keys)
    assert len(rows(sections)) == 4
    assert [each["path"] for each in asked] == ["/v2/sizes?per_page=500&page=1", "/v2/sizes?per_page=500&page=2"]


def test_hyperstack_joins_rates_with_flavors_and_takes_the_list_price() -> None:
    routes = {"/v1/pricebook": json.dumps(HYPERSTACK_BOOK), "/v1/core/flavors": HYPERSTACK_FLAVORS}
    sections, asked = read("hyperstack-book", routes, provider="hyperstack", keys={"HYPERSTACK_API_KEY": "secret"})
    assert rows(sections) == {
        ("*", "disk", "list", Decimal("0.07064502"), "GB-month", TODAY),
        row("any", "n3-H100x1", "on_demand", "2.5", TODAY),
        row("any", "n3-H100x8", "on_demand", "20", TODAY),
        row("any", "n3-H100x1", "spot", "2", TODAY),
        row("any", "n1-cpu-small", "on_demand", "0.35", TODAY),
    }
    assert skipped(sections) == ["flavors without a rate: n3-H200x8"]
    assert {each["headers"]["api_key"] for each in asked} == {"secret"}


GOOD = published("aws", [catalog_row("m5.xlarge", "us-east-1", "0.192")])
ZIP = f"/v3/aws/{VERSION}/catalog.zip"
WHOLE = GOOD[ZIP]
TWO = packed({"aws.csv": b"a", "b.csv": b"b"})


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"/v3/aws/version": "<html>Sign in</html>"}, "'<html>Sign in</html>' is no version of a catalog"),
        ({"/v3/aws/version": "../../secret-1"}, "is no version of a catalog"),
        ({"/v3/aws/version": "20261318-1"}, "is no version of a catalog"),
        ({"/v3/aws/version": "x" * 1000}, "is longer than"),
        ({ZIP: WHOLE[: len(WHOLE) // 2]}, "is no ZIP archive, or was cut off"),
        ({ZIP: b"<html></html>"}, "is no ZIP archive, or was cut off"),
        ({ZIP: TWO}, "holds 'b.csv'; aws.csv alone is expected"),
        ({ZIP: packed({"../aws.csv": b"a"})}, "holds '../aws.csv'; aws.csv alone is expected"),
        ({ZIP: packed({})}, "holds 0 files"),
        ({ZIP: packed({"aws.csv": b"\xff\xfe,\n"})}, "aws.csv is no UTF-8"),
        ({ZIP: packed({"aws.csv": b"InstanceType,Price\na,1\n"})}, "has no column flags, gpu_count, instance_name"),
        ({ZIP: packed({"aws.csv": b"x" * 100_000})}, "has no lines of a table"),
        ({ZIP: Answer(status=404)}, "answers 404"),
    ],
)
def test_a_wrong_published_catalog_is_one_sentence(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(Exception, match=said) as raised:
        read("gpuhunt", GOOD | changed, path="/v3", provider="aws", regions=("us-east-1",))
    assert "\n" not in str(raised.value)


def test_a_zip_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operations.price_refresh.gpu_clouds.zip_table.LARGEST_TABLE", 1 << 20)
    bomb = packed({"aws.csv": catalog_text([]) + b"\n" * (8 << 20)})
    with pytest.raises(PriceReadError, match="unpacks to more than 1 MiB"):
        read("gpuhunt", GOOD | {ZIP: bomb}, path="/v3", provider="aws", regions=("us-east-1",))


@pytest.mark.parametrize("price", ["nan", "inf", "", "1e300", "1.2.3", "$4", "0x10"])
def test_a_published_price_is_a_number(price: str) -> None:
    routes = published("aws", [catalog_row("m5.xlarge", "us-east-1", price)])
    with pytest.raises(PriceReadError, match=r"aws\.csv:2: price is .* and no amount"):
        read("gpuhunt", routes, path="/v3", provider="aws", regions=("us-east-1",))


def test_crusoe_is_never_read_from_the_published_catalogs() -> None:
    published_providers = next(each for each in reader_entries() if each.id == "gpuhunt").providers
    assert "crusoe" not in published_providers
    assert set(published_providers) <= set(load().providers)
