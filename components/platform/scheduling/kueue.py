"""Kueue, the queue that admits jobs: the controller, from its chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

from catalogs.software.reader import parts
from components.context.names import QUEUED
from components.platform.building_blocks import names
from components.platform.building_blocks.artifact_mirror import read_program_mirror
from components.platform.building_blocks.chart import find_chart_source, release
from components.platform.building_blocks.context import component, show_version
from components.platform.building_blocks.images import values_from
from components.platform.building_blocks.network_policies import allow_webhook
from components.platform.building_blocks.objects import register_object

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.context.placement import PlacementContext
    from components.platform.building_blocks.context import PlatformContext, PlatformResource


# Kubernetes updates an aggregated role with every role that it selects, and recreates it where Helm has just deleted
# it; Helm then waits for the deletion until its timeout.
MADE_OF_OTHERS: Final = ("batch-admin", "batch-user")
FORCE: Final = "pulumi.com/patchForce"
REVISION: Final = "atoll/kueue-revision"


def register_aggregate_roles(release: kubernetes.helm.v3.Release) -> None:
    """Aggregate the roles by a selector of our own instead of the chart's, so that the patch owns the field."""
    # Each revision of Helm restores the chart's selector: with the revision in it the patch is applied again. A destroy
    # removes the patch before the chart; the roles keep their rules, and Kubernetes updates them no more.
    revision = release.status.apply(lambda status: str(status.revision))
    for role in MADE_OF_OTHERS:
        label = f"rbac.kueue.x-k8s.io/{role}"
        kubernetes.rbac.v1.ClusterRolePatch(
            f"kueue-{role}",
            metadata={"name": f"kueue-{role}-role", "annotations": {FORCE: "true", REVISION: revision}},
            aggregation_rule={
                "cluster_role_selectors": [
                    {"match_expressions": [{"key": label, "operator": "In", "values": ["true"]}]}
                ]
            },
            opts=pulumi.ResourceOptions(parent=release, depends_on=[release]),
        )


PART: Final = "kueue"
API: Final = "kueue.x-k8s.io/v1beta2"
NAMESPACE: Final = names.KUEUE
SECONDS_TO_START: Final = 600
WEBHOOK: Final = 9443
VISIBILITY: Final = 8082  # its API server's pods answer here for kubectl
# Kinds of jobs; a kind whose definition is not installed is left alone until it is (kueue v0.19.2, jobframework).
# Notebooks, servers and pipeline steps are pods, each admitted by itself.
FRAMEWORKS: Final = (
    "batch/job",
    "jobset.x-k8s.io/jobset",
    "trainer.kubeflow.org/trainjob",
    "kubeflow.org/mpijob",
    "pod",
)
# Accelerators are scarce. Other resources are limited by the nodes and count against no quota.
UNCOUNTED: Final = ("cpu", "memory", "ephemeral-storage", "hugepages-", "vpc.amazonaws.com/", "rdma/")
# A node that a scaler starts is there in minutes, and its images of tens of GB in a quarter of an hour; a job that has
# not all its pods by then gives back what it holds, and queues again. Our choice.
START_MINUTES: Final = 30
# A spot node that went is replaced in that time, or the job queues again for another.
RECOVERY_MINUTES: Final = 10
RETRIES: Final = 20
LONGEST_WAIT_SECONDS: Final = 1800
REPLICAS: Final = 2  # no pod of a team starts while no controller answers
REQUESTS: Final = {"cpu": "200m", "memory": "512Mi"}
LIMITS: Final = {"cpu": "2", "memory": "512Mi"}


@component(PART, "atoll:platform:Kueue", inputs=show_version(PART))
def build(own: PlatformResource) -> None:
    """Kueue in the primary cluster: every pod in a team's namespace waits for its queue."""
    allow_webhook("kueue-webhooks", namespace=NAMESPACE, ports=(WEBHOOK, VISIBILITY), parent=own)
    register_aggregate_roles(release(own, _values(own.context)))


@final
class ForeignKueue(pulumi.ComponentResource):
    """Kueue in an additional placement, with the chart's values: jobs were queued in the primary cluster already."""

    def __init__(self, name: str, site: PlacementContext, *, opts: pulumi.ResourceOptions) -> None:
        row = parts()[PART]
        super().__init__("atoll:platform:Kueue", name, {"version": row.version}, opts)
        own = pulumi.ResourceOptions(parent=self)
        labels = {"app.kubernetes.io/managed-by": "atoll", "pod-security.kubernetes.io/enforce": "restricted"}
        home = kubernetes.core.v1.Namespace(NAMESPACE, metadata={"name": NAMESPACE, "labels": labels}, opts=own)
        found = find_chart_source(row, mirror=site.mirror)
        made = kubernetes.helm.v3.Release(
            PART,
            name=PART,
            chart=found.chart,
            repository_opts={"repo": found.repository} if found.repository else None,
            version=row.version,
            namespace=home.metadata.name,
            values=values_from(PART, read_program_mirror(site.mirror, offline=site.settings.offline)) or None,
            atomic=True,
            timeout=SECONDS_TO_START,
            opts=own,
        )
        register_aggregate_roles(made)
        self.register_outputs({})


def queue_object(
    kind: str,
    name: str,
    spec: Mapping[str, object],
    *,
    parent: pulumi.Resource,
    within: str = "",
    after: Sequence[pulumi.Resource] = (),
) -> kubernetes.apiextensions.CustomResource:
    """One object of Kueue's API; its logical name tells namespaces apart."""
    logical = f"{kind.lower()}-{within}-{name}" if within else f"{kind.lower()}-{name}"
    return register_object(API, kind, name, spec, parent=parent, namespace=within, logical=logical, after=after)


def _values(context: PlatformContext) -> dict[str, object]:
    return {
        "enablePrometheus": context.has("prometheus_crds"),
        "metrics": {"prometheusNamespace": names.OBSERVABILITY},
        "controllerManager": {
            "replicas": REPLICAS,
            "podDisruptionBudget": {"enabled": True},
            "nodeSelector": dict(context.on_system),
            "manager": {
                "image": {"pullPolicy": "IfNotPresent"},
                "resources": {"requests": REQUESTS, "limits": LIMITS},
            },
        },
        "managerConfig": {"controllerManagerConfigYaml": yaml.safe_dump(configuration(), sort_keys=False)},
    }


def configuration() -> Mapping[str, object]:
    """Kueue's whole configuration, which replaces the chart's."""
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        **_server(),
        "manageJobsWithoutQueueName": True,
        "managedJobsNamespaceSelector": {"matchExpressions": [{"key": QUEUED, "operator": "Exists"}]},
        "integrations": {"frameworks": list(FRAMEWORKS)},
        "resources": {"excludeResourcePrefixes": list(UNCOUNTED)},
        "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
        "waitForPodsReady": {
            "timeout": f"{START_MINUTES}m",
            "recoveryTimeout": f"{RECOVERY_MINUTES}m",
            "blockAdmission": False,
            "requeuingStrategy": {
                "timestamp": "Eviction",
                "backoffLimitCount": RETRIES,
                "backoffBaseSeconds": 60,
                "backoffMaxSeconds": LONGEST_WAIT_SECONDS,
            },
        },
    }


def _server() -> dict[str, object]:
    """Settings of the controller; ports are those of the chart's services."""
    workers = {"Job.batch": 5, "Pod": 5, "Workload.kueue.x-k8s.io": 10, "LocalQueue.kueue.x-k8s.io": 5}
    return {
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443", "enableClusterQueueResources": True},
        "webhook": {"port": WEBHOOK},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "controller": {
            "groupKindConcurrency": {**workers, "ClusterQueue.kueue.x-k8s.io": 5, "ResourceFlavor.kueue.x-k8s.io": 1}
        },
        "clientConnection": {"qps": 300, "burst": 500},
    }
