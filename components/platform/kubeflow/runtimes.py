"""Training runtimes: one for each framework of the checklist, for every namespace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.context.accelerators import BURN_IN_TAINT, taints
from components.platform.building_blocks.component import Part
from components.platform.building_blocks.images import picture
from components.platform.kubeflow.training_runtimes import Runtime, runtimes_of, spec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.platform.building_blocks.component import Charges
    from components.platform.building_blocks.context import Ground

API: Final = "trainer.kubeflow.org/v1alpha1"


@dataclass(frozen=True, kw_only=True)
class RuntimesArgs:
    """Which runtimes."""

    ground: Ground
    runtimes: Sequence[Runtime]
    charges: Charges


@final
class Runtimes(pulumi.ComponentResource):
    """ClusterTrainingRuntimes."""

    def __init__(self, name: str, args: RuntimesArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"charges": args.charges, "names": [each.name for each in args.runtimes]}
        super().__init__("atoll:platform:Runtimes", name, facts, opts)
        tolerated = tolerations(args.ground)
        for runtime in args.runtimes:
            kubernetes.apiextensions.CustomResource(
                runtime.name,
                api_version=API,
                kind="ClusterTrainingRuntime",
                metadata={
                    "name": runtime.name,
                    "labels": {"trainer.kubeflow.org/framework": runtime.framework},
                },
                spec=spec(runtime, image=picture(runtime.image, args.ground), tolerations=tolerated),
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({})


def build(ground: Ground, charges: Charges, options: pulumi.ResourceOptions) -> Part:
    """The runtimes of the checklist's frameworks."""
    frameworks = [framework for work in ground.platform.works for framework in work.frameworks]
    args = RuntimesArgs(ground=ground, runtimes=runtimes_of(frameworks), charges=charges)
    return Part(resource=Runtimes("runtimes", args, opts=options))


def tolerations(ground: Ground) -> list[dict[str, object]]:
    """Of nodes that are kept for accelerators: training is what they are kept for. Untested nodes are for none."""
    held = dict.fromkeys(
        (taint.key, taint.value) for pool in ground.spec.pools for taint in taints(pool) if taint.key != BURN_IN_TAINT
    )
    return [{"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"} for key, value in held]
