"""The spend guard: a program that holds the queues before a month costs more than its budget, by the lock's prices.

It reads nodes and not Prometheus, so that it depends on as little as possible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.agents import cluster_api
from components.agents import spend_guard as spend_guard_script
from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.images import resolve_image
from components.platform.building_blocks.objects import register_pod_monitor
from components.platform.building_blocks.script_pod import PodProgram, register_program
from planning.agents import spend_guard, spend_ledger
from planning.agents.spend_ledger import plan_to_text
from planning.ceilings.spend_bounds import spend_plan
from planning.costs.node_prices import NodePrices

if TYPE_CHECKING:
    from pulumi_kubernetes.rbac.v1 import PolicyRuleArgsDict

    from components.platform.building_blocks.context import PlatformContext, PlatformResource
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


@component(
    "spend_guard", "atoll:platform:SpendGuard", inputs=lambda context, _: {"ceilingUsdPerMonth": _ceiling(context)}
)
def build(own: PlatformResource) -> None:
    """The program with its ledger; nothing without a ceiling."""
    context = own.context
    plan = plan_of(context)
    if plan is None:
        return
    # The pod writes its data, which an update of the stack must not empty.
    ledger = kubernetes.core.v1.ConfigMap(
        LEDGER,
        metadata={"name": LEDGER, "namespace": NAMESPACE},
        opts=pulumi.ResourceOptions(parent=own, ignore_changes=["data"]),
    )
    register_program(build_guard(plan, context=context), on=context.on_system, parent=own, after=[ledger])
    if context.has("prometheus_crds"):
        register_pod_monitor(NAME, LABELS, port="metrics", namespace=NAMESPACE, parent=own)


def _ceiling(context: PlatformContext) -> str:
    plan = plan_of(context)
    return str(plan.ceiling_usd_per_month) if plan else ""


def plan_of(context: PlatformContext) -> SpendGuardPlan | None:
    """The guard's plan: prices and queues by the lock; None without a ceiling."""
    if context.ceiling_usd_per_month is None:
        return None
    return spend_plan(
        context.spec,
        context.prices or NodePrices(),
        ceiling_usd_per_month=context.ceiling_usd_per_month,
        label=context.price_label,
        key_of=context.price_label_value,
        strangers=context.labelled,
    )


def build_guard(plan: SpendGuardPlan, *, context: PlatformContext) -> PodProgram:
    """The program, with permission to list nodes, to stop its queues by name, and to write its ledger."""
    everywhere: list[PolicyRuleArgsDict] = [{"api_groups": [""], "resources": ["nodes"], "verbs": ["list"]}]
    if plan.queues:  # a rule without names would apply to all queues
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
        image=resolve_image(IMAGE, context),
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
