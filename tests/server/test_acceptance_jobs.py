"""The jobs of an acceptance against a real API server: taken as they are, and scheduled on the nodes they are about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import definitions
import pytest
from existing_plan import accepted_example
from fake_nodes import joined, node

from components.acceptance.job_context import NAMESPACE, JobContext, choose_pod_security, ground_objects
from components.acceptance.jobs import foundation, plan_jobs
from components.acceptance.services import home
from components.context.hardware import BURN_IN_TAINT, device
from planning.spec.lock import read_lock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kube_client import KubeClient, Manifest

    from components.acceptance.model import PlannedJob
    from planning.spec.cluster import ClusterSpec, Pool

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

EFA = "vpc.amazonaws.com/efa"
SHARED_SYSTEM = "atoll-system"
HOUSE: Manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
DONE_BY_CONTROLLERS = ("TrainJob", "Experiment", "InferenceService", "Notebook")


@dataclass(frozen=True)
class Scene:
    """The demo with a pool of several nodes, its nodes as they are before the burn-in, and every job."""

    spec: ClusterSpec
    names: dict[str, list[str]]
    jobs: tuple[PlannedJob, ...]

    def of(self, check: str) -> list[PlannedJob]:
        return [each for each in self.jobs if check in each.checks]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> ClusterSpec:
    folder = accepted_example(tmp_path_factory.mktemp("acceptance"), "demo", "same_cloud")
    return read_lock(folder / "stacks" / "demo" / "quote.lock.json").spec


@pytest.fixture(scope="module")
def scene(kube: KubeClient, demo: ClusterSpec) -> Iterator[Scene]:
    pools = tuple(
        pool.model_copy(update={"name": f"accept-{pool.name}", "working": 3, "max_nodes": 3, "min_nodes": 3})
        if pool.fabric == "efa"
        else pool
        for pool in demo.pools
    )
    spec = demo.model_copy(update={"pools": pools})
    held = [pool for pool in pools if pool.fabric == "efa"]
    made = [untested(pool, number) for pool in held for number in range(pool.max_nodes)]
    with joined(kube, made, owner="acceptance-jobs"):
        names = {pool.name: [each["metadata"]["name"] for each in made] for pool in held}
        jobs = plan_jobs(spec, nodes=names, run="t1")
        kube.delete_all([HOUSE])  # an earlier acceptance may have left it
        for each in (*around(spec), *foundation(spec)):
            answer = kube.apply(each)
            assert answer.ok, f"{each['kind']}: {answer.text}"
        yield Scene(spec, names, jobs)
        lent = [each for each in around(spec) if each["kind"] in {"PersistentVolume", "PersistentVolumeClaim"}]
        # Other tests have claims and volumes of the same names; pods end quickly while their nodes are there.
        kube.delete_all([*reversed(lent), HOUSE])


def untested(pool: Pool, number: int) -> Manifest:
    """A node as it joins: with the taints of its devices and of its burn-in, and the cards of its fabric."""
    found = node(pool, number)
    found["spec"]["taints"].append({"key": BURN_IN_TAINT, "value": "pending", "effect": "NoSchedule"})
    cards = {EFA: str(pool.efa_interfaces)}
    return {**found, "status": {name: {**room, **cards} for name, room in found["status"].items()}}


def around(spec: ClusterSpec) -> Iterator[Manifest]:
    """What the program itself has made by then: the team's namespace and accounts, the system's volume."""
    for name, pod_security in ((home(JobContext.of(spec, run="t1")), "restricted"), (SHARED_SYSTEM, "privileged")):
        labels = {"pod-security.kubernetes.io/enforce": pod_security}
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
        for account in ("workload", "default-editor", "default"):
            yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account, "namespace": name}}
    size = {"storage": "100Gi"}
    claimed = {"namespace": SHARED_SYSTEM, "name": "shared"}
    many = {"accessModes": ["ReadWriteMany"], "storageClassName": "atoll-shared"}
    disk = {"capacity": size, **many, "claimRef": claimed, "csi": {"driver": "fsx.csi.aws.com", "volumeHandle": "one"}}
    yield {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "accept-shared"}, "spec": disk}
    wanted = {**many, "resources": {"requests": size}, "volumeName": "accept-shared"}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": claimed}
    yield {**claim, "spec": wanted}


def served(kube: KubeClient, manifest: Manifest) -> bool:
    return definitions.is_served(kube, manifest) or definitions.install(
        kube, definitions.group_of(manifest), manifest["kind"]
    )


def as_manifest(value: object) -> Any:
    return value


def pods_of(kube: KubeClient, job: PlannedJob) -> list[dict[str, Any]]:
    assert job.log is not None
    path = f"/api/v1/namespaces/{job.log.namespace}/pods"
    return kube.request("GET", path, query={"labelSelector": job.log.selector}).json()["items"]


def landed(kube: KubeClient, job: PlannedJob) -> list[str]:
    """Names of the nodes that the pods of a job are on, once they all are on one."""
    made = as_manifest(job.objects[-1])
    wanted = int(made["spec"]["completions"])

    def placed(_: object) -> bool:
        found = pods_of(kube, job)
        return len(found) == wanted and all(each["spec"].get("nodeName") for each in found)

    kube.wait(made, placed)
    found = pods_of(kube, job)
    assert placed(None), [each["status"].get("conditions") for each in found] or kube.get(made).text
    return sorted(each["spec"]["nodeName"] for each in found)


def made(kube: KubeClient, job: PlannedJob) -> None:
    for each in job.objects:
        answer = kube.apply(as_manifest(each))
        assert answer.ok, f"{each['kind']}: {answer.text}"
        assert "warning" not in {name.lower() for name in answer.headers}, answer.headers


def gone(kube: KubeClient, job: PlannedJob) -> None:
    for each in job.removed:
        metadata = {"name": each.name, "namespace": each.namespace}
        assert kube.delete({"apiVersion": each.api_version, "kind": each.kind, "metadata": metadata}).ok


@definitions.here
def test_every_object_is_taken_as_it_is(kube: KubeClient, scene: Scene, demo: ClusterSpec) -> None:
    small = plan_jobs(demo, nodes={demo.pools[0].name: ["somewhere"]}, run="t2")
    for job in (*scene.jobs, *small):
        for each in job.objects:
            manifest = as_manifest(each)
            assert served(kube, manifest), manifest["kind"]
            answer = kube.apply(manifest, dry_run=True)
            assert answer.ok, f"{job.name} {manifest['kind']}: {answer.text}"
            assert "warning" not in {name.lower() for name in answer.headers}, (job.name, answer.headers)


def test_a_node_is_measured_on_itself_though_nobody_else_may_go_there(kube: KubeClient, scene: Scene) -> None:
    jobs = scene.of("matmul")
    assert [job.nodes for job in jobs] == [(name,) for names in scene.names.values() for name in names]
    for job in jobs:
        made(kube, job)
    assert [landed(kube, job) for job in jobs] == [list(job.nodes) for job in jobs]
    for job in jobs:
        gone(kube, job)


def test_storage_is_measured_from_every_node_at_once(kube: KubeClient, scene: Scene) -> None:
    (job,) = scene.of("loader")
    made(kube, job)
    assert landed(kube, job) == sorted(name for names in scene.names.values() for name in names)
    gone(kube, job)


def test_ways_and_services_are_tried_within_the_pod_security_of_their_namespace(kube: KubeClient, scene: Scene) -> None:
    system = next(pool for pool in scene.spec.pools if pool.role == "system")
    somewhere = node(system.model_copy(update={"name": "accept-system"}), 0)
    with joined(kube, [somewhere], owner="acceptance-jobs"):
        _each_lands(kube, scene)


def _each_lands(kube: KubeClient, scene: Scene) -> None:
    asked = [job for check in ("dns", "egress", "smoke") for job in scene.of(check)]
    jobs = [job for job in asked if {str(each["kind"]) for each in job.objects} <= {"ConfigMap", "Job"}]
    assert {job.subject.rpartition("/")[2] for job in jobs} == {"dns", "egress", "pipeline", "mlflow", "s3"}
    for job in jobs:
        made(kube, job)
        assert landed(kube, job)
        gone(kube, job)


@definitions.here
def test_the_pods_that_trainer_would_make_fit_the_nodes_of_the_fabric(kube: KubeClient, scene: Scene) -> None:
    (pool,) = [pool for pool in scene.spec.pools if pool.name in scene.names]
    job = scene.of("all_reduce")[-1]
    assert len(job.nodes) == pool.max_nodes
    runtime = as_manifest(job.objects[0])
    roles = {
        each["name"]: each["template"]["spec"]["template"]
        for each in runtime["spec"]["template"]["spec"]["replicatedJobs"]
    }
    templates = [roles["launcher"], *[roles["node"]] * (len(job.nodes) - 1)]
    pods = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"f{number}", "namespace": NAMESPACE, **each["metadata"]},
        }
        | {"spec": each["spec"]}
        for number, each in enumerate(templates)
    ]
    for each in pods:
        answer = kube.apply(each)
        assert answer.ok, answer.text
    placed = [kube.wait(each, lambda answer: bool(answer.json()["spec"].get("nodeName"))).json() for each in pods]
    assert sorted(each["spec"].get("nodeName", "") for each in placed) == sorted(job.nodes)
    limits = placed[0]["spec"]["containers"][0]["resources"]["limits"]
    assert limits == {device(pool.accelerator): str(pool.accelerators), EFA: str(pool.efa_interfaces)}
    for each in pods:
        kube.delete(each)


def test_a_fabric_that_pins_memory_needs_more_rights_and_no_other_has_them(demo: ClusterSpec) -> None:
    (pool,) = [pool for pool in demo.pools if pool.fabric == "efa"]
    pinning = pool.model_copy(update={"fabric": "infiniband", "max_nodes": 2})
    assert choose_pod_security(demo.pools) == "baseline"
    assert choose_pod_security((pinning,)) == "privileged"
    assert choose_pod_security((pinning.model_copy(update={"max_nodes": 1}),)) == "baseline"
    (first, *_) = ground_objects(JobContext.of(demo, run="t1"))
    labels = as_manifest(first)["metadata"]["labels"]
    assert "atoll/queued" not in labels
