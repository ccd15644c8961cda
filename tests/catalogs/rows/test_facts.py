"""Every row of the catalog, tested as data."""

from __future__ import annotations

import csv
import os
from collections import Counter, defaultdict
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from catalogs import integrity, validation
from catalogs.catalog import ROOT, Catalog, load
from catalogs.measurements import serving_runs, training_runs
from catalogs.model import Fabric, Form, Item, PurchaseKind
from catalogs.offers import FLAG_OF_METHOD, UNDATED
from catalogs.reference_pages import sources
from planning.checklist.model.vocabulary import CloudName

REPOSITORY = Path(__file__).parents[3]
SHARED = Path(os.environ.get("ATOLL_SHARED", REPOSITORY / "../shared")).resolve()
GPU_PROVIDERS = {each.value for each in CloudName}
MEMORY_BITS_PER_BYTE_OF_ROUNDING = Decimal("0.05")


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load()


@pytest.fixture(scope="module")
def book() -> Catalog:
    return load("2025-01-28")


def test_no_row_of_any_file_has_a_fault() -> None:
    assert [str(fault) for fault in validation.faults()] == []


def test_every_price_is_above_zero_unless_the_source_says_free(catalog: Catalog) -> None:
    free = {
        (price.provider, price.item, price.above)
        for provider in catalog.providers
        for item in Item
        for price in catalog.prices.of_item(provider=provider, item=item)
        if not price.usd
    }
    assert free == {
        ("azure", "internet_egress", 0),
        ("coreweave", "control_plane", 0),
        ("coreweave", "internet_egress", 0),
        ("digitalocean", "control_plane", 0),
        ("digitalocean", "public_ipv4", 0),
        ("hyperstack", "control_plane", 0),
        ("hyperstack", "internet_egress", 0),
        ("lambda", "internet_egress", 0),
        ("nebius", "control_plane", 0),
        ("nebius", "internet_egress", 0),
        ("nebius", "public_ipv4", 0),
        ("oci", "internet_egress", 0),
        ("oci", "object", 0),
        ("runpod", "internet_egress", 0),
    }
    assert all(offer.price.usd > 0 for offer in catalog.offers(accelerated=True))


def test_every_provider_that_a_checklist_may_name_has_gpu_offers(catalog: Catalog) -> None:
    assert {offer.machine.provider for offer in catalog.offers(accelerated=True)} == GPU_PROVIDERS
    assert set(catalog.providers) == GPU_PROVIDERS


def test_every_cpu_price_of_every_provider_can_be_read(catalog: Catalog) -> None:
    counts = {name: len(catalog.offers(accelerated=False, provider=name)) for name in ("aws", "gcp", "azure", "crusoe")}
    assert counts["gcp"] > 20_000
    assert counts["azure"] > 10_000
    assert counts["aws"] > 1_000


def test_tiers_rise_in_quantity_and_egress_never_gets_dearer(catalog: Catalog) -> None:
    for provider, region in catalog.regions:
        for item in Item:
            tiers = catalog.prices.find_tiers(provider=provider, item=item, region=region)
            if not tiers:
                continue
            assert [tier.above for tier in tiers] == sorted({tier.above for tier in tiers})
            assert tiers[0].above == 0
            if item == Item.INTERNET_EGRESS and tiers[0].usd:
                assert [tier.usd for tier in tiers] == sorted((tier.usd for tier in tiers), reverse=True)


def test_spot_is_below_on_demand(catalog: Catalog) -> None:
    prices: dict[tuple[str, str, str], dict[str, Decimal]] = defaultdict(dict)
    for accelerated in (True, False):
        for offer in catalog.offers(accelerated=accelerated):
            key = (offer.machine.provider, offer.machine.name, offer.region)
            prices[key][offer.price.purchase] = offer.price.usd
    wrong = [key for key, by in prices.items() if "spot" in by and "on_demand" in by and by["spot"] >= by["on_demand"]]
    assert wrong == []


def test_sources_of_one_key_agree_within_one_percent_or_the_offer_says_so(catalog: Catalog) -> None:
    checked = 0
    for offer in catalog.offers(accelerated=True):
        price = offer.price
        key = f"{price.provider},{price.item},{price.region},{price.purchase}"
        for second in catalog.second_opinions.get(key, ()):
            checked += 1
            if abs(second.usd - price.usd) > price.usd / 100:
                assert any(flag.startswith("sources differ by") for flag in offer.flags), key
    assert checked > 500


def test_undated_and_weak_prices_are_flagged(catalog: Catalog) -> None:
    for offer in catalog.offers(accelerated=True):
        weakness = FLAG_OF_METHOD.get(catalog.sources[offer.price.source].method)
        assert (UNDATED in offer.flags) == (offer.price.as_of is None)
        assert weakness is None or weakness in offer.flags
        assert not (weakness and "thin spot" in weakness) or offer.term.kind is PurchaseKind.SPOT


def test_a_minimum_discount_or_an_estimate_never_became_a_price(catalog: Catalog) -> None:
    purchases = {
        provider: {
            offer.price.purchase for offer in catalog.offers(accelerated=True) if offer.machine.provider == provider
        }
        for provider in ("coreweave", "nebius", "hyperstack", "crusoe")
    }
    assert purchases == {
        "coreweave": {"on_demand", "spot"},
        "nebius": {"on_demand", "spot"},
        "hyperstack": {"on_demand", "spot"},
        "crusoe": {"on_demand", "spot"},
    }
    assert "up to 60%" in catalog.terms["reserved", "coreweave"].note
    assert "up to 35%" in catalog.terms["reserved", "nebius"].note
    assert not [name for provider, name in catalog.machines if provider == "crusoe" and "b200" in name]


def test_p5e_has_no_on_demand_price(catalog: Catalog) -> None:
    purchases = {
        offer.price.purchase
        for offer in catalog.offers(accelerated=True, provider="aws")
        if offer.machine.name == "p5e.48xlarge"
    }
    assert purchases == {"capacity_block", "spot"}


def test_every_accelerator_in_a_machine_is_described_and_every_description_is_used(catalog: Catalog) -> None:
    used = {machine.accelerator for machine in catalog.machines.values() if machine.accelerator}
    assert used <= set(catalog.accelerators)
    assert set(catalog.accelerators) - used == {"A100-PCIe-40GB"} - used


def test_the_name_of_an_accelerator_says_its_family_form_and_memory(catalog: Catalog) -> None:
    for accelerator in catalog.accelerators.values():
        assert accelerator.name.startswith(accelerator.family)
        assert accelerator.name.endswith(f"{accelerator.memory_gb}GB")
        if accelerator.form is not Form.CUSTOM:
            assert f"-{accelerator.form.value}-" in accelerator.name


def test_sparse_peaks_are_twice_the_dense_ones_within_the_rounding_of_datasheets(catalog: Catalog) -> None:
    for accelerator in catalog.accelerators.values():
        for precision, dense in accelerator.tflops.items():
            sparse = accelerator.tflops_sparse.get(precision)
            assert sparse is None or Decimal("1.98") < sparse / dense < Decimal("2.03"), accelerator.name


@pytest.mark.parametrize(
    ("name", "half_precision", "nvlink"),
    [
        ("V100-SXM-16GB", 125, 150),
        ("A100-SXM-80GB", 312, 300),
        ("H100-SXM-80GB", 989, 450),
        ("B200-SXM-180GB", 2250, 900),
    ],
)
def test_peaks_and_links_of_the_founding_text(catalog: Catalog, name: str, half_precision: int, nvlink: int) -> None:
    accelerator = catalog.accelerators[name]
    assert int(accelerator.tflops["fp16"]) == half_precision
    assert accelerator.nvlink_gb_per_s == nvlink


def test_gpu_machines_agree_with_the_rows_they_came_from(catalog: Catalog) -> None:
    for machine in catalog.machines.values():
        assert machine.accelerators >= 0
        assert machine.architecture in ("x86_64", "arm64")
        assert (machine.efa_interfaces > 0) == (machine.fabric is Fabric.EFA)
        assert machine.vcpus is None or machine.vcpus > 0
        assert machine.memory_gib is None or machine.memory_gib > 0


def test_single_pods_are_not_clusters_and_gcp_a3_is_sxm(catalog: Catalog) -> None:
    machines = catalog.machines
    assert not [name for (provider, name), machine in machines.items() if provider == "runpod" and machine.cluster]
    assert not machines["lambda", "gpu_1x_h100_sxm5"].cluster
    assert machines["lambda", "1cc_8x_h100_sxm5"].cluster
    assert machines["aws", "p5.48xlarge"].fabric is Fabric.EFA
    for (provider, name), machine in machines.items():
        if provider == "gcp" and name.startswith("a3-"):
            assert machine.accelerator in ("H100-SXM-80GB", "H200-SXM-141GB")


def test_every_region_has_a_country_and_a_known_residency_group(catalog: Catalog) -> None:
    groups = Counter(region.residency for region in catalog.regions.values())
    assert set(groups) <= validation.RESIDENCIES
    assert catalog.regions["aws", "eu-west-2"].residency == "UK"
    assert catalog.regions["aws", "eu-central-2"].residency == "CH"
    assert catalog.regions["gcp", "europe-west4"].residency == "EU"
    assert catalog.regions["azure", "norwayeast"].residency == "EEA"
    assert catalog.regions["lambda", "any"].residency == "unknown"


def test_gpu_machines_of_aws_know_their_zones(catalog: Catalog) -> None:
    zones = catalog.zones(provider="aws", machine="p5.48xlarge", region="us-east-1")
    assert zones
    assert set(zones) <= set(catalog.regions["aws", "us-east-1"].zones)
    assert catalog.zones(provider="oci", machine="BM.GPU.H100.8", region="us-ashburn-1") == ()


def test_gpu_machines_of_google_cloud_know_zones_of_their_own_region(catalog: Catalog) -> None:
    machines = [each for (provider, _), each in catalog.machines.items() if provider == "gcp" and each.accelerator]
    known = {
        (each.name, region): catalog.zones(provider="gcp", machine=each.name, region=region)
        for each in machines
        for region in catalog.regions_of(each)
    }
    assert {key for key, zones in known.items() if not zones} == {
        (f"g4-standard-{size}", "europe-west10") for size in (48, 96, 192, 384)
    }
    assert all(zone.startswith(f"{region}-") for (_, region), zones in known.items() for zone in zones)
    assert known["a3-ultragpu-8g", "us-central1"] == ("us-central1-b",)


def test_the_egress_of_aws_reproduces_its_golden(catalog: Catalog) -> None:
    tiers = catalog.prices.tiers(provider="aws", item="internet_egress", region="us-east-1")
    assert [(tier.above, tier.usd) for tier in tiers] == [
        (0, Decimal("0.09")),
        (10240, Decimal("0.085")),
        (51200, Decimal("0.07")),
        (153600, Decimal("0.05")),
    ]
    assert tiers[0].usd * 10240 == Decimal("921.60")


def test_storage_tiers_are_priced_or_named_as_unpriced(catalog: Catalog) -> None:
    warm = catalog.tiers["aws", "warm"]
    assert (warm.item, warm.usable_share, warm.minimum_gb, warm.step_gb) == ("shared_ssd", Decimal("0.8"), 1200, 2400)
    unpriced = {
        (tier.provider, tier.item)
        for tier in catalog.tiers.values()
        if tier.item != validation.INCLUDED and not catalog.prices.of_item(provider=tier.provider, item=tier.item)
    }
    assert unpriced == {
        ("azure", "object_archive"),
        ("azure", "shared_ssd"),
        ("gcp", "shared_ssd"),
        ("lambda", "shared_ssd"),
    }


def test_the_founding_text_can_be_reckoned_from_its_book(book: Catalog) -> None:
    def per_1000(family: str, *, provider: str, machine: str) -> Decimal:
        offer = book.offer(provider=provider, machine=machine, region="any", purchase="on_demand")
        return offer.price.usd / book.nominals[family].tflops * 1000

    assert per_1000("A100", provider="aws", machine="p4d.24xlarge").quantize(Decimal("0.01")) == Decimal("14.90")
    assert int(per_1000("A100", provider="aws", machine="p4d.24xlarge") * 100) == 1489
    assert per_1000("H100", provider="gcp", machine="a3-highgpu-8g").quantize(Decimal("0.01")) == Decimal("12.34")
    assert per_1000("A100", provider="lambda", machine="gpu_8x_a100") == Decimal("4.69")
    assert per_1000("A100", provider="lambda", machine="gpu_8x_a100_80gb_sxm4") == Decimal("6.50")
    assert per_1000("H100", provider="lambda", machine="gpu_8x_h100_sxm5") == Decimal("3.36")
    assert per_1000("H100", provider="coreweave", machine="HGX-H100") == Decimal("6.91")
    cheaper = 1 - per_1000("H100", provider="lambda", machine="gpu_8x_h100_sxm5") / Decimal("12.34")
    assert (cheaper * 100).quantize(Decimal("0.1")) == Decimal("72.8")


def test_every_date_lies_between_the_founding_text_and_the_newest_reading(catalog: Catalog) -> None:
    today = datetime.now(UTC).date()
    assert catalog.prices.newest is not None
    assert catalog.prices.newest <= today
    published = {run.source for run in (*training_runs(), *serving_runs())}  # older than any price: runs stay true
    dates = [source.as_of for source in catalog.sources.values() if source.as_of and source.id not in published]
    assert min(dates) >= date(2023, 12, 6)
    assert max(dates) <= today


def test_the_page_of_sources_is_the_one_that_the_facts_make(catalog: Catalog) -> None:
    page = REPOSITORY / "docs/reference/sources.md"
    assert page.read_text(encoding="utf-8") == sources.render(catalog), f"make it again: {sources.COMMAND}"


@pytest.mark.skipif(not (SHARED / "data").is_dir(), reason=f"the raw facts are not here: {SHARED}/data (ATOLL_SHARED)")
def test_every_raw_on_demand_price_of_a_known_machine_agrees_within_one_percent(catalog: Catalog) -> None:
    compared = 0
    for name in ("instance_prices.csv", "instance_prices_extra.csv"):
        with (SHARED / "data" / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row["purchase"] != "on_demand" or (row["provider"], row["machine_type"]) not in catalog.machines:
                    continue
                compared += _agrees(catalog, row)
    assert compared > 28_000


def _agrees(catalog: Catalog, row: dict[str, str]) -> int:
    """1 where the raw row was compared; 0 where the catalog left it out on purpose or says that sources differ."""
    prices = catalog.prices.of_item(provider=row["provider"], item=row["machine_type"], region=row["region"])
    price = next((each for each in prices if each.purchase == "on_demand"), None)
    if price is None:
        assert row["machine_type"] in ("a3-highgpu-1g", "a3-highgpu-2g", "a3-highgpu-4g")
        return 0
    raw = Decimal(row["usd_per_hour"])
    if abs(raw - price.usd) <= price.usd / 100:
        return 1
    offer = catalog.offer(
        provider=row["provider"], machine=row["machine_type"], region=row["region"], purchase="on_demand"
    )
    assert any(flag.startswith("sources differ") for flag in offer.flags), row
    return 0


def test_every_table_of_the_price_book_names_its_sources() -> None:
    """What has none, or says them in words, is no part of the book's digest: it lies in a folder without machines."""
    headers = {path.name: path.read_text().partition("\n")[0].split(",") for path in ROOT.glob("*.csv")}
    assert {name for name, columns in headers.items() if "source" not in columns} == {"sources.csv"}


def test_the_stamp_is_of_the_files_that_are_here(catalog: Catalog) -> None:
    found = integrity.words_found(ROOT / integrity.NAME, digest=catalog.prices.digest)
    assert found == load(stamped=False).prices.words, f"stamp the catalog again: {validation.COMMAND}"


def test_a_changed_byte_is_looked_at_in_spite_of_the_stamp() -> None:
    assert integrity.words_found(ROOT / integrity.NAME, digest="other") is None
    assert integrity.words_found(ROOT / "aws" / integrity.NAME, digest="") is None


def test_every_source_has_a_cell_for_each_column() -> None:
    with (ROOT / "sources.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header[-1] == "entered"
    assert [row[0] for row in rows if len(row) != len(header)] == []
