"""Device plugins of NVIDIA and of AWS's EFA, by which pods request accelerators and network cards."""

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
    """The profile, which says who installs device plugins, and the pools with devices.

    Args:
        labelled: whether nodes carry the label of their pool; those of a cluster that exists do not.
        mirror: source of charts and images.
        offline: whether no file is read.
    """

    profile: Profile
    pools: Sequence[Pool]
    labelled: bool
    mirror: str = ""
    offline: bool = True

    @property
    def nvidia(self) -> tuple[Pool, ...]:
        """Pools whose GPUs need our plugin."""
        profile = self.profile
        # Where the driver is ours, too, the GPU operator brings the plugin.
        if profile.device_plugin != OURS or profile.gpu_driver == OURS:
            return ()
        return tuple(pool for pool in self.pools if device(pool.accelerator) == NVIDIA)

    @property
    def joined(self) -> tuple[Pool, ...]:
        if self.profile.network_plugin != OURS or self.profile.rdma_resource not in FABRICS:
            return ()
        return tuple(list_efa_pools(self.pools))


def list_efa_pools(pools: Sequence[Pool]) -> list[Pool]:
    """Pools of at least two nodes with EFA."""
    # A single node needs no fabric.
    return [pool for pool in pools if pool.efa_interfaces > 0 and pool.max_nodes > 1]


@final
class Devices(pulumi.ComponentResource):
    """Device plugins of an additional placement, where its provider's profile leaves them to us: NVIDIA's and EFA's.

    There are none for the accelerators of AWS, AMD and Intel yet.
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
    """Values of NVIDIA's plugin: on nodes by discovered features, where we install their discovery, else by pool."""
    if profile.node_feature_discovery == OURS:
        return {"tolerations": ANY_TAINT, "gfd": {"enabled": True}, "nfd": {"worker": {"tolerations": ANY_TAINT}}}
    if labelled:
        return on_pools(pools)
    # Nothing says which nodes have a GPU: it runs on all of them, and waits on those that have none.
    return {"tolerations": ANY_TAINT, **build_label_affinity("kubernetes.io/os", ["linux"]), "failOnInitError": False}


def on_pools(pools: Sequence[Pool]) -> dict[str, object]:
    """Values by which a plugin runs on the nodes of some pools and tolerates their taints."""
    return {"tolerations": ANY_TAINT, **build_label_affinity(POOL, [pool.name for pool in pools])}


def fabric_values(pools: Sequence[Pool], *, labelled: bool) -> dict[str, object]:
    """Values of the plugin of a fabric: nodes by pool; by machine type where they have no such label."""
    names = [pool.name for pool in pools] if labelled else sorted({pool.machine for pool in pools})
    return {
        "tolerations": ANY_TAINT,
        "supportedInstanceLabels": {"keys": [POOL if labelled else MACHINE], "values": names},
    }


def build_label_affinity(key: str, values: Sequence[str]) -> dict[str, object]:
    """Affinity to nodes with a label, in place of the chart's, which wants labels of feature discovery."""
    terms = {"nodeSelectorTerms": [{"matchExpressions": [{"key": key, "operator": "In", "values": list(values)}]}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}


WHOLE: Final = "nvidia-device-plugin"
SHARED: Final = "nvidia-device-plugin-shared"
SHARING: Final = "turns"


@component(GPUS, "atoll:platform:DevicePlugin", inputs=show_version(GPUS))
def build_device_plugin(own: PlatformResource) -> None:
    """A release for whole GPUs and one for time-sliced GPUs of notebooks; no node has both."""
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
    """Nodes of the plugin, by pool where they are labelled."""
    # By pool: discovered features do not tell shared pools apart.
    if context.labelled:
        return on_pools(pools)
    return gpu_values(context.spec.profile, pools, labelled=False)


def turns() -> Mapping[str, object]:
    """Configuration for time slicing: a GPU is several of another resource, which pods must request by name."""
    return {
        "version": "v1",
        "sharing": {
            "timeSlicing": {
                # Under another name: who asks for a whole GPU must not get a share of one.
                "renameByDefault": True,
                "failRequestsGreaterThanOne": True,
                "resources": [{"name": NVIDIA, "replicas": TURNS}],
            }
        },
    }


EFA: Final = "efa_plugin"


@component(EFA, "atoll:platform:EfaPlugin", inputs=show_version(EFA))
def build_efa_plugin(own: PlatformResource) -> None:
    """Offers `vpc.amazonaws.com/efa` on the nodes of pools with EFA."""
    values = fabric_values(list_efa_pools(own.context.spec.pools), labelled=own.context.labelled)
    release(own, values, name=own.part.chart)
