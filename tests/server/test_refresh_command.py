"""`atoll catalog refresh` as its own process, against a server of recorded offers: what it says and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import pytest
from aws_recordings import ROOT, VERSION, offer_routes, offer_text
from azure_recordings import PATH, answer
from child_signals import hear_interrupts
from google_recordings import routes as google_routes
from price_server import Asked, PriceServer, Route, price_server

from catalogs.catalog import ROOT as CATALOG
from catalogs.catalog import load
from catalogs.refreshed.layers import CatalogLayers
from cli.commands.checklist.schema import schema

pytestmark = [pytest.mark.server, pytest.mark.enable_socket]
ATOLL = Path(sys.executable).parent / "atoll"
EC2 = f"{ROOT}/AmazonEC2/{VERSION}/us-east-1/index.csv"
ONE_REGION = ("--provider", "aws", "--region", "us-east-1", "--services", "--today", "2026-12-31")


@dataclass(frozen=True)
class Refresh:
    """The command with its server and the folder of its renewed prices."""

    server: PriceServer
    renewed: Path

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "ATOLL_PRICES_AWS_BULK": self.server.address, "ATOLL_CATALOG": str(self.renewed)}

    def run(self, *words: str, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        command = [ATOLL, "catalog", "refresh", *words]
        settings = {**self.environment, **(environment or {})}
        return subprocess.run(command, env=settings, capture_output=True, text=True, check=False, timeout=120)

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [ATOLL, "catalog", "refresh", *words],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=hear_interrupts,  # noqa: PLW1509 - sets one signal, and no other thread has a lock that it wants
        )

    def digest(self) -> str:
        return load(layers=CatalogLayers(CATALOG, self.renewed)).prices.digest


@pytest.fixture
def refresh(tmp_path: Path) -> Iterator[Refresh]:
    with price_server(offer_routes()) as server:
        yield Refresh(server, tmp_path / "renewed")


OLD = load(layers=CatalogLayers(CATALOG)).prices.digest


def cheaper(price: str) -> Route:
    return offer_text("AmazonEC2").replace('"0.0800000000"', f'"{price}"')


def test_prices_are_written_and_the_next_command_uses_them(refresh: Refresh) -> None:
    refresh.server.routes[EC2] = cheaper("0.0850000000")
    done = refresh.run(*ONE_REGION)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert "The catalog on disk is the new one." in done.stdout
    assert "aws disk us-east-1 list" in done.stdout
    assert "+6.2%" in done.stdout
    assert "us-east-1: AmazonEC2" in done.stderr
    assert refresh.digest() != OLD
    shown = subprocess.run(
        [ATOLL, "catalog", "show", "disk", "--json"],
        env=refresh.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    prices = [each for each in json.loads(shown.stdout)["prices"] if each["region"] == "us-east-1"]
    assert [(each["usd"], each["as_of"]) for each in prices if each["provider"] == "aws"] == [("0.085", "2026-11-18")]


@pytest.mark.parametrize(
    ("provider", "region", "variable", "routes", "source"),
    [
        ("aws", "us-east-1", "ATOLL_PRICES_AWS_BULK", offer_routes(), "aws-price-list"),
        ("azure", "eastus", "ATOLL_PRICES_AZURE_RETAIL", {PATH: answer}, "azure-retail-prices"),
        ("gcp", "us-central1", "ATOLL_PRICES_GOOGLE_BILLING", google_routes(), "google-billing-catalog"),
    ],
    ids=["aws", "azure", "gcp"],
)
def test_each_vendors_list_makes_a_catalog_that_is_sound(
    tmp_path: Path, *, provider: str, region: str, variable: str, routes: Mapping[str, Route], source: str
) -> None:
    with price_server(routes) as server:
        refresh = Refresh(server, tmp_path / "renewed")
        settings = {variable: server.address, "ATOLL_PRICES_GPUHUNT": server.address, "GOOGLE_API_KEY": "key"}
        done = refresh.run("--provider", provider, "--region", region, "--json", environment=settings)
    form = json.loads(done.stdout)
    assert (done.returncode, form["written"], form["refused"], form["sections_refused"]) == (0, True, [], []), form
    assert {each["text"] for each in form["silent"]} <= {
        f"published catalogs of gpuhunt: {server.address}/{provider}/version answers 404"
    }
    rows = (refresh.renewed / provider / "prices.csv").read_text().splitlines()
    assert sum(f",{source}," in row for row in rows) > 10
    assert source in (refresh.renewed / "sources.csv").read_text()
    assert refresh.digest() != OLD


def test_a_dry_run_prints_its_document_and_writes_nothing(refresh: Refresh) -> None:
    done = refresh.run(*ONE_REGION, "--dry-run", "--json")
    document = json.loads(done.stdout)
    jsonschema.validate(document, schema("refresh"), cls=jsonschema.Draft202012Validator)
    assert (done.returncode, document["written"]) == (0, False)
    assert document["state"] == "the catalog on disk is the old one: this was a dry run"
    assert not refresh.renewed.exists()


def test_what_moved_far_is_held_until_it_is_accepted(refresh: Refresh) -> None:
    refresh.server.routes[EC2] = cheaper("0.8000000000")
    held = refresh.run(*ONE_REGION)
    assert "Held back" in held.stdout
    assert "+900.0%" in held.stdout
    assert [each["after"] for each in json.loads(refresh.run(*ONE_REGION, "--json").stdout)["held"]] == ["0.8"]
    taken = json.loads(refresh.run(*ONE_REGION, "--accept", "--json").stdout)
    assert (taken["held"], [each["after"] for each in taken["moves"]]) == ([], ["0.8"])


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--provider", "nobody"), 2, "'nobody' is none of aws, azure"),
        (("--provider", "aws", "--region", "westeurope"), 2, "'westeurope' is no region of aws in the catalog"),
        (("--region", "atlantis"), 2, "'atlantis' is no region in the catalog"),
        (("--from", "nothing.csv"), 1, "there is no such file"),
        (("--provider", "aws", "--today", "2020-01-01"), 1, "today is 2020-01-01 on this machine"),
        (("--provider", "gcp", "--services"), 3, "no key in GOOGLE_API_KEY for the Google Cloud Billing Catalog"),
        (("--provider", "paperspace"), 3, "fill a file and give it with --from"),
    ],
)
def test_it_ends_as_documented_with_one_sentence(
    refresh: Refresh, words: tuple[str, ...], code: int, said: str
) -> None:
    done = refresh.run(*words, environment={"GOOGLE_API_KEY": ""})
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert said in " ".join((done.stdout + done.stderr).split())
    assert refresh.digest() == OLD


def test_a_provider_that_answers_nonsense_ends_with_3_and_the_old_catalog(refresh: Refresh) -> None:
    for path in list(refresh.server.routes):
        refresh.server.routes[path] = "<html>Sign in</html>"
    done = refresh.run(*ONE_REGION)
    assert done.returncode == 3
    assert "answers no JSON but '<html>Sign in</html>'" in " ".join(done.stdout.split())
    assert "The catalog on disk is the old one" in done.stdout
    assert refresh.digest() == OLD


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stop_while_it_reads_leaves_the_old_catalog_and_says_so(
    refresh: Refresh, number: signal.Signals, code: int
) -> None:
    asked, over = threading.Event(), threading.Event()

    def wait(_asked: Asked) -> str:
        asked.set()
        over.wait(60)
        return ""

    refresh.server.routes[EC2] = wait
    process = refresh.start(*ONE_REGION)
    try:
        assert asked.wait(60)
        time.sleep(0.2)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    finally:
        over.set()
        process.kill()
    assert process.returncode == code
    assert said.splitlines()[-1] == "stopped; the catalog on disk is the old one, whole"
    assert "Traceback" not in said
    assert refresh.digest() == OLD
