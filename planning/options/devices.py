"""Which device parts are ours at a provider: exactly one owner for driver, device plugin, DCGM and fabric plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.software.reader import parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalogs.software.model import Part
    from planning.spec import Pool, Profile

OURS: Final = "atoll"
EFA: Final = "vpc.amazonaws.com/efa"
NO_ACCELERATOR: Final = "no pool has accelerators"
BY_OPERATOR: Final = "the GPU Operator brings it"
NO_FABRIC: Final = "no job spans nodes over a fabric whose plugin is ours"


def device_parts(profile: Profile, pools: Sequence[Pool]) -> tuple[list[Part], dict[str, str]]:
    """The parts that are ours, and of the others the reason why not."""
    against = {name: reason for name, reason in _reasons(profile, pools).items() if reason}
    return [part for part in parts().values() if part.owns and part.name not in against], against


def _reasons(profile: Profile, pools: Sequence[Pool]) -> dict[str, str]:
    if not any(pool.accelerators for pool in pools):
        return {part.name: NO_ACCELERATOR for part in parts().values() if part.owns}
    operator = profile.gpu_driver == OURS
    fabric = profile.network_plugin == OURS and any(pool.efa_interfaces and pool.max_nodes > 1 for pool in pools)
    rdma = profile.network_plugin == OURS and any(pool.fabric == "rdma" and pool.max_nodes > 1 for pool in pools)
    return {
        "gpu_operator": "" if operator else "the provider's image brings the driver",
        "device_plugin": _ours(profile.device_plugin, operator=operator),
        "dcgm_exporter": _ours(profile.dcgm_exporter, operator=operator),
        "efa_plugin": "" if fabric and profile.rdma_resource == EFA else NO_FABRIC,
        "network_operator": "" if rdma and profile.rdma_resource != EFA else NO_FABRIC,
    }


def _ours(owner: str, *, operator: bool) -> str:
    if operator:
        return BY_OPERATOR
    return "" if owner == OURS else "the provider brings it" if owner == "provider" else "nobody needs it here"
