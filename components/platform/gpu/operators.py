"""NVIDIA's operators of drivers and of InfiniBand cards, where the provider brings none, and its metrics exporter."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import yaml

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component, show_version
from components.platform.building_blocks.network_policies import allow_egress
from components.platform.building_blocks.objects import register_config_map, register_object
from components.platform.gpu.device_plugins import ANY_TAINT, MACHINE, OURS, POOL, build_label_affinity, turns
from planning.platform.accelerators import NVIDIA, device
from planning.platform.alerts.rulebook import gpu_counters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import PlatformContext, PlatformResource


GPU_OPERATOR: Final = "gpu_operator"
SHARING: Final = "sharing"
TURNS: Final = "turns"
COUNTERS: Final = "dcgm-counters"  # ConfigMap with what the exporter counts
PACKAGES: Final = (80, 443)  # the driver's pod fetches the headers of the node's kernel from its distribution


@component(GPU_OPERATOR, "atoll:platform:GpuOperator", inputs=show_version(GPU_OPERATOR))
def build_gpu_operator(own: PlatformResource) -> None:
    """The operator and, by its chart, the ClusterPolicy of what it installs."""
    namespace = own.part.namespace
    register_config_map(COUNTERS, {"dcgm-metrics.csv": gpu_counters()}, namespace=namespace, parent=own)
    allow_egress("gpu-driver-packages", namespace=namespace, ports=PACKAGES, parent=own)
    release(own, gpu_operator_values(own.context))


def gpu_operator_values(context: PlatformContext) -> Mapping[str, object]:
    """What the operator installs, by the provider's profile; how GPUs are shared, by the checklist."""
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
    """Time slicing for notebooks; `atoll check` makes sure that no other workload has GPUs here."""
    if context.platform.sharing != "time_slicing":
        return {}
    said = yaml.safe_dump(turns(), sort_keys=False)
    return {"config": {"create": True, "name": SHARING, "default": TURNS, "data": {TURNS: said}}}


def _slices(context: PlatformContext) -> dict[str, object]:
    """Settings of MIG."""
    if context.platform.sharing != "mig":
        return {"migManager": {"config": {"default": "all-disabled"}}}
    # Slices are resources of their own: a request for a whole GPU never gets one.
    return {"mig": {"strategy": "mixed"}, "migManager": {"config": {"default": context.platform.mig_profile}}}


NETWORK_OPERATOR: Final = "network_operator"
POLICY: Final = "nic-cluster-policy"  # the only name that the operator looks at
# Pods that may use the cards at the same time, and the plugin's image (github.com/Mellanox/network-operator v26.4.1,
# example/crs/mellanox.com_v1alpha1_nicclusterpolicy_cr-full.yaml).
MOST_PODS: Final = 63
PLUGIN: Final = {
    "image": "k8s-rdma-shared-dev-plugin",
    "repository": "nvcr.io/nvidia/mellanox",
    "version": "network-operator-v26.4.1",
}
MELLANOX: Final = "15b3"
PREFIX, RESOURCE = "rdma", "ib"  # a pod asks for `rdma/ib: 1`, as on CoreWeave, and sees every card of the node
NETWORK_REQUESTS: Final = {"cpu": "5m", "memory": "64Mi"}


@component(NETWORK_OPERATOR, "atoll:platform:NetworkOperator", inputs=show_version(NETWORK_OPERATOR))
def build_network_operator(own: PlatformResource) -> None:
    """The operator and its policy: a device plugin for the cards; the node's driver stays."""
    made = release(own, network_operator_values(own.context))
    spec = {"rdmaSharedDevicePlugin": {**PLUGIN, "config": json.dumps(cards())}, "tolerations": ANY_TAINT}
    register_object("mellanox.com/v1alpha1", "NicClusterPolicy", POLICY, spec, parent=own, after=[made])


def network_operator_values(context: PlatformContext) -> Mapping[str, object]:
    """Values; node feature discovery only where neither the provider nor another component brings it."""
    discovers = context.spec.profile.node_feature_discovery not in (OURS, "provider")
    found: dict[str, object] = {"node-feature-discovery": {"worker": {"tolerations": ANY_TAINT}}} if discovers else {}
    return {"nfd": {"enabled": discovers}, "operator": {"resources": {"requests": NETWORK_REQUESTS}}, **found}


def cards() -> Mapping[str, object]:
    """The device plugin's configuration: InfiniBand ports of NVIDIA's cards."""
    selectors = {"vendors": [MELLANOX], "linkTypes": ["infiniband"]}
    shared = {"resourcePrefix": PREFIX, "resourceName": RESOURCE, "rdmaHcaMax": MOST_PODS, "selectors": selectors}
    return {"configList": [shared]}


EXPORTER: Final = "dcgm_exporter"
DISCOVERED: Final = "nvidia.com/gpu.present"  # set by GPU feature discovery, where that is our part
EXPORTER_REQUESTS: Final = {"cpu": "100m", "memory": "128Mi"}
# Grows with the GPUs and their slices; the chart's 512 MiB is short for eight.
EXPORTER_LIMITS: Final = {"memory": "1Gi"}


@component(EXPORTER, "atoll:platform:DcgmExporter", inputs=show_version(EXPORTER))
def build_dcgm_exporter(own: PlatformResource) -> None:
    """One exporter on each node that has GPUs."""
    values = {
        "tolerations": ANY_TAINT,
        "resources": {"requests": EXPORTER_REQUESTS, "limits": EXPORTER_LIMITS},
        "serviceMonitor": {"enabled": own.context.has("prometheus_crds")},
        "customMetrics": gpu_counters(),
        **_nodes(own.context),
    }
    release(own, values)


def _nodes(context: PlatformContext) -> Mapping[str, object]:
    """Affinity to nodes with GPUs."""
    # An exporter without a GPU never gets ready.
    pools = [pool for pool in context.spec.pools if device(pool.accelerator) == NVIDIA]
    if context.labelled:
        return build_label_affinity(POOL, [pool.name for pool in pools])
    if context.spec.profile.node_feature_discovery == OURS:
        return build_label_affinity(DISCOVERED, ["true"])
    return build_label_affinity(MACHINE, sorted({pool.machine for pool in pools}))
