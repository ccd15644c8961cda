"""The near end of a spanning stack: jobs queued at home are sent to the cluster whose accelerators they need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.context.names import QUEUED, namespace, workloads
from components.platform.building_blocks.network_policies import API_PORTS, outward
from components.platform.scheduling.kueue import NAMESPACE, Kueue, KueueArgs
from components.platform.scheduling.multikueue_worker import (
    QUEUE,
    Worker,
    WorkerArgs,
    accelerators,
    queue_object,
    quota,
    resource_group,
)
from components.tenancy.cluster import Marks, shut_namespace
from components.tenancy.workload import TenantArgs, tenant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.context.placement import ClusterHandle, Site
    from planning.spec.cluster import ClusterSpec

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
    site: Site


@dataclass(frozen=True, kw_only=True)
class SenderArgs:
    """The clusters that take jobs, each with the kubeconfig of the account that sends them."""

    takers: Sequence[tuple[ClusterSpec, pulumi.Output[str]]]


@final
class Sender(pulumi.ComponentResource):
    """For each cluster elsewhere: how it is reached, what it takes, and a queue at home for each of its workloads."""

    def __init__(self, name: str, args: SenderArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        places = [spec.placement.name for spec, _ in args.takers]
        super().__init__("atoll:platform:MultiKueueSender", name, {"placements": places}, opts)
        flavor = queue_object("ResourceFlavor", FLAVOR, spec={}, parent=self)
        for spec, kubeconfig in args.takers:
            _taker(spec, kubeconfig, flavor=flavor, parent=self)
        self.register_outputs({})


def join(home: End, others: Sequence[End]) -> None:
    """Kueue in every cluster, and home as the one that people send jobs to."""
    takers = [(end.spec, _worker(end)) for end in others]
    sender = Sender("elsewhere", SenderArgs(takers=takers), opts=_after_queues(home))
    if home.queues is not None:  # the platform's, whose namespace is shut
        outward("kueue-other-clusters", namespace=NAMESPACE, ports=API_PORTS, parent=sender)


def _after_queues(end: End) -> pulumi.ResourceOptions:
    """The options of what uses Kueue's custom resources; it is installed where the platform did not bring it."""
    queues = end.queues or Kueue("queues", KueueArgs(site=end.site), opts=end.options)
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
    held = kubernetes.core.v1.Secret(
        f"{place}-kubeconfig",
        metadata={"name": f"{place}-kubeconfig", "namespace": NAMESPACE},
        string_data={"kubeconfig": kubeconfig},
        opts=pulumi.ResourceOptions(parent=parent),
    )
    source = {"kubeConfig": {"location": f"{place}-kubeconfig", "locationType": "Secret"}}
    cluster = queue_object("MultiKueueCluster", place, spec={"clusterSource": source}, parent=held)
    taken = queue_object("MultiKueueConfig", place, spec={"clusters": [place]}, parent=cluster)
    parameters = {"apiGroup": "kueue.x-k8s.io", "kind": "MultiKueueConfig", "name": place}
    check = queue_object(
        "AdmissionCheck", place, spec={"controllerName": CONTROLLER, "parameters": parameters}, parent=taken
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
    """The workload's namespace at home, where its jobs are written, and its queue, as long as that of the worker."""
    marks = Marks(labels={QUEUED: "yes"})
    home = shut_namespace(namespace(workload), level="restricted", parent=parent, marks=marks)
    tenant(TenantArgs(workload=workload, accelerators={}), home=home)
    body = {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace(workload)}},
        "resourceGroups": [resource_group(FLAVOR, quota(accelerators(spec, workload)))],
        "admissionChecksStrategy": {"admissionChecks": [{"name": spec.placement.name}]},
    }
    queue = kubernetes.apiextensions.CustomResource(
        f"clusterqueue-{workload}",
        api_version="kueue.x-k8s.io/v1beta2",
        kind="ClusterQueue",
        metadata={"name": workload},
        spec=body,
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[check, flavor, home]),
    )
    queue_object("LocalQueue", QUEUE, spec={"clusterQueue": workload}, parent=queue, within=namespace(workload))
