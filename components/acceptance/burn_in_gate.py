"""The burn-in of new nodes: a program that has them tested in rounds and then lifts the taint that keeps work off them.

Only nodes that the program builds, and that stay, have the taint (`components.context.hardware.taints`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from catalogs.providers import promises
from components.acceptance.job_context import ACCOUNT, CODE, JobContext, code_files
from components.acceptance.jobs import measurable
from components.acceptance.node import SECONDS, checks_of, node_pod
from components.acceptance.pods import PYTHON, job_object
from components.agents import burn_in as burn_in_program
from components.agents import cluster_api
from components.agents.burn_in import HOURS_MARK, JOB_MARK, NODE_MARK
from components.context.names import BURN_IN_LEDGER, BURN_IN_NAMESPACE
from components.platform.building_blocks.artifact_mirror import read_program_mirror
from components.platform.building_blocks.images import resolve_image_reference
from components.platform.building_blocks.network_policies import api_servers, isolate_namespace
from components.platform.building_blocks.script_pod import PodProgram, register_program
from components.tenancy.cluster import shut_namespace
from planning.agents import burn_in, burn_in_ledger
from planning.platform.accelerators import list_eligible_pools

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pulumi_kubernetes.meta.v1 import ObjectMetaArgsDict
    from pulumi_kubernetes.rbac.v1 import PolicyRuleArgsDict

    from components.context.placement import PlacementContext
    from planning.spec.cluster import ClusterSpec, Pool

NAME: Final = "burn-in"
FOLDER: Final = "/burn-in"
PLAN: Final = "plan.json"
SECONDS_BETWEEN: Final = 60
EVENTS: Final = "default"  # where events of nodes lie
# Checks run as root without a capability, which "baseline" admits and "restricted" does not.
LEVEL: Final = "baseline"
SLACK_SECONDS: Final = 2 * 3600 + SECONDS  # of a round beyond its hours: images, DCGM, a last check


@dataclass(frozen=True, kw_only=True)
class BurnInArgs:
    """The cluster, and for how many hours a node is tested."""

    spec: ClusterSpec
    hours: int
    mirror: str
    offline: bool


@final
class BurnIn(pulumi.ComponentResource):
    """Namespace, service accounts, permissions, ledger, measuring code, and the pod of the program."""

    def __init__(self, name: str, args: BurnInArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        pools = [pool.name for pool in list_burn_in_pools(args.spec)]
        super().__init__("atoll:platform:BurnIn", name, {"hours": args.hours, "pools": pools}, opts)
        home = shut_namespace(BURN_IN_NAMESPACE, level=LEVEL, parent=self)
        isolate_namespace(BURN_IN_NAMESPACE, servers=api_servers(args.spec), parent=home)
        after = [_register_test_account(home), *_register_config_maps(home)]
        register_program(build_program(args), on={"atoll/role": "system"}, parent=home, after=after)
        self.register_outputs({})


def list_burn_in_pools(spec: ClusterSpec) -> tuple[Pool, ...]:
    """Pools whose new nodes wait for a burn-in, and whose accelerators our checks can measure."""
    return tuple(pool for pool in list_eligible_pools(spec) if measurable(pool))


def burn_in_part(site: PlacementContext, opts: pulumi.ResourceOptions) -> BurnIn | None:
    """The burn-in of a cluster; None where no node waits for one."""
    if not list_burn_in_pools(site.spec):
        return None
    # The shortest promised time: an agreed length is not in the lock (decision 0028).
    hours = int(promises()["burn_in"].values[0])
    args = BurnInArgs(spec=site.spec, hours=hours, mirror=site.mirror, offline=site.settings.offline)
    return BurnIn(NAME, args, opts=opts)


def plan_text(args: BurnInArgs) -> str:
    """Plan of the program: hours, the checks of each pool, and the job of a round, with marks that are filled in."""
    found = read_program_mirror(args.mirror, offline=args.offline)
    context = JobContext(spec=args.spec, run=NAME, picture=lambda image: resolve_image_reference(image, found))
    pools = list_burn_in_pools(args.spec)
    jobs = {pool.name: _round(context, pool) for pool in pools}
    checks = {pool.name: [*checks_of(pool), "burn_in"] for pool in pools}
    return json.dumps({"hours": args.hours, "checks": checks, "jobs": jobs}, indent=1, sort_keys=True) + "\n"


def _round(context: JobContext, pool: Pool) -> dict[str, object]:
    pod = node_pod(context, pool, NODE_MARK, program="burn_in", extra=("--hours", HOURS_MARK))
    seconds = int(burn_in.ROUND.total_seconds()) + SLACK_SECONDS
    return job_object(context, JOB_MARK, pod, seconds=seconds, namespace=BURN_IN_NAMESPACE)


def rules() -> Mapping[str, list[PolicyRuleArgsDict]]:
    """Permissions by namespace; "" is the whole cluster."""
    jobs: PolicyRuleArgsDict = {"api_groups": ["batch"], "resources": ["jobs"], "verbs": ["get", "create", "delete"]}
    ledger: PolicyRuleArgsDict = {
        "api_groups": [""],
        "resources": ["configmaps"],
        "resource_names": [BURN_IN_LEDGER],
        "verbs": ["get", "patch"],
    }
    return {
        # Kubernetes has no permission for single fields of a node; those that the program changes are in
        # `components.agents.burn_in.build_untaint_patch`.
        "": [{"api_groups": [""], "resources": ["nodes"], "verbs": ["list", "patch"]}],
        BURN_IN_NAMESPACE: [
            ledger,
            jobs,
            {"api_groups": [""], "resources": ["pods"], "verbs": ["list"]},
            {"api_groups": [""], "resources": ["pods/log"], "verbs": ["get"]},
        ],
        EVENTS: [{"api_groups": [""], "resources": ["events"], "verbs": ["create"]}],
    }


def _register_test_account(home: kubernetes.core.v1.Namespace) -> pulumi.Resource:
    """Account of the rounds' pods, without permissions."""
    return kubernetes.core.v1.ServiceAccount(
        f"{NAME}-{ACCOUNT}",
        metadata=_build_metadata(ACCOUNT),
        automount_service_account_token=False,
        opts=pulumi.ResourceOptions(parent=home),
    )


def _register_config_maps(home: kubernetes.core.v1.Namespace) -> list[pulumi.Resource]:
    # The pod fills the ledger itself, so that no update of the stack empties it.
    kept = pulumi.ResourceOptions(parent=home, ignore_changes=["data"])
    own = pulumi.ResourceOptions(parent=home)
    return [
        kubernetes.core.v1.ConfigMap(BURN_IN_LEDGER, metadata=_build_metadata(BURN_IN_LEDGER), opts=kept),
        kubernetes.core.v1.ConfigMap(f"{NAME}-{CODE}", metadata=_build_metadata(CODE), data=code_files(), opts=own),
    ]


def _build_metadata(name: str) -> ObjectMetaArgsDict:
    return {"name": name, "namespace": BURN_IN_NAMESPACE}


def build_program(args: BurnInArgs) -> PodProgram:
    return PodProgram(
        name=NAME,
        namespace=BURN_IN_NAMESPACE,
        modules=[burn_in_program, cluster_api, burn_in, burn_in_ledger],
        files={PLAN: plan_text(args)},
        folder=FOLDER,
        image=resolve_image_reference(PYTHON, read_program_mirror(args.mirror, offline=args.offline)),
        memory_limit="256Mi",
        rules=rules(),
        env={
            "PLAN": f"{FOLDER}/{PLAN}",
            "NAMESPACE": BURN_IN_NAMESPACE,
            "LEDGER": BURN_IN_LEDGER,
            "SECONDS_BETWEEN": str(SECONDS_BETWEEN),
        },
        container={"name": "burn-in"},
    )
