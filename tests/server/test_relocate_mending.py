"""A copy that is damaged at the target is refused once, and mended by the next run, whatever moved it: with MinIO."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from control_plane import REPOSITORY, WITHOUT_GO
from relocate_moves import move_in

from components.agents.mover.store.model import BucketEndpoint, Head
from components.agents.mover.store.s3_client import connect
from operations.relocation.config.endpoints import Places
from operations.relocation.rehearsal.servers import MOVER, RehearsedStore, store
from operations.relocation.runner.step import Move, StepError
from operations.relocation.steps import copy_rounds, verify

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

WAYS = {"plain": False, "history": True}
BUCKETS = [f"{name}-{side}" for name in WAYS for side in ("old", "new")]
KEYS = {"access_key_env": "KEY", "secret_key_env": "SECRET"}
TAGS = (("team", "vision"),)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RehearsedStore]:
    command = [sys.executable, str(REPOSITORY / "tools" / "build"), "minio", "mc"]
    code = subprocess.run(command, check=False).returncode
    if code == WITHOUT_GO and os.environ.get("CI", "").lower() not in {"true", "1"}:
        pytest.skip("MinIO is built with Go, and there is no `go` on PATH")
    assert code == 0
    with store(tmp_path_factory.mktemp("mending") / "store", buckets=BUCKETS, writers={}) as found:
        yield found


def put(place: BucketEndpoint, key: str, content: bytes, *, tags: Any = TAGS, metadata: Any = (("step", "7"),)) -> None:
    head = Head(size=len(content), etag="", headers=(("content-type", "text/x-part"),), metadata=metadata)
    with closing(connect(place)) as found:
        found.put(key, memoryview(content), sha256=sha256(content).hexdigest(), like=head, tags=tags)


def got(place: BucketEndpoint, key: str) -> bytes:
    with closing(connect(place)) as found:
        body = found.open(key)
        room = memoryview(bytearray(body.head.size))
        body.read_into(room)
        body.close()
        return bytes(room)


def keys_at(place: BucketEndpoint) -> list[str]:
    with closing(connect(place)) as found:
        return [each.key for each in found.list_objects()]


@pytest.fixture
def sides(server: RehearsedStore, way: str) -> tuple[BucketEndpoint, BucketEndpoint]:
    old, new = (server.place(f"{way}-{side}", user=MOVER) for side in ("old", "new"))
    for number in range(30):
        put(old, f"runs/{number:02}", b"part of %d" % number)
    put(old, "runs/07", b"the second part of 7")
    put(old, "odd key/モデル\n", b"x", tags=())
    return old, new


@pytest.fixture
def move(server: RehearsedStore, sides: tuple[BucketEndpoint, BucketEndpoint], tmp_path: Path, way: str) -> Move:
    bucket = {"source": sides[0].bucket, "target": sides[1].bucket, "versions": WAYS[way]}
    one = {"kind": "minio", "endpoint": server.endpoint, "mover": KEYS}
    places = Places.model_validate(
        {"source": {"stack": "old", "store": one}, "target": {"stack": "new", "store": one}, "buckets": [bucket]}
    )
    return move_in(tmp_path, places, {"KEY": MOVER, "SECRET": server.keys[MOVER]})


def refusal(move: Move) -> str:
    with pytest.raises(StepError) as failed:
        verify.do(move)
    return f"{failed.value} {failed.value.hint}"


@pytest.mark.parametrize("way", WAYS)
def test_one_bit_a_lost_object_and_lost_metadata_are_refused_by_name_then_mended(
    move: Move, sides: tuple[BucketEndpoint, BucketEndpoint], way: str
) -> None:
    old, new = sides
    copy_rounds.seed(move)
    copy_rounds.copy_final_delta(move)
    verify.do(move)
    flipped = bytearray(got(new, "runs/07"))
    flipped[3] ^= 1
    put(new, "runs/07", bytes(flipped))
    put(new, "odd key/モデル\n", b"x", tags=(), metadata=(("other", "one"),))
    with closing(connect(new)) as target:
        for each in list(target.list_versions(prefix="runs/11")):
            target.delete(each.key, version=each.version)
    said = refusal(move)
    assert "1 missing, 0 extra, 2 different" in said or (way == "history" and 'different "runs/07"' in said)
    assert 'missing "runs/11"' in said
    assert got(new, "runs/07") == bytes(flipped)
    found: Any = verify.do(move)
    assert found[old.bucket]["mended"] == 3
    assert found[old.bucket]["mended_first"] == ["odd key/モデル\n", "runs/07", "runs/11"]
    assert "0 missing, 0 extra, 0 different" in found[old.bucket]["sentence"]
    assert got(new, "runs/07") == b"the second part of 7"
    copy_rounds.copy_final_delta(move)

    put(new, "runs/08", b"flipped")
    put(new, "theirs", b"somebody's")
    for _ in range(2):
        said = refusal(move)
        assert "theirs" in said
        assert "is not touched" in said or "not this relocation" in said
        assert got(new, "theirs") == b"somebody's"
    with closing(connect(new)) as target:
        for each in list(target.list_versions(prefix="theirs")):
            target.delete(each.key, version=each.version)
    verify.do(move)
    assert keys_at(new) == keys_at(old)
    copy_rounds.copy_final_delta(move)
