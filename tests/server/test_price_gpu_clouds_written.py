"""A whole refresh of the GPU clouds against recorded answers: what is written, and that wrong answers write nothing."""

from __future__ import annotations

import json
from pathlib import Path
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
    published,
)
from price_server import TODAY, Answer, PriceServer, price_server

from catalogs.catalog import ROOT, load
from catalogs.refreshed.layers import CatalogLayers
from operations.price_refresh.collection import RefreshScope
from operations.price_refresh.model import SectionKind
from operations.price_refresh.refresh import RefreshOrder, RefreshOutcome, refresh_catalog
from operations.price_refresh.registry import reader_entries

pytestmark = [pytest.mark.server, pytest.mark.enable_socket]
OURS = [each for each in reader_entries() if each.module.split(".")[2] == "gpu_clouds"]
KEYS = {key: "secret" for each in OURS for key in each.keys}
CLOUDS = ("digitalocean", "hyperstack", "lambda", "nebius", "oci", "runpod")
ROUTES: dict[str, Any] = {
    **published("nebius", [catalog_row("gpu-h100-sxm 8gpu-128vcpu-1600gb", "eu-north1", "36.0", 8)]),
    "/pls/apex/cetools/api/v1/products/": {**ORACLE, "lastUpdated": "2026-11-20T13:27:33.583Z"},
    "/api/v1/instance-types": LAMBDA,
    "/graphql": RUNPOD,
    "/v2/sizes": DROPLETS,
    "/v1/pricebook": json.dumps(HYPERSTACK_BOOK),
    "/v1/core/flavors": HYPERSTACK_FLAVORS,
}


def refresh(folder: Path, routes: dict[str, Any], *providers: str, keys: dict[str, str] = KEYS) -> RefreshOutcome:
    with price_server(routes) as server:
        return refresh_from(server, folder, *providers, keys=keys)


def refresh_from(server: PriceServer, folder: Path, *providers: str, keys: dict[str, str] = KEYS) -> RefreshOutcome:
    addresses = {each.address_variable: server.address + "/v3" * (each.id == "gpuhunt") for each in OURS}
    return refresh_catalog(
        RefreshOrder(scope=RefreshScope(providers=providers or CLOUDS)),
        layers=CatalogLayers(ROOT, folder),
        today=TODAY,
        environment={**addresses, **keys},
        tell=lambda _: None,
    )


def written(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def test_every_reader_writes_dated_rows_with_a_source(tmp_path: Path) -> None:
    outcome = refresh(tmp_path, ROUTES)
    assert outcome.written
    assert {each.section.provider for each in outcome.judged if not each.refused} == set(CLOUDS)
    new = load(layers=CatalogLayers(ROOT, tmp_path))
    for key, winner in outcome.picked.winners.items():
        provider, item, region, purchase = key
        tiers = new.prices.tiers(provider=provider, item=item, region=region, purchase=purchase)
        assert [(each.usd, each.above) for each in tiers] == [(each.amount, each.above) for each in winner.tiers]
        assert all(each.as_of and each.source in new.sources for each in tiers)
    assert {key[1] for key in outcome.picked.winners} >= {
        "gpu_1x_a10",
        "h200-secure",
        "n3-H100x8",
        "gpu-h100x1-80gb",
        "BM.GPU.H100.8",
        "gpu-h100-sxm_8gpu-128vcpu-1600gb",
    }


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    with price_server(ROUTES) as server:
        refresh_from(server, tmp_path)
        before = written(tmp_path)
        assert not refresh_from(server, tmp_path).written
    assert written(tmp_path) == before


def test_what_is_free_up_to_an_amount_passes_the_gates(tmp_path: Path) -> None:
    (services,) = [each for each in refresh(tmp_path, ROUTES, "oci").judged if each.section.region == "*"]
    assert {each.key[1]: each.reason for each in services.prices if each.reason} == {}


@pytest.mark.parametrize("provider", [each for each in CLOUDS if each not in {"oci", "nebius", "runpod"}])
def test_a_provider_without_its_key_is_one_sentence(provider: str, tmp_path: Path) -> None:
    outcome = refresh(tmp_path, {}, provider, keys={})
    assert not outcome.written
    keyed = [each.reason for each in outcome.silent if each.keyless]
    assert keyed
    assert all(each.startswith("no key in ") for each in keyed)


CENTS = "price_cents_per_hour"
WRONG: dict[str, Any] = {
    "a page": "<html><body>Sign in</body></html>",
    "half of it": json.dumps(LAMBDA)[:80],
    "an error": Answer(status=500),
    "a busy server": Answer(status=429, headers={"Retry-After": "1"}),
    "another host": Answer(status=302, headers={"Location": "https://elsewhere.example/x"}),
    "a refusal": Answer(status=401, body=b'{"error": {"code": "global/invalid-api-key"}}'),
    "an empty list": {"data": {}, "sizes": [], "items": [], "meta": {"total": 0}, "lastUpdated": "2026-11-20"},
    "what breaks off": Answer(body=b'{"data": {', claimed=4000),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("provider", ["lambda", "oci", "runpod", "digitalocean", "hyperstack"])
def test_a_wrong_answer_writes_nothing(provider: str, wrong: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    outcome = refresh(tmp_path, dict.fromkeys(ROUTES, WRONG[wrong]), provider)
    assert not outcome.written
    assert not [name for name in written(tmp_path) if name.endswith("prices.csv")]
    said = [each.reason for each in outcome.silent] + [each.refused for each in outcome.judged]
    assert all(said)
    assert all("\n" not in each for each in said)


@pytest.mark.parametrize("factor", [0, -1, 10])
def test_a_price_that_cannot_be_is_not_written(factor: int, tmp_path: Path) -> None:
    types = {
        name: {"instance_type": {**each["instance_type"], CENTS: factor * each["instance_type"][CENTS]}}
        for name, each in LAMBDA["data"].items()
    }
    outcome = refresh(tmp_path, {"/api/v1/instance-types": {"data": types}}, "lambda")
    assert not outcome.written
    assert {each.verdict.value for section in outcome.judged for each in section.prices} <= {"held", "refused"}


def test_a_truncated_archive_keeps_the_rows_of_before(tmp_path: Path) -> None:
    path = f"/v3/nebius/{VERSION}/catalog.zip"
    outcome = refresh(tmp_path, ROUTES | {path: ROUTES[path][:100]}, "nebius")
    assert not outcome.written
    (machines,) = [each.reason for each in outcome.silent if each.kind is SectionKind.MACHINES]
    assert machines.startswith("published catalogs of gpuhunt: ")
    assert machines.endswith("is no ZIP archive, or was cut off")
