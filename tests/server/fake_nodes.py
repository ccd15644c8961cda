"""The nodes of a lock's pools as kwok plays them: what they hold, how they are labelled, and whom they turn away."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from kube_client import conditions

from components.context.hardware import device, labels, taints

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import requests
    from kube_client import KubeClient, Manifest

    from planning.spec.cluster import Pool

OWNER = "test/owner"  # label: whose tests made the node, and remove it before the next file's begin
NOT_READY = "node.kubernetes.io/not-ready"
PODS = "110"  # what a kubelet allows by default
OF_KUBELET = {"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
UNSTATED_VCPUS = 64  # a lock may leave the size of a machine open: room enough for any pod of a test
UNSTATED_MEMORY_GIB = 512


def node(pool: Pool, number: int) -> Manifest:
    """One node of a pool, after burn-in, with the taint that keeps other pods off accelerators."""
    name = f"{pool.name}-{number}"
    resource = device(pool.accelerator)
    room = {
        "cpu": str(pool.vcpus or UNSTATED_VCPUS),
        "memory": f"{pool.memory_gib or UNSTATED_MEMORY_GIB}Gi",
        "pods": PODS,
        **({resource: str(pool.accelerators)} if resource else {}),
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {**labels(pool), **OF_KUBELET, "kubernetes.io/hostname": name}},
        "spec": {"taints": [{**each._asdict(), "effect": "NoSchedule"} for each in taints(pool, burn_in=False)]},
        "status": {"capacity": room, "allocatable": room},
    }


def nodes(pools: Iterable[Pool]) -> Iterator[Manifest]:
    """As many nodes as each pool has at its peak."""
    for pool in pools:
        yield from (node(pool, number) for number in range(pool.max_nodes))


def join(kube: KubeClient, pools: Iterable[Pool], *, owner: str = "") -> list[Manifest]:
    """Make the nodes of the pools, and return when kwok says of each that it is ready."""
    joined = list(nodes(pools))
    admit(kube, joined, owner=owner)
    return joined


@contextlib.contextmanager
def joined(kube: KubeClient, made: Sequence[Manifest], *, owner: str) -> Iterator[list[Manifest]]:
    """Nodes of one file's tests: ready, labelled as its own, and gone when the file's tests are over."""
    try:
        admit(kube, made, owner=owner)
        yield list(made)
    finally:
        remove(kube, made)


def admit(kube: KubeClient, made: Sequence[Manifest], *, owner: str) -> None:
    """Make the nodes, and return when each is ready."""
    for each in made:
        each["metadata"].setdefault("labels", {})[OWNER] = owner
        answer = kube.apply(each)
        assert answer.ok, answer.text
    for each in made:
        kube.wait(each, is_ready)


def remove(kube: KubeClient, made: Sequence[Manifest]) -> None:
    """Delete the nodes, and return when they are gone."""
    kube.delete_all(made)


def owners(kube: KubeClient) -> dict[str, str]:
    """Whose tests made each node that there is; "" where no label says."""
    items = kube.request("GET", "/api/v1/nodes").json()["items"]
    return {each["metadata"]["name"]: each["metadata"].get("labels", {}).get(OWNER, "") for each in items}


def is_ready(answer: requests.Response) -> bool:
    """Whether the node is ready and the controllers have let pods onto it."""
    ready = any(each["type"] == "Ready" and each["status"] == "True" for each in conditions(answer))
    return ready and all(each["key"] != NOT_READY for each in answer.json()["spec"].get("taints", []))
