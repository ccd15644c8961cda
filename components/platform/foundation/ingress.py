"""The way in: the certificate of every name below the domain, who gets in at all, and the entrance's address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform.building_blocks import names
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.sign_in import build_await_annotations, deny_others, list_people
from planning.values.hostnames import PRIVATE_DOMAIN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import Charges, PlatformContext

CERTIFICATE: Final = "gateway"
SERVICE: Final = "istio-ingressgateway"
# Annotation by which a load balancer of a target takes the certificate that the provider made.
BALANCER_CERTIFICATE: Final[Mapping[str, str]] = {
    "aws": "service.beta.kubernetes.io/aws-load-balancer-ssl-cert",
}
DOMAIN: Final = "atoll/domain"


@dataclass(frozen=True, kw_only=True)
class GatesArgs:
    """What it is built on."""

    ground: PlatformContext


@final
class Gates(pulumi.ComponentResource):
    """Certificate, rule of who gets in, and what the load balancer is told late.

    Attributes:
        entrance: name or address of the load balancer; None where there is none.
    """

    entrance: pulumi.Output[str] | None

    def __init__(self, name: str, args: GatesArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:Gates", name, {"domain": domain(args.ground)}, opts)
        _certificate(args.ground, parent=self)
        people = list_people(args.ground.spec)
        if people:
            deny_others("strangers", people, parent=self)
        self.entrance = _entrance(args.ground, parent=self) if args.ground.handle.ingress.offered else None
        self.register_outputs({})


def domain(ground: PlatformContext) -> str:
    """The domain below which everything has its name."""
    return ground.handle.names.domain or PRIVATE_DOMAIN


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    """The way in; the stack says where the names below the domain must lead."""
    del charges
    made = Gates("gates", GatesArgs(ground=ground), opts=options)
    if made.entrance is None:
        return RegisteredComponent(resource=made)
    return RegisteredComponent(
        resource=made, outputs={"entrance": {"names": f"*.{domain(ground)}", "address": made.entrance}}
    )


def _certificate(ground: PlatformContext, *, parent: Gates) -> None:
    """One for all names, by the cluster's own authority or by the issuer that the customer made."""
    kubernetes.apiextensions.CustomResource(
        CERTIFICATE,
        api_version="cert-manager.io/v1",
        kind="Certificate",
        metadata={"name": CERTIFICATE, "namespace": names.ISTIO},
        spec={
            "secretName": names.GATEWAY_TLS,
            "dnsNames": [f"*.{domain(ground)}"],
            "privateKey": {"algorithm": "ECDSA", "size": 256, "rotationPolicy": "Always"},
            "issuerRef": {
                "name": ground.settings.certificate_issuer or names.CLUSTER_ISSUER,
                "kind": "ClusterIssuer",
                "group": "cert-manager.io",
            },
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _entrance(ground: PlatformContext, *, parent: Gates) -> pulumi.Output[str]:
    """The gateway's service told of its domain and of the provider's certificate, which is known once it is made."""
    handle = ground.handle
    key = BALANCER_CERTIFICATE.get(handle.placement.target)
    proof = {key: handle.names.certificate} if key and handle.names.domain else {}
    told = {DOMAIN: domain(ground), **build_await_annotations(ground), **proof}
    patch = kubernetes.core.v1.ServicePatch(
        "entrance",
        metadata={"name": SERVICE, "namespace": names.ISTIO, "annotations": told},
        opts=pulumi.ResourceOptions(parent=parent),
    )
    return patch.status.apply(_address)


def _address(status: object) -> str:
    """What the load balancer answers at; "" while it has none."""
    found = getattr(getattr(status, "load_balancer", None), "ingress", None) or [None]
    return getattr(found[0], "hostname", None) or getattr(found[0], "ip", None) or ""
