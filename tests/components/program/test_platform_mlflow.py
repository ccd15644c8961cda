from __future__ import annotations

from typing import Any

import look
import pytest
from platform_samples import BUCKET, run_part, spec_with

from components.context.placement import PlatformBucket
from components.platform.experiments import mlflow
from components.platform.foundation import operators
from planning.costs.resources.resource import Secret

CLUSTER = "kubernetes:postgresql.cnpg.io/v1:Cluster"
SCHEDULE = "kubernetes:postgresql.cnpg.io/v1:ScheduledBackup"
PROVIDER = {"object_store": "provider"}


def values(run: Any) -> Any:
    return look.at(look.one(run, "kubernetes:helm.sh/v3:Release", "mlflow"), "values")


def test_artifacts_are_served_by_proxy_so_that_no_bucket_enters_the_database() -> None:
    found = values(run_part("mlflow", mlflow.build, spec_with()))
    assert found["artifactRoot"]["proxiedArtifactStorage"] is True
    assert found["artifactRoot"]["s3"]["bucket"] == "mlflow"
    assert found["artifactRoot"]["s3"]["existingSecret"] == {"name": "mlflow-store"}


def test_runs_are_in_a_database_whose_login_nobody_chose() -> None:
    run = run_part("mlflow", mlflow.build, spec_with())
    found = values(run)
    assert found["backendStore"]["postgres"]["host"] == "mlflow-database-rw.mlflow.svc.cluster.local"
    assert found["backendStore"]["existingDatabaseSecret"] == {"name": "mlflow-database"}
    login = look.one(run, "kubernetes:core/v1:Secret", "mlflow-database")
    assert isinstance(look.at(login, "stringData"), Secret)


def test_the_database_and_its_login_outlive_the_stack() -> None:
    run = run_part("mlflow", mlflow.build, spec_with())
    for token, name in ((CLUSTER, "mlflow-database"), ("kubernetes:core/v1:Secret", "mlflow-database")):
        assert look.one(run, token, name).retain_on_delete


@pytest.mark.parametrize(("size", "instances"), [("small", 1), ("standard", 2), ("full", 2)])
def test_the_volumes_of_all_instances_are_those_that_are_paid_for(size: str, instances: int) -> None:
    spec = spec_with(platform={"size": size})
    run = run_part("mlflow", mlflow.build, spec)
    assert spec.platform is not None
    part = spec.platform.part("mlflow")
    assert part is not None
    cluster = look.one(run, CLUSTER, "mlflow-database")
    each = int(str(look.at(cluster, "spec", "storage", "size")).removesuffix("Gi"))
    assert look.at(cluster, "spec", "instances") == instances
    assert instances * each == part.disk_gb


def test_backups_go_to_the_providers_bucket_by_identity_where_there_is_one() -> None:
    run = run_part("mlflow", mlflow.build, spec_with(), bucket=BUCKET)
    store = look.at(look.one(run, CLUSTER, "mlflow-database"), "spec", "backup", "barmanObjectStore")
    assert isinstance(store, dict)
    assert store["destinationPath"] == "s3://atoll-sample-platform/mlflow-database/"
    assert store["s3Credentials"] == {"inheritFromIAMRole": True}
    assert look.at(look.one(run, SCHEDULE, "mlflow-database-nightly"), "spec", "schedule") == "0 17 2 * * *"


def test_without_a_bucket_of_the_provider_backups_go_to_the_store_in_the_cluster() -> None:
    run = run_part("mlflow", mlflow.build, spec_with())
    store = look.at(look.one(run, CLUSTER, "mlflow-database"), "spec", "backup", "barmanObjectStore")
    assert isinstance(store, dict)
    assert store["destinationPath"] == "s3://backups/mlflow-database/"
    assert store["endpointCA"] == {"name": "s3-ca", "key": "ca.crt"}


def test_a_bucket_of_the_customers_own_comes_before_all_others() -> None:
    theirs = PlatformBucket(
        name="lagoon", endpoint="https://s3.example.com", region="eu-1", access_key="key", secret_key="secret"
    )
    run = run_part("mlflow", mlflow.build, spec_with(), bucket=theirs)
    store = look.at(look.one(run, CLUSTER, "mlflow-database"), "spec", "backup", "barmanObjectStore")
    assert isinstance(store, dict)
    assert store["destinationPath"] == "s3://lagoon/mlflow-database/"
    assert store["endpointURL"] == "https://s3.example.com"
    assert store["s3Credentials"]["secretAccessKey"] == {"name": "mlflow-database-backups", "key": "secretKey"}


def test_at_the_provider_artifacts_lie_below_mlflows_prefix_and_no_key_is_anywhere() -> None:
    run = run_part("mlflow", mlflow.build, spec_with(platform=PROVIDER), bucket=BUCKET)
    found = values(run)
    assert found["artifactRoot"]["s3"] == {"enabled": True, "bucket": "atoll-sample-platform", "path": "mlflow"}
    assert "AWS_CA_BUNDLE" not in found["extraEnvVars"]
    assert not [each for each in run.resources if each.name == "mlflow-store"]


def test_the_server_answers_to_its_own_names_only_behind_the_door() -> None:
    run = run_part("mlflow", mlflow.build, spec_with(), domain="ml.example.com")
    assert "mlflow.ml.example.com" in values(run)["serverAllowedHosts"]
    door = look.one(run, "kubernetes:networking.istio.io/v1:VirtualService", "mlflow-door")
    assert look.at(door, "spec", "hosts") == ["mlflow.ml.example.com"]
    assert run.exports["mlflowUrl"] == "https://mlflow.ml.example.com"


def test_the_authority_of_the_store_is_brought_into_the_namespace_once() -> None:
    run = run_part("mlflow", mlflow.build, spec_with())
    found = look.of_type(run, "kubernetes:cert-manager.io/v1:Certificate")
    assert [look.at(each, "metadata", "name") for each in found] == ["s3-ca"]


def test_the_flask_key_is_generated() -> None:
    assert isinstance(values(run_part("mlflow", mlflow.build, spec_with()))["flaskServerSecretKey"], Secret)


def test_the_operator_of_databases_may_be_called_by_the_api_server() -> None:
    run = run_part("postgres_operator", operators.build_postgres_operator, spec_with())
    policy = look.one(run, "kubernetes:networking.k8s.io/v1:NetworkPolicy", "postgres-webhook")
    assert look.at(policy, "spec", "ingress", 0, "ports", 0, "port") == 9443
