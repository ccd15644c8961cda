"""NVIDIA's GPU Operator, where nobody else brings the driver: driver, plugin, metrics and MIG from one owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import yaml

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component, show_version
from components.platform.building_blocks.network_policies import allow_egress
from components.platform.building_blocks.objects import register_config_map
from components.platform.gpu.device_plugin import turns
from components.platform.gpu.devices import ANY_TAINT, OURS
from planning.platform.alerts.rulebook import gpu_counters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import PlatformContext, PlatformResource


PART: Final = "gpu_operator"
SHARING: Final = "sharing"
TURNS: Final = "turns"
COUNTERS: Final = "dcgm-counters"  # ConfigMap with what the exporter counts
PACKAGES: Final = (80, 443)  # the driver's pod fetches the headers of the node's kernel from its distribution


@component(PART, "atoll:platform:GpuOperator", inputs=show_version(PART))
def build(own: PlatformResource) -> None:
    """The operator and, through its chart, the ClusterPolicy that says what it looks after."""
    namespace = own.part.namespace
    register_config_map(COUNTERS, {"dcgm-metrics.csv": gpu_counters()}, namespace=namespace, parent=own)
    allow_egress("gpu-driver-packages", namespace=namespace, ports=PACKAGES, parent=own)
    release(own, values(own.context))


def values(context: PlatformContext) -> Mapping[str, object]:
    """Whose parts they are, by the provider's profile; how GPUs are shared, by the checklist."""
    profile = context.spec.profile
    return {
        "nfd": {"enabled": profile.node_feature_discovery == OURS},
        "driver": {"enabled": profile.gpu_driver == OURS},
        "daemonsets": {"tolerations": ANY_TAINT},
        "devicePlugin": {"enabled": profile.device_plugin == OURS, **_sharing(context)},
        "dcgmExporter": {
            "enabled": profile.dcgm_exporter == OURS,
            "serviceMonitor": {"enabled": context.has("prometheus_crds")},
            "config": {"name": COUNTERS},
        },
        **_slices(context),
    }


def _sharing(context: PlatformContext) -> dict[str, object]:
    """GPUs that notebooks take turns on; only notebooks have some here, which `atoll check` sees to."""
    if context.platform.sharing != "time_slicing":
        return {}
    said = yaml.safe_dump(turns(), sort_keys=False)
    return {"config": {"create": True, "name": SHARING, "default": TURNS, "data": {TURNS: said}}}


def _slices(context: PlatformContext) -> dict[str, object]:
    """Slices get names of their own, so that nobody gets one who asked for a whole accelerator."""
    if context.platform.sharing != "mig":
        return {"migManager": {"config": {"default": "all-disabled"}}}
    return {"mig": {"strategy": "mixed"}, "migManager": {"config": {"default": context.platform.mig_profile}}}
