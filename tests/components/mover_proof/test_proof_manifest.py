from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proof_store import rows

from components.agents.mover import manifest as manifests
from components.agents.mover.manifest import Manifest, ManifestError, ManifestRow, ManifestWriter, line_of, row_of

ODD = (
    "plain",
    "with space",
    "with\nnewline",
    "with\ttab",
    "with\r\x00\x1f\x7f\x85\u2028control",
    "folder/",
    "//",
    "ünïcödé/模型/🤖",
    "invalid \udcff\ud800 surrogates",
    "a pair apart \ud83e\udd16",
    'quote " and \\ backslash',
    "k" * 1024,
    "é" * 512,
    "",
)
TEXT = st.text(st.characters(exclude_categories=[]), max_size=40)
PAIRS = st.lists(st.tuples(TEXT, TEXT), max_size=3).map(tuple)
ROWS = st.builds(
    ManifestRow,
    key=TEXT,
    size=st.integers(0, 2**63),
    order=st.integers(0, 9),
    deleted=st.booleans(),
    digest=st.sampled_from(["", "ab" * 32]),
    headers=PAIRS,
    metadata=PAIRS,
    tags=PAIRS,
    etag=TEXT,
    version=TEXT,
)


def written(path: Path, found: list[ManifestRow], *, run_bytes: int = 2**20) -> Path:
    with ManifestWriter(path, bucket="models", facts={"seed": "s"}, run_bytes=run_bytes) as writer:
        for each in found:
            writer.add(each)
    return path


def in_order(found: list[ManifestRow]) -> list[ManifestRow]:
    return sorted(found, key=lambda row: (row.key.encode("utf-8", "surrogatepass"), row.order))


@given(ROWS)
def test_a_row_survives_its_line_and_the_line_is_one(row: ManifestRow) -> None:
    line = line_of(row)
    assert row_of(line) == row
    assert line.count(b"\n") == line.count(b"\t") == 1


@pytest.mark.parametrize("name", ["m.manifest", "m.manifest.gz"])
def test_odd_keys_in_any_order_come_out_in_the_order_of_their_bytes(tmp_path: Path, name: str) -> None:
    found = [ManifestRow(key=key, size=at, order=order) for at, key in enumerate(ODD) for order in (0, 1)]
    path = written(tmp_path / name, found[::2] + found[1::2][::-1])
    assert (rows(path)) == in_order(found)
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_what_does_not_fit_in_memory_is_spilled_merged_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifests, "MERGED_AT_ONCE", 3)
    found = [ManifestRow(key=f"k{at * 7919 % 5000}", size=at) for at in range(5000)]
    small, large = written(tmp_path / "small", found, run_bytes=4096), written(tmp_path / "large", found)
    assert small.read_bytes() == large.read_bytes()
    assert (rows(small)) == in_order(found)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["large", "small"]


def test_its_counts_are_of_versions_objects_and_bytes(tmp_path: Path) -> None:
    found = [
        ManifestRow(key="a", size=5),
        ManifestRow(key="a", size=7, order=1),
        ManifestRow(key="b", size=0, deleted=True),
    ]
    path = written(tmp_path / "m", found)
    manifest = Manifest(path)
    assert list(manifest.read_rows()) == found
    counts = manifest.counts
    assert counts is not None
    assert (counts.rows, counts.objects, counts.size) == (3, 1, 12)
    assert (manifest.bucket, manifest.facts) == ("models", {"seed": "s"})


def test_an_empty_bucket_has_a_manifest_too(tmp_path: Path) -> None:
    assert (rows(written(tmp_path / "m", []))) == []


def test_the_same_row_twice_is_one_and_another_of_its_version_is_refused(tmp_path: Path) -> None:
    once = ManifestRow(key="a\nb", size=5)
    assert (rows(written(tmp_path / "same", [once, ManifestRow(key="c", size=1), once]))) == [
        once,
        ManifestRow(key="c", size=1),
    ]
    with pytest.raises(ManifestError, match=r"'a\\nb' was told twice and differently"):
        written(tmp_path / "other", [once, ManifestRow(key="a\nb", size=6)])
    assert [each.name for each in tmp_path.iterdir()] == ["same"]


def test_a_writer_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = written(tmp_path / "m", [ManifestRow(key="before", size=1)])
    with pytest.raises(AttributeError):
        written(path, [ManifestRow(key="after", size=1), None])  # type: ignore[list-item]
    assert [each.key for each in rows(path)] == ["before"]
    assert [each.name for each in tmp_path.iterdir()] == ["m"]


def test_what_a_killed_writer_left_is_gone_with_the_next(tmp_path: Path) -> None:
    path = tmp_path / "m[1].gz"
    killed = ManifestWriter(path, run_bytes=1)
    killed.add(ManifestRow(key="before", size=1))
    (left,) = tmp_path.iterdir()
    assert left.is_dir()
    written(path, [ManifestRow(key="after", size=1)])
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    return written(tmp_path / "whole", [ManifestRow(key=f"k{at}", size=at, digest="ab" * 32) for at in range(50)])


def test_wherever_it_is_cut_it_is_named(whole: Path) -> None:
    content = whole.read_bytes()
    cut = whole.with_name("cut")
    for length in (*range(200), len(content) // 2, *range(len(content) - 200, len(content))):
        cut.write_bytes(content[:length])
        with pytest.raises(ManifestError, match=str(cut)):
            (rows(cut))


@given(data=st.data())
def test_whatever_byte_is_edited_it_is_named(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("edited")
    content = bytearray(written(folder / "whole", [ManifestRow(key=f"k{at}", size=at) for at in range(5)]).read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= 1 << data.draw(st.integers(0, 7))
    edited = folder / "edited"
    edited.write_bytes(content)
    with pytest.raises(ManifestError, match=str(edited)):
        (rows(edited))


def test_a_row_taken_out_put_in_or_moved_is_named(whole: Path) -> None:
    lines = whole.read_bytes().splitlines(keepends=True)
    edited = whole.with_name("edited")
    more = line_of(ManifestRow(key="k0", size=1, order=1))
    for changed, why in (
        (lines[:3] + lines[4:], "50 rows were written, 49 are there"),
        ([*lines[:3], more, *lines[3:]], "50 rows were written, 51 are there"),
        ([*lines[:3], lines[4], lines[3], *lines[5:]], "not those that were written"),
    ):
        edited.write_bytes(b"".join(changed))
        with pytest.raises(ManifestError, match=why):
            list(Manifest(edited).read_lines())


def test_a_zipped_one_that_is_cut_or_broken_is_named_and_the_same_rows_are_the_same_bytes(tmp_path: Path) -> None:
    found = [ManifestRow(key=f"k{at}", size=at) for at in range(500)]
    first, second = written(tmp_path / "one.gz", found), written(tmp_path / "two.gz", found)
    assert first.read_bytes() == second.read_bytes()
    content = first.read_bytes()
    for broken in (content[: len(content) // 2], content[:-4], content[:60] + b"xxxx" + content[64:], b"not zipped"):
        second.write_bytes(broken)
        with pytest.raises(ManifestError, match=r"two\.gz"):
            (rows(second))
    second.write_bytes(gzip.compress(b""))
    with pytest.raises(ManifestError, match="not a manifest"):
        (rows(second))


def test_another_format_another_file_and_no_file_are_named(tmp_path: Path, whole: Path) -> None:
    other = tmp_path / "other"
    for content, why in (
        (whole.read_bytes().replace(b'"atoll_manifest":1', b'"atoll_manifest":2'), "format 2, this Atoll reads 1"),
        (b'{"something": "else"}\n{}\n', "not a manifest"),
        (b"\x00\xff", "not a manifest"),
    ):
        other.write_bytes(content)
        with pytest.raises(ManifestError, match=why):
            (rows(other))
    with pytest.raises(ManifestError, match="cannot be read"):
        (rows(tmp_path / "none"))
