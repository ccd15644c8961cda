"""Which parts of the nodes are ours at a provider: one owner for driver, plugins, DCGM and what sees nodes fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.software.reader import parts
from planning.checklist.model.workload import Notebooks
from planning.platform.accelerators import NVIDIA, device, slices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalogs.profiles import KubernetesProfile
    from catalogs.software.model import Part
    from planning.checklist.model.checklist import Checklist
    from planning.spec.cluster import Pool, Profile

OURS: Final = "atoll"
EFA: Final = "vpc.amazonaws.com/efa"
INFINIBAND: Final = "infiniband"  # RoCE and GPUDirect are set up by the clouds that have them
NO_ACCELERATOR: Final = "no pool has accelerators of NVIDIA"
BY_OPERATOR: Final = "the GPU Operator brings it"
NO_FABRIC: Final = "no job spans nodes over a fabric whose plugin is ours"
REPAIRED: Final = "the provider sees nodes fail and repairs them"
LEFT_OUT: Final = "left out by platform.without"


def device_parts(
    profile: Profile, pools: Sequence[Pool], *, checklist: Checklist | None = None
) -> tuple[list[Part], dict[str, str]]:
    """The parts that are ours, and of the others the reason why not.

    Args:
        checklist: what is left out of them, and how accelerators are shared.

    Raises:
        InputError: an accelerator of the notebooks cannot be cut as the checklist wants it.
    """
    against = {name: reason for name, reason in _reasons(profile, pools).items() if reason}
    if checklist is not None:
        if profile.gpu_driver == OURS:
            _cut(checklist, pools)
        without = checklist.platform.without
        against |= {part.name: LEFT_OUT for part in parts().values() if part.owns and part.name in without}
    return [part for part in parts().values() if part.owns and part.name not in against], against


def _cut(checklist: Checklist, pools: Sequence[Pool]) -> None:
    """Refuses slices that the notebooks' accelerators do not have."""
    notebooks = {work.name for work in checklist.workloads if isinstance(work, Notebooks)}
    if checklist.platform.sharing == "mig":
        for pool in pools:
            if pool.accelerator and pool.workload in notebooks:
                slices(pool.accelerator, checklist.platform.mig_profile or "")


def _reasons(profile: Profile, pools: Sequence[Pool]) -> dict[str, str]:
    nvidia = any(device(pool.accelerator) == NVIDIA for pool in pools)
    operator = profile.gpu_driver == OURS
    joined = profile.network_plugin == OURS
    efa = joined and any(pool.efa_interfaces and pool.max_nodes > 1 for pool in pools)
    rdma = joined and any(pool.fabric == INFINIBAND and pool.max_nodes > 1 for pool in pools)
    none = "" if nvidia else NO_ACCELERATOR
    return {
        "gpu_operator": none or ("" if operator else "the provider's image brings the driver"),
        "device_plugin": none or explain_missing_plugin(profile),
        "dcgm_exporter": none or _ours(profile.dcgm_exporter, operator=operator),
        "efa_plugin": "" if efa and profile.rdma_resource == EFA else NO_FABRIC,
        "network_operator": "" if rdma and profile.rdma_resource != EFA else NO_FABRIC,
        "node_problem_detector": REPAIRED if profile.node_repair == "provider" else "",
    }


def explain_missing_plugin(profile: Profile | KubernetesProfile) -> str:
    """Why the NVIDIA device plugin is not a part of ours at a provider; "" where it is."""
    return _ours(profile.device_plugin, operator=profile.gpu_driver == OURS)


def _ours(owner: str, *, operator: bool) -> str:
    if operator:
        return BY_OPERATOR
    return "" if owner == OURS else "the provider brings it" if owner == "provider" else "nobody needs it here"
