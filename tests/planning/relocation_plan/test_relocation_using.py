"""What the source really uses is counted by manifests or by looking, and the plan says what its mover would lose."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from relocation_looked_kit import KEYS, Kept, Looked, places
from relocation_plan_kit import Kit

from components.agents.mover.manifest import ManifestRow, ManifestWriter
from operations.relocation.config.plan_inputs import MeasuredFile, PlacesSummary, merge_measurements
from operations.relocation.config.reader import bucket_of, find_covered_keys
from operations.relocation.copies import bucket_usage, verification
from planning.relocation.inventory.assets import Feature, FeatureUsage
from planning.relocation.inventory.stack_inventory import AssetMeasurement
from planning.relocation.plan_form import plan_form
from planning.values.errors import InputError
from planning.values.money import Range

TAGGED = Kept(size=10, tags=(("team", "a"),))


def manifest(folder: Path, bucket: str, *rows: ManifestRow, name: str = "source.manifest") -> Path:
    path = folder / "manifests" / bucket / name
    with ManifestWriter(path, bucket=bucket) as writer:
        for row in rows:
            writer.add(row)
    return path


def row(key: str, **changed: object) -> ManifestRow:
    fields: dict[str, object] = {"key": key, "size": 100, "headers": (("content-type", "text/plain"),)}
    return ManifestRow(**(fields | changed))  # type: ignore[arg-type]


def test_a_manifest_of_the_seed_says_what_is_used(tmp_path: Path, kit: Kit) -> None:
    tagged = [row(f"a/{at}", tags=(("k", "v"),)) for at in range(3)]
    manifest(tmp_path, "mlflow", *tagged, row("b", headers=(("cache-control", "no-cache"),)))
    known = places("mlflow")
    found = bucket_usage.read_usage(kit.inventory().things, [(known, tmp_path)])
    assert found.doubts == ()
    usage = found.things["store/mlflow"].usage
    assert usage is not None
    assert (usage.of(Feature.TAGS), usage.of(Feature.HEADERS), usage.of(Feature.CONTENT_TYPE)) == (3, 1, 3)
    assert usage.of(Feature.ACLS) == 0
    assert usage.of(Feature.VERSIONS) is None


def test_what_is_copied_by_the_mover_that_is_named_loses_nothing_of_it(tmp_path: Path, kit: Kit) -> None:
    manifest(tmp_path, "mlflow", row("a", tags=(("k", "v"),)))
    found = bucket_usage.read_usage(kit.inventory().things, [(places("mlflow"), tmp_path)])
    made = kit.plan(kit.west, found=PlacesSummary(counted=found.things, movers={"store/mlflow": "atoll"}))
    (chosen,) = [each for each in made.chosen if each.thing.key == "store/mlflow"]
    assert chosen.choice is not None
    assert chosen.choice.mover.name == "atoll"
    assert chosen.choice.loses == ()


def test_older_versions_count_only_where_they_are_moved(tmp_path: Path) -> None:
    rows = (row("a"), row("a", order=1, size=40))
    path = manifest(tmp_path, "mlflow", *rows)
    moved = bucket_usage.measure_manifest(path, places("mlflow", versions=True).buckets[0], kind="aws")
    left = bucket_usage.measure_manifest(path, places("mlflow").buckets[0], kind="aws")
    assert (moved.bytes, moved.versions) == (Range.exactly(140), Range.exactly(1))
    assert (left.bytes, left.versions) == (Range.exactly(100), None)
    assert moved.usage is not None
    assert moved.usage.of(Feature.VERSIONS) == 1
    assert moved.usage.of(Feature.ACLS) is None


def test_a_manifest_that_was_cut_off_is_said_and_nothing_is_believed_of_it(tmp_path: Path, kit: Kit) -> None:
    path = manifest(tmp_path, "mlflow", row("a"), row("b"))
    path.write_bytes(path.read_bytes()[:-40])
    found = bucket_usage.read_usage(kit.inventory().things, [(places("mlflow"), tmp_path)])
    assert not found.things
    ((what, why),) = found.doubts
    assert what == "manifest of mlflow"
    assert "cannot be believed" in why


def test_a_bucket_that_the_inventory_does_not_know_is_said(tmp_path: Path, kit: Kit) -> None:
    manifest(tmp_path, "somebodys", row("a"))
    found = bucket_usage.read_usage(kit.inventory().things, [(places("somebodys"), tmp_path)])
    assert found.doubts == (("bucket somebodys", "nothing of the inventory can be told to be it"),)


def test_looking_asks_heads_and_reads_no_bytes_and_says_how_far_it_is(tmp_path: Path, kit: Kit) -> None:
    stores = Looked({"mlflow": {"a": TAGGED, "b": Kept(size=5)}}, keeps_versions=True)
    said: list[str] = []
    bucket_usage.look_now(places("mlflow"), tmp_path, environment=KEYS, say=said.append, connect=stores.connect)
    assert said == ["mlflow: 4 looked at, 29 bytes"]
    assert stores.asked.count("closed") >= 2
    found = bucket_usage.read_usage(kit.inventory().things, [(places("mlflow"), tmp_path)]).things["store/mlflow"]
    assert found.usage is not None
    assert (found.usage.of(Feature.TAGS), found.usage.of(Feature.VERSIONS)) == (2, 2)
    assert found.bytes == Range.exactly(15)


def test_progress_is_said_while_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "EVERY", 2)
    stores = Looked({"mlflow": {f"k{at}": Kept(size=1) for at in range(5)}})
    said: list[str] = []
    bucket_usage.look_now(places("mlflow"), tmp_path, environment=KEYS, say=said.append, connect=stores.connect)
    assert said == ["mlflow: 2 looked at", "mlflow: 4 looked at", "mlflow: 5 looked at, 5 bytes"]


def test_every_bucket_that_cannot_be_looked_at_is_named_at_once(tmp_path: Path) -> None:
    stores = Looked({"mlflow": {"a": Kept(size=1)}})
    with pytest.raises(InputError, match="2 of 3 buckets could not be looked at") as raised:
        bucket_usage.look_now(
            places("gone", "mlflow", "lost"), tmp_path, environment=KEYS, say=lambda _: None, connect=stores.connect
        )
    assert [each.file for each in raised.value.faults] == ["gone", "lost"]
    assert (tmp_path / "manifests" / "mlflow" / "look.manifest").is_file()
    assert not list((tmp_path / "manifests" / "gone").glob("*"))


def test_keys_that_are_not_set_are_named_and_never_shown(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        bucket_usage.look_now(places("mlflow"), tmp_path, environment={"SOURCE_KEY": "x"}, say=lambda _: None)
    (fault,) = raised.value.faults
    assert "SOURCE_SECRET" in fault.message


def test_the_newest_manifest_counts(tmp_path: Path, kit: Kit) -> None:
    import os

    old = manifest(tmp_path, "mlflow", row("a", tags=(("k", "v"),)), name="look.manifest")
    manifest(tmp_path, "mlflow", row("a"))
    os.utime(old, (1, 1))
    usage = bucket_usage.read_usage(kit.inventory().things, [(places("mlflow"), tmp_path)]).things["store/mlflow"].usage
    assert usage is not None
    assert usage.of(Feature.TAGS) == 0


def test_what_people_wrote_down_fills_in_what_no_manifest_has() -> None:
    seen = AssetMeasurement(bytes=Range.exactly(5), usage=FeatureUsage(counts={Feature.TAGS: 2}))
    said = AssetMeasurement(
        bytes=Range.exactly(9),
        change_bytes_per_day=Range.exactly(1),
        usage=FeatureUsage(counts={Feature.TAGS: 0, Feature.ACLS: 0}),
    )
    both = merge_measurements({"store/mlflow": said, "other": said}, {"store/mlflow": seen})
    assert both["other"] is said
    found = both["store/mlflow"]
    assert (found.bytes, found.change_bytes_per_day) == (Range.exactly(5), Range.exactly(1))
    assert found.usage is not None
    assert (found.usage.of(Feature.TAGS), found.usage.of(Feature.ACLS)) == (2, 0)


@pytest.mark.parametrize(
    ("key", "locator", "name", "is_it"),
    [
        ("store/mlflow", "mlflow", "mlflow", True),
        ("store/mlflow", "mlflow", "mlflow-2", False),
        ("bucket/cold-data", "", "cold-data-1a2b3c4", True),
        ("bucket/cold-data", "", "cold-data", True),
        ("bucket/cold-data", "", "cold-database", False),
        ("bucket/west/cold-data", "", "cold-data-9", True),
        ("store/pipelines", "pipelines", "cold-data", False),
    ],
)
def test_a_bucket_is_told_by_its_name(key: str, locator: str, name: str, *, is_it: bool) -> None:
    assert (bucket_of(key, locator, places(name).buckets) is not None) == is_it


def test_a_store_in_the_cluster_asks_nothing_for_a_request(kit: Kit) -> None:
    sides = {each.name: each.billed_requests for each in kit.plan(kit.west).volumes}
    assert sides["store/mlflow"] == ()
    assert sides["bucket/cold-data"] == ("source", "target")
    counted = AssetMeasurement(bytes=Range.exactly(10**9), objects=Range.exactly(Decimal(10**6)))
    lines = kit.plan(kit.google, found=PlacesSummary(counted={"store/mlflow": counted})).bill.bill.lines
    bare = kit.plan(
        kit.google, found=PlacesSummary(counted={"store/mlflow": AssetMeasurement(bytes=Range.exactly(10**9))})
    ).bill.bill.lines
    requests = [each for each in lines if each.key.startswith("move/requests")]
    assert [each.quantity for each in requests] == [
        each.quantity for each in bare if each.key.startswith("move/requests")
    ]
    assert not [each for each in bare if each.key == "move/requests/of/store/mlflow"]


def test_the_default_way_out_of_aws_is_nat_and_the_plan_says_so_and_how_to_change_it(kit: Kit) -> None:
    form = plan_form(kit.plan(kit.west))
    assert form["leaves_by"] == "nat"
    assert any("--through direct" in each["text"] for each in form["bill"]["notes"])
    assert any(each["key"] == "move/nat" for each in form["bill"]["bill"]["lines"])
    other = plan_form(kit.plan(kit.west, leaves_by="direct"))
    assert not any(each["key"] == "move/nat" for each in other["bill"]["bill"]["lines"])


def test_what_the_freeze_does_to_jobs_and_what_it_does_not_stop_is_said(kit: Kit) -> None:
    form = plan_form(kit.plan(kit.west, MeasuredFile()))
    said = " ".join(sentence for each in form["questions"] for sentence in each["sentences"])
    assert "jobs that run are evicted, and plain pods of a queue end" in said
    assert any("lifecycle rules of the source go on expiring" in each["text"] for each in form["notes"])
    (people,) = [each for each in form["things"] if each["key"] == "objects/people"]
    assert people["mover"] is not None
    assert "the step rewrite makes recurring runs" in people["mover"]["title"]


def test_what_is_named_is_covered_and_nothing_else() -> None:
    known = places("mlflow")
    assert find_covered_keys(
        [("store/mlflow", "mlflow"), ("store/pipelines", "pipelines"), ("names/services", "x")], [known]
    ) == {"store/mlflow"}
