from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from accept_scene import job

from components.context.hardware import BURN_IN_TAINT
from operations.acceptance.kubernetes_cluster import NodeSnapshot, holders, parse_node, parse_pod
from operations.acceptance.run_plan import (
    CORDON,
    build_busy_error,
    find_busy_nodes,
    find_cordoned_nodes,
    list_not_ready,
    select_nodes,
)
from planning.values.errors import InputError

GPU = "nvidia.com/gpu"
UNSCHEDULED = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no"}
IDLE = NodeSnapshot(name="gpu-0", labels={}, ready=True, cordoned=False, taints=(), accelerators={GPU: 8})
BUSY = replace(IDLE, name="gpu-1", holders=("work-train/run-7-0", "work-train/run-7-1"))


def pod(name: str, *, node: str = "gpu-1", gpus: str = "8", phase: str = "Running", **status: Any) -> dict[str, Any]:
    limits = {GPU: gpus} if gpus else {"cpu": "1"}
    return {
        "metadata": {"name": name, "namespace": "work-train"},
        "spec": {"nodeName": node, "containers": [{"resources": {"limits": limits}}]},
        "status": {"phase": phase, **status},
    }


def test_only_those_who_hold_accelerators_and_still_run_are_disturbed() -> None:
    pods = [pod("a"), pod("b", phase="Succeeded"), pod("c", gpus=""), pod("d", gpus="0"), pod("e", node="")]
    held = holders(pods)
    assert dict(held) == {"gpu-1": ["work-train/a"]}
    node = {
        "metadata": {"name": "gpu-1", "uid": "u", "labels": {"atoll/pool": "gpu"}},
        "spec": {"unschedulable": True, "taints": [{"key": GPU}]},
        "status": {"conditions": [{"type": "Ready", "status": "True"}], "allocatable": {GPU: "8", "cpu": "96"}},
    }
    found = parse_node(node, held)
    assert (found.ready, found.cordoned, found.taints, found.uid) == (True, True, (GPU,), "u")
    assert (found.accelerators, found.holders) == ({GPU: 8}, ("work-train/a",))
    assert not parse_node({"metadata": {"name": "new"}}, {}).ready


@pytest.mark.parametrize(
    ("node", "said"),
    [
        (IDLE, {}),
        (BUSY, {"gpu-1": BUSY.holders}),
        (replace(BUSY, cordoned=True), {}),
        (replace(BUSY, taints=(BURN_IN_TAINT,)), {}),
        (replace(BUSY, holders=("atoll-acceptance/node-gpu-1",)), {}),
        (replace(BUSY, name="other"), {}),
    ],
)
def test_nodes_at_work_are_told_from_those_set_apart(node: NodeSnapshot, said: dict[str, Any]) -> None:
    assert find_busy_nodes([node], ["gpu-0", "gpu-1"]) == said


def test_the_refusal_names_nodes_and_pods() -> None:
    assert "gpu-1 is held by work-train/run-7-0, work-train/run-7-1" in str(build_busy_error({"gpu-1": BUSY.holders}))
    assert "p, p, p and 2 more" in str(build_busy_error({"gpu-1": ("p",) * 5}))


def test_nodes_are_chosen_by_name_and_absent_ones_named() -> None:
    pools = {"gpu": ["gpu-0", "gpu-1"], "cpu": ["cpu-0"]}
    assert select_nodes(pools, ()) == pools
    assert select_nodes(pools, ["gpu-1"]) == {"gpu": ["gpu-1"], "cpu": []}
    with pytest.raises(InputError, match="no ready node gpu-7; there are: gpu-0, gpu-1, cpu-0"):
        select_nodes(pools, ["gpu-7"])
    assert list_not_ready([IDLE, replace(BUSY, ready=False)]) == ["gpu-1"]


def test_a_cordoned_node_whose_job_would_wait_for_ever_is_told_from_one_that_is_measured() -> None:
    spare = [replace(IDLE, cordoned=True), BUSY]
    bare = job("gpu-0", nodes=("gpu-0",))
    tolerant = replace(bare, objects=({**bare.objects[0], "spec": {"tolerations": [{"key": CORDON}]}},))
    assert find_cordoned_nodes(spare, [bare, job("gpu-1", nodes=("gpu-1",))]) == ["gpu-0"]
    assert find_cordoned_nodes(spare, [tolerant]) == []
    assert find_cordoned_nodes([IDLE], [bare]) == []


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ({"conditions": [UNSCHEDULED]}, "Unschedulable: no"),
        ({"containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]}, "ImagePullBackOff"),
        ({}, ""),
    ],
)  # fmt: skip
def test_why_a_pod_waits_is_told(status: dict[str, Any], words: str) -> None:
    assert parse_pod(pod("a", phase="Pending", **status)).waiting == words
