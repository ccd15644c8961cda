from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from components.agents.mover.store.model import BucketEndpoint, Listed, StoreError
from operations.relocation.buckets import rclone

PARTS = "0123-2"
WHOLE = "0123"


class Shelf:
    """A bucket as its listing tells it."""

    def __init__(self) -> None:
        self.listed: dict[str, Listed] = {}
        self.deleted: list[str] = []
        self.refuses = ""

    def write(self, key: str, etag: str, *, at: float = 1.0) -> None:
        self.listed[key] = Listed(key=key, size=7, etag=etag, modified=at)

    def listing(self) -> Any:
        return iter([self.listed[key] for key in sorted(self.listed, key=lambda each: each.encode())])

    def head(self, key: str) -> None:
        if self.refuses or key not in self.listed:
            raise StoreError(key, code=self.refuses or "NoSuchKey", status=404)

    def delete(self, key: str) -> None:
        self.deleted.append(key)
        del self.listed[key]

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def shelves(monkeypatch: pytest.MonkeyPatch) -> dict[str, Shelf]:
    found = {"source": Shelf(), "target": Shelf()}

    def connect(where: BucketEndpoint) -> Shelf:
        return found[where.bucket]

    monkeypatch.setattr(rclone, "s3_client", SimpleNamespace(connect=connect))
    return found


def place(bucket: str) -> BucketEndpoint:
    return BucketEndpoint(endpoint="http://s", region="r", bucket=bucket, access_key="a", secret_key="s")


def before(folder: Path) -> int:
    return rclone.before_sync(place("source"), place("target"), folder=folder, reserved=".ours/")


def synced(shelves: dict[str, Shelf], folder: Path) -> None:
    """What rclone does: what is missing is copied, and nothing of the same size is."""
    for key in shelves["source"].listed:
        shelves["target"].listed.setdefault(key, shelves["source"].listed[key])
    rclone.after_sync(folder)


@pytest.mark.parametrize(("was", "now"), [(PARTS, "4567-2"), (WHOLE, PARTS), (PARTS, WHOLE)])
def test_a_copy_whose_original_was_written_over_is_deleted_so_that_it_is_copied_again(
    shelves: dict[str, Shelf], tmp_path: Path, was: str, now: str
) -> None:
    for key in ("a", "b", "z"):
        shelves["source"].write(key, PARTS)
    shelves["source"].write("b", was)
    assert before(tmp_path) == 0
    synced(shelves, tmp_path)
    shelves["source"].write("b", now, at=2.0)
    assert before(tmp_path) == 1
    assert shelves["target"].deleted == ["b"]
    synced(shelves, tmp_path)
    assert shelves["target"].listed["b"].etag == now
    assert before(tmp_path) == 0
    assert shelves["target"].deleted == ["b"]


def test_what_is_written_while_a_round_is_killed_is_found_in_the_next(
    shelves: dict[str, Shelf], tmp_path: Path
) -> None:
    shelves["source"].write("a", PARTS)
    assert before(tmp_path) == 0
    shelves["target"].write("a", PARTS)  # rclone copies it, and is killed
    shelves["source"].write("a", "4567-2", at=2.0)
    assert before(tmp_path) == 1
    shelves["target"].write("a", PARTS)  # killed again, with the deletion done and an older copy come
    assert before(tmp_path) == 1
    assert shelves["target"].deleted == ["a", "a"]


def test_new_objects_deleted_ones_and_our_own_cost_no_deletion(shelves: dict[str, Shelf], tmp_path: Path) -> None:
    shelves["source"].write("gone", PARTS)
    shelves["source"].write("whole", WHOLE)
    assert before(tmp_path) == 0
    rclone.after_sync(tmp_path)
    del shelves["source"].listed["gone"]
    shelves["source"].write("new/é\n", PARTS)
    shelves["source"].write("whole", "4567")
    shelves["source"].write(".ours/canary", PARTS)
    for key in ("whole", ".ours/canary"):
        shelves["target"].write(key, WHOLE)
    assert before(tmp_path) == 0
    assert shelves["target"].deleted == []


def test_a_target_that_refuses_is_not_taken_for_one_without_the_object(
    shelves: dict[str, Shelf], tmp_path: Path
) -> None:
    shelves["source"].write("a", PARTS)
    before(tmp_path)
    shelves["source"].write("a", "4567-2")
    shelves["target"].refuses = "AccessDenied"
    with pytest.raises(StoreError) as error:
        before(tmp_path)
    assert error.value.code == "AccessDenied"
