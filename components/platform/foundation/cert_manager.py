"""cert-manager from the Kubeflow release, and an authority of the cluster's own that its certificates hang on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform.building_blocks import names
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.manifests import Overlay, asks, manifests, on_system, paths_of
from components.platform.building_blocks.network_policies import allow_metrics

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Charges, PlatformContext
    from components.platform.building_blocks.manifests import Patch

API: Final = "cert-manager.io/v1"
ROOT: Final = "atoll-root"
YEARS_10: Final = "87600h"
# Deployment to its container.
DEPLOYMENTS: Final = {
    "cert-manager": "cert-manager-controller",
    "cert-manager-cainjector": "cert-manager-cainjector",
    "cert-manager-webhook": "cert-manager-webhook",
}


@dataclass(frozen=True, kw_only=True)
class CertManagerArgs:
    """What it is built on, and the price of its volumes."""

    ground: PlatformContext
    charges: Charges


@final
class CertManager(pulumi.ComponentResource):
    """Certificates inside the cluster; the authority's key is made in the cluster and never leaves it."""

    def __init__(self, name: str, args: CertManagerArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        part = args.ground.part("cert_manager")
        super().__init__("atoll:platform:CertManager", name, args.ground.facts("cert_manager", args.charges), opts)
        mine = pulumi.ResourceOptions(parent=self)
        software = manifests(
            "cert-manager",
            part,
            paths=paths_of(part),
            ground=args.ground,
            overlay=Overlay(patches=patches(args.ground)),
            opts=mine,
        )
        allow_metrics(names.CERT_MANAGER, parent=self, after=[software])
        _authority(pulumi.ResourceOptions(parent=self, depends_on=[software]))
        self.register_outputs({})


def patches(ground: PlatformContext) -> tuple[Patch, ...]:
    """Requests, which the release leaves open, and the platform's own nodes."""
    wants = (asks(name, containers=[each], cpu="10m", memory="64Mi") for name, each in DEPLOYMENTS.items())
    return (*wants, *on_system(ground))


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    return RegisteredComponent(
        resource=CertManager("cert-manager", CertManagerArgs(ground=ground, charges=charges), opts=options)
    )


def _authority(after: pulumi.ResourceOptions) -> None:
    """A self-signed root, whose key is the Secret `names.CA_SECRET`, and the issuer that signs with it."""
    root = kubernetes.apiextensions.CustomResource(
        ROOT, api_version=API, kind="ClusterIssuer", metadata={"name": ROOT}, spec={"selfSigned": {}}, opts=after
    )
    inside = pulumi.ResourceOptions(parent=after.parent, depends_on=[root])
    authority = kubernetes.apiextensions.CustomResource(
        names.CA_SECRET,
        api_version=API,
        kind="Certificate",
        metadata={"name": names.CA_SECRET, "namespace": names.CERT_MANAGER},
        spec={
            "isCA": True,
            "commonName": "Atoll cluster authority",
            "secretName": names.CA_SECRET,
            "duration": YEARS_10,
            "privateKey": {"algorithm": "ECDSA", "size": 256, "rotationPolicy": "Never"},
            "issuerRef": {"name": ROOT, "kind": "ClusterIssuer", "group": "cert-manager.io"},
        },
        opts=inside,
    )
    kubernetes.apiextensions.CustomResource(
        names.CLUSTER_ISSUER,
        api_version=API,
        kind="ClusterIssuer",
        metadata={"name": names.CLUSTER_ISSUER},
        spec={"ca": {"secretName": names.CA_SECRET}},
        opts=pulumi.ResourceOptions(parent=after.parent, depends_on=[authority]),
    )
