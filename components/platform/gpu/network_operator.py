"""NVIDIA's Network Operator, by which pods ask for InfiniBand where the provider does not see to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component, show_version
from components.platform.building_blocks.objects import register_object
from components.platform.gpu.devices import ANY_TAINT, OURS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import PlatformContext, PlatformResource


PART: Final = "network_operator"
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
REQUESTS: Final = {"cpu": "5m", "memory": "64Mi"}


@component(PART, "atoll:platform:NetworkOperator", inputs=show_version(PART))
def build(own: PlatformResource) -> None:
    """The operator, and the one policy: a device plugin for the cards; the node's own driver stays."""
    made = release(own, values(own.context))
    spec = {"rdmaSharedDevicePlugin": {**PLUGIN, "config": json.dumps(cards())}, "tolerations": ANY_TAINT}
    register_object("mellanox.com/v1alpha1", "NicClusterPolicy", POLICY, spec, parent=own, after=[made])


def values(context: PlatformContext) -> Mapping[str, object]:
    """Node feature discovery comes from here only where neither the provider nor another part of ours has it."""
    discovers = context.spec.profile.node_feature_discovery not in (OURS, "provider")
    found: dict[str, object] = {"node-feature-discovery": {"worker": {"tolerations": ANY_TAINT}}} if discovers else {}
    return {"nfd": {"enabled": discovers}, "operator": {"resources": {"requests": REQUESTS}}, **found}


def cards() -> Mapping[str, object]:
    """The device plugin's configuration: InfiniBand ports of NVIDIA's cards."""
    selectors = {"vendors": [MELLANOX], "linkTypes": ["infiniband"]}
    shared = {"resourcePrefix": PREFIX, "resourceName": RESOURCE, "rdmaHcaMax": MOST_PODS, "selectors": selectors}
    return {"configList": [shared]}
