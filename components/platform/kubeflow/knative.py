"""Knative Serving: what lets a model's copies go down to none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.manifests import Patch, manifests, on_system, proxies

if TYPE_CHECKING:
    from components.platform.building_blocks.context import PlatformContext, PlatformResource


@component("knative", "atoll:platform:Knative")
def build(own: PlatformResource) -> None:
    """Knative Serving behind Istio's gateway, and the gateway inside the cluster."""
    manifests(own, patches(own.context))


def patches(context: PlatformContext) -> list[Patch]:
    """Names one level below the domain, which the gateway's certificate covers, instead of example.com."""
    domain = context.host("serving").partition(".")[2]
    replaced = [{"op": "replace", "path": "/data", "value": {domain: ""}}]
    naming = {"domain-template": "{{.Name}}-{{.Namespace}}.{{.Domain}}"}
    return [
        Patch(kind="ConfigMap", name="config-domain", operations=replaced),
        Patch(kind="ConfigMap", name="config-network", namespace=names.KNATIVE, change={"data": naming}),
        proxies(),
        *on_system(context),
    ]
