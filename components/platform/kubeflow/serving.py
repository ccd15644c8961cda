"""KServe: models that answer requests. Plain deployments, unless something scales to zero: then on Knative."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.manifests import Patch, manifests, on_system, proxies, request_resources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import PlatformContext, PlatformResource

PAGE: Final = "kserve-models-web-application"  # deployment and container, for which the release asks nothing
STANDARD: Final = "Standard"
KNATIVE: Final = "Knative"
# Upstream sets all of it but the last in most runtimes, and none of it in two (kserve v0.18.0, config/runtimes).
RESTRICTED: Final[Mapping[str, object]] = {
    "runAsNonRoot": True,
    "runAsUser": 1000,
    "privileged": False,
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}


@component(
    "kserve",
    "atoll:platform:KServe",
    inputs=lambda context, charges: {**context.describe_part("kserve", charges), "mode": mode(context)},
)
def build_kserve(own: PlatformResource) -> None:
    """The controllers, the serving runtimes and the page of endpoints."""
    manifests(own, kserve_patches(own.context))


def kserve_patches(context: PlatformContext) -> list[Patch]:
    """Deployment mode, ingress, and serving runtimes that the restricted pod security standard admits."""
    settings = {
        "deploy": json.dumps({"defaultDeploymentMode": mode(context)}),
        "ingress": json.dumps(build_ingress_settings(context)),
    }
    confined = {"op": "add", "path": "/spec/containers/0/securityContext", "value": dict(RESTRICTED)}
    return [
        Patch(kind="ConfigMap", name="inferenceservice-config", change={"data": settings}),
        Patch(kind="ClusterServingRuntime", name=".*", operations=[confined]),
        request_resources(PAGE, PAGE, cpu="10m", memory="192Mi"),
        proxies(),
        *on_system(context),
    ]


def mode(context: PlatformContext) -> str:
    """What `defaultDeploymentMode` is: Knative only where it is installed."""
    return KNATIVE if context.has("knative") else STANDARD


def build_ingress_settings(context: PlatformContext) -> dict[str, object]:
    """Ingress of models (kserve v0.18.0, inferenceservice-config, `ingress`)."""
    serverless = mode(context) == KNATIVE
    return {
        "enableGatewayApi": False,
        "ingressGateway": names.GATEWAY,
        "localGateway": f"{names.KNATIVE}/knative-local-gateway",
        "localGatewayService": f"knative-local-gateway.{names.ISTIO}.svc.cluster.local",
        "ingressDomain": context.build_host("serving").partition(".")[2],
        "ingressClassName": "istio",
        "domainTemplate": "{{ .Name }}-{{ .Namespace }}.{{ .IngressDomain }}",
        "urlScheme": "https" if serverless else "http",
        "disableIstioVirtualHost": False,
        # An Ingress of a plain deployment would be open on port 80, past the gateway's TLS. Inside the cluster it is
        # reached by its service, from outside by a VirtualService on the gateway.
        "disableIngressCreation": not serverless,
        "pathTemplate": "/serving/{{ .Namespace }}/{{ .Name }}",
    }


@component("knative", "atoll:platform:Knative")
def build_knative(own: PlatformResource) -> None:
    """Knative Serving behind Istio's gateway, and the gateway inside the cluster."""
    manifests(own, knative_patches(own.context))


def knative_patches(context: PlatformContext) -> list[Patch]:
    """Names below our domain instead of example.com."""
    domain = context.build_host("serving").partition(".")[2]
    replaced = [{"op": "replace", "path": "/data", "value": {domain: ""}}]
    # One level below the domain, which is all that the gateway's certificate covers.
    naming = {"domain-template": "{{.Name}}-{{.Namespace}}.{{.Domain}}"}
    return [
        Patch(kind="ConfigMap", name="config-domain", operations=replaced),
        Patch(kind="ConfigMap", name="config-network", namespace=names.KNATIVE, change={"data": naming}),
        proxies(),
        *on_system(context),
    ]
