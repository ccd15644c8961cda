from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from components.agents.mover.store.model import Listed
from operations.relocation.databases.mlflow import (
    OPENED_EACH,
    ArtifactAddress,
    by_bucket,
    different,
    parse_address,
    roots,
    scan_below,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYS = ("runs/1/a/artifacts/m/x", "runs/1/a/artifacts/w", "runs/1/b/artifacts/w", "runs/10/w", "runs/alone.pkl", "z")


def listing(prefix: str) -> Iterator[Listed]:
    yield from (Listed(key=key, size=len(key)) for key in sorted(KEYS) if key.startswith(prefix))


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("s3://bucket/a/b", ArtifactAddress("s3", "bucket", "a/b")),
        ("S3://bucket", ArtifactAddress("s3", "bucket", "")),
        ("s3://bucket/a/b/", ArtifactAddress("s3", "bucket", "a/b")),
        ("mlflow-artifacts:/1/2", ArtifactAddress("mlflow-artifacts", "", "1/2")),
        ("mlflow-artifacts://host/1", ArtifactAddress("mlflow-artifacts", "host", "1")),
        ("models:/m-1", ArtifactAddress("models", "", "m-1")),
        ("prompt-template", None),
    ],
)
def test_an_address_has_a_bucket_and_a_key(address: str, parts: ArtifactAddress | None) -> None:
    assert parse_address(address) == parts


def test_addresses_are_taken_apart_by_bucket() -> None:
    found = by_bucket(["s3://a/x", "s3://a/y", "gs://b", "mlflow-artifacts:/1", "word"])
    assert found == {"a": {"x", "y"}, "b": {""}}


def test_what_lies_below_another_needs_no_listing_of_its_own() -> None:
    assert roots({"runs/1", "runs/1/a", "runs/10", "runs/1/b/artifacts"}) == ["runs/1", "runs/10"]
    assert roots({"", "runs"}) == [""]


def test_objects_are_counted_below_each_address_and_never_below_its_neighbour() -> None:
    found = scan_below({"runs/1", "runs/1/a/artifacts", "runs/1/c/artifacts", "runs/alone.pkl", "gone"}, listing)
    assert {key: each.count for key, each in found.items()} == {
        "runs/1": 3,
        "runs/1/a/artifacts": 2,
        "runs/1/c/artifacts": 0,
        "runs/alone.pkl": 1,
        "gone": 0,
    }
    assert found["runs/1/a/artifacts"].keys == ["runs/1/a/artifacts/m/x", "runs/1/a/artifacts/w"]
    assert scan_below({""}, listing)[""].count == len(KEYS)


def test_only_the_first_objects_are_opened_and_all_are_counted() -> None:
    def many(_: str) -> Iterator[Listed]:
        return (Listed(key=f"r/{at:04}", size=1) for at in range(100))

    below = scan_below({"r"}, many)["r"]
    assert (below.count, below.size, len(below.keys)) == (100, 100, OPENED_EACH)


def test_both_sides_must_hold_the_same_below_an_address() -> None:
    here = scan_below({"runs/1", "runs/10"}, listing)
    source = {f"s3://old/{key}": each for key, each in here.items()}
    target = {f"s3://new/{key}": each for key, each in here.items()}

    def moved(address: str) -> str:
        return address.replace("old", "new")

    assert list(different(source, target, moved)) == []
    target["s3://new/runs/10"] = scan_below({"gone"}, listing)["gone"]
    del target["s3://new/runs/1"]
    assert sorted(different(source, target, moved)) == [
        "s3://new/runs/10 has 0 objects of 0 bytes, s3://old/runs/10 at the source 1 of 9",
        "s3://old/runs/1 became s3://new/runs/1, which the target's metadata does not have",
    ]
