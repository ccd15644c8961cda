"""The operator of Slurm on Kubernetes (Slinky): it makes daemons of Slurm from custom resources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.network_policies import allow_webhook

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Charges, PlatformContext

NAME: Final = "slurm-operator"
WEBHOOK_PORT: Final = 9443
OPERATOR: Final = {"cpu": "100m", "memory": "128Mi"}
WEBHOOK: Final = {"cpu": "50m", "memory": "64Mi"}


@dataclass(frozen=True, kw_only=True)
class SlurmOperatorArgs:
    """What it stands on."""

    ground: PlatformContext
    charges: Charges


@final
class SlurmOperator(pulumi.ComponentResource):
    """Operator and webhook, with the definitions of their custom resources."""

    def __init__(self, name: str, args: SlurmOperatorArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        part = args.ground.part("slurm_operator")
        facts = args.ground.facts("slurm_operator", args.charges)
        super().__init__("atoll:platform:SlurmOperator", name, facts, opts)
        allow_webhook("slurm-webhook", namespace=part.namespace, ports=[WEBHOOK_PORT], parent=self)
        selector = dict(args.ground.on_system)
        values = {
            "crds": {"enabled": True},
            "operator": {"resources": {"requests": dict(OPERATOR)}, "nodeSelector": selector},
            "webhook": {"resources": {"requests": dict(WEBHOOK)}, "nodeSelector": selector},
        }
        release(NAME, part, values=values, ground=args.ground, parent=self)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    """The operator; it watches every namespace, and only ours has something for it."""
    args = SlurmOperatorArgs(ground=ground, charges=charges)
    return RegisteredComponent(resource=SlurmOperator(NAME, args, opts=options))
