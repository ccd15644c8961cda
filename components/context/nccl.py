"""What NCCL must be told about a fabric, where its own defaults are not enough. Nothing here knows Pulumi."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.spec.cluster import Pool

# By the provider and the fabric of the pool.
# AWS: libfabric picks EFA where it is said to; the pod's own interfaces carry the sockets (aws/sagemaker-hyperpod-cli
# issue 306 shows both; prefixes as docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html wants them).
# CoreWeave: docs.coreweave.com/products/networking/hpc-interconnect/nccl-configuration-reference.
# GKE: the gIB plugin brings a script of its own, so nothing stands here. All read 2026-11-21.
SETTINGS: Final[Mapping[tuple[str, str], Mapping[str, str]]] = {
    ("aws", "efa"): {"FI_PROVIDER": "efa", "NCCL_SOCKET_IFNAME": "^lo,docker,veth"},
    ("coreweave", "infiniband"): {
        "NCCL_SOCKET_IFNAME": "eth0",
        "NCCL_IB_HCA": "ibp",
        "UCX_TLS": "tcp",
        "UCX_NET_DEVICES": "eth0",
    },
}


def settings(provider: str, pools: Sequence[Pool]) -> Mapping[str, str]:
    """Environment of a workload's jobs; empty where nothing needs saying."""
    spanning = [pool for pool in pools if pool.max_nodes > 1]
    found = [SETTINGS[provider, pool.fabric] for pool in spanning if (provider, pool.fabric) in SETTINGS]
    return found[0] if found else {}
