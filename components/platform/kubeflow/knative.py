"""Knative Serving: what lets a model's copies go down to none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import pulumi

from components.platform.building_blocks import names
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.manifests import Overlay, Patch, manifests, on_system, paths_of, proxies

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Charges, PlatformContext


@dataclass(frozen=True, kw_only=True)
class KnativeArgs:
    """What it is built on."""

    ground: PlatformContext
    charges: Charges


@final
class Knative(pulumi.ComponentResource):
    """Knative Serving behind Istio's gateway, and the gateway inside the cluster."""

    def __init__(self, name: str, args: KnativeArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        part = args.ground.part("knative")
        super().__init__("atoll:platform:Knative", name, args.ground.facts("knative", args.charges), opts)
        manifests(
            "knative",
            part,
            paths=paths_of(part),
            ground=args.ground,
            overlay=overlay(args.ground),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    return RegisteredComponent(resource=Knative("knative", KnativeArgs(ground=ground, charges=charges), opts=options))


def overlay(ground: PlatformContext) -> Overlay:
    """Names one level below the domain, which the gateway's certificate covers, instead of example.com."""
    domain = ground.host("serving").partition(".")[2]
    naming = {"domain-template": "{{.Name}}-{{.Namespace}}.{{.Domain}}"}
    return Overlay(
        patches=[
            Patch(
                kind="ConfigMap",
                name="config-domain",
                operations=[{"op": "replace", "path": "/data", "value": {domain: ""}}],
            ),
            Patch(kind="ConfigMap", name="config-network", namespace=names.KNATIVE, change={"data": naming}),
            proxies(),
            *on_system(ground),
        ]
    )
