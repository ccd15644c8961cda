from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from object_digest import of_bytes

from components.agents.mover.compare import NAMED, ComparisonTerms, ManifestComparison, compare
from components.agents.mover.manifest import ManifestError, ManifestRow, ManifestWriter, write_json
from components.agents.mover.scan import Sample

SIDES = {"source": "old/models", "target": "new/models"}


def row(key: str, content: bytes = b"bytes", **more: Any) -> ManifestRow:
    first = ManifestRow(key=key, size=len(content), digest=of_bytes(content), etag="source's own", version="v1")
    return replace(first, **more)


ROWS = (
    row("a b"),
    row("模/型", b"x" * 10, headers=(("cache-control", "no-store"), ("content-type", "text/plain"))),
    row("tagged/", b"", tags=(("team", "vision"),), metadata=(("step", "7"),)),
    row("old", b"2"),
    row("old", b"1", order=1),
    ManifestRow(key="was", size=0, deleted=True),
)


def written(path: Path, rows: Any, *, etag: str = "") -> Path:
    with ManifestWriter(path, bucket="models") as writer:
        for each in rows:
            writer.add(replace(each, etag=etag or each.etag))
    return path


def compared(tmp_path: Path, target: Any, *, source: Any = ROWS, **terms: Any) -> ManifestComparison:
    there = written(tmp_path / "source", source)
    return compare(there, written(tmp_path / "target", target, etag="target's own"), ComparisonTerms(**terms))


def changed(key: str, order: int = 0, **to: Any) -> list[ManifestRow]:
    return [replace(each, **to) if (each.key, each.order) == (key, order) else each for each in ROWS]


def test_equal_sides_are_proven_whatever_their_etags_and_ids(tmp_path: Path) -> None:
    found = compared(tmp_path, [replace(each, version="v9") for each in ROWS])
    assert found.proven
    assert found.sentence == (
        "4 objects, 17 bytes with 2 older versions and delete markers, 0 missing, 0 extra, 0 different"
    )
    assert (found.same, found.compared_rows, found.compared_bytes) == (6, 5, 17)


def test_missing_and_extra_are_counted_and_named(tmp_path: Path) -> None:
    found = compared(tmp_path, [*ROWS[1:4], ROWS[5], row("more\nlines"), row("zzz")])
    assert not found.proven
    assert [(each.key, each.order) for each in found.missing.first] == [("a b", 0), ("old", 1)]
    assert [each.key for each in found.extra.first] == ["more\nlines", "zzz"]
    assert found.sentence.endswith("2 missing, 2 extra, 0 different")
    told = found.format_text(**SIDES)
    assert 'extra: "more\\nlines"\n' in told
    assert 'missing: "old", version 1 before the latest\n' in told


@pytest.mark.parametrize(
    ("target", "aspects"),
    [
        (changed("a b", digest=of_bytes(b"bytas")), ("bytes",)),
        (changed("a b", size=6), ("size",)),
        (changed("old", 1, digest=of_bytes(b"0")), ("bytes",)),
        (changed("was", deleted=False, digest=of_bytes(b"")), ("delete marker",)),
        (changed("模/型", headers=(("content-type", "text/html"),)), ("headers:cache-control", "headers:content-type")),
        (changed("tagged/", metadata=(("step", "8"),)), ("metadata",)),
        (changed("tagged/", tags=()), ("tags",)),
    ],
)
def test_what_differs_is_named(tmp_path: Path, target: list[ManifestRow], aspects: tuple[str, ...]) -> None:
    found = compared(tmp_path, target)
    assert not found.proven
    (named,) = found.different.first
    assert named.aspects == aspects
    assert named.source != named.target
    assert (found.same, found.different.count, found.by_aspect) == (5, 1, dict.fromkeys(aspects, 1))


def test_headers_that_differ_are_named_one_by_one(tmp_path: Path) -> None:
    found = compared(tmp_path, changed("模/型", headers=()))
    assert [each.aspects for each in found.different.first] == [("headers:cache-control", "headers:content-type")]


def test_bytes_that_were_not_read_prove_nothing_where_they_should_have_been(tmp_path: Path) -> None:
    unread = [replace(each, digest="") for each in ROWS]
    found = compared(tmp_path, unread)
    assert not found.proven
    assert found.sentence.endswith("0 different, 5 not read")
    sample = Sample(percent=50, seed="s")
    drawn = [each if sample.reads(each.key, each.size) else replace(each, digest="") for each in ROWS]
    found = compared(tmp_path, drawn, sample=sample)
    assert found.proven
    assert 0 < found.compared_rows < 5


def test_our_own_objects_are_left_out_and_counted(tmp_path: Path) -> None:
    found = compared(tmp_path, [*ROWS, row(".atoll/ledger")], reserved=".atoll/")
    assert (found.proven, found.reserved) == (True, 1)


def test_counts_are_exact_where_names_are_not_all_kept(tmp_path: Path) -> None:
    many = [row(f"k{at}") for at in range(NAMED + 50)]
    found = compared(tmp_path, [], source=many)
    assert (found.missing.count, len(found.missing.first)) == (NAMED + 50, NAMED)
    assert f"missing: and {NAMED + 40} more" in found.format_text(**SIDES)


def test_a_manifest_that_cannot_be_believed_proves_nothing(tmp_path: Path) -> None:
    there, here = written(tmp_path / "source", ROWS), written(tmp_path / "target", ROWS)
    here.write_bytes(here.read_bytes().replace(b'"old"', b'"odd"'))
    with pytest.raises(ManifestError, match="edited"):
        compare(there, here, ComparisonTerms())
    here.write_bytes(there.read_bytes()[:-80])
    with pytest.raises(ManifestError, match="cut off"):
        compare(here, there, ComparisonTerms())


def test_the_report_is_a_file_with_what_it_rests_on(tmp_path: Path) -> None:
    sample = Sample(percent=50, seed="drawn on Sunday")
    found = compared(tmp_path, [*ROWS, row("bad \udcff key")], sample=sample, reserved=".atoll/")
    path = tmp_path / "reports" / "models.json"
    write_json(path, found.build_report(**SIDES))
    before = path.read_bytes()
    write_json(path, found.build_report(**SIDES))
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["models.json"]
    read = json.loads(before)
    assert read["sentence"] == found.sentence
    assert read["proven"] is False
    assert read["extra"]["first"][0]["key"] == "bad \udcff key"
    assert read["bytes_read_on_both_sides"] == {"rows": 5, "bytes": 17, "percent_asked": 50, "seed": "drawn on Sunday"}
    assert read["source"]["manifest_sha256"] != read["target"]["manifest_sha256"]
    assert len(read["source"]["manifest_sha256"]) == 64
    with pytest.raises(OSError, match="source"):
        write_json(tmp_path / "source" / "r.json", {})
