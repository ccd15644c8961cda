"""NVIDIA's DCGM exporter: what GPUs do and suffer, for Prometheus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.gpu.devices import ANY_TAINT, MACHINE, OURS, POOL, build_label_affinity
from planning.platform.accelerators import NVIDIA, device
from planning.platform.alerts.metrics import gpu_counters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.platform.building_blocks.context import Charges, PlatformContext
    from planning.spec.cluster import Pool

PART: Final = "dcgm_exporter"
DISCOVERED: Final = "nvidia.com/gpu.present"  # set by GPU feature discovery, where that is our part
REQUESTS: Final = {"cpu": "100m", "memory": "128Mi"}
LIMITS: Final = {"memory": "1Gi"}  # grows with the GPUs and their slices; the chart's 512 MiB is short for eight


@dataclass(frozen=True, kw_only=True)
class DcgmExporterArgs:
    """The platform, and the pools whose GPUs are watched."""

    ground: PlatformContext
    pools: Sequence[Pool]


@final
class DcgmExporter(pulumi.ComponentResource):
    """One exporter on each node that has GPUs."""

    def __init__(self, name: str, args: DcgmExporterArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        part = args.ground.part(PART)
        super().__init__("atoll:platform:DcgmExporter", name, {"version": part.version}, opts)
        values = {
            "tolerations": ANY_TAINT,
            "resources": {"requests": REQUESTS, "limits": LIMITS},
            "serviceMonitor": {"enabled": args.ground.has("prometheus_crds")},
            "customMetrics": gpu_counters(),
            **_nodes(args),
        }
        release("dcgm-exporter", part, values=values, ground=args.ground, parent=self)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    del charges
    pools = [pool for pool in ground.spec.pools if device(pool.accelerator) == NVIDIA]
    return RegisteredComponent(
        resource=DcgmExporter("dcgm-exporter", DcgmExporterArgs(ground=ground, pools=pools), opts=options)
    )


def _nodes(args: DcgmExporterArgs) -> Mapping[str, object]:
    """Nodes with GPUs: an exporter without one never gets ready."""
    if args.ground.labelled:
        return build_label_affinity(POOL, [pool.name for pool in args.pools])
    if args.ground.spec.profile.node_feature_discovery == OURS:
        return build_label_affinity(DISCOVERED, ["true"])
    return build_label_affinity(MACHINE, sorted({pool.machine for pool in args.pools}))
