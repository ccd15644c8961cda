"""Operators that other components need.

cert-manager signs certificates with an authority of the cluster's own. External Secrets copies secrets of the
customer's vault to where pods read them. CloudNativePG runs every PostgreSQL of the platform; each database is in the
namespace of what uses it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform.building_blocks import names
from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component
from components.platform.building_blocks.manifests import Patch, manifests, on_system, request_resources
from components.platform.building_blocks.network_policies import allow_egress, allow_metrics, allow_webhook
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
def build_cert_manager(own: PlatformResource) -> None:
    """cert-manager and an authority."""
    software = manifests(own, cert_manager_patches(own.context))
    allow_metrics(names.CERT_MANAGER, parent=own, after=[software])
    # Its key is made in the cluster and never leaves it.
    _register_authority(own, after=software)


def cert_manager_patches(context: PlatformContext) -> tuple[Patch, ...]:
    """Requests, which the release does not set, and the nodes of the platform."""
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


@component("external_secrets", "atoll:platform:ExternalSecrets")
def build_external_secrets(own: PlatformResource) -> None:
    """The operator; the customer creates the SecretStore of the vault."""
    namespace = own.part.namespace
    allow_webhook("external-secrets-webhook", namespace=namespace, ports=[SECRETS_WEBHOOK], parent=own)
    allow_egress("external-secrets-vaults", namespace=namespace, parent=own)
    # The chart's defaults are restricted already.
    pod = {"resources": REQUESTS, "nodeSelector": dict(own.context.on_system)}
    release(own, {**pod, "webhook": pod, "certController": pod})


SECRETS_WEBHOOK: Final = 10250
REQUESTS: Final = {"requests": {"cpu": "10m", "memory": "64Mi"}}  # of each of its three pods


@component("postgres_operator", "atoll:platform:PostgresOperator")
def build_postgres_operator(own: PlatformResource) -> None:
    """The operator for all namespaces, with its definitions: deleting them would delete every database."""
    values = {
        "nodeSelector": dict(own.context.on_system),
        "resources": {"requests": {"cpu": "100m", "memory": "200Mi"}, "limits": {"memory": "400Mi"}},
        "monitoring": {"podMonitorEnabled": True},
    }
    release(own, values)
    allow_webhook("postgres-webhook", namespace=names.DATABASES, ports=[POSTGRES_WEBHOOK], parent=own)


POSTGRES_WEBHOOK: Final = 9443
