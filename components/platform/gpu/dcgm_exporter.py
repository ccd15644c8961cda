"""NVIDIA's DCGM exporter: what GPUs do and suffer, for Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component, show_version
from components.platform.gpu.devices import ANY_TAINT, MACHINE, OURS, POOL, build_label_affinity
from planning.platform.accelerators import NVIDIA, device
from planning.platform.alerts.rulebook import gpu_counters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import PlatformContext, PlatformResource

PART: Final = "dcgm_exporter"
DISCOVERED: Final = "nvidia.com/gpu.present"  # set by GPU feature discovery, where that is our part
REQUESTS: Final = {"cpu": "100m", "memory": "128Mi"}
LIMITS: Final = {"memory": "1Gi"}  # grows with the GPUs and their slices; the chart's 512 MiB is short for eight


@component(PART, "atoll:platform:DcgmExporter", inputs=show_version(PART))
def build(own: PlatformResource) -> None:
    """One exporter on each node that has GPUs."""
    values = {
        "tolerations": ANY_TAINT,
        "resources": {"requests": REQUESTS, "limits": LIMITS},
        "serviceMonitor": {"enabled": own.context.has("prometheus_crds")},
        "customMetrics": gpu_counters(),
        **_nodes(own.context),
    }
    release(own, values)


def _nodes(context: PlatformContext) -> Mapping[str, object]:
    """Nodes with GPUs: an exporter without one never gets ready."""
    pools = [pool for pool in context.spec.pools if device(pool.accelerator) == NVIDIA]
    if context.labelled:
        return build_label_affinity(POOL, [pool.name for pool in pools])
    if context.spec.profile.node_feature_discovery == OURS:
        return build_label_affinity(DISCOVERED, ["true"])
    return build_label_affinity(MACHINE, sorted({pool.machine for pool in pools}))
