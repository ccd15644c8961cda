"""Accelerators: what Kubernetes calls them, into how many slices one is cut, which nodes are tested before work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.providers import find_traits
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.spec.cluster import ClusterSpec, Pool

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
SHARED: Final = f"{NVIDIA}.shared"  # what the device plugin calls a GPU that several pods take turns on
# Our choice: the turns of one GPU; its memory is not divided, so more notebooks than this fill it.
TURNS: Final = 4
# Equal slices of one accelerator, of the layouts that the MIG manager of GPU Operator v26.7.0 knows
# (github.com/NVIDIA/gpu-operator, assets/state-mig-manager/0400_configmap.yaml, 2026-08-20).
SLICES: Final[Mapping[str, Mapping[str, int]]] = {
    "A100-40GB": {"1g.5gb": 7, "1g.10gb": 4, "2g.10gb": 3, "3g.20gb": 2, "4g.20gb": 1, "7g.40gb": 1},
    "A100-80GB": {"1g.10gb": 7, "1g.20gb": 4, "2g.20gb": 3, "3g.40gb": 2, "4g.40gb": 1, "7g.80gb": 1},
    "H100-80GB": {"1g.10gb": 7, "1g.20gb": 4, "2g.20gb": 3, "3g.40gb": 2, "4g.40gb": 1, "7g.80gb": 1},
    "H100-94GB": {"1g.12gb": 7, "1g.24gb": 4, "2g.24gb": 3, "3g.47gb": 2, "4g.47gb": 1, "7g.94gb": 1},
    "GH200-96GB": {"1g.12gb": 7, "1g.24gb": 4, "2g.24gb": 3, "3g.48gb": 2, "4g.48gb": 1, "7g.96gb": 1},
    "H200-141GB": {"1g.18gb": 7, "1g.35gb": 4, "2g.35gb": 3, "3g.71gb": 2, "4g.71gb": 1, "7g.141gb": 1},
    "B200-180GB": {"1g.23gb": 7, "1g.45gb": 4, "2g.45gb": 3, "3g.90gb": 2, "4g.90gb": 1, "7g.180gb": 1},
    "GB200-186GB": {"1g.23gb": 7, "1g.47gb": 4, "2g.47gb": 3, "3g.93gb": 2, "4g.93gb": 1, "7g.186gb": 1},
    "B300-288GB": {"1g.34gb": 7, "1g.67gb": 4, "2g.67gb": 3, "3g.135gb": 2, "4g.135gb": 1, "7g.269gb": 1},
    "RTX-96GB": {"2g.48gb": 2, "4g.96gb": 1},
}


def device(accelerator: str | None) -> str:
    """The extended resource that pods ask for; "" for a node without accelerators."""
    if accelerator is None:
        return ""
    return next((name for prefix, name in DEVICES if accelerator.startswith(prefix)), NVIDIA)


def layouts(accelerator: str) -> Mapping[str, int]:
    """Words of `platform.mig_profile` for an accelerator, each with its slices; empty where it cannot be cut.

    Args:
        accelerator: as in the catalog, "H100-SXM-80GB": its family is the first word, its memory the last.
    """
    family, memory = accelerator.split("-", maxsplit=1)[0], accelerator.rsplit("-", 1)[-1]
    return {f"all-{name}": count for name, count in SLICES.get(f"{family}-{memory}", {}).items()}


def slices(accelerator: str, profile: str) -> int:
    """Slices of one accelerator under a profile.

    Raises:
        InputError: it cannot be cut so; says how it can.
    """
    known = layouts(accelerator)
    if profile in known:
        return known[profile]
    if not known:
        raise InputError(
            f"{accelerator} has no MIG, which platform.sharing wants", hint='write "sharing: time_slicing"'
        )
    raise InputError(
        f"{accelerator} cannot be cut into {profile}", hint=f"platform.mig_profile may be: {', '.join(known)}"
    )


def slice_of(profile: str) -> str:
    """The extended resource of a profile's slices: "nvidia.com/mig-1g.10gb"."""
    return f"nvidia.com/mig-{profile.removeprefix('all-')}"


def list_eligible_pools(spec: ClusterSpec) -> tuple[Pool, ...]:
    """Pools whose standing nodes wait for their burn-in, as the program builds it (decision 0028)."""
    return tuple(pool for pool in spec.pools if pool.burn_in and not why_not(pool, spec))


def explain_skipped_pools(spec: ClusterSpec) -> Iterator[str]:
    """For each reason, a sentence on the pools whose burn-in is wanted and is not run; none is left out in silence."""
    pools: dict[str, list[str]] = {}
    for pool in spec.pools:
        if pool.burn_in and (reason := why_not(pool, spec)):
            pools.setdefault(reason, []).append(pool.name)
    for reason, names in pools.items():
        yield f"burn_in: not run on {', '.join(names)}: {reason}"


def why_not(pool: Pool, spec: ClusterSpec) -> str:
    """Why nodes of a pool take work without a burn-in though one is wanted; "" where they have one."""
    if spec.existing is not None or spec.placement.target == "none":
        return "the cluster is not built by this program, so nothing sets its new nodes apart"
    if "burn_in" in spec.profile.forbidden:
        return "the provider forbids the pods that would test them"
    if pool.min_nodes == 0 or (find_traits(spec.placement.target).one_node_group and pool.min_nodes < pool.max_nodes):
        return "nodes that come and go with the work are given back after a test"
    if pool.role != "gpu" or not pool.accelerators or device(pool.accelerator) != NVIDIA:
        return "no program here looks into their accelerators"
    return ""
