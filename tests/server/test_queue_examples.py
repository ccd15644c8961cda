"""The jobs of the queues' guide are ones that a cluster takes, and nobody goes round the queue."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import definitions
import pulumi
import pytest
import yaml
from pods import GPU, pod
from waiting import wait_until

from components.context.names import QUEUED
from components.platform.scheduling.queues import guard
from operations.offline.program import run

if TYPE_CHECKING:
    from collections.abc import Iterator

    import requests
    from kube_client import KubeClient, Manifest

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

EXAMPLES = sorted((Path(__file__).parents[2] / "docs" / "examples" / "queues").glob("*.yaml"))
HOME = "work-queued"


RESTRICTED = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")}


@definitions.here
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_cluster_takes_the_jobs_of_the_guide(path: Path, kube: KubeClient) -> None:
    job: Manifest = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not definitions.is_served(kube, job):
        assert definitions.install(kube, definitions.group_of(job), job["kind"])
    kube.have_namespace(job["metadata"]["namespace"], **RESTRICTED)
    answer = kube.apply(job, dry_run=True)
    assert answer.ok, answer.text
    assert "warning" not in {name.lower() for name in answer.headers}, answer.headers


def policies() -> Iterator[Manifest]:
    """The policy and its binding, as the program registers them."""
    found = run("sample", program=lambda: guard(parent=pulumi.ComponentResource("atoll:platform:Queues", "queues")))
    yield from (dict(each.inputs) for each in found.resources if each.type.startswith("kubernetes:admission"))


@pytest.fixture(scope="module")
def queued(kube: KubeClient) -> str:
    """A namespace whose pods wait for a queue, once the policy is in force."""
    found = list(policies())
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "workload", "namespace": HOME}}
    kube.have_namespace(HOME, **RESTRICTED, **{QUEUED: "yes"})
    for each in (account, *found):
        answer = kube.apply(each)
        assert answer.ok, answer.text
    wait_until(lambda: tried(kube, tolerates=GPU), lambda answer: not answer.ok, what="the policy is in force")
    return HOME


def tried(kube: KubeClient, **asked: Any) -> requests.Response:
    return kube.apply(pod("tried", HOME, **asked), dry_run=True)


def test_a_pod_that_only_tolerates_accelerators_is_refused(kube: KubeClient, queued: str) -> None:
    assert queued
    answer = tried(kube, tolerates=GPU)
    assert answer.status_code == 403
    assert "asks for no accelerator" in answer.json()["message"]


def test_a_pod_that_tolerates_everything_is_refused(kube: KubeClient, queued: str) -> None:
    everywhere = pod("tried", queued)
    everywhere["spec"]["tolerations"] = [{"operator": "Exists"}]
    assert kube.apply(everywhere, dry_run=True).status_code == 403


@pytest.mark.parametrize(
    "asked",
    [{}, {"gpus": 1, "tolerates": GPU}, {"tolerates": GPU, "on": {"atoll/workload": "queued"}}],
    ids=["plain", "accelerator", "own nodes"],
)
def test_pods_that_wait_their_turn_are_taken(kube: KubeClient, queued: str, asked: dict[str, Any]) -> None:
    assert queued
    assert tried(kube, **asked).ok


def test_nodes_of_another_workload_are_not_ones_own(kube: KubeClient, queued: str) -> None:
    assert queued
    assert tried(kube, tolerates=GPU, on={"atoll/workload": "other"}).status_code == 403
