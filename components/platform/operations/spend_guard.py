"""What holds the queues before the month costs more than its ceiling: a small program of ours, with the lock's figures.

It looks at nodes, not at Prometheus: what it must know to be safe should need as little as possible to be there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.agents import cluster_api
from components.agents import spend_guard as spend_guard_script
from components.platform.building_blocks import names
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.images import resolve_image
from components.platform.building_blocks.price_labels import choose_price_label, find_price_label_value
from components.platform.building_blocks.script_pod import PodProgram, register_program
from planning.agents import spend_guard, spend_ledger
from planning.agents.spend_ledger import plan_to_text
from planning.ceilings.spend_bounds import spend_plan
from planning.costs.node_prices import NodePrices

if TYPE_CHECKING:
    from pulumi_kubernetes.rbac.v1 import PolicyRuleArgsDict

    from components.platform.building_blocks.context import Charges, PlatformContext
    from planning.agents.spend_guard import SpendGuardPlan

NAME: Final = "spend-guard"
LEDGER: Final = "spend-ledger"
NAMESPACE: Final = names.KUEUE
LABELS: Final = {"app": NAME}
IMAGE: Final = "ghcr.io/kubeflow/notebooks/jupyter-web-app:v1.11.0"  # has Python 3.12, and most clusters have it
FOLDER: Final = "/guard"
PLAN: Final = "plan.json"
SECONDS_BETWEEN: Final = 60
KUEUE: Final = "kueue.x-k8s.io"


@dataclass(frozen=True, kw_only=True)
class SpendGuardArgs:
    """The cluster, and what its guard is told; None where there is no ceiling, and nothing to guard."""

    ground: PlatformContext
    plan: SpendGuardPlan | None


@final
class SpendGuard(pulumi.ComponentResource):
    """The program, its account, its rights, its ledger and its pod."""

    def __init__(self, name: str, args: SpendGuardArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        ceiling = str(args.plan.ceiling_usd_per_month) if args.plan else ""
        super().__init__("atoll:platform:SpendGuard", name, {"ceilingUsdPerMonth": ceiling}, opts)
        if args.plan is not None:
            _guard(args.plan, ground=args.ground, parent=self)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    del charges
    args = SpendGuardArgs(ground=ground, plan=plan_of(ground))
    return RegisteredComponent(resource=SpendGuard(NAME, args, opts=options))


def plan_of(ground: PlatformContext) -> SpendGuardPlan | None:
    """What the lock says of money and queues; None without a ceiling."""
    if ground.ceiling_usd_per_month is None:
        return None
    return spend_plan(
        ground.spec,
        ground.prices or NodePrices(),
        ceiling_usd_per_month=ground.ceiling_usd_per_month,
        label=choose_price_label(ground),
        key_of=lambda pool: find_price_label_value(pool, ground),
        strangers=ground.labelled,
    )


def _guard(plan: SpendGuardPlan, *, ground: PlatformContext, parent: SpendGuard) -> None:
    own = pulumi.ResourceOptions(parent=parent)
    # It fills it itself, so that no update of the stack empties it.
    ledger = kubernetes.core.v1.ConfigMap(
        LEDGER,
        metadata={"name": LEDGER, "namespace": NAMESPACE},
        opts=pulumi.ResourceOptions(parent=parent, ignore_changes=["data"]),
    )
    register_program(build_guard(plan, ground=ground), on=ground.on_system, parent=parent, after=[ledger])
    if ground.has("prometheus_crds"):
        _monitor(opts=own)


def build_guard(plan: SpendGuardPlan, *, ground: PlatformContext) -> PodProgram:
    """It may see nodes, stop its queues by name, and keep its ledger; nothing else."""
    everywhere: list[PolicyRuleArgsDict] = [{"api_groups": [""], "resources": ["nodes"], "verbs": ["list"]}]
    if plan.queues:  # a rule without names would be one for all of them
        everywhere.append(
            {
                "api_groups": [KUEUE],
                "resources": ["clusterqueues"],
                "resource_names": list(plan.queues),
                "verbs": ["get", "patch"],
            }
        )
    here: list[PolicyRuleArgsDict] = [
        {"api_groups": [""], "resources": ["configmaps"], "resource_names": [LEDGER], "verbs": ["get", "patch"]}
    ]
    return PodProgram(
        name=NAME,
        namespace=NAMESPACE,
        modules=[spend_guard_script, cluster_api, spend_guard, spend_ledger],
        files={PLAN: plan_to_text(plan)},
        folder=FOLDER,
        image=resolve_image(IMAGE, ground),
        rules={"": everywhere, NAMESPACE: here},
        env={
            "PLAN": f"{FOLDER}/{PLAN}",
            "LEDGER": f"/api/v1/namespaces/{NAMESPACE}/configmaps/{LEDGER}",
            "SECONDS_BETWEEN": str(SECONDS_BETWEEN),
        },
        container={
            "name": "guard",
            "ports": [{"name": "metrics", "container_port": spend_guard_script.PORT}],
            "liveness_probe": {
                "http_get": {"path": "/", "port": "metrics"},
                "initial_delay_seconds": 60,
                "period_seconds": 60,
            },
        },
    )


def _monitor(*, opts: pulumi.ResourceOptions) -> None:
    kubernetes.apiextensions.CustomResource(
        NAME,
        api_version="monitoring.coreos.com/v1",
        kind="PodMonitor",
        metadata={"name": NAME, "namespace": NAMESPACE},
        spec={"selector": {"matchLabels": LABELS}, "podMetricsEndpoints": [{"port": "metrics"}]},
        opts=opts,
    )
