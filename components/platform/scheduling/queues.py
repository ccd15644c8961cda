"""Queues of the teams: what each is guaranteed of every pool, who lends to whom, and who goes first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.context import hardware
from components.context.hardware import DEVICES, NVIDIA, device, labels, settings
from components.context.names import namespace
from components.platform.building_blocks.context import component
from components.platform.building_blocks.names import NCCL
from components.platform.building_blocks.objects import register_admission_policy, register_config_map
from components.platform.scheduling.kueue import API, queue_object
from components.tenancy.cluster import PRIORITIES
from planning.platform.queues import OPEN, lines, without_slurm_nodes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.platform.building_blocks.context import PlatformContext, PlatformResource
    from planning.platform.queues import Flavor, Queue, WorkloadQueues
    from planning.spec.cluster import Pool


def nccl(workload: str, *, provider: str, pools: Sequence[Pool], parent: pulumi.Resource) -> None:
    """The ConfigMap of a workload's namespace, for `envFrom`."""
    found = settings(provider, [pool for pool in pools if pool.workload == workload])
    if found:
        register_config_map(NCCL, found, namespace=namespace(workload), parent=parent, logical=f"{workload}-{NCCL}")


NAME: Final = "atoll-queues"
WORKLOAD: Final = "atoll/workload"
# Taints of accelerator nodes; slices of an accelerator begin with the same maker.
TAINTS: Final = tuple(dict.fromkeys([NVIDIA, *(name for _, name in DEVICES)]))
ASKED: Final = ("nvidia.com/", *TAINTS[1:])
REFUSED: Final = (
    "this pod tolerates the taint of accelerator nodes and asks for no accelerator: "
    "delete the toleration, which Kueue adds itself where it is due"
)


def guard(*, parent: pulumi.Resource) -> None:
    """A policy for the namespaces that wait for a queue."""
    # A pod that asks for accelerators is put on the nodes of its queue by Kueue. One that asks for none must not
    # tolerate their taint, unless it chooses the nodes of its own workload.
    shut = "(!has(t.effect) || t.effect == '' || t.effect == 'NoSchedule')"
    any_key = f"(!has(t.key) || t.key == '' || t.key in {list(TAINTS)})"
    asking = " || ".join(f"name.startsWith('{prefix}')" for prefix in ASKED)
    containers = "(object.spec.containers + (has(object.spec.initContainers) ? object.spec.initContainers : []))"
    chosen = f"'{WORKLOAD}' in object.spec.nodeSelector"
    own = f"namespaceObject.metadata.name == '{namespace('')}' + object.spec.nodeSelector['{WORKLOAD}']"
    register_admission_policy(
        NAME,
        [{"api_groups": [""], "api_versions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}],
        allowed="!variables.tolerates || variables.asks || variables.own",
        message=REFUSED,
        variables={
            "tolerates": f"has(object.spec.tolerations) && object.spec.tolerations.exists(t, {any_key} && {shut})",
            "asks": f"{containers}.exists(c, has(c.resources) && has(c.resources.requests) && "
            f"c.resources.requests.exists(name, {asking}))",
            "own": f"has(object.spec.nodeSelector) && {chosen} && {own}",
        },
        parent=parent,
    )


def list_queues(context: PlatformContext) -> tuple[WorkloadQueues, ...]:
    """Queues of each workload whose nodes are not Slurm's."""
    spec, kinds = context.spec, {work.name: work.kind for work in context.platform.works}
    queued = without_slurm_nodes(spec.pools, kinds=kinds, orchestration=spec.orchestration)
    return tuple(lines(context.platform, queued))


@component(
    "queues",
    "atoll:platform:Queues",
    inputs=lambda context, _: {"queues": [queue.name for line in list_queues(context) for queue in line.queues]},
)
def build(own: PlatformResource) -> None:
    """Flavors, cohorts, queues and priorities, and the rules that keep pods from going round them."""
    context, found = own.context, list_queues(own.context)
    near = {line.workload for line in found if context.labelled and hardware.is_topology_aware(line, context.spec)}
    made = _flavors(context, found, near=near, parent=own)
    for line in found:
        _line(line, near=line.workload in near, after=made, parent=own)
        nccl(line.workload, provider=context.spec.placement.provider, pools=context.spec.pools, parent=own)
    _priorities(parent=own)
    _reader(parent=own)
    guard(parent=own)


NODES: Final = "any.node"  # flavor of workloads without accelerators; no pool has a dot in its name
PODS: Final = "pods"
MANY: Final = 100_000  # pods: the nodes bound them
PRIORITY: Final = "WorkloadPriorityClass"
READER: Final = "atoll-queues"
READ: Final = ("get", "list", "watch")
FAIR: Final = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}
# Idle accelerators of a surer pool are borrowed before the next pool is tried, and that before anybody is sent away.
NEXT: Final = {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"}


def _flavors(
    context: PlatformContext, found: Sequence[WorkloadQueues], *, near: set[str], parent: pulumi.Resource
) -> list[kubernetes.apiextensions.CustomResource]:
    """One for each pool, and the topology that some of them are placed by."""
    made: list[kubernetes.apiextensions.CustomResource] = []
    if near:
        steps = [{"nodeLabel": label} for label in hardware.levels(context.spec)]
        made.append(queue_object("Topology", hardware.NAME, {"levels": steps}, parent=parent))
    for line in found:
        for flavor in line.flavors:
            spec = _flavor(flavor, labelled=context.labelled, near=line.workload in near)
            made.append(queue_object("ResourceFlavor", flavor.pool.name, spec, parent=parent, after=tuple(made[:1])))
    if any(not line.flavors for line in found):
        made.append(queue_object("ResourceFlavor", NODES, {}, parent=parent))
    return made


def _flavor(flavor: Flavor, *, labelled: bool, near: bool) -> dict[str, object]:
    """Nodes of the pool; jobs need not know of the taint that keeps others off them."""
    pool = flavor.pool
    spec: dict[str, object] = {
        "tolerations": [{"key": device(pool.accelerator), "operator": "Exists", "effect": "NoSchedule"}]
    }
    if labelled:
        spec["nodeLabels"] = {key: value for key, value in labels(pool).items() if key != "atoll/role"}
    if near:
        spec["topologyName"] = hardware.NAME
    return spec


def _line(
    line: WorkloadQueues,
    *,
    near: bool,
    after: Sequence[kubernetes.apiextensions.CustomResource],
    parent: pulumi.Resource,
) -> None:
    """The cohort of a workload, its queues, and their doors in its namespace."""
    groups = _groups(line, line.lent, near=near) if any(line.lent.values()) else {}
    cohort = queue_object("Cohort", line.workload, groups, parent=parent, after=after)
    home = namespace(line.workload)
    for queue in line.queues:
        spec = {
            "cohortName": line.workload,
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": home}},
            **_groups(line, queue.nominal, near=near),
            "preemption": FAIR,
            "flavorFungibility": NEXT,
            "fairSharing": {"weight": str(queue.weight)},
        }
        made = queue_object("ClusterQueue", queue.name, spec, parent=parent, after=[cohort, *after])
        for door in _doors(queue, line):
            queue_object("LocalQueue", door, {"clusterQueue": queue.name}, parent=parent, after=[made], within=home)


def _doors(queue: Queue, line: WorkloadQueues) -> tuple[str, ...]:
    """Names under which a queue is reached: the team's, and that of jobs that name none."""
    return tuple(dict.fromkeys((queue.team, OPEN))) if queue == line.default else (queue.team,)


def _groups(line: WorkloadQueues, amounts: Mapping[str, int], *, near: bool) -> dict[str, object]:
    """Quotas of every flavor of a line; a resource that a pool does not have counts 0 there.

    Pods are counted where each needs a flavor of its own to be placed by: beside accelerators under a topology, and
    where there are no accelerators at all.
    """
    if not line.flavors:
        return _group([PODS], {NODES: {PODS: MANY}})
    covered = sorted({flavor.resource for flavor in line.flavors})
    counted = [PODS] if near else []
    quotas = {
        flavor.pool.name: {
            **{name: amounts[flavor.pool.name] if name == flavor.resource else 0 for name in covered},
            **dict.fromkeys(counted, MANY),
        }
        for flavor in line.flavors
    }
    return _group([*covered, *counted], quotas)


def _group(covered: Sequence[str], quotas: Mapping[str, Mapping[str, int]]) -> dict[str, object]:
    flavors = [
        {"name": name, "resources": [{"name": each, "nominalQuota": str(count)} for each, count in held.items()]}
        for name, held in quotas.items()
    ]
    return {"resourceGroups": [{"coveredResources": list(covered), "flavors": flavors}]}


def _priorities(*, parent: pulumi.Resource) -> None:
    """The same order in the queue as on the nodes."""
    for name, (value, description) in PRIORITIES.items():
        body = {"apiVersion": API, "kind": PRIORITY, "metadata": {"name": name}}
        # These objects have no `spec`, which the SDK's own class wants.
        pulumi.CustomResource(
            f"kubernetes:{API}:{PRIORITY}",
            f"{PRIORITY.lower()}-{name}",
            {**body, "value": value, "description": description},
            pulumi.ResourceOptions(parent=parent),
        )


def _reader(*, parent: pulumi.Resource) -> None:
    """Whoever sees a namespace sees its queues, and what waits in them."""
    kubernetes.rbac.v1.ClusterRole(
        READER,
        metadata={"name": READER, "labels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"}},
        rules=[
            {"api_groups": ["kueue.x-k8s.io"], "resources": ["localqueues", "workloads"], "verbs": list(READ)},
            {
                "api_groups": ["visibility.kueue.x-k8s.io"],
                "resources": ["localqueues/pendingworkloads"],
                "verbs": ["get"],
            },
        ],
        opts=pulumi.ResourceOptions(parent=parent),
    )
