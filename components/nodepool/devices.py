"""What an accelerator is called by Kubernetes, and which node image drives it. No SDK: every cloud asks here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from planning.spec import Pool

BURN_IN_TAINT: Final = "atoll/burn-in"
NVIDIA: Final = "nvidia.com/gpu"
# By the first letters of the catalog's names; whatever is not listed is made by NVIDIA.
DEVICES: Final = (
    ("Trainium", "aws.amazon.com/neuron"),
    ("Inferentia", "aws.amazon.com/neuron"),
    ("Gaudi", "habana.ai/gaudi"),
    ("TPU", "google.com/tpu"),
    ("MI", "amd.com/gpu"),
    ("V520", "amd.com/gpu"),
)
FLAVORS: Final = {NVIDIA: "nvidia", "aws.amazon.com/neuron": "neuron"}


def device(accelerator: str | None) -> str:
    """The extended resource that pods ask for; "" for a node without accelerators."""
    if accelerator is None:
        return ""
    return next((name for prefix, name in DEVICES if accelerator.startswith(prefix)), NVIDIA)


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


def labels(pool: Pool) -> dict[str, str]:
    """Labels of the pool's nodes, by which pods choose them."""
    own = {"atoll/pool": pool.name, "atoll/role": pool.role}
    return {**own, **({"atoll/workload": pool.workload} if pool.workload else {})}
