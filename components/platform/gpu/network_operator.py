"""NVIDIA's Network Operator, by which pods ask for InfiniBand where the provider does not see to it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.gpu.devices import ANY_TAINT, OURS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import Charges, PlatformContext

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


@dataclass(frozen=True, kw_only=True)
class NetworkOperatorArgs:
    """The platform."""

    ground: PlatformContext


@final
class NetworkOperator(pulumi.ComponentResource):
    """The operator, and the one policy: a device plugin for the cards; the node's own driver stays."""

    def __init__(self, name: str, args: NetworkOperatorArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        part = args.ground.part(PART)
        super().__init__("atoll:platform:NetworkOperator", name, {"version": part.version}, opts)
        made = release("network-operator", part, values=values(args.ground), ground=args.ground, parent=self)
        kubernetes.apiextensions.CustomResource(
            POLICY,
            api_version="mellanox.com/v1alpha1",
            kind="NicClusterPolicy",
            metadata={"name": POLICY},
            spec={"rdmaSharedDevicePlugin": {**PLUGIN, "config": json.dumps(cards())}, "tolerations": ANY_TAINT},
            opts=pulumi.ResourceOptions(parent=self, depends_on=[made]),
        )
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    del charges
    return RegisteredComponent(
        resource=NetworkOperator("network-operator", NetworkOperatorArgs(ground=ground), opts=options)
    )


def values(ground: PlatformContext) -> Mapping[str, object]:
    """Node feature discovery comes from here only where neither the provider nor another part of ours has it."""
    discovers = ground.spec.profile.node_feature_discovery not in (OURS, "provider")
    found: dict[str, object] = {"node-feature-discovery": {"worker": {"tolerations": ANY_TAINT}}} if discovers else {}
    return {"nfd": {"enabled": discovers}, "operator": {"resources": {"requests": REQUESTS}}, **found}


def cards() -> Mapping[str, object]:
    """The device plugin's configuration: InfiniBand ports of NVIDIA's cards."""
    selectors = {"vendors": [MELLANOX], "linkTypes": ["infiniband"]}
    shared = {"resourcePrefix": PREFIX, "resourceName": RESOURCE, "rdmaHcaMax": MOST_PODS, "selectors": selectors}
    return {"configList": [shared]}
