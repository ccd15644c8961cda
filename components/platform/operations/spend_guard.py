"""What holds the queues before the month costs more than its ceiling: a small program of ours, with the lock's figures.

It looks at nodes, not at Prometheus: what it must know to be safe should need as little as possible to be there.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.agents import spend_guard as spend_guard_script
from components.context.pod_code import path_of, read_module
from components.platform.building_blocks import names
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.images import resolve_image
from components.platform.building_blocks.price_labels import choose_price_label, find_price_label_value
from components.platform.building_blocks.script_pod import script_pod
from planning.agents import spend_guard, spend_ledger
from planning.agents.spend_ledger import plan_to_text
from planning.ceilings.spend_plan import spend_plan
from planning.costs.node_prices import NodePrices

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from pulumi_kubernetes.core.v1 import PodSpecArgsDict
    from pulumi_kubernetes.meta.v1 import ObjectMetaArgsDict

    from components.platform.building_blocks.context import Charges, PlatformContext
    from planning.agents.spend_guard import SpendGuardPlan

NAME: Final = "spend-guard"
LEDGER: Final = "spend-ledger"
NAMESPACE: Final = names.KUEUE
LABELS: Final = {"app": NAME}
IMAGE: Final = "ghcr.io/kubeflow/notebooks/jupyter-web-app:v1.11.0"  # has Python 3.12, and most clusters have it
FOLDER: Final = "/guard"
PLAN: Final = "plan.json"
SCRIPT: Final = "loop.py"
SECONDS_BETWEEN: Final = 60
MODULES: Final[Mapping[str, ModuleType]] = {"guard.py": spend_guard, "ledger.py": spend_ledger}
PATHS: Final[Mapping[str, str]] = {  # where Python looks for them
    **{key: path_of(module) for key, module in MODULES.items()},
    SCRIPT: SCRIPT,
    PLAN: PLAN,
}
ASKS_FOR: Final = {"cpu": "10m", "memory": "64Mi"}
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


def code(plan: SpendGuardPlan) -> Mapping[str, str]:
    """Files of the pod: the very modules that the tests prove, as they are."""
    read = {key: read_module(module) for key, module in MODULES.items()}
    return {**read, SCRIPT: read_module(spend_guard_script), PLAN: plan_to_text(plan)}


def _guard(plan: SpendGuardPlan, *, ground: PlatformContext, parent: SpendGuard) -> None:
    own = pulumi.ResourceOptions(parent=parent)
    files = code(plan)
    account = kubernetes.core.v1.ServiceAccount(NAME, metadata=_build_metadata(NAME), opts=own)
    rights = _rights(plan, parent=parent)
    # It fills it itself, so that no update of the stack empties it.
    ledger = kubernetes.core.v1.ConfigMap(
        LEDGER, metadata=_build_metadata(LEDGER), opts=pulumi.ResourceOptions(parent=parent, ignore_changes=["data"])
    )
    told = kubernetes.core.v1.ConfigMap(NAME, metadata=_build_metadata(NAME), data=files, opts=own)
    digest = sha256("".join(files.values()).encode()).hexdigest()[:16]
    kubernetes.apps.v1.Deployment(
        NAME,
        metadata={**_build_metadata(NAME), "labels": LABELS},
        spec={
            "replicas": 1,
            "strategy": {"type": "Recreate"},
            "selector": {"match_labels": LABELS},
            "template": {"metadata": {"labels": LABELS, "annotations": {"atoll/script": digest}}, "spec": _pod(ground)},
        },
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[account, ledger, told, *rights]),
    )
    if ground.has("prometheus_crds"):
        _monitor(opts=own)


def _build_metadata(name: str) -> ObjectMetaArgsDict:
    return {"name": name, "namespace": NAMESPACE}


def _pod(ground: PlatformContext) -> PodSpecArgsDict:
    return script_pod(
        {
            "name": "guard",
            "image": resolve_image(IMAGE, ground),
            "command": ["python3", f"{FOLDER}/{SCRIPT}"],
            "env": [
                {"name": "PYTHONPATH", "value": FOLDER},
                {"name": "PLAN", "value": f"{FOLDER}/{PLAN}"},
                {"name": "LEDGER", "value": f"/api/v1/namespaces/{NAMESPACE}/configmaps/{LEDGER}"},
                {"name": "SECONDS_BETWEEN", "value": str(SECONDS_BETWEEN)},
            ],
            "ports": [{"name": "metrics", "container_port": spend_guard_script.PORT}],
            "liveness_probe": {
                "http_get": {"path": "/", "port": "metrics"},
                "initial_delay_seconds": 60,
                "period_seconds": 60,
            },
            "resources": {"requests": ASKS_FOR, "limits": {"memory": "128Mi"}},
        },
        account=NAME,
        on=ground.on_system,
        code={"name": NAME, "items": [{"key": key, "path": path} for key, path in PATHS.items()]},
        folder=FOLDER,
    )


def _rights(plan: SpendGuardPlan, *, parent: pulumi.Resource) -> list[pulumi.Resource]:
    """To see nodes, to stop its queues by name, to keep its ledger; nothing else."""
    own = pulumi.ResourceOptions(parent=parent)
    subjects: list[kubernetes.rbac.v1.SubjectArgsDict] = [
        {"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}
    ]
    rules: list[kubernetes.rbac.v1.PolicyRuleArgsDict] = [
        {"api_groups": [""], "resources": ["nodes"], "verbs": ["list"]}
    ]
    if plan.queues:  # a rule without names would be one for all of them
        rules.append(
            {
                "api_groups": [KUEUE],
                "resources": ["clusterqueues"],
                "resource_names": list(plan.queues),
                "verbs": ["get", "patch"],
            }
        )
    everywhere = kubernetes.rbac.v1.ClusterRole(NAME, metadata={"name": NAME}, rules=rules, opts=own)
    wide = kubernetes.rbac.v1.ClusterRoleBinding(
        NAME,
        metadata={"name": NAME},
        role_ref={"api_group": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": everywhere.metadata.name},
        subjects=subjects,
        opts=own,
    )
    here = kubernetes.rbac.v1.Role(
        NAME,
        metadata=_build_metadata(NAME),
        rules=[
            {"api_groups": [""], "resources": ["configmaps"], "resource_names": [LEDGER], "verbs": ["get", "patch"]}
        ],
        opts=own,
    )
    near = kubernetes.rbac.v1.RoleBinding(
        NAME,
        metadata=_build_metadata(NAME),
        role_ref={"api_group": "rbac.authorization.k8s.io", "kind": "Role", "name": here.metadata.name},
        subjects=subjects,
        opts=own,
    )
    return [wide, near]


def _monitor(*, opts: pulumi.ResourceOptions) -> None:
    kubernetes.apiextensions.CustomResource(
        NAME,
        api_version="monitoring.coreos.com/v1",
        kind="PodMonitor",
        metadata={"name": NAME, "namespace": NAMESPACE},
        spec={"selector": {"matchLabels": LABELS}, "podMetricsEndpoints": [{"port": "metrics"}]},
        opts=opts,
    )
