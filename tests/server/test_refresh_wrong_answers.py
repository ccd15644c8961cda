"""Each kind of wrong answer against a whole refresh: the catalog is the old one or the new one, and it is said."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from aws_recordings import ROOT, ROWS, VERSION, Row, index, offer_routes, offer_text
from price_server import Answer, Route, price_server
from refresh_kit import make_catalog

from catalogs import validation
from catalogs.catalog import load
from catalogs.refreshed.layers import CatalogLayers
from operations.price_refresh.collection import RefreshScope
from operations.price_refresh.model import PriceRefreshError, SectionKind
from operations.price_refresh.refresh import RefreshOrder, refresh_catalog
from operations.price_refresh.report import RefreshForm, RefreshReport

pytestmark = [pytest.mark.server, pytest.mark.enable_socket]
TODAY = date(2026, 11, 23)
EC2 = f"{ROOT}/AmazonEC2/{VERSION}/us-east-1/index.csv"
OLD = (
    "aws,disk,us-east-1,list,GB-month,0.08,0,ic-2024-07,2026-05-01",
    "aws,nat_gateway,us-east-1,list,hour,0.045,0,aws-vpc-page,2026-09-20",
    "aws,object,us-east-1,list,GB-month,0.023,0,ic-2024-07,2026-05-01",
)
BUSY = Answer(status=429, headers={"Retry-After": "1"})
ELSEWHERE = Answer(status=302, headers={"Location": "https://elsewhere.example/"})
Routes = dict[str, Route]


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)


def run(layers: CatalogLayers, routes: Routes, *, today: date = TODAY, accept: bool = False) -> RefreshForm:
    scope = RefreshScope(providers=("aws",), regions=("us-east-1",), kinds=frozenset({SectionKind.SERVICES}))
    with price_server(routes) as server:
        outcome = refresh_catalog(
            RefreshOrder(scope=scope, accept=accept),
            layers=layers,
            today=today,
            environment={"ATOLL_PRICES_AWS_BULK": server.address},
            tell=lambda _text: None,
        )
    return RefreshReport(outcome).form()


def everywhere(answer: Route) -> Routes:
    return dict.fromkeys(offer_routes(), answer)


def changed(change: Callable[[dict[str, str]], None]) -> Routes:
    """Every offer with each row changed."""
    routes = offer_routes()
    for offer in ROWS:
        *preamble, header = offer_text(offer, ()).splitlines()
        rows = list(csv.DictReader(io.StringIO("\n".join([header, *offer_text(offer).splitlines()[6:]]))))
        for row in rows:
            change(row)
        text = io.StringIO()
        writer = csv.DictWriter(text, next(csv.reader([header])), quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        routes[f"{ROOT}/{offer}/{VERSION}/us-east-1/index.csv"] = "\n".join([*preamble, text.getvalue()])
    return routes


def one(usage: str, price: str, *more: Row) -> Routes:
    rows = [(name, unit, price if name == usage else was, extra) for name, unit, was, extra in ROWS["AmazonEC2"]]
    return offer_routes(AmazonEC2=offer_text("AmazonEC2", [*rows, *more]))


def with_price(price: str) -> Routes:
    return changed(lambda row: row.update(PricePerUnit=price))


def vanished() -> Routes:
    return {
        **offer_routes(),
        **{f"{ROOT}/{offer}/current/region_index.json": index(offer, "eu-west-1") for offer in ROWS},
    }


WHOLE = offer_text("AmazonEC2")
ALL_WRONG: dict[str, tuple[Callable[[], Routes], str]] = {
    "HTML instead of JSON": (lambda: everywhere("<html>Sign in</html>"), "answers no JSON but"),
    "429 with Retry-After": (lambda: everywhere(BUSY), "answers 429"),
    "redirect to another host": (lambda: everywhere(ELSEWHERE), "redirects to another host"),
    "no answer": (lambda: everywhere(Answer(body=b"{", claimed=900)), "Error"),
    "a region that vanished": (vanished, "has no us-east-1 any more"),
    "another currency": (lambda: changed(lambda row: row.update(Currency="CNY")), "no price of it can be used"),
    "price 0": (lambda: with_price("0.0000000000"), "no price of it can be used"),
    "negative": (lambda: with_price("-1"), "no price of it can be used"),
    "another unit": (lambda: changed(lambda row: row.update(Unit="Furlongs")), "no price of it can be used"),
    "a clock ahead": (
        lambda: {
            **offer_routes(),
            **{
                f"{ROOT}/{offer}/{VERSION}/us-east-1/index.csv": offer_text(offer, published="2027-05-01T00:00:00Z")
                for offer in ROWS
            },
        },
        "one of the two clocks is wrong",
    ),
}
ONE_WRONG: dict[str, tuple[Callable[[], Routes], str, str]] = {
    "HTML instead of CSV": (
        lambda: offer_routes(AmazonEC2="<html>"),
        "skipped",
        "where its FormatVersion should stand",
    ),
    "cut off": (lambda: offer_routes(AmazonEC2=WHOLE[: len(WHOLE) // 2]), "skipped", "AmazonEC2"),
    "network gone in the middle": (
        lambda: offer_routes(AmazonEC2=Answer(body=WHOLE.encode()[:3000], claimed=len(WHOLE))),
        "skipped",
        "broke off after",
    ),
    "10 times the old one": (lambda: one("EBS:VolumeUsage.gp3", "0.8"), "held", "disk"),
    "price 0": (lambda: one("EBS:VolumeUsage.gp3", "0.0"), "refused", "disk"),
    "two rows for one key": (
        lambda: one("EBS:VolumeUsage.gp3", "0.08", ("EBS:VolumeUsage.gp3", "GB-Mo", "0.081", {})),
        "refused",
        "disk",
    ),
}


@pytest.mark.parametrize("kind", ALL_WRONG)
def test_where_nothing_can_be_believed_the_catalog_is_the_old_one(tmp_path: Path, kind: str) -> None:
    make_routes, said = ALL_WRONG[kind]
    layers = make_catalog(tmp_path, rows=OLD)
    before = {path: path.read_bytes() for path in layers.root.rglob("*") if path.is_file()}
    form = run(layers, make_routes(), accept=True)
    told = " ".join(each["text"] for each in (*form["silent"], *form["sections_refused"]))
    assert said in told
    assert form["state"].startswith("the catalog on disk is the old one")
    assert {path: path.read_bytes() for path in layers.root.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("kind", ONE_WRONG)
def test_where_one_answer_is_wrong_its_rows_stay_and_the_catalog_is_the_new_one(tmp_path: Path, kind: str) -> None:
    make_routes, where, said = ONE_WRONG[kind]
    layers = make_catalog(tmp_path, rows=OLD)
    form = run(layers, make_routes())
    told = " ".join(" ".join(map(str, each.values())) for each in form[where])  # pyright: ignore[reportLiteralTypedDict]
    assert said in told
    assert form["state"] == "the catalog on disk is the new one"
    lines = (layers.root / "aws/prices.csv").read_text().splitlines()
    assert OLD[0] in lines  # the disk
    assert "aws,object,us-east-1,list,GB-month,0.023,0,aws-price-list,2026-11-18" in lines
    assert validation.faults(layers.root) == []


def test_a_list_that_is_older_than_the_rows_replaces_none(tmp_path: Path) -> None:
    rows = [f"{row[: row.rindex(',')]},2026-11-20" for row in OLD]
    layers = make_catalog(tmp_path, rows=rows)
    form = run(layers, offer_routes())
    assert form["providers"][0]["older"] == 3
    assert set(rows) < set((layers.root / "aws/prices.csv").read_text().splitlines())


def test_a_clock_that_is_behind_reads_nothing(tmp_path: Path) -> None:
    layers = make_catalog(tmp_path, rows=OLD)
    before = load(root=layers.root, layers=layers).prices.digest
    with pytest.raises(PriceRefreshError, match="today is 2026-01-01 on this machine") as raised:
        run(layers, offer_routes(), today=date(2026, 1, 1))
    assert raised.value.hint == "set the clock right; nothing was read"
    assert load(root=layers.root, layers=layers).prices.digest == before
