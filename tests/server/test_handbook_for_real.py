"""The examples of the handbook are real: compiled, run against real servers, taken by a real API server."""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import definitions
import pulumi
import pytest
import yaml
from accepted import accepted, catalog, checklist

from components.context.names import QUEUED
from components.platform.building_blocks.artifact_mirror import read_artifact_mirror
from components.platform.scheduling.queues import guard
from operations.handbook.facts import HandbookFacts
from operations.handbook.renderer import snippets
from operations.offline.program import run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kube_client import KubeClient, Manifest
    from mlflow_server import MlflowServer
    from store_server import StoreServer

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

ROOT = Path(__file__).parents[2]
WHOLE = "pretrain-7b"  # an example whose cluster has searches, pipelines and serving
SHOWN = ("demo", WHOLE, "notebooks-eight")  # the last has TensorFlow, and shares of accelerators
TEAM = "team-vision"


@cache
def written(example: str) -> Mapping[str, str]:
    facts = HandbookFacts(
        lock=accepted(example),
        checklist=checklist(example),
        catalog=catalog(),
        shelf=read_artifact_mirror("", project=ROOT),
    )
    return snippets(facts)


def manifests() -> list[tuple[str, str]]:
    return [(example, name) for example in SHOWN for name in written(example) if name.endswith(".yaml")]


def have_restricted(kube: KubeClient, name: str) -> None:
    labels = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")} | {QUEUED: "yes"}
    kube.have_namespace(name, **labels)


@definitions.here
@pytest.mark.parametrize(("example", "name"), manifests())
def test_a_cluster_takes_what_the_handbook_shows(example: str, name: str, kube: KubeClient) -> None:
    for found in yaml.safe_load_all(written(example)[name]):
        whole: Manifest = found
        whole["metadata"].setdefault("name", whole["metadata"].pop("generateName", "x").rstrip("-"))
        if not definitions.is_served(kube, whole):
            assert definitions.install(kube, definitions.group_of(whole), whole["kind"])
        have_restricted(kube, whole["metadata"]["namespace"])
        answer = kube.apply(whole, dry_run=True)
        assert answer.ok, answer.text
        assert "warning" not in {each.lower() for each in answer.headers}, answer.headers


def pods(value: Any) -> Iterator[Manifest]:
    """Every pod that an object asks for in full, as its controller would write it."""
    if isinstance(value, dict):
        spec = value.get("spec", {})
        if "containers" in spec and "image" in spec["containers"][0]:
            yield {"metadata": dict(value.get("metadata", {})), "spec": spec}
        for each in value.values():
            yield from pods(each)


@pytest.fixture(scope="module")
def watched(kube: KubeClient) -> KubeClient:
    """The server with the policy that keeps pods from going round the queue."""
    found = run("sample", program=lambda: guard(parent=pulumi.ComponentResource("atoll:platform:Queues", "queues")))
    for each in found.resources:
        if each.type.startswith("kubernetes:admission"):
            answer = kube.apply(dict(each.inputs))
            assert answer.ok, answer.text
    return kube


@pytest.mark.parametrize("example", SHOWN)
def test_the_pods_of_its_jobs_are_let_in(example: str, watched: KubeClient) -> None:
    """By the restricted standard and by our own policy, which judge pods and not the objects that make them."""
    tried = 0
    for name, text in written(example).items():
        if not name.endswith(".yaml"):
            continue
        whole: Manifest = yaml.safe_load(text)
        namespace = whole["metadata"]["namespace"]
        account = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "workload", "namespace": namespace},
        }
        have_restricted(watched, namespace)
        assert watched.apply(account).ok
        for found in pods(whole):
            found["metadata"] |= {"name": "tried", "namespace": namespace}
            answer = watched.apply({"apiVersion": "v1", "kind": "Pod", **found}, dry_run=True)
            assert answer.ok, (name, answer.text)
            assert "warning" not in {each.lower() for each in answer.headers}, (name, answer.headers)
            tried += 1
    assert tried >= 3


def test_the_pipeline_compiles_and_has_both_steps(clients: Path, tmp_path: Path) -> None:
    (tmp_path / "two_steps.py").write_text(written(WHOLE)["pipeline/two_steps.py"])
    home = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run(
        [str(clients), "-W", "ignore", "two_steps.py"],
        cwd=tmp_path,
        env=home,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    compiled: Any = yaml.safe_load((tmp_path / "first.yaml").read_text())
    assert set(compiled["root"]["dag"]["tasks"]) == {"prepare", "train"}
    assert compiled["root"]["dag"]["tasks"]["train"]["dependentTasks"] == ["prepare"]


def test_a_run_is_logged_and_says_later_what_made_it(mlflow: MlflowServer) -> None:
    printed = mlflow.run(written("demo")["tracking/mlflow_run.py"]).splitlines()
    (run,) = [line for line in printed if re.fullmatch(r"[0-9a-f]{32}", line)]
    said = mlflow.run(written("demo")["tracking/reproduce.py"], run)
    assert "parameter learning_rate 0.001" in said
    assert "data unknown" in said
    assert "artifacts mlflow-artifacts:/" in said


def test_files_go_to_the_teams_bucket_and_come_back(clients: Path, store: StoreServer, tmp_path: Path) -> None:
    given = {
        "S3_URI": f"s3://{TEAM}",
        "AWS_ENDPOINT_URL_S3": store.endpoint,
        "AWS_CA_BUNDLE": str(store.authority),
        "AWS_ACCESS_KEY_ID": TEAM,
        "AWS_SECRET_ACCESS_KEY": store.key(TEAM),
        "AWS_REGION": "us-east-1",
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
    }
    program = written("demo")["data/store.py"]
    done = subprocess.run(
        [str(clients), "-c", program],
        cwd=tmp_path,
        env=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "first/numbers.csv 8" in done.stdout
    assert re.search(r"^version [-0-9a-f]{36}$", done.stdout, re.MULTILINE), done.stdout
    assert (tmp_path / "again.csv").read_text() == "x,y\n1,2\n"
