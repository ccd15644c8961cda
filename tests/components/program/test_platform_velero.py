"""Backups: where they go, when they are made, and that no password of upstream's is left."""

from __future__ import annotations

from typing import Any

import pytest
import specs
import specs_gcp
import yaml
from look import at, of_type, one
from platform_samples import BUCKET, handle_of, run_part, spec_with

from components.context.placement import Identity, PlatformBucket
from components.platform.operations import velero
from operations.offline.program import OfflineRun
from planning.checklist.model.vocabulary import Support
from planning.costs.resources.resource import Secret
from planning.platform.backups import PLANS

SCHEDULE = "kubernetes:velero.io/v1:Schedule"
LOCATION = "kubernetes:velero.io/v1:BackupStorageLocation"
RELEASE = "kubernetes:helm.sh/v3:Release"
GOOGLE = PlatformBucket(
    name="atoll-sample-platform",
    endpoint="https://storage.googleapis.com",
    region="us-central1",
    scheme="gs",
    annotations={"velero": {"iam.gke.io/gcp-service-account": "velero@sample.iam.gserviceaccount.com"}},
)


def part(**changes: Any) -> OfflineRun:
    return run_part("velero", velero.build, spec_with(), **changes)


def on_google() -> OfflineRun:
    spec = spec_with(specs_gcp.gcp_cluster())
    identity = Identity(kind="workload_identity")
    return run_part(
        "velero", velero.build, spec, handle=lambda asked: handle_of(asked, bucket=GOOGLE, identity=identity)
    )


@pytest.fixture(scope="module")
def inside() -> OfflineRun:
    return part()


@pytest.fixture(scope="module")
def outside() -> OfflineRun:
    return part(bucket=BUCKET)


def values(run: OfflineRun) -> Any:
    return at(one(run, RELEASE, "velero"), "values")


def test_backups_go_to_the_users_own_prefix_of_the_providers_bucket(outside: OfflineRun) -> None:
    place = one(outside, LOCATION, "location")
    assert at(place, "spec", "objectStorage") == {"bucket": "atoll-sample-platform", "prefix": "velero"}
    assert at(place, "spec", "config") == {"region": "us-east-1"}
    assert "credential" not in at(place, "spec")  # type: ignore[operator]


def test_without_a_bucket_they_go_to_the_store_in_the_cluster_by_its_own_authority(inside: OfflineRun) -> None:
    place = one(inside, LOCATION, "location")
    assert at(place, "spec", "objectStorage", "bucket") == "backups"
    assert at(place, "spec", "objectStorage", "caCertRef") == {"name": "s3-ca", "key": "ca.crt"}
    assert at(place, "spec", "credential") == {"name": "store-keys", "key": "cloud"}
    assert isinstance(at(one(inside, "kubernetes:core/v1:Secret", "store-keys"), "stringData"), Secret)


def test_a_store_is_not_backed_up_into_itself(inside: OfflineRun, outside: OfflineRun) -> None:
    for run, excluded in ((inside, True), (outside, False)):
        left_out = at(one(run, SCHEDULE, "nightly"), "spec", "template", "excludedNamespaces")
        assert ("object-store" in left_out) is excluded  # type: ignore[operator]


def test_that_they_die_with_the_cluster_is_said(caplog: pytest.LogCaptureFixture) -> None:
    part(bucket=BUCKET)
    assert "die with it" not in caplog.text
    part()
    assert "die with it" in caplog.text


def test_the_repository_of_volumes_has_a_password_of_its_own(inside: OfflineRun) -> None:
    secret = one(inside, "kubernetes:core/v1:Secret", "repository")
    assert at(secret, "metadata", "name") == "velero-repo-credentials"
    assert isinstance(at(secret, "stringData"), Secret)
    assert isinstance(inside.exports["backupRepositoryPassword"], Secret)
    assert secret.urn in one(inside, RELEASE, "velero").dependencies


@pytest.mark.parametrize("support", Support)
def test_schedules_follow_the_level_of_support(support: Support) -> None:
    spec = spec_with()
    services = spec.services.model_copy(update={"support": support})
    run = run_part("velero", velero.build, spec.model_copy(update={"services": services}), bucket=BUCKET)
    found = {each.name: at(each, "spec", "template", "ttl") for each in of_type(run, SCHEDULE)}
    assert found == {plan.name: plan.ttl for plan in PLANS[support]}


def test_files_of_mounted_volumes_are_read_where_the_cluster_takes_no_snapshots(outside: OfflineRun) -> None:
    template = at(one(outside, SCHEDULE, "nightly"), "spec", "template")
    assert template["defaultVolumesToFsBackup"] is True  # type: ignore[index,call-overload]
    assert template["snapshotMoveData"] is False  # type: ignore[index,call-overload]
    assert values(outside)["extraObjects"] == []


def test_snapshots_are_moved_to_the_bucket_where_the_cluster_takes_them() -> None:
    run = on_google()
    template = at(one(run, SCHEDULE, "nightly"), "spec", "template")
    assert template["snapshotMoveData"] is True  # type: ignore[index,call-overload]
    (kind,) = values(run)["extraObjects"]
    assert kind["driver"] == "pd.csi.storage.gke.io"
    assert values(run)["configuration"]["features"] == "EnableCSI"


def test_on_aws_a_stopped_notebooks_volume_is_in_the_backup_too() -> None:
    run = run_part("velero", velero.build, spec_with(specs.aws_cluster()), bucket=BUCKET)
    template = at(one(run, SCHEDULE, "nightly"), "spec", "template")
    assert template["snapshotMoveData"] is True  # type: ignore[index,call-overload]
    assert template["defaultVolumesToFsBackup"] is False  # type: ignore[index,call-overload]
    (kind,) = values(run)["extraObjects"]
    assert kind["driver"] == "ebs.csi.aws.com"
    assert kind["metadata"]["labels"] == {"velero.io/csi-volumesnapshot-class": "true"}


def test_volumes_that_have_no_snapshots_are_skipped_and_fail_no_backup() -> None:
    written = at(one(on_google(), "kubernetes:core/v1:ConfigMap", "atoll-volumes"), "data", "policy.yaml")
    first, rest = yaml.safe_load(str(written))["volumePolicies"]
    assert first == {"conditions": {"csi": {"driver": "pd.csi.storage.gke.io"}}, "action": {"type": "snapshot"}}
    assert rest["action"] == {"type": "skip"}


def test_the_owner_of_a_cluster_may_name_the_driver_of_its_disks(caplog: pytest.LogCaptureFixture) -> None:
    part(bucket=BUCKET)
    assert "stopped notebook" in caplog.text
    caplog.clear()
    run = part(bucket=BUCKET, settings={"backup_snapshot_driver": "disk.csi.example.com"})
    assert values(run)["extraObjects"][0]["driver"] == "disk.csi.example.com"
    assert "stopped notebook" not in caplog.text


def test_keys_of_the_customers_bucket_open_it() -> None:
    bucket = PlatformBucket(name="b", endpoint="https://minio.example", region="r", access_key="a", secret_key="s")
    run = part(bucket=bucket)
    assert at(one(run, LOCATION, "location"), "spec", "credential") == {"name": "store-keys", "key": "cloud"}
    assert isinstance(at(one(run, "kubernetes:core/v1:Secret", "store-keys"), "stringData"), Secret)


def test_on_google_cloud_the_account_is_named_where_addresses_are_signed() -> None:
    run = on_google()
    place = one(run, LOCATION, "location")
    assert at(place, "spec", "provider") == "velero.io/gcp"
    assert at(place, "spec", "config") == {"serviceAccount": "velero@sample.iam.gserviceaccount.com"}
    server = values(run)["serviceAccount"]["server"]
    assert server["annotations"] == {"iam.gke.io/gcp-service-account": "velero@sample.iam.gserviceaccount.com"}
    door = one(run, "kubernetes:networking.k8s.io/v1:NetworkPolicy", "velero-to-identity")
    assert "169.254.169.254/32" in str(door.inputs["spec"])


def test_the_plugin_is_of_an_exact_version(outside: OfflineRun) -> None:
    (plugin,) = values(outside)["initContainers"]
    assert plugin["image"] == "docker.io/velero/velero-plugin-for-aws:v1.14.2"


def test_a_store_of_another_provider_is_asked_by_path_and_coreweave_by_name() -> None:
    for endpoint, by_path in (("https://minio.example", "true"), ("https://cwobject.com", "false")):
        bucket = PlatformBucket(name="b", endpoint=endpoint, region="r", access_key="a", secret_key="s")
        config = at(one(part(bucket=bucket), LOCATION, "location"), "spec", "config")
        assert config["s3ForcePathStyle"] == by_path  # type: ignore[index,call-overload]


def test_pods_with_no_identity_at_coreweave_are_named(caplog: pytest.LogCaptureFixture) -> None:
    kind = Identity(kind="federation")
    spec = spec_with(specs.aws_cluster())
    run_part("velero", velero.build, spec, handle=lambda asked: handle_of(asked, bucket=BUCKET, identity=kind))
    assert "pod identity webhook" in caplog.text
