"""Where pods land on the nodes of the existing-cluster example, decided by a real scheduler."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pods import GPU, OURS, gpu_pod, left_waiting, pod, role_of_node, run

from components.context.names import namespace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Applied
    from kube_client import KubeClient

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]


@pytest.fixture
def home(kube: KubeClient, example: Applied) -> Iterator[str]:
    """The namespace of the example's workload, its quota unused; the test's pods are gone from it afterwards."""
    name = namespace(str(example.pool("gpu").workload))
    quota = next(each for each in example.objects if each["metadata"]["name"] == "accelerators")
    kube.wait(quota, lambda answer: set(answer.json()["status"].get("used", {}).values()) == {"0"})
    yield name
    kube.clear(name, "pods", labelled=OURS)


def names_of(applied: Applied, pool: str) -> set[str]:
    return {each["metadata"]["name"] for each in applied.nodes if each["metadata"]["labels"]["atoll/pool"] == pool}


def test_every_node_of_the_lock_joins_with_what_its_pool_says(kube: KubeClient, example: Applied) -> None:
    assert len(example.nodes) == sum(pool.max_nodes for pool in example.pools)
    held = [kube.get(each).json()["status"]["allocatable"].get(GPU, "0") for each in example.nodes]
    assert sorted(held) == ["0", "0", "0", "8", "8"]


def test_a_gpu_pod_lands_on_a_gpu_node_and_runs(kube: KubeClient, example: Applied, home: str) -> None:
    pool = example.pool("gpu").name
    landed = run(kube, gpu_pod("train", home, pool=pool, gpus=1))
    assert landed["spec"]["nodeName"] in names_of(example, pool)


def test_a_gpu_pod_needs_no_label_to_find_its_node(kube: KubeClient, home: str) -> None:
    landed = run(kube, pod("unlabelled", home, gpus=8, tolerates=GPU))
    assert role_of_node(kube, landed) == "gpu"  # any team's: the pod names none


def test_a_cpu_pod_keeps_off_the_gpu_nodes(kube: KubeClient, home: str) -> None:
    landed = [run(kube, pod(f"cpu-{number}", home)) for number in range(6)]
    assert {role_of_node(kube, each) for each in landed} == {"system"}


def test_a_pod_that_does_not_tolerate_accelerators_waits(kube: KubeClient, example: Applied, home: str) -> None:
    reason = left_waiting(kube, pod("stubborn", home, on={"atoll/pool": example.pool("gpu").name}))
    assert "untolerated taint" in reason


def test_the_quota_is_exactly_what_the_working_nodes_hold(kube: KubeClient, example: Applied, home: str) -> None:
    pool = example.pool("gpu")
    pods = [gpu_pod(f"whole-{number}", home, pool=pool.name, gpus=pool.accelerators) for number in range(pool.working)]
    assert len({run(kube, each)["spec"]["nodeName"] for each in pods}) == pool.working
    answer = kube.apply(gpu_pod("one-more", home, pool=pool.name, gpus=1))
    assert answer.status_code == 403
    assert "exceeded quota" in answer.json()["message"]
