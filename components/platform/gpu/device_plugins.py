"""What lets pods ask for accelerators and fabric cards: the device plugins of NVIDIA and of AWS's EFA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

from catalogs.software.reader import parts
from components.context.hardware import NVIDIA, device
from components.platform.building_blocks.artifact_mirror import read_program_mirror
from components.platform.building_blocks.chart import find_chart_source, release
from components.platform.building_blocks.context import component, show_version
from components.platform.building_blocks.images import merge_values, values_from
from planning.platform.accelerators import TURNS
from planning.platform.queues import has_shared_accelerators

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.platform.building_blocks.context import PlatformContext, PlatformResource
    from planning.spec.cluster import Pool, Profile

POOL: Final = "atoll/pool"
MACHINE: Final = "node.kubernetes.io/instance-type"
ANY_TAINT: Final = [{"operator": "Exists"}]  # accelerator nodes are tainted with their device, and until their burn-in
SECONDS_TO_START: Final = 600
OURS: Final = "atoll"
GPUS: Final = "device_plugin"
# Plugin of a fabric by the resource that pods ask it for: names of the software catalog.
FABRICS: Final[Mapping[str, str]] = {"vpc.amazonaws.com/efa": "efa_plugin"}


@dataclass(frozen=True, kw_only=True)
class DevicesArgs:
    """Whose parts they are, and which nodes have the devices.

    Args:
        labelled: whether nodes carry the label of their pool; those of a cluster that exists do not.
        mirror: where charts and images come from, as at home; offline: whether no file is looked at.
    """

    profile: Profile
    pools: Sequence[Pool]
    labelled: bool
    mirror: str = ""
    offline: bool = True

    @property
    def nvidia(self) -> tuple[Pool, ...]:
        """Pools whose GPUs wait for our plugin; where the driver is ours too, it comes with the driver's operator."""
        profile = self.profile
        if profile.device_plugin != OURS or profile.gpu_driver == OURS:
            return ()
        return tuple(pool for pool in self.pools if device(pool.accelerator) == NVIDIA)

    @property
    def joined(self) -> tuple[Pool, ...]:
        if self.profile.network_plugin != OURS or self.profile.rdma_resource not in FABRICS:
            return ()
        return tuple(list_efa_pools(self.pools))


def list_efa_pools(pools: Sequence[Pool]) -> list[Pool]:
    """Pools whose nodes talk over EFA; a node alone has nobody to talk to."""
    return [pool for pool in pools if pool.efa_interfaces > 0 and pool.max_nodes > 1]


@final
class Devices(pulumi.ComponentResource):
    """Device plugins of a cluster beside home that are ours by its provider's profile: NVIDIA's, and the fabric's.

    Only NVIDIA's accelerators have one here: those of AWS, AMD and Intel are not announced to Kubernetes yet.
    """

    def __init__(self, name: str, args: DevicesArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:Devices", name, {}, opts)
        if args.nvidia:
            values = gpu_values(args.profile, args.nvidia, labelled=args.labelled)
            _release(GPUS, args, values=values, parent=self)
        if args.joined:
            values = fabric_values(args.joined, labelled=args.labelled)
            _release(FABRICS[args.profile.rdma_resource], args, values=values, parent=self)
        self.register_outputs({})


def needs_device_plugin(args: DevicesArgs) -> bool:
    return bool(args.nvidia or args.joined)


def _release(name: str, args: DevicesArgs, *, values: Mapping[str, object], parent: Devices) -> None:
    row = parts()[name]
    found = find_chart_source(row, mirror=args.mirror)
    images = values_from(name, read_program_mirror(args.mirror, offline=args.offline))
    kubernetes.helm.v3.Release(
        row.chart,
        name=row.chart,
        chart=found.chart,
        version=row.version,
        repository_opts={"repo": found.repository} if found.repository else None,
        namespace=row.namespace,
        values=merge_values(values, images),
        timeout=SECONDS_TO_START,
        opts=pulumi.ResourceOptions(parent=parent),
    )


def gpu_values(profile: Profile, pools: Sequence[Pool], *, labelled: bool) -> dict[str, object]:
    """Nodes are found by what they are discovered to have, where that is our part too, else by their pool.

    Where nothing tells them apart the plugin runs on all of them, and waits quietly on those that have no GPU.
    """
    if profile.node_feature_discovery == OURS:
        return {"tolerations": ANY_TAINT, "gfd": {"enabled": True}, "nfd": {"worker": {"tolerations": ANY_TAINT}}}
    if labelled:
        return on_pools(pools)
    return {"tolerations": ANY_TAINT, **build_label_affinity("kubernetes.io/os", ["linux"]), "failOnInitError": False}


def on_pools(pools: Sequence[Pool]) -> dict[str, object]:
    """On the nodes of some pools, whatever they are tainted with."""
    return {"tolerations": ANY_TAINT, **build_label_affinity(POOL, [pool.name for pool in pools])}


def fabric_values(pools: Sequence[Pool], *, labelled: bool) -> dict[str, object]:
    """The plugin of a fabric, on the nodes of some pools; without labels by their machine type."""
    names = [pool.name for pool in pools] if labelled else sorted({pool.machine for pool in pools})
    return {
        "tolerations": ANY_TAINT,
        "supportedInstanceLabels": {"keys": [POOL if labelled else MACHINE], "values": names},
    }


def build_label_affinity(key: str, values: Sequence[str]) -> dict[str, object]:
    """On nodes with a label; it replaces a chart's own terms, which ask for features that nobody discovered."""
    terms = {"nodeSelectorTerms": [{"matchExpressions": [{"key": key, "operator": "In", "values": list(values)}]}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}


WHOLE: Final = "nvidia-device-plugin"
SHARED: Final = "nvidia-device-plugin-shared"
SHARING: Final = "turns"


@component(GPUS, "atoll:platform:DevicePlugin", inputs=show_version(GPUS))
def build_device_plugin(own: PlatformResource) -> None:
    """One release for whole GPUs and one for those that notebooks take turns on: no node has both."""
    context = own.context
    pools = [pool for pool in context.spec.pools if device(pool.accelerator) == NVIDIA]
    lent = [pool for pool in pools if has_shared_accelerators(pool, context.platform)]
    whole = [pool for pool in pools if pool not in lent]
    if whole:
        release(own, plugin_values(context, whole), name=WHOLE)
    if lent:
        shared = {"map": {SHARING: yaml.safe_dump(turns(), sort_keys=False)}, "default": SHARING}
        release(own, {**plugin_values(context, lent), "config": shared}, name=SHARED)


def plugin_values(context: PlatformContext, pools: Sequence[Pool]) -> dict[str, object]:
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


EFA: Final = "efa_plugin"


@component(EFA, "atoll:platform:EfaPlugin", inputs=show_version(EFA))
def build_efa_plugin(own: PlatformResource) -> None:
    """Announces `vpc.amazonaws.com/efa` on the nodes of the pools that have the cards."""
    values = fabric_values(list_efa_pools(own.context.spec.pools), labelled=own.context.labelled)
    release(own, values, name=own.part.chart)
