from __future__ import annotations

import json
from typing import Any

import look
from platform_samples import BUCKET, run_part, spec_with

from components.platform.building_blocks.object_store_access import PARTS_AT_PROVIDER
from components.platform.experiments import airflow
from planning.costs.resources.resource import Secret

ASKED = {"schedulers": ["airflow"]}


def values(run: Any) -> Any:
    return look.at(look.one(run, "kubernetes:helm.sh/v3:Release", "airflow"), "values")


def test_airflow_brings_no_database_no_queue_and_no_user_of_its_own() -> None:
    found = values(run_part("airflow", airflow.build, spec_with(**ASKED)))
    assert found["executor"] == "KubernetesExecutor"
    assert not found["postgresql"]["enabled"]
    assert not found["redis"]["enabled"]
    assert not found["createUserJob"]["enabled"]


def test_the_migration_is_no_hook_that_the_release_would_wait_for() -> None:
    found = values(run_part("airflow", airflow.build, spec_with(**ASKED)))
    assert found["migrateDatabaseJob"] == {"useHelmHooks": False, "applyCustomEnv": False}


def test_every_key_of_airflow_is_generated() -> None:
    run = run_part("airflow", airflow.build, spec_with(**ASKED))
    secret = look.one(run, "kubernetes:core/v1:Secret", "airflow-secrets")
    assert isinstance(look.at(secret, "stringData"), Secret)
    found = values(run)
    named = ("fernetKeySecretName", "apiSecretKeySecretName", "webserverSecretKeySecretName", "jwtSecretName")
    assert {found[each] for each in named} == {"airflow-secrets"}


def test_a_fernet_key_is_32_bytes_and_always_the_same_for_a_secret() -> None:
    assert airflow.fernet_key("one") == airflow.fernet_key("one") != airflow.fernet_key("two")
    assert len(airflow.fernet_key("one")) == 44


def test_logs_go_to_airflows_bucket_over_a_trusted_connection() -> None:
    found = values(run_part("airflow", airflow.build, spec_with(**ASKED)))
    said = {each["name"]: each["value"] for each in found["env"]}
    assert said["AIRFLOW__LOGGING__REMOTE_BASE_LOG_FOLDER"] == "s3://airflow/logs"
    assert found["secret"] == [
        {"envName": "AIRFLOW_CONN_STORE", "secretName": "airflow-store", "secretKey": "connection"}
    ]
    written = json.loads(airflow.connection(("airflow", "key"), endpoint="https://s3:9000", region="us-east-1"))
    assert written["extra"]["verify"] == "/etc/s3-ca/ca.crt"


def test_at_the_provider_logs_go_below_airflows_prefix_by_the_pods_identity() -> None:
    spec = spec_with(**ASKED, platform={"object_store": "provider"})
    found = values(run_part("airflow", airflow.build, spec, bucket=BUCKET))
    said = {each["name"]: each["value"] for each in found["env"]}
    assert said["AIRFLOW__LOGGING__REMOTE_BASE_LOG_FOLDER"] == "s3://atoll-sample-platform/airflow/logs"
    assert json.loads(said["AIRFLOW_CONN_STORE"]) == {"conn_type": "aws", "extra": {"region_name": "us-east-1"}}
    assert found["workers"]["serviceAccount"]["name"] in {each.name for each in PARTS_AT_PROVIDER["airflow"]}
    assert found["secret"] == []


def test_whoever_comes_through_the_door_is_the_person_whom_the_gateway_names() -> None:
    run = run_part("airflow", airflow.build, spec_with(**ASKED), domain="ml.example.com")
    assert "HTTP_KUBEFLOW_USERID" in values(run)["apiServer"]["apiServerConfig"]
    assert run.exports["airflowUrl"] == "https://airflow.ml.example.com"


def test_dags_come_from_the_repository_that_was_given() -> None:
    given = {"airflow_dags": "https://git.lagoon.example/dags.git", "airflow_dags_ref": "v3"}
    found = values(run_part("airflow", airflow.build, spec_with(**ASKED), settings=given))
    assert found["dags"]["gitSync"]["repo"] == "https://git.lagoon.example/dags.git"
    assert found["dags"]["gitSync"]["ref"] == "v3"
    assert "dags" not in values(run_part("airflow", airflow.build, spec_with(**ASKED)))
