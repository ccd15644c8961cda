from __future__ import annotations

import json
from typing import Any

import look
import pytest
from platform_samples import BUCKET, handle_of, run_part, spec_with

from components.context.placement import Identity
from components.platform.stores import minio, object_store
from components.platform.stores.s3_policies import store_users

CERTIFICATE = "kubernetes:cert-manager.io/v1:Certificate"
JOB = "kubernetes:batch/v1:Job"


def at(resource: Any, *path: str | int) -> Any:
    return look.at(resource, *path)


def values(run: Any) -> Any:
    return at(look.one(run, "kubernetes:helm.sh/v3:Release", "minio"), "values")


def test_minio_is_one_set_over_the_system_nodes_within_the_disks_that_are_paid_for() -> None:
    spec = spec_with()
    run = run_part("minio", minio.build, spec)
    part = look.one(run, "atoll:platform:Minio", "minio")
    assert spec.platform is not None
    decided = spec.platform.part("minio")
    assert decided is not None
    found = values(run)
    size = int(found["persistence"]["size"].removesuffix("Gi"))
    assert found["replicas"] * found["drivesPerNode"] * size <= decided.disk_gb
    assert size > 0
    assert found["environment"]["MINIO_STORAGE_CLASS_STANDARD"] == f"EC:{at(part, 'erasure', 'parity')}"


def test_minio_has_no_default_login_no_console_and_no_open_metrics() -> None:
    run = run_part("minio", minio.build, spec_with())
    found = values(run)
    assert found["users"] == []
    assert found["existingSecret"] == "minio-root"
    assert found["environment"]["MINIO_BROWSER"] == "off"
    assert found["metrics"]["serviceMonitor"]["public"] is False


def test_the_certificate_of_minio_bears_our_own_name_and_that_of_each_copy() -> None:
    run = run_part("minio", minio.build, spec_with())
    names = at(look.one(run, CERTIFICATE, "minio-tls"), "spec", "dnsNames")
    assert "s3.object-store.svc.cluster.local" in names
    assert "*.minio-svc.object-store.svc" in names


def test_each_user_and_each_team_gets_its_own_bucket_and_rights_to_no_other() -> None:
    spec = spec_with()
    run = run_part("object_store", object_store.build, spec)
    files = at(look.one(run, "kubernetes:core/v1:ConfigMap", "object-store-setup-files"), "data")
    assert spec.platform is not None
    users = store_users(spec.platform.teams)
    assert "team-everybody" in users
    for user in users:
        policy = json.loads(files[f"policy-{user}.json"])
        resources = {each for statement in policy["Statement"] for each in statement["Resource"]}
        assert resources == {f"arn:aws:s3:::{user}", f"arn:aws:s3:::{user}/*"}
        assert f"mc mb --ignore-existing store/{user}\n" in files["setup.sh"]


def test_our_own_address_leads_to_the_pods_of_the_engine() -> None:
    for engine, port in (("minio", 9000), ("seaweedfs", 8443)):
        run = run_part("object_store", object_store.build, spec_with(platform={"object_store": engine}))
        service = look.one(run, "kubernetes:core/v1:Service", "s3")
        assert at(service, "metadata", "name") == "s3"
        assert at(service, "spec", "ports", 0, "port") == 9000
        assert at(service, "spec", "ports", 0, "targetPort") == port


def test_the_setup_runs_again_when_a_document_changes() -> None:
    few = run_part("object_store", object_store.build, spec_with())
    other = run_part("object_store", object_store.build, spec_with(platform={"object_store": "seaweedfs"}))
    path = ("spec", "template", "metadata", "annotations", "atoll/files")
    setup = "object-store-setup"
    assert at(look.one(few, JOB, setup), *path) != at(look.one(other, JOB, setup), *path)


@pytest.mark.parametrize(("kind", "tiered"), [("pod_identity", True), ("workload_identity", False), ("none", False)])
def test_old_objects_move_to_the_provider_only_where_minio_gets_in_without_a_key(kind: str, tiered: bool) -> None:
    spec = spec_with()
    run = run_part(
        "object_store",
        object_store.build,
        spec,
        handle=lambda each: handle_of(each, bucket=BUCKET, identity=Identity(kind=kind)),
    )
    assert at(look.one(run, "atoll:platform:ObjectStore", "object-store"), "tiered") is tiered
    files = at(look.one(run, "kubernetes:core/v1:ConfigMap", "object-store-setup-files"), "data")
    assert ("mc ilm tier add" in files["setup.sh"]) is tiered
    assert ("Transition" in files["lifecycle-mlflow.json"]) is tiered
    assert "Transition" not in files["lifecycle-loki.json"]


def test_the_provider_as_object_store_puts_nothing_into_the_cluster() -> None:
    run = run_part("object_store", object_store.build, spec_with(platform={"object_store": "provider"}), bucket=BUCKET)
    below = [each for each in run.resources if each.type.startswith("kubernetes:")]
    assert below == []
