"""NVIDIA's GPU Operator, where nobody else brings the driver: driver, plugin, metrics and MIG from one owner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.network_policies import allow_egress
from components.platform.gpu.device_plugin import turns
from components.platform.gpu.devices import ANY_TAINT, OURS
from planning.platform.alerts.metrics import gpu_counters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import Charges, PlatformContext

PART: Final = "gpu_operator"
SHARING: Final = "sharing"
TURNS: Final = "turns"
COUNTERS: Final = "dcgm-counters"  # ConfigMap with what the exporter counts
PACKAGES: Final = (80, 443)  # the driver's pod fetches the headers of the node's kernel from its distribution


@dataclass(frozen=True, kw_only=True)
class GpuOperatorArgs:
    """The platform."""

    ground: PlatformContext


@final
class GpuOperator(pulumi.ComponentResource):
    """The operator and, through its chart, the ClusterPolicy that says what it looks after."""

    def __init__(self, name: str, args: GpuOperatorArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        ground = args.ground
        part = ground.part(PART)
        super().__init__("atoll:platform:GpuOperator", name, {"version": part.version}, opts)
        kubernetes.core.v1.ConfigMap(
            COUNTERS,
            metadata={"name": COUNTERS, "namespace": part.namespace},
            data={"dcgm-metrics.csv": gpu_counters()},
            opts=pulumi.ResourceOptions(parent=self),
        )
        allow_egress("gpu-driver-packages", namespace=part.namespace, ports=PACKAGES, parent=self)
        release("gpu-operator", part, values=values(ground), ground=ground, parent=self)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    del charges
    return RegisteredComponent(resource=GpuOperator("gpu-operator", GpuOperatorArgs(ground=ground), opts=options))


def values(ground: PlatformContext) -> Mapping[str, object]:
    """Whose parts they are, by the provider's profile; how GPUs are shared, by the checklist."""
    profile = ground.spec.profile
    return {
        "nfd": {"enabled": profile.node_feature_discovery == OURS},
        "driver": {"enabled": profile.gpu_driver == OURS},
        "daemonsets": {"tolerations": ANY_TAINT},
        "devicePlugin": {"enabled": profile.device_plugin == OURS, **_sharing(ground)},
        "dcgmExporter": {
            "enabled": profile.dcgm_exporter == OURS,
            "serviceMonitor": {"enabled": ground.has("prometheus_crds")},
            "config": {"name": COUNTERS},
        },
        **_slices(ground),
    }


def _sharing(ground: PlatformContext) -> dict[str, object]:
    """GPUs that notebooks take turns on; only notebooks have some here, which `atoll check` sees to."""
    if ground.platform.sharing != "time_slicing":
        return {}
    said = yaml.safe_dump(turns(), sort_keys=False)
    return {"config": {"create": True, "name": SHARING, "default": TURNS, "data": {TURNS: said}}}


def _slices(ground: PlatformContext) -> dict[str, object]:
    """Slices get names of their own, so that nobody gets one who asked for a whole accelerator."""
    if ground.platform.sharing != "mig":
        return {"migManager": {"config": {"default": "all-disabled"}}}
    return {"mig": {"strategy": "mixed"}, "migManager": {"config": {"default": ground.platform.mig_profile}}}
