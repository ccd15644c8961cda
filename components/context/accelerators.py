"""What an accelerator is called by Kubernetes, and which node image drives it. No SDK: every cloud asks here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from planning.platform.accelerators import DEVICES, NVIDIA, device

if TYPE_CHECKING:
    from planning.spec.cluster import Pool

BURN_IN_TAINT: Final = "atoll/burn-in"
FLAVORS: Final = {NVIDIA: "nvidia", "aws.amazon.com/neuron": "neuron"}


def image_flavor(accelerator: str | None) -> str:
    """Which node image holds the driver: "nvidia", "neuron", or "plain" where drivers are installed later or never."""
    return FLAVORS.get(device(accelerator), "plain")


class Taint(NamedTuple):
    """What a pod must tolerate to be scheduled; the effect is always no-schedule, which each cloud spells its way."""

    key: str
    value: str


def taints(pool: Pool, *, burn_in: bool = True) -> tuple[Taint, ...]:
    """Taints of the pool's nodes: accelerators are for pods that ask for them, and untested nodes for none.

    Args:
        burn_in: whether untested nodes are marked: only where nodes stay, for a scaler would start new ones for ever.
    """
    name = device(pool.accelerator) if pool.role == "gpu" else ""
    held = (Taint(name, "present"),) if name else ()
    untested = (Taint(BURN_IN_TAINT, "pending"),) if burn_in and pool.burn_in and pool.min_nodes > 0 else ()
    return held + untested


def group_taints(pool: Pool) -> tuple[Taint, ...]:
    """The same where nodes that stand and those that a scaler adds are one group: none waits where any may come."""
    return taints(pool, burn_in=pool.min_nodes == pool.max_nodes)


def labels(pool: Pool) -> dict[str, str]:
    """Labels of the pool's nodes, by which pods choose them."""
    own = {"atoll/pool": pool.name, "atoll/role": pool.role}
    return {**own, **({"atoll/workload": pool.workload} if pool.workload else {})}


__all__ = ["DEVICES", "NVIDIA", "Taint", "device", "group_taints", "image_flavor", "labels", "taints"]
