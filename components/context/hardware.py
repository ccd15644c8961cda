"""Node images, taints, labels and topology by accelerator, for every cloud; no SDK is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from catalogs.providers import find_traits
from planning.costs.bill import range_to_inputs
from planning.platform.accelerators import DEVICES, NVIDIA, device

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.platform.queues import WorkloadQueues
    from planning.spec.cluster import ClusterSpec, Placement, Pool


BURN_IN_TAINT: Final = "atoll/burn-in"
FLAVORS: Final = {NVIDIA: "nvidia", "aws.amazon.com/neuron": "neuron"}


def image_flavor(accelerator: str | None) -> str:
    """Node image with the driver: "nvidia" or "neuron"; "plain" where drivers are installed later or never."""
    return FLAVORS.get(device(accelerator), "plain")


class Taint(NamedTuple):
    """A node taint; its effect is always no-schedule, which each cloud spells differently."""

    key: str
    value: str


def taints(pool: Pool, *, burn_in: bool = True) -> tuple[Taint, ...]:
    """Taints of the pool's nodes: accelerators are for pods that request them, and untested nodes for none.

    Args:
        burn_in: whether to taint untested nodes; not elastic ones, which an autoscaler would replace endlessly.
    """
    name = device(pool.accelerator) if pool.role == "gpu" else ""
    held = (Taint(name, "present"),) if name else ()
    untested = (Taint(BURN_IN_TAINT, "pending"),) if burn_in and pool.burn_in and pool.min_nodes > 0 else ()
    return held + untested


def group_taints(pool: Pool) -> tuple[Taint, ...]:
    """Taints where fixed and elastic nodes share one group: burn-in only in a pool of fixed size."""
    return taints(pool, burn_in=pool.min_nodes == pool.max_nodes)


def labels(pool: Pool) -> dict[str, str]:
    own = {"atoll/pool": pool.name, "atoll/role": pool.role}
    return {**own, **({"atoll/workload": pool.workload} if pool.workload else {})}


__all__ = ["DEVICES", "NVIDIA", "Taint", "device", "group_taints", "image_flavor", "labels", "taints"]


def find_fabric_settings(provider: str, fabric: str) -> Mapping[str, str]:
    """Environment variables of jobs over a provider's fabric."""
    own, *variables = find_traits(provider).fabric_environment or ("",)
    return dict(variable.split("=", 1) for variable in variables) if fabric == own else {}


def settings(provider: str, pools: Sequence[Pool]) -> Mapping[str, str]:
    """Environment variables of a workload's jobs, by its pools."""
    every = (find_fabric_settings(provider, pool.fabric) for pool in pools if pool.max_nodes > 1)
    return next((each for each in every if each), dict[str, str]())


NAME: Final = "fabric"
HOST: Final = "kubernetes.io/hostname"
JOINED: Final = frozenset({"efa", "infiniband", "roce", "gpudirect"})


def levels(spec: ClusterSpec) -> tuple[str, ...]:
    """Topology labels of the nodes; empty where none are known."""
    return find_traits(spec.placement.target).topology_labels


def is_topology_aware(line: WorkloadQueues, spec: ClusterSpec) -> bool:
    """Whether the jobs of a workload are placed by topology."""
    pools = [flavor.pool for flavor in line.flavors]
    # Kueue counts only existing nodes: elastic pools would never get a job.
    kept = all(pool.fabric in JOINED and pool.min_nodes >= pool.working for pool in pools)
    return bool(levels(spec)) and kept and any(pool.working > 1 for pool in pools)


def pool_facts(placement: Placement, pool: Pool) -> dict[str, object]:
    return {
        "provider": placement.provider,
        "region": placement.region,
        "pool": pool.name,
        "role": pool.role,
        "machine": pool.machine,
        "purchase": pool.purchase,
        "accelerators": pool.accelerators,
        "maxNodes": pool.max_nodes,
        "nodeHours": range_to_inputs(pool.node_hours.as_range()),
    }
