"""What keeps work off new nodes until they have been tested for the agreed hours: a program of ours, and its rounds.

Only where nodes stay and are ours: nobody taints the others (`components.context.hardware.taints`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from catalogs.commitments import promises
from components.acceptance.job_context import ACCOUNT, CODE, JobContext, code_files
from components.acceptance.jobs import measurable
from components.acceptance.node import SECONDS, checks_of, node_pod
from components.acceptance.pods import PYTHON, job_object
from components.agents import burn_in as burn_in_loop
from components.agents import burn_in_rounds
from components.agents.burn_in_rounds import HOURS_MARK, JOB_MARK, NODE_MARK
from components.context.names import BURN_IN_LEDGER, BURN_IN_NAMESPACE
from components.context.pod_code import path_of, read_module
from components.platform.building_blocks.artifact_mirror import read_program_mirror
from components.platform.building_blocks.images import resolve_image_reference
from components.platform.building_blocks.network_policies import api_servers, isolate_namespace
from components.platform.building_blocks.script_pod import script_pod
from components.tenancy.cluster import shut_namespace
from planning.agents import burn_in, burn_in_ledger
from planning.platform.burn_in_eligibility import list_eligible_pools

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from pulumi_kubernetes.core.v1 import PodSpecArgsDict
    from pulumi_kubernetes.meta.v1 import ObjectMetaArgsDict
    from pulumi_kubernetes.rbac.v1 import PolicyRuleArgsDict, RoleRefArgsDict, SubjectArgsDict

    from components.context.placement import PlacementContext
    from planning.spec.cluster import ClusterSpec, Pool

NAME: Final = "burn-in"
LABELS: Final = {"app": NAME}
FOLDER: Final = "/burn-in"
PLAN: Final = "plan.json"
SECONDS_BETWEEN: Final = 60
EVENTS: Final = "default"  # where events of nodes lie
RBAC: Final = "rbac.authorization.k8s.io"
# Checks run as root without a capability, which "baseline" admits and "restricted" does not.
LEVEL: Final = "baseline"
SLACK_SECONDS: Final = 2 * 3600 + SECONDS  # of a round beyond its hours: images, DCGM, a last check
MODULES: Final[Mapping[str, ModuleType]] = {
    "burn_in.py": burn_in,
    "burn_in_text.py": burn_in_ledger,
    "burn_in_script.py": burn_in_rounds,
    "loop.py": burn_in_loop,
}
PATHS: Final[Mapping[str, str]] = {  # where Python looks for them
    **{key: path_of(module) for key, module in MODULES.items()},
    PLAN: PLAN,
}


@dataclass(frozen=True, kw_only=True)
class BurnInArgs:
    """The cluster, and for how many hours a node is tested."""

    spec: ClusterSpec
    hours: int
    mirror: str
    offline: bool


@final
class BurnIn(pulumi.ComponentResource):
    """Its namespace, its account and rights, its ledger, the measuring code, and the pod that looks."""

    def __init__(self, name: str, args: BurnInArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        pools = [pool.name for pool in list_burn_in_pools(args.spec)]
        super().__init__("atoll:platform:BurnIn", name, {"hours": args.hours, "pools": pools}, opts)
        home = shut_namespace(BURN_IN_NAMESPACE, level=LEVEL, parent=self)
        isolate_namespace(BURN_IN_NAMESPACE, servers=api_servers(args.spec), parent=home)
        after = [*_rights(home), *_register_config_maps(args, home)]
        _deployment(args, home, after)
        self.register_outputs({})


def list_burn_in_pools(spec: ClusterSpec) -> tuple[Pool, ...]:
    """Pools whose new nodes wait for their burn-in, and can be measured by us."""
    return tuple(pool for pool in list_eligible_pools(spec) if measurable(pool))


def burn_in_part(site: PlacementContext, opts: pulumi.ResourceOptions) -> BurnIn | None:
    """The burn-in of a cluster; None where no node waits for one.

    Its hours are the least that is promised: an agreed length is no part of the lock (decision 0028).
    """
    if not list_burn_in_pools(site.spec):
        return None
    hours = int(promises()["burn_in"].values[0])
    args = BurnInArgs(spec=site.spec, hours=hours, mirror=site.mirror, offline=site.settings.offline)
    return BurnIn(NAME, args, opts=opts)


def plan_text(args: BurnInArgs) -> str:
    """What the pod is told: hours, the checks of each pool, and the job of a round with marks for what differs."""
    found = read_program_mirror(args.mirror, offline=args.offline)
    ground = JobContext(spec=args.spec, run=NAME, picture=lambda image: resolve_image_reference(image, found))
    pools = list_burn_in_pools(args.spec)
    jobs = {pool.name: _round(ground, pool) for pool in pools}
    checks = {pool.name: [*checks_of(pool), "burn_in"] for pool in pools}
    return json.dumps({"hours": args.hours, "checks": checks, "jobs": jobs}, indent=1, sort_keys=True) + "\n"


def _round(ground: JobContext, pool: Pool) -> dict[str, object]:
    pod = node_pod(ground, pool, NODE_MARK, program="burn_in", extra=("--hours", HOURS_MARK))
    seconds = int(burn_in.ROUND.total_seconds()) + SLACK_SECONDS
    return job_object(ground, JOB_MARK, pod, seconds=seconds, namespace=BURN_IN_NAMESPACE)


def code(args: BurnInArgs) -> Mapping[str, str]:
    """Files of the pod: the very modules that the tests prove, as they are."""
    return {**{key: read_module(module) for key, module in MODULES.items()}, PLAN: plan_text(args)}


def rules() -> Mapping[str, list[PolicyRuleArgsDict]]:
    """What it may do: everywhere, in its own namespace, and where events of nodes lie.

    Kubernetes knows no right to single fields of a node: what it changes of one is in
    `burn_in_rounds.build_untaint_patch`.
    """
    jobs: PolicyRuleArgsDict = {"api_groups": ["batch"], "resources": ["jobs"], "verbs": ["get", "create", "delete"]}
    ledger: PolicyRuleArgsDict = {
        "api_groups": [""],
        "resources": ["configmaps"],
        "resource_names": [BURN_IN_LEDGER],
        "verbs": ["get", "patch"],
    }
    return {
        "": [{"api_groups": [""], "resources": ["nodes"], "verbs": ["list", "patch"]}],
        BURN_IN_NAMESPACE: [
            ledger,
            jobs,
            {"api_groups": [""], "resources": ["pods"], "verbs": ["list"]},
            {"api_groups": [""], "resources": ["pods/log"], "verbs": ["get"]},
        ],
        EVENTS: [{"api_groups": [""], "resources": ["events"], "verbs": ["create"]}],
    }


def _rights(home: kubernetes.core.v1.Namespace) -> list[pulumi.Resource]:
    own = pulumi.ResourceOptions(parent=home)
    account = kubernetes.core.v1.ServiceAccount(NAME, metadata=_build_metadata(NAME), opts=own)
    tests = kubernetes.core.v1.ServiceAccount(
        f"{NAME}-{ACCOUNT}", metadata=_build_metadata(ACCOUNT), automount_service_account_token=False, opts=own
    )
    subjects: list[SubjectArgsDict] = [{"kind": "ServiceAccount", "name": NAME, "namespace": BURN_IN_NAMESPACE}]
    found: list[pulumi.Resource] = [account, tests]
    for where, held in rules().items():
        if not where:
            kubernetes.rbac.v1.ClusterRole(NAME, metadata={"name": NAME}, rules=held, opts=own)
            wide: RoleRefArgsDict = {"api_group": RBAC, "kind": "ClusterRole", "name": NAME}
            found.append(
                kubernetes.rbac.v1.ClusterRoleBinding(
                    NAME, metadata={"name": NAME}, role_ref=wide, subjects=subjects, opts=own
                )
            )
            continue
        named: ObjectMetaArgsDict = {"name": NAME, "namespace": where}
        kubernetes.rbac.v1.Role(f"{NAME}-{where}", metadata=named, rules=held, opts=own)
        near: RoleRefArgsDict = {"api_group": RBAC, "kind": "Role", "name": NAME}
        found.append(
            kubernetes.rbac.v1.RoleBinding(
                f"{NAME}-{where}", metadata=named, role_ref=near, subjects=subjects, opts=own
            )
        )
    return found


def _register_config_maps(args: BurnInArgs, home: kubernetes.core.v1.Namespace) -> list[pulumi.Resource]:
    own = pulumi.ResourceOptions(parent=home)
    # The pod fills it itself, so that no update of the stack empties it.
    kept = pulumi.ResourceOptions(parent=home, ignore_changes=["data"])
    return [
        kubernetes.core.v1.ConfigMap(BURN_IN_LEDGER, metadata=_build_metadata(BURN_IN_LEDGER), opts=kept),
        kubernetes.core.v1.ConfigMap(NAME, metadata=_build_metadata(NAME), data=code(args), opts=own),
        kubernetes.core.v1.ConfigMap(f"{NAME}-{CODE}", metadata=_build_metadata(CODE), data=code_files(), opts=own),
    ]


def _deployment(args: BurnInArgs, home: kubernetes.core.v1.Namespace, after: list[pulumi.Resource]) -> None:
    digest = sha256("".join(code(args).values()).encode()).hexdigest()[:16]
    kubernetes.apps.v1.Deployment(
        NAME,
        metadata={**_build_metadata(NAME), "labels": LABELS},
        spec={
            "replicas": 1,
            "strategy": {"type": "Recreate"},
            "selector": {"match_labels": LABELS},
            "template": {"metadata": {"labels": LABELS, "annotations": {"atoll/script": digest}}, "spec": _pod(args)},
        },
        opts=pulumi.ResourceOptions(parent=home, depends_on=after),
    )


def _build_metadata(name: str) -> ObjectMetaArgsDict:
    return {"name": name, "namespace": BURN_IN_NAMESPACE}


def _pod(args: BurnInArgs) -> PodSpecArgsDict:
    return script_pod(
        {
            "name": "burn-in",
            "image": resolve_image_reference(PYTHON, read_program_mirror(args.mirror, offline=args.offline)),
            "command": ["python3", "-m", burn_in_loop.__name__],
            "env": [
                {"name": "PYTHONPATH", "value": FOLDER},
                {"name": "PLAN", "value": f"{FOLDER}/{PLAN}"},
                {"name": "NAMESPACE", "value": BURN_IN_NAMESPACE},
                {"name": "LEDGER", "value": BURN_IN_LEDGER},
                {"name": "SECONDS_BETWEEN", "value": str(SECONDS_BETWEEN)},
            ],
            "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        },
        account=NAME,
        on={"atoll/role": "system"},
        code={"name": NAME, "items": [{"key": key, "path": path} for key, path in PATHS.items()]},
        folder=FOLDER,
    )
