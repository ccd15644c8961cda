"""A refresh from a file, and of readers that are played: what is written, what stays, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from refresh_kit import LIST, OLD, TODAY, found, make_catalog, section

from catalogs.catalog import load
from catalogs.refreshed.layers import CatalogLayers
from cli.commands.quoting import catalog_refresh
from operations.price_refresh import collection
from operations.price_refresh.collection import RefreshScope
from operations.price_refresh.model import (
    PriceReadError,
    PriceRefreshError,
    PriceRequest,
    PriceSection,
    ReaderEntry,
    SectionKind,
    SilentSection,
)
from operations.price_refresh.refresh import RefreshOrder, RefreshOutcome, refresh_catalog
from operations.price_refresh.report import RefreshReport
from operations.project.http import HttpError
from planning.values.errors import InputError

DISK = found("disk", "0.09", unit="GB-month")
HEADER = "provider,item,region,purchase,unit,usd,above,source,as_of"
CREST = "crusoe,a100-80gb.1x,any,on_demand,hour,2,0,crusoe-page,2026-11-20"


def run(layers: CatalogLayers, order: RefreshOrder | None = None, **environment: str) -> RefreshOutcome:
    return refresh_catalog(
        order or RefreshOrder(), layers=layers, today=TODAY, environment=environment, tell=lambda _text: None
    )


class Played:
    """Readers that answer what a test says; an exception in the list is raised there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *entries: ReaderEntry) -> None:
        self.answers: dict[str, list[PriceSection | SilentSection | Exception]] = {each.id: [] for each in entries}
        self.asked: list[PriceRequest] = []
        monkeypatch.setattr(collection, "reader_entries", lambda: entries)
        monkeypatch.setattr(collection, "reader_of", lambda entry: _Reader(self, entry.id))


class _Reader:
    def __init__(self, played: Played, name: str) -> None:
        self.played, self.name = played, name

    def read(self, request: PriceRequest) -> Iterator[PriceSection | SilentSection]:
        self.played.asked.append(request)
        for each in self.played.answers[self.name]:
            if isinstance(each, Exception):
                raise each
            yield each


def entry(name: str = "bulk", *, rank: int = 1, keys: tuple[str, ...] = ()) -> ReaderEntry:
    return ReaderEntry(
        id=name,
        title=f"list {name}",
        providers=("aws",),
        kinds=tuple(SectionKind),
        module="",
        address="https://prices.example",
        keys=keys,
        rank=rank,
    )


def lines(layers: CatalogLayers, provider: str = "aws") -> list[str]:
    return (layers.root / provider / "prices.csv").read_text().splitlines()[1:]


def run_mixed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[CatalogLayers, RefreshOutcome]:
    """A run whose source has prices of every kind: new, same, changed, held, refused, and a region that is silent."""
    layers = make_catalog(folder)
    played = Played(monkeypatch, entry())
    played.answers["bulk"] = [
        section(
            DISK,
            found("disk_iops", "0.0055000000", unit="IOPS-month"),
            found("public_ipv4", "0.05"),
            found("disk_fast", "0", unit="GB-month"),
        ),
        section(found("m5.xlarge", "0.214", purchase="on_demand")),
        section(found("m99.metal", "1", purchase="on_demand"), region="us-east-1"),
        SilentSection(
            provider="aws", region="eu-west-2", kind=SectionKind.SERVICES, reason="the list has no such region"
        ),
    ]
    return layers, run(layers)


def test_what_passes_is_written_with_its_source_and_the_rest_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layers, _ = run_mixed(tmp_path, monkeypatch)
    assert lines(layers) == sorted(
        [
            "aws,disk,eu-west-1,list,GB-month,0.09,0,aws-bulk,2026-11-20",
            "aws,disk_iops,eu-west-1,list,IOPS-month,0.0055,0,aws-bulk,2026-11-20",
            "aws,m5.xlarge,eu-west-1,on_demand,hour,0.214,0,aws-bulk,2026-11-20",
            *(row for row in OLD if ",disk," not in row and "m5.xlarge,eu" not in row),
        ]
    )
    assert "aws-bulk,AWS price list,https://aws.amazon.com,2026-11-20,list" in (layers.root / "sources.csv").read_text()


def test_the_report_says_what_became_of_each_price(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, outcome = run_mixed(tmp_path, monkeypatch)
    form = RefreshReport(outcome).form()
    assert form["providers"] == [
        {
            "provider": "aws",
            "new": 1,
            "same": 1,
            "changed": 1,
            "held": 1,
            "refused": 1,
            "older": 0,
            "undescribed": 0,
            "gone": 0,
        }
    ]
    assert [(each["item"], each["before"], each["after"], each["change"]) for each in form["moves"]] == [
        ("disk", "0.088", "0.09", "0.0227272727")
    ]
    assert [(each["item"], each["change"]) for each in form["held"]] == [("public_ipv4", "9")]
    assert [each["item"] for each in form["refused"]] == ["disk_fast"]
    assert [(each["region"], each["text"]) for each in form["sections_refused"]] == [
        ("us-east-1", "no price of it can be used")
    ]
    assert [each["text"] for each in form["silent"]] == ["the list has no such region"]
    assert form["stays"] == [
        {"provider": "aws", "kind": "machines", "rows": 1, "oldest": "2026-05-01", "days": 206, "undated": 0},
        {"provider": "aws", "kind": "services", "rows": 3, "oldest": "2026-05-01", "days": 206, "undated": 0},
    ]
    assert form["state"] == "the catalog on disk is the new one"
    assert RefreshReport(outcome).without_answer() == ()


def test_a_second_run_changes_nothing_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layers = make_catalog(tmp_path)
    played = Played(monkeypatch, entry())
    played.answers["bulk"] = [section(DISK)]
    assert run(layers).written
    before = load(root=layers.root, layers=layers).prices.digest
    again = run(layers)
    assert not again.written
    assert RefreshReport(again).form()["state"] == "the catalog on disk is the old one: nothing in it would change"
    assert load(root=layers.root, layers=layers).prices.digest == before


def test_a_dry_run_says_the_same_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layers = make_catalog(tmp_path)
    Played(monkeypatch, entry()).answers["bulk"] = [section(DISK)]
    before = lines(layers)
    form = RefreshReport(run(layers, RefreshOrder(dry_run=True))).form()
    assert (form["written"], form["providers"][0]["changed"]) == (False, 1)
    assert lines(layers) == before


def test_the_later_date_wins_then_the_lower_rank_and_a_difference_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layers = make_catalog(tmp_path)
    played = Played(monkeypatch, entry("table", rank=3), entry("bulk"), entry("late", rank=4))
    later = date(2026, 11, 22)
    source = replace(LIST, id="aws-table")
    played.answers["table"] = [section(replace(DISK, amount=Decimal("0.095")), source=source)]
    played.answers["bulk"] = [section(DISK)]
    assert RefreshReport(run(layers)).form()["disagreeing"][0]["text"] == "aws-table says 0.095"
    seconds = layers.root / "aws/second_source.csv"
    assert seconds.read_text().splitlines()[1:] == ["aws,disk,eu-west-1,list,0.095,aws-table,2026-11-20"]
    assert load(root=layers.root, layers=layers).second_opinions["aws,disk,eu-west-1,list"][0].usd == Decimal("0.095")
    again = RefreshReport(run(layers)).form()["disagreeing"][0]["text"]
    assert again == "aws-table says 0.095"
    assert "aws,disk,eu-west-1,list,GB-month,0.09,0,aws-bulk,2026-11-20" in lines(layers)
    played.answers["late"] = [
        section(replace(DISK, amount=Decimal("0.091"), as_of=later), source=replace(source, id="late"))
    ]
    played.answers["table"] = [section(DISK, source=source)]
    run(layers)
    assert "aws,disk,eu-west-1,list,GB-month,0.091,0,late,2026-11-22" in lines(layers)
    assert seconds.read_text().splitlines()[1:] == [
        "aws,disk,eu-west-1,list,0.09,aws-bulk,2026-11-20",
        "aws,disk,eu-west-1,list,0.09,aws-table,2026-11-20",
    ]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            HttpError("https://prices.example/x broke off after 900 bytes"),
            "list bulk: https://prices.example/x broke",
        ),
        (PriceReadError("it answers no JSON"), "list bulk: it answers no JSON"),
        (KeyError("Items"), "list bulk has changed its form (KeyError 'Items')"),
        (RecursionError(), "list bulk has changed its form"),
    ],
)
def test_a_source_that_breaks_off_keeps_what_it_gave_and_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    layers = make_catalog(tmp_path)
    played = Played(monkeypatch, entry(), entry("other"))
    played.answers["bulk"] = [section(DISK), error]
    played.answers["other"] = [section(found("m5.xlarge", "0.215", purchase="on_demand"))]
    form = RefreshReport(run(layers)).form()
    assert form["providers"][0]["changed"] == 2
    assert all(each["text"].startswith(said) for each in form["silent"])
    assert len(form["silent"]) == 2


def test_a_source_that_is_stopped_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layers = make_catalog(tmp_path)
    played = Played(monkeypatch, entry())

    def stop(_request: PriceRequest) -> Iterator[PriceSection]:
        yield section(DISK)
        raise KeyboardInterrupt

    monkeypatch.setattr(_Reader, "read", lambda _self, request: stop(request))
    before = load(root=layers.root, layers=layers).prices.digest
    with pytest.raises(KeyboardInterrupt):
        run(layers)
    assert load(root=layers.root, layers=layers).prices.digest == before
    assert played.asked == []


def test_a_reader_without_its_key_is_not_asked_and_that_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layers = make_catalog(tmp_path)
    played = Played(monkeypatch, entry(keys=("THE_KEY",)))
    report = RefreshReport(run(layers))
    assert [each["text"] for each in report.form()["silent"]] == ["no key in THE_KEY for the list bulk"] * 2
    assert (played.asked, report.without_answer()) == ([], ())
    named = RefreshReport(run(layers, RefreshOrder(scope=RefreshScope(providers=("aws",)))))
    assert named.without_answer() == ("aws",)
    run(layers, THE_KEY="secret")
    assert played.asked[0].keys == {"THE_KEY": "secret"}


def test_only_what_was_asked_for_is_asked_and_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layers = make_catalog(tmp_path)
    played = Played(monkeypatch, entry())
    played.answers["bulk"] = [section(DISK), section(DISK, region="us-east-1")]
    scope = RefreshScope(
        providers=("aws", "paperspace"), regions=("us-east-1",), kinds=frozenset({SectionKind.SERVICES})
    )
    report = RefreshReport(run(layers, RefreshOrder(scope=scope)))
    assert played.asked[0].regions == ("us-east-1",)
    assert played.asked[0].kinds == {SectionKind.SERVICES}
    assert [key[2] for key in report.outcome.picked.winners] == ["us-east-1"]
    assert report.without_answer() == ("paperspace",)
    assert "fill a file" in report.form()["silent"][0]["text"]


def test_a_mirror_is_asked_where_the_environment_names_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(monkeypatch, entry("my-list"))
    run(make_catalog(tmp_path), ATOLL_PRICES_MY_LIST="http://127.0.0.1:9/mirror/")
    assert played.asked[0].address == "http://127.0.0.1:9/mirror"


def test_a_clock_behind_the_catalog_refuses_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Played(monkeypatch, entry())
    layers = make_catalog(tmp_path)
    with pytest.raises(PriceRefreshError, match="today is 2020-01-01 on this machine, and the catalog has a price of"):
        refresh_catalog(RefreshOrder(), layers=layers, today=date(2020, 1, 1), environment={}, tell=print)


def test_a_file_is_taken_like_a_reader(tmp_path: Path) -> None:
    layers = make_catalog(tmp_path)
    file = tmp_path / "crusoe.csv"
    file.write_text(f"{HEADER}\n{CREST}\ncrusoe,disk,*,list,GB-month,0.08,0,crusoe-page-list,2026-11-20\n")
    outcome = run(layers, RefreshOrder(file=file))
    assert lines(layers, "crusoe") == [CREST, "crusoe,disk,*,list,GB-month,0.08,0,crusoe-page-list,2026-11-20"]
    assert 'crusoe-page,"Crusoe price page' in (layers.root / "sources.csv").read_text()
    assert RefreshReport(outcome).without_answer() == ()
    none = RefreshOrder(file=file, scope=RefreshScope(providers=("coreweave",)))
    assert RefreshReport(run(layers, none)).without_answer() == ("coreweave",)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", [(1, 1, "the first line does not name the columns")]),
        ("a,b\n", [(1, 1, "the first line does not name the columns")]),
        (
            f"{HEADER}\n{CREST}\nnobody,x,any,on_demand,hour,-1,x,nowhere,soon\ncrusoe,x\n",
            [
                (3, 1, "unknown provider 'nobody'"),
                (3, 29, "'-1' is negative"),
                (3, 32, "'x' is not a number"),
                (3, 34, "unknown source 'nowhere'"),
                (3, 42, "'soon' is no date"),
                (4, 1, "2 cells; a row has 9"),
            ],
        ),
        (f"{HEADER}\n{CREST.replace('2026-11-20', '')}\n", [(2, 56, "'' is no date")]),
        (f"{HEADER}\n{CREST.replace(',2,', ',1e400000,')}\n", [(2, 40, "'1e400000' is no amount of money or data")]),
        (f"{HEADER}\n{CREST}\n".replace("a100", "a\x00b"), [(2, 8, "no control characters")]),
        (f"{HEADER}\ncrusoe,a\rb\n", [(2, 0, "no row of comma-separated cells")]),
    ],
)
def test_a_faulty_file_is_told_whole_with_its_places(
    tmp_path: Path, text: str, told: list[tuple[int, int, str]]
) -> None:
    layers = make_catalog(tmp_path)
    file = tmp_path / "bad.csv"
    file.write_text(text)
    with pytest.raises(InputError) as raised:
        run(layers, RefreshOrder(file=file))
    assert [(each.line, each.column, each.message) for each in raised.value.faults] == told
    assert all(each.hint for each in raised.value.faults)


def test_a_machine_of_a_file_that_the_catalog_does_not_know_is_named(tmp_path: Path) -> None:
    layers = make_catalog(tmp_path)
    file = tmp_path / "crusoe.csv"
    file.write_text(f"{HEADER}\n{CREST}\n{CREST.replace('a100-80gb.1x', 'z9000.8x')}\n")
    outcome = run(layers, RefreshOrder(file=file))
    assert RefreshReport(outcome).form()["unknown_machines"] == ["crusoe z9000.8x"]
    assert lines(layers, "crusoe") == [CREST]


def test_the_catalog_of_an_installed_package_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog_refresh, "ROOT", tmp_path / "site-packages" / "catalogs")
    with pytest.raises(InputError, match="is not written") as raised:
        catalog_refresh._refuse_package(CatalogLayers(tmp_path))
    assert raised.value.hint == "name a folder for renewed prices in ATOLL_CATALOG"
    catalog_refresh._refuse_package(CatalogLayers(tmp_path, tmp_path / "renewed"))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    layers = make_catalog(tmp_path)
    (tmp_path / "x").write_bytes(b"\xff\xfe\x00")
    for name, said in (("x", "it is no UTF-8 text"), ("nothing", "there is no such file"), (".", "this is a folder")):
        with pytest.raises(InputError, match=said):
            run(layers, RefreshOrder(file=tmp_path / name))


def test_a_file_of_one_row_takes_no_other_price_away(tmp_path: Path) -> None:
    layers = make_catalog(tmp_path)
    file = tmp_path / "disk.csv"
    row = "aws,disk,eu-west-1,list,GB-month,0.09,0,ic-2024-07,2026-11-20"
    file.write_text(f"{HEADER}\n{row}\n")
    outcome = run(layers, RefreshOrder(file=file))
    assert lines(layers, "aws") == sorted([row, *OLD[1:]])
    assert RefreshReport(outcome).form()["gone"] == []


def test_tiers_of_a_file_that_were_read_in_two_places_are_one_price(tmp_path: Path) -> None:
    layers = make_catalog(tmp_path)
    file = tmp_path / "egress.csv"
    rows = [
        "aws,internet_egress,eu-west-1,list,GB,0.08,10240,ic-transfer,2026-11-20",
        "aws,internet_egress,eu-west-1,list,GB,0.091,0,ic-2024-07,2026-11-20",
    ]
    file.write_text("\n".join((HEADER, *rows)) + "\n")
    run(layers, RefreshOrder(file=file))
    assert [line for line in lines(layers, "aws") if "egress" in line] == rows
    dated = [line for line in (layers.root / "sources.csv").read_text().splitlines() if ",2026-11-20," in line]
    assert {"ic-transfer", "ic-2024-07"} <= {line.partition(",")[0] for line in dated}
