"""Kubeflow Trainer and JobSet: the controllers of distributed training; the runtimes are a part of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi

from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.manifests import Overlay, Patch, asks, manifests, on_system, paths_of, proxies

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Charges, PlatformContext

CONTROLLERS: Final = ".*-controller-manager"  # Trainer's asks nothing, JobSet's half a core
CERTIFICATE: Final = "kubeflow-trainer-webhook-cert"  # upstream has it with empty data, a change at every preview


@dataclass(frozen=True, kw_only=True)
class TrainerArgs:
    """What it is built on."""

    ground: PlatformContext
    charges: Charges


@final
class Trainer(pulumi.ComponentResource):
    """The controllers of TrainJobs and of the sets of jobs that they become."""

    def __init__(self, name: str, args: TrainerArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        part = args.ground.part("trainer")
        super().__init__("atoll:platform:Trainer", name, args.ground.facts("trainer", args.charges), opts)
        manifests(
            "trainer",
            part,
            paths=paths_of(part),
            ground=args.ground,
            overlay=overlay(args.ground),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    return RegisteredComponent(resource=Trainer("trainer", TrainerArgs(ground=ground, charges=charges), opts=options))


def overlay(ground: PlatformContext) -> Overlay:
    """Without upstream's runtimes: their pods run as root, which the namespaces of people do not admit."""
    filled_later = Patch(kind="Secret", name=CERTIFICATE, operations=[{"op": "remove", "path": "/data"}])
    asked = asks(CONTROLLERS, containers=["manager"], cpu="50m", memory="128Mi")
    runtimes = Patch(kind="ClusterTrainingRuntime", name=".*")
    return Overlay(patches=[runtimes, filled_later, asked, proxies(), *on_system(ground)])
