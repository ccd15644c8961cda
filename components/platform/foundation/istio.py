"""Istio from the Kubeflow release: a mesh that authenticates every request, and its one ingress gateway."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import yaml

from catalogs.providers import find_traits
from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.manifests import (
    NAMESPACE,
    Patch,
    build_retention_transform,
    manifests,
    on_system,
    paths_of,
)
from components.platform.building_blocks.network_policies import GATEWAY_PODS, allow_metrics, allow_webhook
from components.platform.building_blocks.sign_in import build_await_annotations

if TYPE_CHECKING:
    import pulumi

    from components.context.placement import Ingress
    from components.platform.building_blocks.context import PlatformContext, PlatformResource

USUAL: Final = "common/istio/istio-install/overlays/oauth2-proxy"
# Overlay of the release where nodes differ: GKE's have their CNI plugins in another folder.
OVERLAYS: Final = "common/istio/istio-install/overlays/"
WATCHED: Final = (names.ISTIO, names.KUBEFLOW, "kubeflow-system")  # namespaces that it brings, with their own policies
WITH_VOLUMES: Final = ("pipelines", "katib", "model_registry")  # databases of theirs are in Kubeflow's namespace
GATEWAY: Final = "istio-ingressgateway"
GATEWAY_PORTS: Final = (8080, 8443, 15021)  # HTTP, HTTPS, health: those that the service leads to
# The load balancer ends TLS with the certificate that the entrance names, and speaks TLS to the gateway again
# (kubernetes-sigs.github.io/aws-load-balancer-controller, guide/service/annotations). Without one neither counts.
BALANCER_TLS: Final = {
    "service.beta.kubernetes.io/aws-load-balancer-ssl-ports": "443",
    "service.beta.kubernetes.io/aws-load-balancer-backend-protocol": "ssl",
}


@component("istio", "atoll:platform:Istio")
def build(own: PlatformResource) -> None:
    """Mesh and gateway; the gateway's service has the load balancer that the quote counts."""
    context = own.context
    software = manifests(own, patches(context), paths=paths(context), transforms=build_retention_transforms(context))
    allow_webhook(
        "gateway-entrance", namespace=names.ISTIO, ports=GATEWAY_PORTS, pods=GATEWAY_PODS, parent=own, after=[software]
    )
    for namespace in WATCHED:
        allow_metrics(namespace, parent=own, after=[software])


def build_retention_transforms(context: PlatformContext) -> list[pulumi.ResourceTransform]:
    """Keep Kubeflow's namespace where it has volumes."""
    return (
        [build_retention_transform(NAMESPACE, ending=f":{names.KUBEFLOW}")]
        # Volumes would be deleted with their namespace.
        if any(map(context.has, WITH_VOLUMES))
        else []
    )


def paths(context: PlatformContext) -> tuple[str, ...]:
    """The catalog's paths, with the overlay for the nodes."""
    own = find_traits(context.handle.placement.target).istio_overlay
    fitting = f"{OVERLAYS}{own}" if own else USUAL
    return tuple(fitting if path == USUAL else path for path in paths_of(context.part("istio")))


def patches(context: PlatformContext) -> tuple[Patch, ...]:
    """The gateway's service, the configuration of the mesh, and no second gateway."""
    return (
        _service(context),
        Patch(kind="ConfigMap", name="istio", change={"data": {"mesh": yaml.safe_dump(mesh(), sort_keys=True)}}),
        Patch(kind="Gateway", name=GATEWAY),
        *on_system(context),
    )


def mesh() -> dict[str, object]:
    return yaml.safe_load(Path(__file__).with_name("istio_mesh.yaml").read_text(encoding="utf-8"))


def _service(context: PlatformContext) -> Patch:
    """An internal load balancer, or a ClusterIP service where the cluster has none."""
    ingress = context.handle.ingress
    if not ingress.offered:
        return Patch(kind="Service", name=GATEWAY, change={"spec": {"type": "ClusterIP"}})
    return Patch(
        kind="Service",
        name=GATEWAY,
        annotations={
            **ingress.internal,
            **(BALANCER_TLS if find_traits(context.handle.placement.target).balancer_tls else {}),
            **build_await_annotations(context),
        },
        change={"spec": {"type": "LoadBalancer", **_class(ingress)}},
    )


def _class(ingress: Ingress) -> dict[str, str]:
    return {"loadBalancerClass": ingress.load_balancer_class} if ingress.load_balancer_class else {}
