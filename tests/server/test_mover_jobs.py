"""The mover as it goes into a cluster: its objects before a real API server, its very files between two real stores."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import definitions
import pytest
from control_plane import WITHOUT_GO
from fake_nodes import joined
from kubernetes.config import new_client_from_config
from store_server import build_store
from waiting import WITHIN, wait_until

from components.agents.mover.compare import ComparisonTerms, ManifestComparison, compare
from components.agents.mover.job import DONE, REFUSED, STOPPED
from components.agents.mover.manifest import Manifest
from components.agents.mover.scan import ScanRequest
from components.agents.mover.store.model import BucketEndpoint, Head, StoreError
from components.agents.mover.store.s3_client import connect
from components.agents.mover.transfer_plan import CopyOptions, RoundReport
from operations.clouds.kubernetes.client import KubernetesClient
from operations.clouds.kubernetes.objects import ClusterError
from operations.relocation.config.endpoints import MoversPlace, StorePeer
from operations.relocation.jobs.copies import ClusterMovers
from operations.relocation.jobs.objects import MoverJob, keys_of, list_objects
from operations.relocation.jobs.results import Deposits
from operations.relocation.jobs.runs import JobEnd, JobRuns
from operations.relocation.rehearsal.servers import MOVER, RehearsedStore, store
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kube_client import KubeClient, Manifest

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

BUCKET, ELSEWHERE, RESERVED, SHARDS = "models", "elsewhere", ".atoll-relocation/", 3
SAFE = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn", "audit")}
ODD = (
    "a b",
    "モデル/é",
    "folder/",
    "new\nline",
    "/".join(letter * 204 for letter in "klmn") + "/" + "é" * 102,  # 1,024 bytes, as folders that MinIO can make
    "%2F+&",
)


@dataclass(frozen=True)
class Sides:
    source: BucketEndpoint
    target: BucketEndpoint


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RehearsedStore, RehearsedStore]]:
    code = build_store()
    if code == WITHOUT_GO and os.environ.get("CI", "").lower() not in {"true", "1"}:
        pytest.skip("MinIO is built with Go, and there is no `go` on PATH")
    assert code == 0
    folder = tmp_path_factory.mktemp("stores")
    with (
        store(folder / "source", buckets=[BUCKET], writers={}) as source,
        store(folder / "target", buckets=[BUCKET, ELSEWHERE], writers={}) as target,
    ):
        yield source, target


@pytest.fixture(scope="module")
def sides(stores: tuple[RehearsedStore, RehearsedStore]) -> Sides:
    """Both buckets, the source's filled."""
    found = Sides(*(each.place(BUCKET, user=MOVER) for each in stores))
    for number in range(400):
        put(found.source, f"runs/{number:03}/part", f"{number}".encode() * 20_000, tags=(("number", str(number)),))
    for key in ODD:
        put(found.source, key, b"odd" if not key.endswith("/") else b"")
    return found


class LocalCluster:
    """A cluster that runs a Job's pods here, one after the other; `broken` movers end before they began."""

    def __init__(self, folder: Path, *, broken: bool = False) -> None:
        self.folder, self.broken, self.there = folder, broken, dict[str, Any]()

    def start(self, objects: Sequence[Any]) -> None:
        self.there |= {f"{each['kind']}/{each['metadata']['name']}": each for each in objects}

    def wait(self, job: Any, *, say: Callable[[str], None]) -> JobEnd:
        say("waiting")
        if self.broken:
            return JobEnd(done=False, shards=0, failed_shards="0-2", why="FailedIndexes: all of them")
        found = Pod(self.folder, [*self.there.values(), job])
        codes = [found.run(shard)[0] for shard in range(job["spec"]["completions"])]
        return JobEnd(done=codes == [DONE] * len(codes), shards=codes.count(DONE))

    def remove(self, objects: Sequence[Any]) -> None:
        for each in objects:
            del self.there[f"{each['kind']}/{each['metadata']['name']}"]


def put(place: BucketEndpoint, key: str, content: bytes, *, tags: Any = (), **more: Any) -> None:
    from hashlib import sha256

    headers = {"headers": (("content-type", "text/x-part"),), "metadata": (("step", "7"),), **more}
    with closing(connect(place)) as target:
        head = Head(size=len(content), etag="", **headers)
        target.put(key, memoryview(content), sha256=sha256(content).hexdigest(), like=head, tags=tags)


def got(place: BucketEndpoint, key: str) -> bytes:
    with closing(connect(place)) as source:
        body = source.open(key)
        found = bytearray()
        room = memoryview(bytearray(2**16))
        while count := body.read_into(room):
            found += room[:count]
        body.close()
        return bytes(found)


def keys_at(place: BucketEndpoint) -> set[str]:
    with closing(connect(place)) as found:
        return {each.key for each in found.list_objects() if not each.key.startswith(RESERVED)}


def told(sides: Sides, **more: Any) -> dict[str, Any]:
    ends = {
        name: {"endpoint": place.endpoint, "region": place.region, "bucket": place.bucket}
        for name, place in (("source", sides.source), ("target", sides.target))
    }
    return {"do": "copy", "name": "seed", "reserved": RESERVED, "counts_tags": True, "transfers": 4, **ends, **more}


def pod(folder: Path, sides: Sides, spec: dict[str, Any], **more: Any) -> Pod:
    job = mover_job(spec, **more)
    return Pod(folder, [*keys_of(job, sides.source, sides.target), *list_objects(job)])


def mover_job(spec: dict[str, Any], **more: Any) -> MoverJob:
    return MoverJob(
        name="move-models",
        pods=MoversPlace(
            namespace="moving",
            peers=(
                StorePeer(port=9000, namespace="minio", labels={"app": "minio"}),
                StorePeer(port=443, cidr="192.0.2.0/24"),
            ),
            shards=SHARDS,
            parallelism=SHARDS,
            **{name: more.pop(name) for name in ("node_selector", "tolerations", "monitored") if name in more},
        ),
        spec=spec,
        secrets={"source": "move-source", "target": "move-target"},
        **more,
    )


class Pod:
    """What a kubelet does with the objects: files of the volumes in place, the command, the shard's number."""

    def __init__(self, folder: Path, objects: Sequence[Any]) -> None:
        found = {(each["kind"], each["metadata"]["name"]): each for each in objects}
        self.pod = objects[-1]["spec"]["template"]["spec"]
        self.folder = folder
        volumes = {each["name"]: each for each in self.pod["volumes"]}
        code = volumes["code"]["configMap"]
        for item in code["items"]:
            self.write(folder / "mover" / item["path"], found["ConfigMap", code["name"]]["data"][item["key"]])
        for side in ("source", "target"):
            for name, text in found["Secret", volumes[f"keys-{side}"]["secret"]["secretName"]]["stringData"].items():
                self.write(folder / "keys" / side / name, text + "\n")
        self.spec = json.loads(found["ConfigMap", volumes["spec"]["configMap"]["name"]]["data"]["spec.json"])
        here = {"folder": str(folder / "work"), "keys": str(folder / "keys"), "listen": "127.0.0.1", "port": 0}
        self.write(folder / "spec.json", json.dumps({**self.spec, **here}))

    @staticmethod
    def write(path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def start(self, shard: int) -> subprocess.Popen[str]:
        command = self.pod["containers"][0]["command"]
        assert command == ["python3", "-I", "/mover", "/spec/spec.json"]
        return subprocess.Popen(
            [sys.executable, "-I", str(self.folder / "mover"), str(self.folder / "spec.json")],
            cwd="/",
            env={"JOB_COMPLETION_INDEX": str(shard)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, shard: int) -> tuple[int, str]:
        with self.start(shard) as running:
            said = running.communicate(timeout=WITHIN)[0]
        return running.returncode, said


def deposits(folder: Path, sides: Sides, name: str) -> Deposits:
    return Deposits(
        connect=connect, target=sides.target, deposits=RESERVED, name=name, shards=SHARDS, folder=folder / "found"
    )


def looked(folder: Path, sides: Sides, side: str, *, name: str) -> Path:
    """One manifest of a side, gathered from what the shards left at the target."""
    found = pod(folder / f"{name}-{side}", sides, told(sides, do="look", name=f"{name}-{side}", looks_at=side))
    for shard in range(SHARDS):
        code, said = found.run(shard)
        assert code == DONE, said
    path = folder / f"{name}-{side}.manifest.gz"
    deposits(folder, sides, f"{name}-{side}").fetch_manifest(path)
    return path


def compared(folder: Path, sides: Sides, *, name: str) -> ManifestComparison:
    paths = [looked(folder, sides, side, name=name) for side in ("source", "target")]
    return compare(*paths, ComparisonTerms(reserved=RESERVED))


def until_copied(sides: Sides, running: subprocess.Popen[str], least: int) -> None:
    def count() -> int:
        assert running.poll() is None, running.communicate()[0]
        return len(keys_at(sides.target))

    wait_until(count, lambda found: found >= least, what=f"{least} objects at the target")


def test_its_files_copy_in_shards_are_killed_go_on_and_the_proof_says_so(sides: Sides, tmp_path: Path) -> None:
    slow = pod(tmp_path, sides, told(sides), mib_per_s=3.0)  # 1 MiB/s for each of three, so about 8 s
    assert slow.spec["mib_per_s"] == 1.0
    for shard, kill, code in ((0, signal.SIGTERM, STOPPED), (1, signal.SIGKILL, -signal.SIGKILL)):
        before = len(keys_at(sides.target))
        with slow.start(shard) as running:
            until_copied(sides, running, before + 60)
            running.send_signal(kill)
            said = running.communicate(timeout=WITHIN)[0]
        assert running.returncode == code, said
        assert before + 60 <= len(keys_at(sides.target)) < before + 120
    begun = len(keys_at(sides.target))
    fast = pod(tmp_path, sides, told(sides))
    for shard in range(SHARDS):
        code, said = fast.run(shard)
        assert code == DONE, said
    left = deposits(tmp_path, sides, "seed")
    copies: list[Any] = [each["copy"] for each in left.read_results()]
    left.remove()
    with pytest.raises(StoreError, match="NoSuchKey"):
        left.read_results()
    assert sum(each["objects"] + each["skipped"] for each in copies) == 406
    assert sum(each["skipped"] for each in copies) > begun / 2  # a kill costs what was not yet written down, no more
    assert min(each["skipped"] for each in copies[:2]) > 0
    found = compared(tmp_path, sides, name="proof")
    size = sum(len(f"{number}") * 20_000 for number in range(400)) + 15
    assert found.sentence == f"406 objects, {size:,} bytes, 0 missing, 0 extra, 0 different"
    assert found.compared_rows == 406

    flipped = bytearray(got(sides.target, "runs/007/part"))
    flipped[100] ^= 1
    put(sides.target, "runs/007/part", bytes(flipped), tags=(("number", "7"),))
    found = compared(tmp_path, sides, name="flipped")
    assert [(each.key, each.aspects) for each in found.different.first] == [("runs/007/part", ("bytes",))]
    assert found.sentence.endswith("0 missing, 0 extra, 1 different")


def test_rounds_in_a_cluster_report_as_rounds_here_do(sides: Sides, tmp_path: Path) -> None:
    elsewhere = replace(sides, target=replace(sides.target, bucket=ELSEWHERE))
    cluster = LocalCluster(tmp_path / "cluster")
    peers = (StorePeer(port=443, cidr="192.0.2.0/24"),)
    pods = MoversPlace(namespace="moving", peers=peers, shards=SHARDS, parallelism=min(4, SHARDS))
    movers = ClusterMovers(runs=cluster, pods=pods)
    folder = tmp_path / "here"
    options = CopyOptions(reserved=RESERVED, transfers=4)

    def round_of(movers: ClusterMovers) -> RoundReport:
        return movers.copy_round(elsewhere.source, elsewhere.target, folder=folder, options=options, say=print)

    first, second = round_of(movers), round_of(movers)
    assert (first.objects, first.complete, second.objects, second.skipped, second.quiet) == (406, True, 0, 406, True)
    written = Manifest(Path(second.manifest))
    assert list(written.read_rows())
    assert written.counts is not None
    assert written.counts.objects == 406
    with closing(connect(elsewhere.target)) as found:
        assert [each.key for each in found.list_objects(prefix=RESERVED)] == []
    assert [name.split("/")[0] for name in cluster.there] == ["PersistentVolumeClaim"]

    path, own = folder / "target.manifest", Path(second.manifest)
    wanted = ScanRequest(place=elsewhere.target, reserved=RESERVED, counts_tags=True)
    seen = movers.take(elsewhere.source, elsewhere.target, wanted, path, say=print)
    assert (seen.rows, seen.read_rows, seen.changes, seen.changed) == (406, 406, 0, [])
    assert compare(own, path, ComparisonTerms()).sentence.endswith("0 missing, 0 extra, 0 different")

    put(elsewhere.target, "runs/007/part", b"somebody else's")
    third = round_of(movers)
    assert (third.complete, [key for key, _ in third.foreign]) == (False, ["runs/007/part"])
    with pytest.raises(StepError, match="ended without a result: FailedIndexes"):
        round_of(replace(movers, runs=LocalCluster(tmp_path / "broken", broken=True)))
    with pytest.raises(StepError, match="had 3 shards, not 4"):
        round_of(replace(movers, pods=pods.model_copy(update={"shards": 4})))


def test_metrics_and_progress_answer_while_it_runs(sides: Sides, tmp_path: Path) -> None:
    import requests

    watched = pod(tmp_path, sides, told(sides, do="look", name="watched"), mib_per_s=1.0)
    with watched.start(1) as running:
        assert running.stdout is not None
        port = int(running.stdout.readline().rsplit(" ", 1)[1])
        found = requests.get(f"http://127.0.0.1:{port}/metrics", timeout=60)
        progress = requests.get(f"http://127.0.0.1:{port}/progress", timeout=60).json()
        assert requests.get(f"http://127.0.0.1:{port}/other", timeout=60).status_code == 404
        running.send_signal(signal.SIGTERM)
        said = running.communicate(timeout=WITHIN)[0]
    assert running.returncode == STOPPED, said
    labels = '{bucket="models",do="look",name="watched",shard="1"}'
    assert f"# TYPE atoll_mover_objects_total counter\natoll_mover_objects_total{labels} " in found.text
    assert (progress["name"], progress["failures"], progress["done"]) == ("watched", 0, False)


def test_keys_that_are_wrong_and_a_spec_that_is_wrong_are_told_apart(sides: Sides, tmp_path: Path) -> None:
    wrong = replace(sides, source=replace(sides.source, secret_key="not-the-secret-0123456789"))
    code, said = pod(tmp_path / "keys", wrong, told(sides, do="look", name="refused")).run(0)
    assert (code, "SignatureDoesNotMatch" in said) == (1, True), said
    assert "not-the-secret" not in said
    code, said = pod(tmp_path / "spec", sides, told(sides, do="fly", transfers=0)).run(9)
    assert code == REFUSED
    for each in ("do is not one of copy, look", "transfers is not a whole number", "there is no shard '9' of 3"):
        assert each in said


@pytest.fixture
def node_for_movers(kube: KubeClient) -> Iterator[Manifest]:
    node: Manifest = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "movers-0", "labels": {"test": "movers"}},
        "spec": {"taints": [{"key": "example.com/spot", "value": "true", "effect": "NoSchedule"}]},
        "status": {room: {"cpu": "8", "memory": "32Gi", "pods": "20"} for room in ("capacity", "allocatable")},
    }
    with joined(kube, [node], owner="mover-jobs"):
        yield node


def place_for_movers() -> list[Manifest]:
    home: Manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "moving", "labels": SAFE}}
    secrets: list[Manifest] = [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": f"move-{side}", "namespace": "moving"},
            "stringData": {"access_key": "a", "secret_key": "s"},
        }
        for side in ("source", "target")
    ]
    claim: Manifest = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "ledgers", "namespace": "moving"},
        "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "10Gi"}}},
    }
    return [home, *secrets, claim]


def test_the_api_server_takes_its_objects_under_restricted_security_and_its_pods_land(
    kube: KubeClient, sides: Sides, node_for_movers: Manifest
) -> None:
    if not definitions.install(kube, "monitoring.coreos.com", "PodMonitor"):
        pytest.skip(definitions.ABSENT)
    job = mover_job(
        told(sides),
        node_selector={"test": "movers"},
        tolerations=({"key": "example.com/spot", "operator": "Exists", "effect": "NoSchedule"},),
        authorities={"target": "move-target-authority"},
        monitored=True,
        mib_per_s=100.0,
    )
    for each in (*place_for_movers(), *list_objects(job)):
        answer = kube.apply(each)
        assert answer.ok, answer.text
        assert "would violate PodSecurity" not in answer.headers.get("Warning", ""), answer.headers
    made: Manifest = list_objects(job)[-1]
    with new_client_from_config(config_file=str(kube.plane.kubeconfig)) as api:
        runs, lines = JobRuns(KubernetesClient(api), every=0.2), list[str]()
        runs.start(list_objects(job))  # again: a Job that runs goes on
        with pytest.raises(ClusterError, match=r"the cluster refused PATCH .*: 422 .*parallelism"):
            runs.start([{**made, "spec": {**made["spec"], "parallelism": -1}}])
        assert runs.wait(made, say=lines.append) == JobEnd(done=True, shards=SHARDS)
        assert lines[-1] == f"{SHARDS} shards done, 0 at work"
    pods = kube.list_in("moving", "pods").json()["items"]
    assert {each["spec"]["nodeName"] for each in pods} == {node_for_movers["metadata"]["name"]}
    with_claim = replace(job, name="with-claim", claim="ledgers")
    for each in list_objects(with_claim):
        answer = kube.apply(each, dry_run=True)
        assert answer.ok, answer.text
    with new_client_from_config(config_file=str(kube.plane.kubeconfig)) as api:
        JobRuns(KubernetesClient(api)).remove(list_objects(job))
        with pytest.raises(StepError, match="is not there any more: 404"):
            JobRuns(KubernetesClient(api)).wait(made, say=print)
