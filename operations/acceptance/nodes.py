"""Which nodes are measured, as which pool's, and whom that would disturb."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from components.acceptance.job_context import NAMESPACE
from components.context.accelerators import BURN_IN_TAINT, device, labels
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from components.acceptance.model import PlannedJob
    from operations.acceptance.ports import Seen
    from planning.spec.cluster import ClusterSpec, Pool

POOL: Final = "atoll/pool"
CORDON: Final = "node.kubernetes.io/unschedulable"
SHOWN: Final = 12


def by_pool(spec: ClusterSpec, seen: Sequence[Seen]) -> dict[str, list[str]]:
    """Names of the ready nodes of each pool, sorted.

    Nodes of a cluster that exists may carry no label of ours: then those that have the pool's accelerators are its own.
    """
    left = {each.name: each for each in seen if each.ready}
    found: dict[str, list[str]] = {}
    for pool in spec.pools:
        mine = sorted(each.name for each in left.values() if _in(pool, each, labelled=spec.existing is None))
        found[pool.name] = mine
        left = {name: each for name, each in left.items() if name not in mine}
    return found


def ours(spec: ClusterSpec, seen: Sequence[Seen]) -> dict[str, list[str]]:
    """The same, of a cluster that is the one that the lock describes, as far as its nodes tell.

    Raises:
        InputError: nodes are there, and none of them is of a pool of the lock: the kubeconfig names another cluster.
    """
    found = by_pool(spec, seen)
    ready = [each.name for each in seen if each.ready]
    if ready and not any(found.values()):
        pools = ", ".join(pool.name for pool in spec.pools)
        raise InputError(
            f"this cluster has {len(ready)} ready nodes, and none of a pool of the lock: {pools}",
            hint="does the kubeconfig name another cluster? What is measured there says nothing about this stack",
        )
    return found


def chosen(found: Mapping[str, Sequence[str]], names: Sequence[str]) -> dict[str, list[str]]:
    """Only the nodes that are named; all where none is.

    Raises:
        InputError: no such node; names those there are.
    """
    known = [name for pool in found.values() for name in pool]
    if unknown := [name for name in names if name not in known]:
        there = ", ".join(known[:SHOWN]) + (f" and {len(known) - SHOWN} more" if len(known) > SHOWN else "")
        raise InputError(f"no ready node {', '.join(unknown)}; there are: {there or 'none'}")
    return {pool: [name for name in mine if not names or name in names] for pool, mine in found.items()}


def absent(seen: Iterable[Seen]) -> list[str]:
    """Nodes that are there and not ready."""
    return sorted(each.name for each in seen if not each.ready)


def disturbed(seen: Iterable[Seen], names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Nodes on which others work, and their pods: neither set apart for the burn-in nor cordoned, nor idle."""
    wanted = frozenset(names)
    ours = f"{NAMESPACE}/"
    found = {
        each.name: tuple(pod for pod in each.holders if not pod.startswith(ours))
        for each in seen
        if each.name in wanted and not _apart(each)
    }
    return {name: pods for name, pods in found.items() if pods}


def shut_out(seen: Iterable[Seen], jobs: Iterable[PlannedJob]) -> list[str]:
    """Cordoned nodes on which no pod of their own job would be put, so that it would wait for nothing."""
    cordoned = {each.name for each in seen if each.cordoned}
    lost = [job for job in jobs if cordoned & set(job.nodes) and CORDON not in json.dumps(job.objects)]
    return sorted({name for job in lost for name in job.nodes if name in cordoned})


def refusal(found: Mapping[str, Sequence[str]]) -> InputError:
    """Why nodes at work are not taken away."""
    told = "; ".join(_held(found))
    return InputError(
        f"{len(found)} nodes are at work, and the tests would take their accelerators: {told}",
        hint="cordon and drain them, choose others with --node, or wait for them with --while-working",
    )


def _held(found: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for name, pods in list(found.items())[:SHOWN]:
        yield f"{name} is held by {', '.join(pods[:3])}" + (f" and {len(pods) - 3} more" if len(pods) > 3 else "")  # noqa: PLR2004


def _in(pool: Pool, node: Seen, *, labelled: bool) -> bool:
    if labelled or POOL in node.labels:
        return labels(pool).items() <= node.labels.items()
    resource = device(pool.accelerator) if pool.role == "gpu" else ""
    has = {resource: pool.accelerators} if resource and pool.accelerators else {}
    return dict(node.accelerators) == has


def _apart(node: Seen) -> bool:
    return node.cordoned or BURN_IN_TAINT in node.taints
