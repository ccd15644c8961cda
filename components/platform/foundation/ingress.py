"""Ingress: the certificate of every name below the domain, who has access, the address of the load balancer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from catalogs.providers import find_traits
from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.objects import register_certificate
from components.platform.building_blocks.sign_in import build_await_annotations, deny_others, list_people
from planning.values.addresses import PRIVATE_DOMAIN

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Outputs, PlatformContext, PlatformResource


CERTIFICATE: Final = "gateway"
SERVICE: Final = "istio-ingressgateway"
# Annotation by which a load balancer of AWS takes the certificate that the provider made.
BALANCER_CERTIFICATE: Final = "service.beta.kubernetes.io/aws-load-balancer-ssl-cert"
DOMAIN: Final = "atoll/domain"


@component("ingress", "atoll:platform:Gates", name="gates", inputs=lambda context, _: {"domain": domain(context)})
def build(own: PlatformResource) -> Outputs:
    """Certificate, access rule, and annotations of the load balancer.

    The output says to which load balancer the names below the domain must point.
    """
    context = own.context
    # One certificate for all names, by the cluster's own authority or by the issuer that the customer made.
    fields = {"secretName": names.GATEWAY_TLS, "dnsNames": [f"*.{domain(context)}"]}
    issuer = context.settings.certificate_issuer or names.CLUSTER_ISSUER
    register_certificate(CERTIFICATE, fields, namespace=names.ISTIO, parent=own, issuer=issuer)
    people = list_people(context.spec)
    if people:
        deny_others("strangers", people, parent=own)
    if not context.handle.ingress.offered:
        return {}
    return {"entrance": {"names": f"*.{domain(context)}", "address": _entrance(context, parent=own)}}


def domain(context: PlatformContext) -> str:
    """Domain of all names."""
    return context.handle.names.domain or PRIVATE_DOMAIN


def _entrance(context: PlatformContext, *, parent: pulumi.Resource) -> pulumi.Output[str]:
    """Annotate the gateway's service with its domain and the provider's certificate, which is known late."""
    handle = context.handle
    key = BALANCER_CERTIFICATE if find_traits(handle.placement.target).balancer_tls else ""
    proof = {key: handle.names.certificate} if key and handle.names.domain else {}
    told = {DOMAIN: domain(context), **build_await_annotations(context), **proof}
    patch = kubernetes.core.v1.ServicePatch(
        "entrance",
        metadata={"name": SERVICE, "namespace": names.ISTIO, "annotations": told},
        opts=pulumi.ResourceOptions(parent=parent),
    )
    return patch.status.apply(_address)


def _address(status: object) -> str:
    """Host name or IP address of the load balancer; "" while it has none."""
    found = getattr(getattr(status, "load_balancer", None), "ingress", None) or [None]
    return getattr(found[0], "hostname", None) or getattr(found[0], "ip", None) or ""
