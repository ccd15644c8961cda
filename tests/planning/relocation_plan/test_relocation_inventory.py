"""The inventory: every part has a row, every name is the program's, nothing stateful is skipped in silence."""

from __future__ import annotations

import pytest
from relocation_plan_kit import Kit

from catalogs.software.reader import software
from components.context import buckets
from components.platform.building_blocks import names
from operations.relocation.cluster import inventory as live
from planning.checklist.model.checklist import TierAsk
from planning.costs.resources.resource import Resource
from planning.relocation.inventory import expected_assets, stack_inventory
from planning.relocation.inventory.assets import AssetKind, AssetSource, AssetTreatment, Loss, StatefulAsset
from planning.relocation.inventory.resource_assets import POSTGRES, STATEFUL_TYPES, keys_of
from planning.relocation.inventory.state_classes import PARTS, PURPOSES, STORE_USERS
from planning.values.money import Range


def resource(token: str, name: str, **inputs: object) -> Resource:
    return Resource(
        urn=f"urn:pulumi:s::atoll::{token}::{name}",
        type=token,
        name=name,
        parent="urn:pulumi:s::atoll::atoll:storage:SharedFileSystem::tier-warm",
        custom=True,
        inputs=inputs,  # pyright: ignore[reportArgumentType]
        property_dependencies={},
    )


def test_every_platform_part_has_a_row_and_no_row_is_of_a_part_that_is_gone() -> None:
    assert set(PARTS) == set(software())


@pytest.mark.parametrize("name", sorted(PARTS))
def test_a_row_says_what_is_kept_or_why_nothing_is(name: str) -> None:
    row = PARTS[name]
    assert bool(row.reason) != bool(row.keeps)
    assert all(each.reason and each.title for each in row.keeps)


def test_a_part_with_disks_keeps_something() -> None:
    silent = [name for name, part in software().items() if part.disk_gb and not PARTS[name].keeps]
    assert silent == []


def test_users_of_the_store_and_purposes_are_those_of_the_program() -> None:
    assert set(STORE_USERS) == set(names.STORE_USERS) == set(expected_assets.USER_PARTS)
    assert expected_assets.ARTIFACTS == buckets.ARTIFACTS
    asked = TierAsk.model_fields["purpose"].annotation
    assert set(PURPOSES) == {*getattr(asked, "__args__", ()), buckets.ARTIFACTS}


def test_databases_of_the_operator_are_named_as_the_program_names_them() -> None:
    accounts = (names.BUCKET_USERS["mlflow-database"], names.BUCKET_USERS["airflow-database"])
    assert {f"{each.namespace}/{each.name}" for each in accounts} == set(POSTGRES)
    kept = {each.key for row in PARTS.values() for each in row.keeps}
    assert set(POSTGRES.values()) <= kept
    assert set(live.DATABASES.values()) <= kept


def test_a_lock_foresees_tiers_buckets_databases_names_and_what_people_make(kit: Kit) -> None:
    found = {each.key: each for each in kit.inventory().things}
    data = found["bucket/cold-data"]
    assert (data.loss, data.treatment, data.kind) == (Loss.LARGE, AssetTreatment.MOVED, AssetKind.BUCKET)
    assert data.bytes == Range(0 * data.bytes.max, data.bytes.max, data.bytes.max)
    assert data.bytes.max == 50 * 10**12
    assert found["bucket/cold-artifacts"].counted_with == "bucket/cold-data"
    assert found["database/mlflow"].loss is Loss.IRREPLACEABLE
    assert found["volumes/prometheus"].treatment is AssetTreatment.STAYS
    assert found["store/team-everybody"].treatment is AssetTreatment.MOVED
    assert "mlflow.atoll.internal" in found["names/services"].locator
    assert {"objects/people", "secrets/people", "volumes/notebooks"} <= set(found)
    assert ("cluster", stack_inventory.NOT_ASKED) in kit.inventory().unlooked


def test_a_resource_that_the_lock_knows_is_seen_twice_and_one_that_it_does_not_is_moved(kit: Kit) -> None:
    before = kit.inventory()
    after = stack_inventory.with_resources(
        before,
        [
            resource("aws:s3/bucket:Bucket", "cold-data"),
            resource("aws:s3/bucket:Bucket", "somebodys"),
            resource("aws:s3/bucket:Bucket", "audit"),
            resource("aws:rds/instance:Instance", "orders"),
            resource("aws:ec2/vpc:Vpc", "network"),
            resource(
                "kubernetes:core/v1:PersistentVolumeClaim",
                "view",
                metadata={"namespace": "work-a", "name": "shared"},
                spec={"volumeName": "shared-a"},
            ),
        ],
    )
    found = {each.key: each for each in after.things}
    assert found["bucket/cold-data"].seen == (AssetSource.LOCK, AssetSource.PLAN)
    assert found["bucket/somebodys"].moved
    assert found["bucket/somebodys"].loss is Loss.IRREPLACEABLE
    assert found["bucket/audit"].treatment is AssetTreatment.STAYS
    assert after.strange == ("aws:rds/instance:Instance orders",)
    assert len(after.things) == len(before.things) + 2
    assert "plan" not in dict(after.unlooked)


def test_a_file_system_is_named_after_its_tier() -> None:
    (thing,) = keys_of(resource("aws:fsx/lustreFileSystem:LustreFileSystem", "shared"))
    assert thing is not None
    assert thing.key == "file-system/warm"


def test_every_stateful_type_yields_a_thing_or_is_called_strange() -> None:
    for token in STATEFUL_TYPES:
        for found in keys_of(resource(token, "x", metadata={"namespace": "n", "name": "x"})):
            assert found is None or found.key


def test_a_cluster_that_does_not_answer_is_said_and_guesses_stay(kit: Kit) -> None:
    after = stack_inventory.with_cluster(kit.inventory(), (), silence="refused", instead=live.INSTEAD)
    assert ("cluster", "refused") in after.unlooked
    assert "volumes/notebooks" in {each.key for each in after.things}


def test_what_a_cluster_says_takes_the_place_of_guesses(kit: Kit) -> None:
    volume = StatefulAsset(
        key="volumes/work-a/anna",
        title="volume",
        kind=AssetKind.VOLUME,
        loss=Loss.IRREPLACEABLE,
        treatment=AssetTreatment.MOVED,
        reason="work",
        bytes=Range.exactly(7),
        seen=(AssetSource.CLUSTER,),
    )
    after = stack_inventory.with_cluster(kit.inventory(), (volume,), instead=live.INSTEAD)
    keys = {each.key for each in after.things}
    assert "volumes/work-a/anna" in keys
    assert "volumes/notebooks" not in keys
    assert "cluster" not in dict(after.unlooked)


def test_what_is_left_out_by_hand_stays_and_says_so(kit: Kit) -> None:
    after = stack_inventory.leave_behind(kit.inventory(), ["store/mlflow", "volumes/prometheus"])
    found = {each.key: each for each in after.things}
    assert found["store/mlflow"].treatment is AssetTreatment.STAYS
    assert "left behind" in found["store/mlflow"].reason
    assert "left behind" not in found["volumes/prometheus"].reason
