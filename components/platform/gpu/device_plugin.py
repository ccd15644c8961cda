"""NVIDIA's device plugin, where neither the provider nor the GPU Operator brings one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import yaml

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.gpu.devices import gpu_values, on_pools
from planning.platform.accelerators import NVIDIA, TURNS, device
from planning.platform.queues import has_shared_accelerators

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.platform.building_blocks.context import Charges, PlatformContext
    from planning.spec.cluster import Pool

PART: Final = "device_plugin"
WHOLE: Final = "nvidia-device-plugin"
SHARED: Final = "nvidia-device-plugin-shared"
SHARING: Final = "turns"


@dataclass(frozen=True, kw_only=True)
class DevicePluginArgs:
    """The platform, and the pools whose GPUs are announced."""

    ground: PlatformContext
    pools: Sequence[Pool]


@final
class DevicePlugin(pulumi.ComponentResource):
    """One release for whole GPUs and one for those that notebooks take turns on: no node has both."""

    def __init__(self, name: str, args: DevicePluginArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        part = args.ground.part(PART)
        super().__init__("atoll:platform:DevicePlugin", name, {"version": part.version}, opts)
        lent = [pool for pool in args.pools if has_shared_accelerators(pool, args.ground.platform)]
        whole = [pool for pool in args.pools if pool not in lent]
        if whole:
            release(WHOLE, part, values=values(args.ground, whole), ground=args.ground, parent=self)
        if lent:
            said = {"map": {SHARING: yaml.safe_dump(turns(), sort_keys=False)}, "default": SHARING}
            release(SHARED, part, values={**values(args.ground, lent), "config": said}, ground=args.ground, parent=self)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    del charges
    pools = [pool for pool in ground.spec.pools if device(pool.accelerator) == NVIDIA]
    return RegisteredComponent(
        resource=DevicePlugin("device-plugin", DevicePluginArgs(ground=ground, pools=pools), opts=options)
    )


def values(ground: PlatformContext, pools: Sequence[Pool]) -> dict[str, object]:
    """Where the plugin runs; labels of what was discovered tell nodes apart only where no pool is shared."""
    if ground.labelled:
        return on_pools(pools)
    return gpu_values(ground.spec.profile, pools, labelled=False)


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
