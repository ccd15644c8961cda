"""A real MLflow on a real MinIO: runs are logged, and artifacts come back, without a key at the one who logs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import requests
from mlflow_server import MlflowServer

if TYPE_CHECKING:
    from store_server import StoreServer

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

LOGS = """
import json, mlflow, pathlib, sys
mlflow.set_experiment("burst")
with mlflow.start_run() as run:
    mlflow.log_param("learning_rate", 0.1)
    mlflow.log_metric("loss", 0.5)
    pathlib.Path("weights.txt").write_text("the weights")
    mlflow.log_artifact("weights.txt", "model")
print(json.dumps({"run": run.info.run_id, "artifacts": run.info.artifact_uri}))
"""
READS = """
import mlflow, pathlib, sys
kept = mlflow.artifacts.download_artifacts(run_id=sys.argv[1], artifact_path="model/weights.txt")
print(pathlib.Path(kept).read_text())
print(mlflow.get_run(sys.argv[1]).data.metrics["loss"])
"""


@pytest.fixture(scope="module")
def logged(mlflow: MlflowServer) -> dict[str, str]:
    return json.loads(mlflow.run(LOGS).splitlines()[-1])


def test_an_artifact_is_read_back_through_the_proxy(mlflow: MlflowServer, logged: dict[str, str]) -> None:
    text, loss = mlflow.run(READS, logged["run"]).splitlines()[-2:]
    assert text == "the weights"
    assert float(loss) == pytest.approx(0.5)


def test_no_bucket_is_named_in_what_the_database_keeps(logged: dict[str, str]) -> None:
    assert logged["artifacts"].startswith("mlflow-artifacts:/")


def test_the_artifact_lies_in_mlflows_bucket_and_in_no_other(
    mlflow: MlflowServer, logged: dict[str, str], store: StoreServer
) -> None:
    keys = [each["Key"] for each in store.client("mlflow").list_objects_v2(Bucket="mlflow")["Contents"]]
    assert any(logged["run"] in key and key.endswith("model/weights.txt") for key in keys)
    assert mlflow.values["artifactRoot"]["s3"]["bucket"] == "mlflow"


@pytest.mark.parametrize("host", ["mlflow.mlflow.svc.cluster.local", "10.1.2.3:5000", "mlflow.atoll.internal"])
def test_the_server_answers_to_its_own_names_and_to_pods_addresses(mlflow: MlflowServer, host: str) -> None:
    answer = requests.get(f"{mlflow.url}/api/2.0/mlflow/experiments/get", headers={"Host": host}, timeout=60)
    assert answer.status_code == requests.codes.bad_request  # it was let in, and misses the experiment's number


def test_the_server_refuses_every_other_name(mlflow: MlflowServer) -> None:
    address = f"{mlflow.url}/api/2.0/mlflow/experiments/get"
    answer = requests.get(address, headers={"Host": "rebound.example"}, timeout=60)
    assert answer.status_code == requests.codes.forbidden


@pytest.mark.usefixtures("logged")
def test_prometheus_reads_metrics_where_the_monitor_says(mlflow: MlflowServer) -> None:
    answer = requests.get(f"{mlflow.url}/metrics", headers={"Host": "10.1.2.3:5000"}, timeout=60)
    assert answer.ok
    assert "mlflow_http_request" in answer.text
