"""NVIDIA's device plugin, where neither the provider nor the GPU Operator brings one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import yaml

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component, show_version
from components.platform.gpu.devices import gpu_values, on_pools
from planning.platform.accelerators import NVIDIA, TURNS, device
from planning.platform.queues import has_shared_accelerators

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.platform.building_blocks.context import PlatformContext, PlatformResource
    from planning.spec.cluster import Pool

PART: Final = "device_plugin"
WHOLE: Final = "nvidia-device-plugin"
SHARED: Final = "nvidia-device-plugin-shared"
SHARING: Final = "turns"


@component(PART, "atoll:platform:DevicePlugin", inputs=show_version(PART))
def build(own: PlatformResource) -> None:
    """One release for whole GPUs and one for those that notebooks take turns on: no node has both."""
    context = own.context
    pools = [pool for pool in context.spec.pools if device(pool.accelerator) == NVIDIA]
    lent = [pool for pool in pools if has_shared_accelerators(pool, context.platform)]
    whole = [pool for pool in pools if pool not in lent]
    if whole:
        release(own, values(context, whole), name=WHOLE)
    if lent:
        shared = {"map": {SHARING: yaml.safe_dump(turns(), sort_keys=False)}, "default": SHARING}
        release(own, {**values(context, lent), "config": shared}, name=SHARED)


def values(context: PlatformContext, pools: Sequence[Pool]) -> dict[str, object]:
    """Where the plugin runs; labels of what was discovered tell nodes apart only where no pool is shared."""
    if context.labelled:
        return on_pools(pools)
    return gpu_values(context.spec.profile, pools, labelled=False)


def turns() -> Mapping[str, object]:
    """The plugin's configuration: a GPU is announced as several, under a name that nobody gets without asking."""
    return {
        "version": "v1",
        "sharing": {
            "timeSlicing": {
                "renameByDefault": True,
                "failRequestsGreaterThanOne": True,
                "resources": [{"name": NVIDIA, "replicas": TURNS}],
            }
        },
    }
