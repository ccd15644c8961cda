from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from object_digest import of_bytes

from components.agents.mover.manifests import report
from components.agents.mover.manifests.comparison import NAMED, ComparisonTerms, ManifestComparison, compare
from components.agents.mover.manifests.manifest import ManifestError, ManifestWriter
from components.agents.mover.manifests.report import summarize_manifest
from components.agents.mover.manifests.row import ManifestRow
from components.agents.mover.manifests.scan import Sample

SIDES = report.ComparedBuckets(source="old/models", target="new/models")


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
    assert report.sentence(found) == (
        "4 objects, 17 bytes with 2 older versions and delete markers, 0 missing, 0 extra, 0 different"
    )
    assert (found.same, found.compared_rows, found.compared_bytes) == (6, 5, 17)


def test_missing_and_extra_are_counted_and_named(tmp_path: Path) -> None:
    found = compared(tmp_path, [*ROWS[1:4], ROWS[5], row("more\nlines"), row("zzz")])
    assert not found.proven
    assert [(each.key, each.order) for each in found.missing.first] == [("a b", 0), ("old", 1)]
    assert [each.key for each in found.extra.first] == ["more\nlines", "zzz"]
    assert report.sentence(found).endswith("2 missing, 2 extra, 0 different")
    told = report.text(found, ComparisonTerms(), SIDES)
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


def test_a_declared_loss_is_counted_and_named_and_no_difference(tmp_path: Path) -> None:
    target = [each for each in changed("tagged/", tags=()) if not each.order]
    assert not compared(tmp_path, target).proven
    found = compared(tmp_path, target, declared=frozenset({"tags", "versions"}))
    assert found.proven
    assert {word: [each.key for each in lost.first] for word, lost in found.declared.items()} == {
        "tags": ["tagged/"],
        "versions": ["old"],
    }
    assert report.sentence(found).endswith(
        "0 missing, 0 extra, 0 different, 1 without tags as declared, 1 without versions as declared"
    )


def test_a_declared_loss_hides_no_other(tmp_path: Path) -> None:
    found = compared(tmp_path, changed("tagged/", tags=(), metadata=()), declared=frozenset({"tags"}))
    assert [each.aspects for each in found.different.first] == [("metadata",)]
    headers = changed("模/型", headers=())
    found = compared(tmp_path, headers, declared=frozenset({"headers:cache-control"}))
    assert [each.aspects for each in found.different.first] == [("headers:content-type",)]


def test_bytes_that_were_not_read_prove_nothing_where_they_should_have_been(tmp_path: Path) -> None:
    unread = [replace(each, digest="") for each in ROWS]
    found = compared(tmp_path, unread)
    assert not found.proven
    assert report.sentence(found).endswith("0 different, 5 not read")
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
    assert f"missing: and {NAMED + 40} more" in report.text(found, ComparisonTerms(), SIDES)


def test_a_manifest_that_cannot_be_believed_proves_nothing(tmp_path: Path) -> None:
    there, here = written(tmp_path / "source", ROWS), written(tmp_path / "target", ROWS)
    here.write_bytes(here.read_bytes().replace(b'"old"', b'"odd"'))
    with pytest.raises(ManifestError, match="edited"):
        compare(there, here, ComparisonTerms())
    here.write_bytes(there.read_bytes()[:-80])
    with pytest.raises(ManifestError, match="cut off"):
        compare(here, there, ComparisonTerms())


def test_the_report_is_a_file_with_what_it_rests_on(tmp_path: Path) -> None:
    terms = ComparisonTerms(sample=Sample(percent=50, seed="drawn on Sunday"), reserved=".atoll/")
    found = compared(tmp_path, [*ROWS, row("bad \udcff key")])
    path = tmp_path / "reports" / "models.json"
    report.write(path, report.report(found, terms, SIDES))
    before = path.read_bytes()
    report.write(path, report.report(found, terms, SIDES))
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["models.json"]
    read = json.loads(before)
    assert read["sentence"] == report.sentence(found)
    assert read["proven"] is False
    assert read["extra"]["first"][0]["key"] == "bad \udcff key"
    assert read["bytes_read_on_both_sides"] == {"rows": 5, "bytes": 17, "percent_asked": 50, "seed": "drawn on Sunday"}
    assert read["source"]["manifest_sha256"] != read["target"]["manifest_sha256"]
    assert len(read["source"]["manifest_sha256"]) == 64
    with pytest.raises(OSError, match="source"):
        report.write(tmp_path / "source" / "r.json", {})


def test_what_a_bucket_uses_is_counted_from_its_manifest(tmp_path: Path) -> None:
    odd = [
        row("a  b"),
        row("tab\t", size=6 * 2**30),
        row("k" * 1020 + "éé"),
        row("a//../b"),
        row("packed", headers=(("content-encoding", "gzip"),)),
    ]
    found = summarize_manifest(written(tmp_path / "m", [*ROWS, *odd]))
    wanted = {
        "rows": 11,
        "objects": 9,
        "older_versions": 1,
        "delete_markers": 1,
        "with_tags": 1,
        "with_metadata": 1,
        "most_tags": 1,
        "content_encodings": {"gzip": 1},
        "content_types": {"text/plain": 1},
        "headers": {"cache-control": 1, "content-encoding": 1, "content-type": 1},
        "biggest": 6 * 2**30,
        "biggest_key": "tab\t",
        "over_5_gib": 1,
        "zero_byte": 1,
        "longest_key": 1024,
        "keys_with_spaces": 2,
        "keys_not_ascii": 2,
        "keys_with_control_characters": 1,
        "keys_ending_in_slash": 1,
        "keys_with_odd_parts": 1,
        "bucket": "models",
    }
    assert {name: found[name] for name in wanted} == wanted
    assert json.loads(json.dumps(found)) == found
