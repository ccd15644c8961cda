"""MultiKueue: jobs queued in the primary cluster are sent to the cluster whose accelerators they need."""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

from components.context.hardware import device
from components.context.names import QUEUED, namespace, workloads
from components.platform.building_blocks.network_policies import API_PORTS, allow_egress
from components.platform.building_blocks.objects import register_secret
from components.platform.scheduling.kueue import NAMESPACE, ForeignKueue, queue_object
from components.tenancy.cluster import NamespaceMetadata, shut_namespace
from components.tenancy.workload import TenantArgs, fill_tenant_namespace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.context.placement import ClusterHandle, PlacementContext
    from planning.spec.cluster import ClusterSpec


ACCOUNT: Final = "multikueue"
QUEUE: Final = "jobs"
MANY: Final = {"cpu": "100k", "memory": "1000Ti"}  # accelerators are what is scarce; the nodes bound the rest
# What the manager does on a worker: after kueue.sigs.k8s.io/docs/tasks/manage/setup_multikueue, its rights from memory.
JOB_KINDS: Final[Mapping[str, Sequence[str]]] = {
    "batch": ("jobs",),
    "jobset.x-k8s.io": ("jobsets",),
    "kubeflow.org": ("mpijobs",),
    "trainer.kubeflow.org": ("trainjobs",),
    "kueue.x-k8s.io": ("workloads",),
}
VERBS: Final = ("create", "delete", "get", "list", "watch")


@dataclass(frozen=True, kw_only=True)
class WorkerArgs:
    """The placement that takes jobs, and the administrator's kubeconfig, from which only the address is taken."""

    spec: ClusterSpec
    kubeconfig: pulumi.Output[str]


@final
class Worker(pulumi.ComponentResource):
    """Queues of the workloads that run here, bounded by the accelerators of their working nodes.

    Attributes:
        kubeconfig: of the account that may send jobs and nothing else; secret.
    """

    kubeconfig: pulumi.Output[str]

    def __init__(self, name: str, args: WorkerArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:MultiKueueWorker", name, {"workloads": list(workloads(args.spec))}, opts)
        _queues(args.spec, parent=self)
        token = _account(parent=self)
        self.kubeconfig = pulumi.Output.secret(
            pulumi.Output.all(args.kubeconfig, token.data).apply(lambda both: _kubeconfig(both[0], both[1]))
        )
        self.register_outputs({})


def accelerators(spec: ClusterSpec, workload: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for pool in spec.pools:
        name = device(pool.accelerator)
        if pool.workload == workload and name:
            found[name] = found.get(name, 0) + pool.accelerators * pool.working
    return found


def quota(found: Mapping[str, int]) -> dict[str, str]:
    """Nominal quotas of accelerators."""
    # Processors and memory are left to the nodes: only accelerators are scarce here.
    return {**MANY, **{name: str(count) for name, count in found.items()}}


def resource_group(flavor: str, quotas: Mapping[str, str]) -> dict[str, object]:
    resources = [{"name": name, "nominalQuota": amount} for name, amount in quotas.items()]
    return {"coveredResources": list(quotas), "flavors": [{"name": flavor, "resources": resources}]}


def _queues(spec: ClusterSpec, *, parent: Worker) -> None:
    for workload in workloads(spec):
        devices = accelerators(spec, workload)
        flavor = queue_object("ResourceFlavor", workload, _flavor(workload, devices), parent=parent)
        groups = [resource_group(workload, quota(devices))]
        home = namespace(workload)
        selector = {"matchLabels": {"kubernetes.io/metadata.name": home}}
        body = {"namespaceSelector": selector, "resourceGroups": groups}
        queue = queue_object("ClusterQueue", workload, body, parent=flavor)
        queue_object("LocalQueue", QUEUE, {"clusterQueue": workload}, parent=queue, within=home)


def _flavor(workload: str, devices: Mapping[str, int]) -> dict[str, object]:
    """Nodes of the workload's pools; jobs need not know of the taints that keep others off them."""
    tolerations = [{"key": name, "operator": "Exists", "effect": "NoSchedule"} for name in devices]
    return {"nodeLabels": {"atoll/workload": workload}, "tolerations": tolerations}


def _account(*, parent: Worker) -> kubernetes.core.v1.Secret:
    """The account and its token."""
    account = kubernetes.core.v1.ServiceAccount(
        ACCOUNT, metadata={"name": ACCOUNT, "namespace": NAMESPACE}, opts=pulumi.ResourceOptions(parent=parent)
    )
    own = pulumi.ResourceOptions(parent=account)
    role = kubernetes.rbac.v1.ClusterRole(ACCOUNT, metadata={"name": f"atoll-{ACCOUNT}"}, rules=_rules(), opts=own)
    kubernetes.rbac.v1.ClusterRoleBinding(
        ACCOUNT,
        metadata={"name": f"atoll-{ACCOUNT}"},
        role_ref={"api_group": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role.metadata.name},
        subjects=[{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": NAMESPACE}],
        opts=own,
    )
    return kubernetes.core.v1.Secret(
        f"{ACCOUNT}-token",
        # MultiKueue reads a kubeconfig, and its pod has no cloud's sign-in command: a token that does not end.
        type="kubernetes.io/service-account-token",
        metadata={
            "name": f"{ACCOUNT}-token",
            "namespace": NAMESPACE,
            "annotations": {"kubernetes.io/service-account.name": ACCOUNT},
        },
        opts=pulumi.ResourceOptions(parent=account, additional_secret_outputs=["data"]),
    )


def _rules() -> list[kubernetes.rbac.v1.PolicyRuleArgs]:
    rules = [
        kubernetes.rbac.v1.PolicyRuleArgs(api_groups=[group], resources=list(kinds), verbs=list(VERBS))
        for group, kinds in JOB_KINDS.items()
    ]
    states = [
        kubernetes.rbac.v1.PolicyRuleArgs(
            api_groups=[group], resources=[f"{kind}/status" for kind in kinds], verbs=["get"]
        )
        for group, kinds in JOB_KINDS.items()
    ]
    patched = kubernetes.rbac.v1.PolicyRuleArgs(
        api_groups=["kueue.x-k8s.io"], resources=["workloads/status"], verbs=["patch", "update"]
    )
    return [*rules, *states, patched]


def _kubeconfig(administrators: str, data: Mapping[str, str] | None) -> str:
    """The address of the administrators' kubeconfig with the token of the account."""
    cluster = yaml.safe_load(administrators)["clusters"][0]["cluster"]
    held = data or {}
    address = {"server": cluster["server"], "certificate-authority-data": held.get("ca.crt", "")}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "worker", "cluster": address}],
            "users": [{"name": ACCOUNT, "user": {"token": b64decode(held.get("token", "")).decode()}}],
            "contexts": [{"name": "worker", "context": {"cluster": "worker", "user": ACCOUNT}}],
            "current-context": "worker",
        }
    )


FLAVOR: Final = "multikueue.elsewhere"  # no workload, and so no pool of home, has a dot in its name
CONTROLLER: Final = "kueue.x-k8s.io/multikueue"


@dataclass(frozen=True, kw_only=True)
class End:
    """One cluster of a spanning stack.

    Args:
        queues: Kueue, where the cluster has it already.
    """

    spec: ClusterSpec
    handle: ClusterHandle
    options: pulumi.ResourceOptions
    queues: pulumi.Resource | None = None
    site: PlacementContext


@dataclass(frozen=True, kw_only=True)
class SenderArgs:
    """The clusters that take jobs, each with the kubeconfig of the account that sends them."""

    takers: Sequence[tuple[ClusterSpec, pulumi.Output[str]]]


@final
class Sender(pulumi.ComponentResource):
    """For each other cluster its kubeconfig and admission check, and a queue in the primary cluster per workload."""

    def __init__(self, name: str, args: SenderArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        places = [spec.placement.name for spec, _ in args.takers]
        super().__init__("atoll:platform:MultiKueueSender", name, {"placements": places}, opts)
        flavor = queue_object("ResourceFlavor", FLAVOR, {}, parent=self)
        for spec, kubeconfig in args.takers:
            _taker(spec, kubeconfig, flavor=flavor, parent=self)
        self.register_outputs({})


def join(home: End, others: Sequence[End]) -> None:
    """Kueue in every cluster; people submit jobs to `home`."""
    takers = [(end.spec, _worker(end)) for end in others]
    sender = Sender("elsewhere", SenderArgs(takers=takers), opts=_after_queues(home))
    if home.queues is not None:  # the platform's, whose namespace is shut
        allow_egress("kueue-other-clusters", namespace=NAMESPACE, ports=API_PORTS, parent=sender)


def _after_queues(end: End) -> pulumi.ResourceOptions:
    """The options of what uses Kueue's custom resources; it is installed where the platform did not bring it."""
    queues = end.queues or ForeignKueue("queues", end.site, opts=end.options)
    return pulumi.ResourceOptions.merge(end.options, pulumi.ResourceOptions(depends_on=[queues]))


def _worker(end: End) -> pulumi.Output[str]:
    after = _after_queues(end)
    args = WorkerArgs(spec=end.spec, kubeconfig=end.handle.kubeconfigs["admin"])
    return Worker("worker", args, opts=after).kubeconfig


def _taker(
    spec: ClusterSpec,
    kubeconfig: pulumi.Output[str],
    *,
    flavor: kubernetes.apiextensions.CustomResource,
    parent: Sender,
) -> None:
    place = spec.placement.name
    held = register_secret(f"{place}-kubeconfig", {"kubeconfig": kubeconfig}, namespace=NAMESPACE, parent=parent)
    source = {"kubeConfig": {"location": f"{place}-kubeconfig", "locationType": "Secret"}}
    cluster = queue_object("MultiKueueCluster", place, {"clusterSource": source}, parent=held)
    taken = queue_object("MultiKueueConfig", place, {"clusters": [place]}, parent=cluster)
    parameters = {"apiGroup": "kueue.x-k8s.io", "kind": "MultiKueueConfig", "name": place}
    check = queue_object(
        "AdmissionCheck", place, {"controllerName": CONTROLLER, "parameters": parameters}, parent=taken
    )
    for workload in workloads(spec):
        _queue(workload, spec, check=check, flavor=flavor, parent=parent)


def _queue(
    workload: str,
    spec: ClusterSpec,
    *,
    check: kubernetes.apiextensions.CustomResource,
    flavor: kubernetes.apiextensions.CustomResource,
    parent: Sender,
) -> None:
    """The workload's namespace and queue in the primary cluster, with the quota of the worker's queue."""
    marks = NamespaceMetadata(labels={QUEUED: "yes"})
    home = shut_namespace(namespace(workload), level="restricted", parent=parent, marks=marks)
    fill_tenant_namespace(TenantArgs(workload=workload, accelerators={}), home=home)
    body = {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace(workload)}},
        "resourceGroups": [resource_group(FLAVOR, quota(accelerators(spec, workload)))],
        "admissionChecksStrategy": {"admissionChecks": [{"name": spec.placement.name}]},
    }
    queue = queue_object("ClusterQueue", workload, body, parent=parent, after=[check, flavor, home])
    queue_object("LocalQueue", QUEUE, {"clusterQueue": workload}, parent=queue, within=namespace(workload))
