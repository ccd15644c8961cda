"""cert-manager from the Kubeflow release, and an authority of the cluster's own that its certificates hang on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.manifests import Patch, manifests, on_system, request_resources
from components.platform.building_blocks.network_policies import allow_metrics
from components.platform.building_blocks.objects import CERTIFICATES, register_object

if TYPE_CHECKING:
    import pulumi

    from components.platform.building_blocks.context import PlatformContext, PlatformResource

ROOT: Final = "atoll-root"
YEARS_10: Final = "87600h"
# Deployment to its container.
DEPLOYMENTS: Final = {
    "cert-manager": "cert-manager-controller",
    "cert-manager-cainjector": "cert-manager-cainjector",
    "cert-manager-webhook": "cert-manager-webhook",
}


@component("cert_manager", "atoll:platform:CertManager")
def build(own: PlatformResource) -> None:
    """Certificates inside the cluster; the authority's key is made in the cluster and never leaves it."""
    software = manifests(own, patches(own.context))
    allow_metrics(names.CERT_MANAGER, parent=own, after=[software])
    _register_authority(own, after=software)


def patches(context: PlatformContext) -> tuple[Patch, ...]:
    """Requests, which the release leaves open, and the platform's own nodes."""
    wants = (request_resources(name, each, cpu="10m", memory="64Mi") for name, each in DEPLOYMENTS.items())
    return (*wants, *on_system(context))


def _register_authority(own: PlatformResource, *, after: pulumi.Resource) -> None:
    """A self-signed root, whose key is the Secret `names.CA_SECRET`, and the issuer that signs with it."""
    root = register_object(CERTIFICATES, "ClusterIssuer", ROOT, {"selfSigned": {}}, parent=own, after=[after])
    spec = {
        "isCA": True,
        "commonName": "Atoll cluster authority",
        "secretName": names.CA_SECRET,
        "duration": YEARS_10,
        "privateKey": {"algorithm": "ECDSA", "size": 256, "rotationPolicy": "Never"},
        "issuerRef": {"name": ROOT, "kind": "ClusterIssuer", "group": "cert-manager.io"},
    }
    home, name = names.CERT_MANAGER, names.CA_SECRET
    authority = register_object(CERTIFICATES, "Certificate", name, spec, namespace=home, parent=own, after=[root])
    signed = {"ca": {"secretName": name}}
    register_object(CERTIFICATES, "ClusterIssuer", names.CLUSTER_ISSUER, signed, parent=own, after=[authority])
