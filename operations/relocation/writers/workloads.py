"""Which writers a cluster has now, in the order in which they are stopped, and which pods still run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.context.names import QUEUED
from components.platform.building_blocks import names
from operations.clouds.kubernetes import kinds
from operations.clouds.kubernetes.objects import (
    labels_of,
    metadata,
    name_of,
    namespace_of,
    owners_of,
    selects,
    value_at,
)
from planning.values.json_format import to_mapping, to_mappings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from operations.clouds.kubernetes.kinds import Named, StopMethod
    from operations.relocation.cluster.client import RelocationCluster

PROFILE: Final = ("app.kubernetes.io/part-of", "kubeflow-profile")  # label of namespaces that Kubeflow's Profiles own
QUEUE_NAME: Final = "kueue.x-k8s.io/queue-name"  # label of what Kueue starts and stops
INFERENCE: Final = "serving.kserve.io/inferenceservice"  # label of KServe's pods, which only read
READERS: Final = frozenset({"Tensorboard", "InferenceService", "LLMInferenceService", "Revision"})
STARTED_BY: Final = frozenset(way.kind.name for way in kinds.WORK)
ENDED: Final = frozenset({"Complete", "Failed", "Completed", "Succeeded", "Error"})
WORKER: Final = ("component", "worker")  # label of the pods in which Airflow's tasks run (apache-airflow chart)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterWorkload:
    """A workload that writes.

    Args:
        uid: tells it from another of the same name.
        value: of the field by which it is stopped, as it is now.
    """

    way: StopMethod
    namespace: str
    name: str
    uid: str
    version: str
    value: object

    @property
    def words(self) -> str:
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.way.kind.name} {place}"

    @property
    def stands_still(self) -> bool:
        return self.way.holds(self.value)


def writer_of(way: StopMethod, document: Mapping[str, object]) -> WriterWorkload:
    value = value_at(document, way.field)
    return WriterWorkload(
        way=way,
        namespace=namespace_of(document),
        name=name_of(document),
        uid=str(metadata(document).get("uid") or ""),
        version=str(metadata(document).get("resourceVersion") or ""),
        value=way.absent if value is None else value,
    )


def find_user_namespaces(cluster: RelocationCluster) -> frozenset[str]:
    """Namespaces of users: queued ones, those of Profiles, those with notebooks or schedules."""
    label, value = PROFILE
    marked = {
        name_of(each)
        for each in cluster.list_objects(kinds.NAMESPACE)
        if QUEUED in labels_of(each) or labels_of(each).get(label) == value
    }
    used = {namespace_of(each) for way in (kinds.NOTEBOOKS, kinds.RECURRING) for each in cluster.list_objects(way.kind)}
    return frozenset(marked | used)


def stages(cluster: RelocationCluster) -> Iterator[tuple[str, list[WriterWorkload]]]:
    """Writers by stage; each stage is listed once the one before is stopped."""
    # First: they would start again whatever is stopped after them.
    yield "keepers", list(_find_by_name(cluster, kinds.KEEPERS))
    yield "schedules", [*_schedules(cluster), *_find_by_name(cluster, kinds.PLATFORM)]
    yield "queues", [writer_of(kinds.QUEUES, each) for each in cluster.list_objects(kinds.QUEUES.kind)]
    yield "notebooks", [writer_of(kinds.NOTEBOOKS, each) for each in cluster.list_objects(kinds.NOTEBOOKS.kind)]
    yield "work", [*_work(cluster), *_servers(cluster)]


def _find_by_name(cluster: RelocationCluster, named: tuple[Named, ...]) -> Iterator[WriterWorkload]:
    for way, namespace, name in named:
        found = cluster.get(way.kind, namespace=namespace, name=name)
        if found is not None:
            yield writer_of(way, found)


def _schedules(cluster: RelocationCluster) -> Iterator[WriterWorkload]:
    """Schedules of Kubeflow anywhere; CronJobs in namespaces of users and of the platform's writers."""
    near = find_user_namespaces(cluster) | set(kinds.PLATFORM_NAMESPACES)
    for way in kinds.SCHEDULES:
        for each in cluster.list_objects(way.kind):
            # Other CronJobs belong to operators, and write nothing that is moved.
            if way is not kinds.CRON_JOBS or namespace_of(each) in near:
                yield writer_of(way, each)


def _work(cluster: RelocationCluster) -> Iterator[WriterWorkload]:
    """Running jobs, but not those that a queue or another controller stops."""
    here = find_user_namespaces(cluster)
    queued = _find_queued_namespaces(cluster)
    for way in kinds.WORK:
        for each in cluster.list_objects(way.kind):
            if namespace_of(each) not in here or _has_ended(each) or owners_of(each) & STARTED_BY:
                continue
            if way is kinds.WORKFLOWS or not _of_a_queue(each, queued):
                yield writer_of(way, each)


def _find_queued_namespaces(cluster: RelocationCluster) -> frozenset[str]:
    """Namespaces whose jobs a queue controls; empty without a queue."""
    if not cluster.list_objects(kinds.QUEUES.kind):
        return frozenset()
    return frozenset(name_of(each) for each in cluster.list_objects(kinds.NAMESPACE) if QUEUED in labels_of(each))


def _of_a_queue(document: Mapping[str, object], queued: frozenset[str]) -> bool:
    return namespace_of(document) in queued or QUEUE_NAME in labels_of(document)


def _has_ended(document: Mapping[str, object]) -> bool:
    status = to_mapping(document.get("status"))
    if status.get("phase") in ENDED:
        return True
    return any(
        each.get("type") in ENDED and each.get("status") == "True" for each in to_mappings(status.get("conditions"))
    )


def _servers(cluster: RelocationCluster) -> Iterator[WriterWorkload]:
    """Servers of users, without a controller of ours."""
    here = find_user_namespaces(cluster)
    for way in kinds.SERVERS:
        for each in cluster.list_objects(way.kind):
            if namespace_of(each) in here and not owners_of(each):
                yield writer_of(way, each)


def still_running(cluster: RelocationCluster) -> list[str]:
    """Pods that may still write."""
    here = find_user_namespaces(cluster)
    stopped = _selectors(cluster)
    readers = _readers(cluster)
    label, value = WORKER
    found: list[str] = []
    for pod in cluster.list_objects(kinds.POD):
        if _is_idle(pod):
            continue
        space = namespace_of(pod)
        task = space == names.AIRFLOW and labels_of(pod).get(label) == value
        ours = any(space == each and selects(selector, pod) for each, selector in stopped)
        reads = INFERENCE in labels_of(pod) or any(space == each and selects(by, pod) for each, by in readers)
        if task or ours or (space in here and not reads):
            found.append(f"Pod {space}/{name_of(pod)}" + ", which mounts a volume" * _mounts(pod))
    return found


def _selectors(cluster: RelocationCluster) -> list[tuple[str, Mapping[str, object]]]:
    """Selectors of the platform's writers, which are scaled to 0."""
    found: list[tuple[str, Mapping[str, object]]] = []
    for way, namespace, name in (*kinds.KEEPERS, *kinds.PLATFORM):
        document = cluster.get(way.kind, namespace=namespace, name=name)
        if document is not None:
            found.append((namespace, to_mapping(value_at(document, ("spec", "selector")))))
    return found


def _readers(cluster: RelocationCluster) -> list[tuple[str, Mapping[str, object]]]:
    return [
        (namespace_of(each), to_mapping(value_at(each, ("spec", "selector"))))
        for each in cluster.list_objects(kinds.DEPLOYMENTS.kind)
        if owners_of(each) & READERS
    ]


def _is_idle(pod: Mapping[str, object]) -> bool:
    """Whether it ended, or waits at a scheduling gate."""
    if value_at(pod, ("status", "phase")) in {"Succeeded", "Failed"}:
        return True
    return bool(to_mappings(value_at(pod, ("spec", "schedulingGates"))))


def _mounts(pod: Mapping[str, object]) -> bool:
    return any("persistentVolumeClaim" in each for each in to_mappings(value_at(pod, ("spec", "volumes"))))
