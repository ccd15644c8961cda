"""Kubeflow Trainer and JobSet: the controllers of distributed training; the runtimes are a part of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform.building_blocks.context import component
from components.platform.building_blocks.manifests import Patch, manifests, on_system, proxies, request_resources

if TYPE_CHECKING:
    from components.platform.building_blocks.context import PlatformContext, PlatformResource

CONTROLLERS: Final = ".*-controller-manager"  # Trainer's asks nothing, JobSet's half a core
CERTIFICATE: Final = "kubeflow-trainer-webhook-cert"  # upstream has it with empty data, a change at every preview


@component("trainer", "atoll:platform:Trainer")
def build(own: PlatformResource) -> None:
    """The controllers of TrainJobs and of the sets of jobs that they become."""
    manifests(own, patches(own.context))


def patches(context: PlatformContext) -> list[Patch]:
    """Without upstream's runtimes: their pods run as root, which the namespaces of people do not admit."""
    return [
        Patch(kind="ClusterTrainingRuntime", name=".*"),
        Patch(kind="Secret", name=CERTIFICATE, operations=[{"op": "remove", "path": "/data"}]),  # filled later
        request_resources(CONTROLLERS, "manager", cpu="50m", memory="128Mi"),
        proxies(),
        *on_system(context),
    ]
