"""The copier between two real stores, boto3 as the witness that knows nothing of us."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import boto3
import pytest
from botocore.config import Config
from control_plane import WITHOUT_GO
from store_server import build_store

from components.agents.mover.compare import ComparisonTerms, compare
from components.agents.mover.manifest import ManifestWriter
from components.agents.mover.rounds import CopyOptions, RoundReport, copy_round
from components.agents.mover.scan import ScanCallbacks, ScanRequest, scan_bucket
from components.agents.mover.store.model import BLOCK, BucketEndpoint, StoreError
from components.agents.mover.store.s3_client import connect
from operations.relocation.rehearsal.servers import ALIAS, MOVER, REGION, ROOT, RehearsedStore, store

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

BUCKETS = ("odd", "large", "killed", "versions", "writers", "busy")
LONG = "/".join(each * 204 for each in "abcde")  # 1,024 bytes, in names that a file system takes
ODD = (
    "a b",
    "a+b",
    "100%",
    "a%20b",
    "q?x=1&y#z",
    "it's",
    '"<&>"',
    "é",
    "モデル/😀",
    "new\nline",
    "\x01",
    "dir/",
    LONG,
)


class Client:
    """One store as boto3 sees it."""

    def __init__(self, found: RehearsedStore) -> None:
        self.store = found
        self.s3: Any = cast("Any", boto3).client(
            "s3",
            endpoint_url=found.endpoint,
            region_name=REGION,
            aws_access_key_id=MOVER,
            aws_secret_access_key=found.keys[MOVER],
            config=Config(s3={"addressing_style": "path"}),
        )

    def place(self, bucket: str, user: str = MOVER) -> BucketEndpoint:
        return self.store.place(bucket, user=user)

    def put(self, bucket: str, key: str, content: bytes = b"x", **more: Any) -> None:
        self.s3.put_object(Bucket=bucket, Key=key, Body=content, **more)

    def keys(self, bucket: str) -> set[str]:
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
        return {each["Key"] for page in pages for each in page.get("Contents", ())}

    def whole(self, bucket: str, key: str) -> dict[str, Any]:
        """Everything that a copy must not lose."""
        found = self.s3.get_object(Bucket=bucket, Key=key)
        tags = self.s3.get_object_tagging(Bucket=bucket, Key=key)["TagSet"]
        names = ("ContentType", "CacheControl", "ContentDisposition", "ContentEncoding", "ContentLanguage", "Metadata")
        return {
            "sha256": sha256(found["Body"].read()).hexdigest(),
            "tags": sorted((each["Key"], each["Value"]) for each in tags),
            **{name: found.get(name) for name in names},
        }


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Client]]:
    code = build_store()
    if code == WITHOUT_GO and os.environ.get("CI", "").lower() not in {"true", "1"}:
        pytest.skip("MinIO is built with Go, and there is no `go` on PATH")
    assert code == 0
    folder = tmp_path_factory.mktemp("copier")
    rights = {"reader": ["odd"]}
    with ExitStack() as stack:
        yield cast(
            "tuple[Client, Client]",
            tuple(
                Client(stack.enter_context(store(folder / name, buckets=BUCKETS, writers=rights)))
                for name in ("source", "target")
            ),
        )


def round_(sides: tuple[Client, Client], bucket: str, folder: Path, **options: Any) -> RoundReport:
    source, target = (each.place(bucket) for each in sides)
    return copy_round(source, target, folder=folder, options=CopyOptions(**options), say=lambda _: None)


def proven(sides: tuple[Client, Client], bucket: str, report: RoundReport, *, versions: bool = False) -> bool:
    """Read everything back at the target and hold it against the manifest that the copy made."""
    there = Path(report.manifest).with_name("target.manifest")
    with ManifestWriter(there) as manifest:
        place = sides[1].place(bucket)
        scan_bucket(
            connect, ScanRequest(place=place, versions=versions, counts_tags=True), ScanCallbacks(row=manifest.add)
        )
    found = compare(Path(report.manifest), there, ComparisonTerms())
    return found.proven and found.compared_rows > 0


def test_every_odd_key_arrives_with_all_it_has(sides: tuple[Client, Client], tmp_path: Path) -> None:
    source, target = sides
    for number, key in enumerate(ODD):
        source.put(
            "odd",
            key,
            b"" if key.endswith("/") else key.encode() * 1000,
            ContentType="text/x; charset=utf-8",
            CacheControl="no-cache",
            ContentDisposition='attachment; filename="a  b"',
            ContentEncoding="gzip",
            ContentLanguage="de",
            Metadata={"number": str(number), "spaces": "a  b", "farbe": "=?UTF-8?B?Z3LDvG4=?="},
            Tagging=f"number={number}&name=a%20b" if number % 2 else "",
        )
    report = round_(sides, "odd", tmp_path)
    assert (report.objects, report.failed, report.complete) == (len(ODD), [], True)
    assert target.keys("odd") == set(ODD)
    for key in ODD:
        assert target.whole("odd", key) == source.whole("odd", key)
    assert proven(sides, "odd", report)


def test_a_large_object_of_other_parts_has_the_same_bytes_and_the_same_digest(
    sides: tuple[Client, Client], tmp_path: Path
) -> None:
    source, target = sides
    content = random.Random(7).randbytes(3 * BLOCK + 12_345)  # noqa: S311 - bytes that do not compress
    upload = source.s3.create_multipart_upload(Bucket="large", Key="big", Metadata={"a": "b"}, Tagging="t=1")
    where = {"Bucket": "large", "Key": "big", "UploadId": upload["UploadId"]}
    size = 7 * 2**20
    parts = [
        {"PartNumber": number, "ETag": source.s3.upload_part(**where, PartNumber=number, Body=body)["ETag"]}
        for number, body in enumerate((content[at : at + size] for at in range(0, len(content), size)), 1)
    ]
    source.s3.complete_multipart_upload(**where, MultipartUpload={"Parts": parts})
    source.put("large", "exactly", content[:BLOCK])
    source.put("large", "one-more", content[: BLOCK + 1])
    report = round_(sides, "large", tmp_path)
    assert (report.objects, report.complete) == (3, True)
    for key in ("big", "exactly", "one-more"):
        assert target.whole("large", key) == source.whole("large", key)
    assert (
        source.s3.head_object(Bucket="large", Key="big")["ETag"]
        != target.s3.head_object(Bucket="large", Key="big")["ETag"]
    )
    assert proven(sides, "large", report)


COPIER = """
import json, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from components.agents.mover.rounds import CopyOptions, copy_round
from components.agents.mover.store.model import BucketEndpoint
source, target = (BucketEndpoint(**each) for each in json.loads(sys.stdin.read()))
options = CopyOptions(transfers=4, bandwidth_mib_per_s=60)
copy_round(source, target, folder=Path(sys.argv[2]), options=options, say=lambda _: None)
"""


def test_a_copy_that_is_killed_again_and_again_ends_the_same(sides: tuple[Client, Client], tmp_path: Path) -> None:
    import json
    from dataclasses import asdict

    source, target = sides
    chance = random.Random(11)  # noqa: S311 - bytes that do not compress
    for number in range(300):
        source.put("killed", f"k/{number:03}", chance.randbytes(20_000), Tagging=f"n={number}")
    source.put("killed", "large", chance.randbytes(4 * BLOCK))
    told = json.dumps([asdict(each.place("killed")) for each in sides])
    command = [sys.executable, "-c", COPIER, str(Path(__file__).parents[2]), str(tmp_path)]
    kills = 0
    for wait in (0.4, 0.6, 0.8, 1.0, 1.3):
        running = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
        assert running.stdin is not None
        running.stdin.write(told)
        running.stdin.close()
        time.sleep(wait)
        kills += running.poll() is None
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
    source.s3.delete_object(Bucket="killed", Key="k/000")
    source.put("killed", "k/001", b"written between two kills")
    report = round_(sides, "killed", tmp_path)
    assert kills
    assert (report.complete, report.foreigns) == (True, 0)
    assert target.keys("killed") == source.keys("killed")
    assert "k/000" not in target.keys("killed")
    assert proven(sides, "killed", report)
    assert target.s3.list_multipart_uploads(Bucket="killed", Prefix="large").get("Uploads", []) == []
    assert round_(sides, "killed", tmp_path).quiet


def test_versions_and_markers_arrive_in_order(sides: tuple[Client, Client], tmp_path: Path) -> None:
    source, target = sides
    for number in range(4):
        source.put("versions", "a", f"{number}".encode(), Metadata={"n": str(number)}, Tagging=f"n={number}")
    source.s3.delete_object(Bucket="versions", Key="a")
    source.put("versions", "a", b"again")
    source.put("versions", "gone", b"1")
    source.s3.delete_object(Bucket="versions", Key="gone")
    report = round_(sides, "versions", tmp_path, versions=True)
    assert (report.objects, report.complete) == (8, True)
    assert proven(sides, "versions", report, versions=True)

    def told(side: Client) -> list[tuple[str, bool, bytes | None]]:
        listed = connect(side.place("versions"))
        found = [
            (
                each.key,
                each.deleted,
                None
                if each.deleted
                else side.s3.get_object(Bucket="versions", Key=each.key, VersionId=each.version)["Body"].read(),
            )
            for each in listed.list_versions()
        ]
        listed.close()
        return found

    assert told(source) == told(target)
    assert [content for key, _, content in told(target) if key == "a"] == [b"again", None, b"3", b"2", b"1", b"0"]
    source.put("versions", "a", b"later")
    assert round_(sides, "versions", tmp_path, versions=True).objects == 1
    assert told(source) == told(target)
    assert round_(sides, "versions", tmp_path, versions=True).quiet


def test_refusals_of_a_real_store_are_named(sides: tuple[Client, Client], tmp_path: Path) -> None:
    source, target = (each.place("odd") for each in sides)
    wrong = {
        "NoSuchBucket": sides[1].place("not-there", ROOT),
        "SignatureDoesNotMatch": replace(target, secret_key="wrong"),
        "InvalidAccessKeyId": replace(target, access_key="nobody"),
        "AccessDenied": sides[1].place("large", "reader"),
    }
    for number, (code, place) in enumerate(wrong.items()):
        with pytest.raises(StoreError, match=code) as error:
            copy_round(source, place, folder=tmp_path / str(number), options=CopyOptions(), say=lambda _: None)
        assert error.value.code == code
        assert place.bucket in str(error.value)
        assert place.secret_key not in str(error.value)


def test_rights_that_end_midway_end_the_round_and_the_next_goes_on(
    sides: tuple[Client, Client], tmp_path: Path
) -> None:
    source, target = sides
    for number in range(400):
        source.put("writers", f"k/{number:03}", b"x" * 1000)
    denied = iter((False,) * 60)

    def watch() -> bool:
        if next(denied, True) and not lines:
            lines.append("denied")
            target.store.administer("admin", "user", "disable", ALIAS, MOVER)
        return False

    lines: list[str] = []
    with pytest.raises(StoreError) as error:
        round_(sides, "writers", tmp_path, stop=watch, transfers=2)
    target.store.administer("admin", "user", "enable", ALIAS, MOVER)
    assert error.value.code in {"InvalidAccessKeyId", "AccessDenied"}
    done = target.keys("writers")
    assert len(done) < 400
    report = round_(sides, "writers", tmp_path)
    assert report.complete
    assert report.objects + report.skipped == 400
    assert report.skipped >= len(done) - 2
    assert proven(sides, "writers", report)


def test_a_bucket_that_is_written_while_it_is_copied_is_equal_in_the_end(
    sides: tuple[Client, Client], tmp_path: Path
) -> None:
    source, _ = sides
    for number in range(200):
        source.put("busy", f"k/{number:03}", b"before" * 1000)
    turn = iter(range(10_000))

    def write() -> bool:
        at = next(turn)
        if at % 3 == 0 and at < 600:
            source.put("busy", f"k/{(at * 7) % 200:03}", f"{at}".encode() * 500)
        return False

    first = round_(sides, "busy", tmp_path, stop=write, transfers=4)
    assert first.failures == first.foreigns == 0
    second = round_(sides, "busy", tmp_path)
    assert second.complete
    assert second.objects
    third = round_(sides, "busy", tmp_path)
    assert third.quiet
    assert proven(sides, "busy", third)
