"""A bucket whose mover runs in a cluster, from the first copy to the proof: what the API server took is what runs."""

from __future__ import annotations

import base64
import os
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from control_plane import WITHOUT_GO
from fake_nodes import joined
from relocate_moves import move_in
from store_server import build_store
from test_mover_jobs import SAFE, Pod, got, put
from waiting import wait_until

from components.agents.mover.job import DONE
from components.agents.mover.store.s3_client import connect
from operations.clouds.kubernetes.objects import ClusterError
from operations.relocation.buckets.pairs import pair_buckets
from operations.relocation.config.endpoints import Places
from operations.relocation.jobs import copies
from operations.relocation.jobs import runs as cluster
from operations.relocation.jobs.runs import JobRuns, path_of
from operations.relocation.rehearsal.servers import MOVER, RehearsedStore, store
from operations.relocation.runner.step import Move, StepError
from operations.relocation.steps import copy_rounds, verify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from kube_client import KubeClient, Manifest

    from operations.relocation.jobs.runs import JobEnd

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

NAMESPACE, SHARDS, BUCKETS = "atoll-movers", 2, ("sets", "looked-at")
VERSIONS = {
    "Secret": "v1",
    "ConfigMap": "v1",
    "ServiceAccount": "v1",
    "PersistentVolumeClaim": "v1",
    "Job": "batch/v1",
    "NetworkPolicy": "networking.k8s.io/v1",
}
KEYS = {"access_key_env": "KEY", "secret_key_env": "SECRET"}


class Killed(BaseException):
    """Stands for SIGKILL."""


class Played:
    """A real cluster without containers: each pod is played here, from what the API server says that it mounts."""

    def __init__(self, runs: JobRuns, kube: KubeClient, folder: Path) -> None:
        self.runs, self.kube, self.folder = runs, kube, folder
        self.dies_waiting = False
        self.jobs: list[str] = []

    def start(self, objects: Sequence[Manifest]) -> None:
        self.runs.start(objects)
        self.objects = objects

    def wait(self, job: Manifest, *, say: Callable[[str], None]) -> JobEnd:
        if self.dies_waiting:
            raise Killed
        self.jobs.append(job["metadata"]["name"])
        pod = Pod(self.folder, [_in_clear(self.kube.request("GET", path_of(each)).json()) for each in self.objects])
        for shard in range(job["spec"]["completions"]):
            code, said = pod.run(shard)
            assert code == DONE or "foreign" in said, said
        return self.runs.wait(job, say=say)

    def remove(self, objects: Sequence[Manifest]) -> None:
        self.runs.remove(objects)


def _in_clear(found: Manifest) -> Manifest:
    """A Secret as it was written."""
    if found["kind"] != "Secret":
        return found
    text = {name: base64.b64decode(value).decode() for name, value in found["data"].items()}
    return {**found, "stringData": text}


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RehearsedStore, RehearsedStore]]:
    code = build_store()
    if code == WITHOUT_GO and os.environ.get("CI", "").lower() not in {"true", "1"}:
        pytest.skip("MinIO is built with Go, and there is no `go` on PATH")
    assert code == 0
    folder = tmp_path_factory.mktemp("stores")
    with (
        store(folder / "old", buckets=BUCKETS, writers={}) as old,
        store(folder / "new", buckets=BUCKETS, writers={}) as new,
    ):
        yield old, new


@pytest.fixture(scope="module")
def room(kube: KubeClient) -> Iterator[None]:
    """A namespace, a node, and a volume for the ledgers."""
    node: Manifest = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "atoll-movers-0", "labels": {"test": NAMESPACE}},
        "spec": {"taints": [{"key": "example.com/spot", "value": "true", "effect": "NoSchedule"}]},
        "status": {of: {"cpu": "8", "memory": "32Gi", "pods": "50"} for of in ("capacity", "allocatable")},
    }
    objects: list[Manifest] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": SAFE}},
        *(
            {
                "apiVersion": "v1",
                "kind": "PersistentVolume",
                "metadata": {"name": f"atoll-movers-{bucket}"},
                "spec": {
                    "accessModes": ["ReadWriteMany"],
                    "capacity": {"storage": "10Gi"},
                    "storageClassName": "shared",
                    "hostPath": {"path": "/nowhere"},
                },
            }
            for bucket in BUCKETS
        ),
    ]
    with joined(kube, [node], owner="relocate-cluster"):
        for each in objects:
            answer = kube.apply(each)
            assert answer.ok, answer.text
        yield
        kube.delete_all(objects[::-1])


@pytest.fixture(params=["sets"])
def move(
    kube: KubeClient,
    stores: tuple[RehearsedStore, RehearsedStore],
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> Move:
    old, new = stores
    side = {"kind": "minio", "mover": KEYS}
    form: dict[str, Any] = {
        "source": {"stack": "old", "store": {**side, "endpoint": old.endpoint}},
        "target": {
            "stack": "new",
            "store": {**side, "endpoint": new.endpoint, "mover": {"access_key_env": "KEY", "secret_key_env": "OTHER"}},
            "kubeconfig_env": "KUBE",
        },
        "buckets": [{"source": request.param, "target": request.param, "mover": "cluster", "versions": True}],
        "movers": {
            "namespace": NAMESPACE,
            "peers": [{"port": 9000, "namespace": "minio", "labels": {"app": "minio"}}],
            "shards": SHARDS,
            "parallelism": SHARDS,
            "storage_class": "shared",
            "node_selector": {"test": NAMESPACE},
            "tolerations": [{"key": "example.com/spot", "effect": "NoSchedule"}],
        },
        "bandwidth_mib_per_s": 200,
    }
    secrets = {
        "KEY": MOVER,
        "SECRET": old.keys[MOVER],
        "OTHER": new.keys[MOVER],
        "KUBE": str(kube.plane.kubeconfig),
    }
    return move_in(tmp_path / "relocations" / "old--new", Places.model_validate(form), secrets)


@pytest.fixture
def played(kube: KubeClient, move: Move, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    runs = cluster.open_job_runs(move.places.target, move.secrets, words="target")
    monkeypatch.setattr(runs, "_every", 0.2)
    found = Played(runs, kube, tmp_path / "pods")
    monkeypatch.setattr(cluster, "open_job_runs", lambda *_side, **_words: found)
    yield found
    copies.remove_stale_jobs(move, ledgers=True)
    until_left(kube, set())


def left_in(kube: KubeClient) -> set[str]:
    """Kinds of which something of the movers is still there."""
    found: set[str] = set()
    for kind, version in VERSIONS.items():
        one = path_of({"apiVersion": version, "kind": kind, "metadata": {"namespace": NAMESPACE, "name": "*"}})
        items = kube.request("GET", one.removesuffix("/*")).json()["items"]
        found |= {kind for each in items if each["metadata"]["name"].startswith("atoll-")}
    return found


def until_left(kube: KubeClient, wanted: set[str]) -> None:
    wait_until(lambda: left_in(kube), lambda left: left == wanted, what=f"nothing of the movers is left but {wanted}")


@pytest.mark.usefixtures("room")
def test_a_bucket_is_copied_damaged_mended_and_proven_by_pods(kube: KubeClient, move: Move, played: Played) -> None:
    (pair,) = pair_buckets(move)
    for number in range(40):
        put(pair.source, f"part/{number:02}", b"%d" % number * 1000, tags=(("n", "1"),))
    put(pair.source, "part/07", b"again")
    played.dies_waiting = True
    with pytest.raises(Killed):
        copy_rounds.seed(move)
    assert {"Secret", "Job"} <= left_in(kube)
    played.dies_waiting = False
    found: Any = copy_rounds.seed(move)
    assert found["sets"]["objects"] == 41
    copy_rounds.copy_deltas(move)
    assert copy_rounds.copy_final_delta(move)["quiet_rounds"] == 2
    assert len(set(played.jobs)) == len(played.jobs)

    put(pair.target, "part/07", b"agaim")
    with closing(connect(pair.target)) as target:
        for each in list(target.list_versions(prefix="part/11")):
            target.delete(each.key, version=each.version)
    with pytest.raises(StepError, match='missing "part/11"'):
        verify.do(move)
    before = len(played.jobs)
    played.dies_waiting = True
    with pytest.raises(Killed):
        verify.do(move)
    played.dies_waiting = False
    proof: Any = verify.do(move)
    assert "40 objects" in proof["sets"]["sentence"]
    assert "0 missing, 0 extra, 0 different" in proof["sets"]["sentence"]
    assert proof["sets"]["mended_first"] == ["part/07", "part/11"]
    assert len(played.jobs) == before + 2
    assert got(pair.target, "part/07") == b"again"
    played.dies_waiting = True
    with pytest.raises(Killed):
        verify.do(move)
    assert copies.remove_stale_jobs(move)["ledgers"] == "kept"
    until_left(kube, {"PersistentVolumeClaim"})
    copies.remove_stale_jobs(move, ledgers=True)
    until_left(kube, set())


@pytest.mark.usefixtures("room")
@pytest.mark.parametrize("move", ["looked-at"], indirect=True)
def test_a_look_that_was_begun_by_a_killed_process_is_not_believed(move: Move, played: Played) -> None:
    (pair,) = pair_buckets(move)
    put(pair.source, "one", b"1")
    copy_rounds.seed(move)
    played.dies_waiting = True
    with pytest.raises(Killed):
        verify.do(move)
    played.dies_waiting = False
    put(pair.target, "one", b"2")
    with pytest.raises(StepError, match='different "one": bytes'):
        verify.do(move)
    assert played.jobs[-1].endswith("-look-verify-target-2")


def test_a_cluster_that_cannot_be_opened_is_told(move: Move, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no kubeconfig")
    wrong = replace(move, secrets={**move.secrets, "KUBE": str(tmp_path / "text")})
    with pytest.raises(ClusterError, match="what KUBE names is no kubeconfig"):
        copy_rounds.seed(wrong)
    assert copies.cluster_movers(move.places, move.secrets).pods.namespace == NAMESPACE
