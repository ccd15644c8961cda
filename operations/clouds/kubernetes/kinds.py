"""Kinds of writers, and the one field by which each is stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.platform.building_blocks import names
from operations.clouds.kubernetes.objects import ResourceKind

if TYPE_CHECKING:
    from collections.abc import Callable

STAMP: Final = "<now>"  # stands for the time at which a writer is stopped


@dataclass(frozen=True, slots=True, kw_only=True)
class StopMethod:
    """How writers of a kind are stopped.

    Args:
        field: path of the field that is changed.
        stopped: what it is set to.
        absent: what the server takes a missing field for.
        holds: whether a value means that the writer stands still.
        how: in words.
    """

    kind: ResourceKind
    field: tuple[str, ...]
    stopped: object
    holds: Callable[[object], bool]
    how: str
    absent: object = None


def _is_true(value: object) -> bool:
    return value is True


def _is_not_true(value: object) -> bool:
    return value is not True


def _is_there(value: object) -> bool:
    return value is not None


def _is_zero(value: object) -> bool:
    return value == 0


def _is_drained(value: object) -> bool:
    return value == DRAIN


NAMESPACE: Final = ResourceKind(group="", version="v1", plural="namespaces", name="Namespace", namespaced=False)
POD: Final = ResourceKind(group="", version="v1", plural="pods", name="Pod")
SUSPENDED: Final = ("spec", "suspend")
DRAIN: Final = "HoldAndDrain"  # of Kueue: nothing is admitted, and what runs is evicted
# The notebook controller scales to 0 where it finds this annotation (kubeflow/notebooks, culler.STOP_ANNOTATION).
STOPPED: Final = "kubeflow-resource-stopped"


def _build_suspend_method(
    group: str, version: str, plural: str, name: str, field: tuple[str, ...] = SUSPENDED
) -> StopMethod:
    kind = ResourceKind(group=group, version=version, plural=plural, name=name)
    return StopMethod(kind=kind, field=field, stopped=True, holds=_is_true, how="suspended")


def _build_scale_method(plural: str, name: str) -> StopMethod:
    kind = ResourceKind(group="apps", version="v1", plural=plural, name=name)
    how = "scaled to 0"
    return StopMethod(kind=kind, field=("spec", "replicas"), stopped=0, holds=_is_zero, how=how, absent=1)


# Versions are those that the pinned charts store (platform reference, CRDS.yaml; read 2026-11-22).
NOTEBOOKS: Final = StopMethod(
    kind=ResourceKind(group="kubeflow.org", version="v1", plural="notebooks", name="Notebook"),
    field=("metadata", "annotations", STOPPED),
    stopped=STAMP,
    holds=_is_there,
    how=f"annotated {STOPPED}",
)
QUEUES: Final = StopMethod(
    kind=ResourceKind(
        group="kueue.x-k8s.io", version="v1beta2", plural="clusterqueues", name="ClusterQueue", namespaced=False
    ),
    field=("spec", "stopPolicy"),
    stopped=DRAIN,
    holds=_is_drained,
    how="held and drained",
)
RECURRING: Final = StopMethod(
    kind=ResourceKind(group="kubeflow.org", version="v1beta1", plural="scheduledworkflows", name="ScheduledWorkflow"),
    field=("spec", "enabled"),
    stopped=False,
    holds=_is_not_true,
    how="disabled",
)
CRON_JOBS: Final = _build_suspend_method("batch", "v1", "cronjobs", "CronJob")
CRON_WORKFLOWS: Final = _build_suspend_method("argoproj.io", "v1alpha1", "cronworkflows", "CronWorkflow")
WORKFLOWS: Final = _build_suspend_method("argoproj.io", "v1alpha1", "workflows", "Workflow")
TRAIN_JOBS: Final = _build_suspend_method("trainer.kubeflow.org", "v1alpha1", "trainjobs", "TrainJob")
JOB_SETS: Final = _build_suspend_method("jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet")
MPI_JOBS: Final = _build_suspend_method(
    "kubeflow.org", "v2beta1", "mpijobs", "MPIJob", ("spec", "runPolicy", "suspend")
)
JOBS: Final = _build_suspend_method("batch", "v1", "jobs", "Job")
DEPLOYMENTS: Final = _build_scale_method("deployments", "Deployment")
STATEFUL_SETS: Final = _build_scale_method("statefulsets", "StatefulSet")

Named = tuple[StopMethod, str, str]  # a way, a namespace and a name
# They put back what a freeze changes: the spend guard sets stopPolicy every minute, Argo CD what differs from git.
KEEPERS: Final[tuple[Named, ...]] = (
    (DEPLOYMENTS, names.KUEUE, "spend-guard"),
    (STATEFUL_SETS, "argocd", "argocd-application-controller"),
)
# What writes by itself into MySQL, or starts work. MLflow, Hub and Grafana stay up: their databases are read-only.
# Names are upstream's (manifests of Pipelines 2.16.1 and Katib 0.19.0, Airflow's chart 1.19.0).
PLATFORM: Final[tuple[Named, ...]] = (
    *(
        (DEPLOYMENTS, names.KUBEFLOW, each)
        for each in (
            "ml-pipeline-scheduledworkflow",
            "ml-pipeline",
            "ml-pipeline-persistenceagent",
            "metadata-writer",
            "metadata-grpc-deployment",
            "cache-server",
            "katib-controller",
            "katib-db-manager",
        )
    ),
    *((way, names.AIRFLOW, "airflow-scheduler") for way in (DEPLOYMENTS, STATEFUL_SETS)),
    *((way, names.AIRFLOW, "airflow-triggerer") for way in (DEPLOYMENTS, STATEFUL_SETS)),
    (DEPLOYMENTS, names.AIRFLOW, "airflow-dag-processor"),
)
SCHEDULES: Final = (CRON_JOBS, CRON_WORKFLOWS, RECURRING)
# In this order: what starts others before what it starts.
WORK: Final = (WORKFLOWS, TRAIN_JOBS, MPI_JOBS, JOB_SETS, JOBS)
SERVERS: Final = (DEPLOYMENTS, STATEFUL_SETS)
PLATFORM_NAMESPACES: Final = (names.KUBEFLOW, names.MLFLOW, names.AIRFLOW)
