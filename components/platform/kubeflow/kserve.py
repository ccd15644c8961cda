"""KServe: models that answer requests. Plain deployments, unless something scales to zero: then on Knative."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi

from components.platform.building_blocks import names
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.manifests import Overlay, Patch, asks, manifests, on_system, paths_of, proxies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import Charges, PlatformContext

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


@dataclass(frozen=True, kw_only=True)
class KServeArgs:
    """How models are served."""

    ground: PlatformContext
    charges: Charges


@final
class KServe(pulumi.ComponentResource):
    """The controllers, the serving runtimes and the page of endpoints."""

    def __init__(self, name: str, args: KServeArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        ground = args.ground
        part = ground.part("kserve")
        facts = {**ground.facts("kserve", args.charges), "mode": mode(ground)}
        super().__init__("atoll:platform:KServe", name, facts, opts)
        manifests(
            "kserve",
            part,
            paths=paths_of(part),
            ground=ground,
            overlay=overlay(ground),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    return RegisteredComponent(resource=KServe("kserve", KServeArgs(ground=ground, charges=charges), opts=options))


def mode(ground: PlatformContext) -> str:
    """What `defaultDeploymentMode` is: Knative only where it is installed."""
    return KNATIVE if ground.has("knative") else STANDARD


def overlay(ground: PlatformContext) -> Overlay:
    """Mode and ways in, and serving runtimes that the restricted pod security standard admits."""
    settings = {
        "deploy": json.dumps({"defaultDeploymentMode": mode(ground)}),
        "ingress": json.dumps(build_ingress_settings(ground)),
    }
    confined = {"op": "add", "path": "/spec/containers/0/securityContext", "value": dict(RESTRICTED)}
    return Overlay(
        patches=[
            Patch(kind="ConfigMap", name="inferenceservice-config", change={"data": settings}),
            Patch(kind="ClusterServingRuntime", name=".*", operations=[confined]),
            asks(PAGE, containers=[PAGE], cpu="10m", memory="192Mi"),
            proxies(),
            *on_system(ground),
        ]
    )


def build_ingress_settings(ground: PlatformContext) -> dict[str, object]:
    """How requests come in (kserve v0.18.0, inferenceservice-config, `ingress`).

    Plain deployments get no Ingress: it would be open on port 80, beside the gateway's TLS. They are reached inside the
    cluster by their service, and from outside by a VirtualService on the gateway.
    """
    serverless = mode(ground) == KNATIVE
    return {
        "enableGatewayApi": False,
        "ingressGateway": names.GATEWAY,
        "localGateway": f"{names.KNATIVE}/knative-local-gateway",
        "localGatewayService": f"knative-local-gateway.{names.ISTIO}.svc.cluster.local",
        "ingressDomain": ground.host("serving").partition(".")[2],
        "ingressClassName": "istio",
        "domainTemplate": "{{ .Name }}-{{ .Namespace }}.{{ .IngressDomain }}",
        "urlScheme": "https" if serverless else "http",
        "disableIstioVirtualHost": False,
        "disableIngressCreation": not serverless,
        "pathTemplate": "/serving/{{ .Namespace }}/{{ .Name }}",
    }
