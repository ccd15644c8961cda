"""What lets pods ask for accelerators and fabric cards, where the provider's Kubernetes does not bring it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.nodepool.devices import NVIDIA, device

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.spec import Pool, Profile

NAMESPACE: Final = "kube-system"  # both run as system-node-critical, which some providers admit here only
POOL: Final = "atoll/pool"
MACHINE: Final = "node.kubernetes.io/instance-type"
ANY_TAINT: Final = [{"operator": "Exists"}]  # accelerator nodes are tainted with their device, and until their burn-in
SECONDS_TO_START: Final = 600
OURS: Final = "atoll"


@dataclass(frozen=True, kw_only=True)
class Chart:
    """Where a chart comes from."""

    name: str
    repository: str
    version: str


# github.com/NVIDIA/k8s-device-plugin, 2026-08-19.
PLUGIN: Final = Chart(
    name="nvidia-device-plugin", repository="https://nvidia.github.io/k8s-device-plugin", version="0.20.0"
)
# Plugin of a fabric by the resource that pods ask it for (github.com/aws/eks-charts, 2026-08-03).
FABRICS: Final[Mapping[str, Chart]] = {
    "vpc.amazonaws.com/efa": Chart(
        name="aws-efa-k8s-device-plugin", repository="https://aws.github.io/eks-charts", version="v0.5.30"
    )
}


@dataclass(frozen=True, kw_only=True)
class DevicesArgs:
    """Whose parts they are, and which nodes have the devices.

    Args:
        labelled: whether nodes carry the label of their pool; those of a cluster that exists do not.
    """

    profile: Profile
    pools: Sequence[Pool]
    labelled: bool

    @property
    def nvidia(self) -> tuple[Pool, ...]:
        """Pools whose GPUs wait for our plugin; where the driver is ours too, it comes with the driver's operator."""
        profile = self.profile
        if profile.device_plugin != OURS or profile.gpu_driver == OURS:
            return ()
        return tuple(pool for pool in self.pools if device(pool.accelerator) == NVIDIA)

    @property
    def joined(self) -> tuple[Pool, ...]:
        """Pools whose fabric waits for our plugin."""
        if self.profile.network_plugin != OURS or self.profile.rdma_resource not in FABRICS:
            return ()
        return tuple(pool for pool in self.pools if pool.efa_interfaces > 0 and pool.max_nodes > 1)


@final
class Devices(pulumi.ComponentResource):
    """Device plugins that are ours by the provider's profile: NVIDIA's for GPUs, and that of the fabric.

    Only NVIDIA's accelerators have one here: those of AWS, AMD and Intel are not announced to Kubernetes yet.
    """

    def __init__(self, name: str, args: DevicesArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:Devices", name, {}, opts)
        if args.nvidia:
            _release(PLUGIN, values=_gpus(args), parent=self)
        if args.joined:
            _release(FABRICS[args.profile.rdma_resource], values=_fabric(args), parent=self)
        self.register_outputs({})


def wanted(args: DevicesArgs) -> bool:
    """Whether there is anything to install."""
    return bool(args.nvidia or args.joined)


def _release(chart: Chart, *, values: Mapping[str, object], parent: Devices) -> None:
    kubernetes.helm.v3.Release(
        chart.name,
        name=chart.name,
        chart=chart.name,
        version=chart.version,
        repository_opts={"repo": chart.repository},
        namespace=NAMESPACE,
        values=values,
        timeout=SECONDS_TO_START,
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _gpus(args: DevicesArgs) -> dict[str, object]:
    """Nodes are found by what they are discovered to have, where that is our part too, else by their pool.

    Where nothing tells them apart it runs on all of them, and waits quietly on those that have no GPU.
    """
    found: dict[str, object] = {"tolerations": ANY_TAINT}
    if args.profile.node_feature_discovery == OURS:
        return {**found, "gfd": {"enabled": True}, "nfd": {"worker": {"tolerations": ANY_TAINT}}}
    if args.labelled:
        return {**found, **_only(POOL, [pool.name for pool in args.nvidia])}
    return {**found, **_only("kubernetes.io/os", ["linux"]), "failOnInitError": False}


def _only(key: str, values: Sequence[str]) -> dict[str, object]:
    """Replaces the chart's own terms, which ask for features that nobody discovered."""
    terms = {"nodeSelectorTerms": [{"matchExpressions": [{"key": key, "operator": "In", "values": list(values)}]}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}


def _fabric(args: DevicesArgs) -> dict[str, object]:
    names = [pool.name for pool in args.joined] if args.labelled else sorted({pool.machine for pool in args.joined})
    return {
        "tolerations": ANY_TAINT,
        "supportedInstanceLabels": {"keys": [POOL if args.labelled else MACHINE], "values": names},
    }
