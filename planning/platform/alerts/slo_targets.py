"""What a cluster owes, as its lock says it: recorded rules and the month's reckoning read the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.platform.accelerators import device
from planning.platform.alerts.availability import SEEN_FABRICS
from planning.platform.alerts.model import Owed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.spec.cluster import ClusterSpec, Pool, Tier

NO_FABRIC: Final = frozenset({"", "ethernet"})
INCLUDED: Final = "included"  # storage that is the nodes' own
SHARED: Final = "shared"  # items of storage that are file systems begin with it


def owed(spec: ClusterSpec) -> tuple[Owed, ...]:
    """One for each value that nodes are told apart by: pools where nodes are ours, else machines."""
    found: dict[str, list[Pool]] = {}
    for pool in spec.pools:
        found.setdefault(pool.name if spec.existing is None else pool.machine, []).append(pool)
    return tuple(_owed(key, pools) for key, pools in found.items())


def shared_tiers(spec: ClusterSpec) -> tuple[str, ...]:
    """The tier that many pods mount; none where there are two, whose claims nothing tells apart."""
    found = tuple(tier.tier for tier in spec.storage if tier.item.startswith(SHARED))
    return found if len(found) == 1 else ()


def counted_tier(tier: Tier) -> bool:
    """Whether a month of it is counted: of file systems it is; buckets are held to their provider's own terms."""
    return tier.item.startswith(SHARED)


def counted_fabric(fabric: str) -> bool:
    """Whether a month of it is counted: where nothing in the cluster sees whether it works, the acceptance alone is."""
    return fabric in SEEN_FABRICS


def object_store(spec: ClusterSpec) -> str:
    """The part that is the object store in the cluster; "" where there is none."""
    platform = spec.platform
    return "" if platform is None or platform.part(platform.object_store) is None else platform.object_store


def _owed(key: str, pools: Sequence[Pool]) -> Owed:
    resource = next((device(pool.accelerator) for pool in pools if pool.accelerators), "")
    joined = next((pool for pool in pools if pool.role == "gpu" and pool.fabric not in NO_FABRIC), None)
    return Owed(
        pool=key,
        pools=tuple(pool.name for pool in pools),
        fixed=sum(min(pool.min_nodes, pool.working) for pool in pools),
        most=sum(pool.working for pool in pools),
        accelerators=max(pool.accelerators for pool in pools) if resource else 0,
        resource="".join(letter if letter.isalnum() else "_" for letter in resource),
        fabric=joined.fabric if joined else "",
        ports=joined.efa_interfaces if joined else 0,
    )
