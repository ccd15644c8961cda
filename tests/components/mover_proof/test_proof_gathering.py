from __future__ import annotations

from pathlib import Path

import pytest
from proof_store import PLACE, Bucket, rows

from components.agents.mover.manifest import Manifest, ManifestError
from components.agents.mover.scan import Sample, ScanRequest, Shard, facts_of, gather, write_manifest


@pytest.fixture
def bucket() -> Bucket:
    found = Bucket()
    for at in range(60):
        found.put(f"k{at}", f"{at}".encode())
    return found


def taken(bucket: Bucket, folder: Path, index: int, of: int, *, name: str = "one", percent: int = 100) -> Path:
    path = folder / f"{name}-{index}-{of}"
    wanted = ScanRequest(place=PLACE, shard=Shard(index=index, of=of), sample=Sample(percent=percent))
    write_manifest(bucket.connect, wanted, path, facts=facts_of(wanted, name))
    return path


def test_shards_in_any_order_are_the_same_manifest_as_one_look(bucket: Bucket, tmp_path: Path) -> None:
    whole = taken(bucket, tmp_path, 0, 1)
    parts = [taken(bucket, tmp_path, at, 3) for at in (2, 0, 1)]
    gathered = tmp_path / "gathered"
    gather(parts, gathered, name="one")
    assert gathered.read_bytes() == whole.read_bytes()
    assert len(list(rows(gathered))) == 60


def test_a_shard_that_is_missing_twice_there_or_of_another_look_is_named(bucket: Bucket, tmp_path: Path) -> None:
    first, second = taken(bucket, tmp_path, 0, 2), taken(bucket, tmp_path, 1, 2)
    other, third = taken(bucket, tmp_path, 1, 2, name="other"), taken(bucket, tmp_path, 1, 3)
    sampled = tmp_path / "sampled"
    wanted = ScanRequest(place=PLACE, shard=Shard(index=1, of=2), sample=Sample(percent=5))
    write_manifest(bucket.connect, wanted, sampled, facts=facts_of(wanted, "one"))
    gathered = tmp_path / "gathered"
    for parts, why in (
        ([first], "shards 1 of 2 are not there"),
        ([], "are not there"),
        ([first, first], "shard 0 is"),
        ([first, other], "of the look 'other', not 'one'"),
        ([first, third], "one of 3 shards, the others are of 2"),
        ([first, sampled], "was looked at otherwise"),
    ):
        with pytest.raises(ManifestError, match=why):
            gather(parts, gathered, name="one")
        assert not gathered.exists()
    second.write_bytes(second.read_bytes()[:-10])
    with pytest.raises(ManifestError, match="cut off"):
        gather([first, second], gathered, name="one")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["one-0-2", "one-1-2", "one-1-3", "other-1-2", "sampled"]


def test_an_empty_shard_is_a_shard(tmp_path: Path) -> None:
    bucket = Bucket()
    bucket.put("only", b"x")
    gathered = tmp_path / "gathered"
    gather([taken(bucket, tmp_path, at, 2) for at in range(2)], gathered, name="one")
    assert [each.key for each in rows(gathered)] == ["only"]
    manifest = Manifest(gathered)
    manifest.begin()
    assert (manifest.bucket, manifest.facts["shard"]) == ("models", {"index": 0, "of": 1})
