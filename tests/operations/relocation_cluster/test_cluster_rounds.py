"""Rounds in a cluster that are killed: what goes on, what begins anew, and what stays in the cluster."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from components.agents.mover.manifest import ManifestRow, ManifestWriter
from components.agents.mover.scan import ScanRequest, ScanResult
from components.agents.mover.store.model import BucketEndpoint, Listed, StoreError
from components.agents.mover.transfer_plan import CopyOptions, RoundReport
from operations.relocation.buckets.pairs import pair_buckets
from operations.relocation.config.endpoints import MoversPlace, Places, StorePeer
from operations.relocation.jobs import copies as cluster_opening
from operations.relocation.jobs.copies import ClusterMovers
from operations.relocation.jobs.runs import JobEnd, open_job_runs
from operations.relocation.runner.step import Move, StepError
from planning.values.errors import AtollError

SOURCE, TARGET = (
    BucketEndpoint(endpoint=f"http://127.0.0.1:{port}", region="r", bucket="sets", access_key="a", secret_key="s")
    for port in (1, 2)
)
SHARDS = 2


class Killed(BaseException):
    pass


@dataclass
class FakeCluster:
    """Answers for its pods: each shard leaves a result and a manifest at the target."""

    folder: Path
    deposits: dict[str, bytes] = field(default_factory=dict)
    there: dict[str, Any] = field(default_factory=dict)
    waited: list[str] = field(default_factory=list)
    report: RoundReport = field(default_factory=lambda: RoundReport(objects=1, size=3, seconds=2.0))
    seen: ScanResult = field(default_factory=lambda: ScanResult(rows=1, size=3, read_rows=1, read_bytes=3))
    ended: JobEnd = field(default_factory=lambda: JobEnd(done=True, shards=SHARDS))
    killed: bool = False
    silent: bool = False

    def start(self, objects: Sequence[Any]) -> None:
        self.there |= {f"{each['kind']}/{each['metadata']['name']}": each for each in objects}

    def wait(self, job: Any, *, say: Callable[[str], None]) -> JobEnd:
        say("waiting")
        if self.killed:
            raise Killed
        name = job["metadata"]["name"]
        self.waited.append(name)
        spec = json.loads(self.there[f"ConfigMap/{name}-spec"]["data"]["spec.json"])
        for index in range(0 if self.silent else SHARDS):
            at = f"{spec['deposits']}{name}/{index}-of-{SHARDS}"
            self.deposits[f"{at}/result.json"] = json.dumps(self.result(spec)).encode()
            self.deposits[f"{at}/manifest.gz"] = self.manifest(name, index)
        return self.ended

    def result(self, spec: dict[str, Any]) -> dict[str, Any]:
        return {"copy": asdict(self.report)} if spec["do"] == "copy" else {"look": asdict(self.seen)}

    def manifest(self, name: str, index: int) -> bytes:
        path = self.folder / "shard.gz"
        facts = {"look": name, "shard": {"index": index, "of": SHARDS}}
        with ManifestWriter(path, bucket="sets", facts=facts) as writer:
            writer.add(ManifestRow(key=f"key-{index}", size=3, digest="d"))
        return path.read_bytes()

    def remove(self, objects: Sequence[Any]) -> None:
        for each in objects:
            self.there.pop(f"{each['kind']}/{each['metadata']['name']}", None)

    def left(self) -> set[str]:
        return {name.split("/")[0] for name in self.there}

    def connect(self, place: BucketEndpoint) -> Any:
        assert place == TARGET
        return FakeDeposits(self.deposits)


@dataclass
class FakeDeposits:
    content: dict[str, bytes]

    def open(self, key: str) -> Any:
        if key not in self.content:
            raise StoreError(f"{key}: NoSuchKey", code="NoSuchKey", status=404)
        return FakeBody(self.content[key])

    def list_objects(self, *, prefix: str = "") -> Iterator[Listed]:
        yield from (Listed(key=key, size=1) for key in sorted(self.content) if key.startswith(prefix))

    def is_versioned(self) -> bool:
        return False

    def delete(self, key: str, *, version: str = "") -> None:
        del version
        del self.content[key]

    def close(self) -> None:
        pass


@dataclass
class FakeBody:
    rest: bytes

    def read_into(self, buffer: memoryview) -> int:
        got, self.rest = self.rest[: len(buffer)], self.rest[len(buffer) :]
        buffer[: len(got)] = got
        return len(got)

    def close(self) -> None:
        pass


@pytest.fixture
def cluster(tmp_path: Path) -> FakeCluster:
    return FakeCluster(tmp_path)


def movers(cluster: FakeCluster, **more: Any) -> ClusterMovers:
    connect = more.pop("connect", cluster.connect)
    peers = (StorePeer(port=443, cidr="192.0.2.0/24"),)
    pods = MoversPlace(**{"namespace": "moving", "peers": peers, "shards": SHARDS, "parallelism": 1, **more})
    return ClusterMovers(runs=cluster, pods=pods, connect=connect)


def copy(cluster: FakeCluster, *, tags_again: bool = False, **more: Any) -> RoundReport:
    options = CopyOptions(reserved=".atoll-canary/", tags_again=tags_again)
    folder = cluster.folder / "sets"
    return movers(cluster, **more).copy_round(SOURCE, TARGET, folder=folder, options=options, say=lambda _: None)


def look(cluster: FakeCluster, place: BucketEndpoint = TARGET) -> ScanResult:
    wanted = ScanRequest(place=place, reserved=".atoll-canary/")
    path = cluster.folder / "sets" / "target.manifest"
    return movers(cluster).take(SOURCE, TARGET, wanted, path, say=lambda _: None)


def test_a_round_sums_its_shards_and_leaves_the_ledgers_alone(cluster: FakeCluster) -> None:
    found = copy(cluster)
    assert (found.objects, found.size, found.seconds, found.complete) == (2, 6, 2.0, True)
    assert Path(found.manifest).name == "source.manifest"
    assert cluster.left() == {"PersistentVolumeClaim"}
    assert cluster.deposits == {}


def test_a_copy_that_was_begun_by_a_killed_process_goes_on(cluster: FakeCluster) -> None:
    cluster.killed = True
    with pytest.raises(Killed):
        copy(cluster)
    assert "Secret" in cluster.left()
    cluster.killed = False
    copy(cluster)
    copy(cluster)
    assert [name.rsplit("-", 1)[1] for name in cluster.waited] == ["1", "2"]
    assert cluster.left() == {"PersistentVolumeClaim"}


def test_a_copy_of_another_kind_takes_the_place_of_one_that_was_begun(cluster: FakeCluster) -> None:
    cluster.killed = True
    with pytest.raises(Killed):
        copy(cluster)
    cluster.killed = False
    copy(cluster, tags_again=True)
    assert [name.rsplit("-", 1)[1] for name in cluster.waited] == ["2"]
    assert cluster.left() == {"PersistentVolumeClaim"}


def test_a_look_never_goes_on_for_it_would_tell_how_it_was(cluster: FakeCluster) -> None:
    cluster.killed = True
    with pytest.raises(Killed):
        look(cluster)
    cluster.deposits[".atoll-canary/movers/" + next(n for n in cluster.there if "Job/" in n)[4:] + "/x"] = b"old"
    cluster.killed = False
    look(cluster)
    assert [name.rsplit("-", 2)[1:] for name in cluster.waited] == [["target", "2"]]
    assert cluster.left() == set()
    assert cluster.deposits == {}


def test_what_shards_saw_is_summed(cluster: FakeCluster) -> None:
    cluster.seen = ScanResult(rows=2, size=5, read_rows=1, read_bytes=3, changes=2, changed=["a: deleted"], reserved=4)
    found = look(cluster, SOURCE)
    assert (found.rows, found.size, found.read_rows, found.read_bytes, found.changes) == (4, 10, 2, 6, 4)
    assert (found.changed, found.reserved) == (["a: deleted", "a: deleted"], 4)


@pytest.mark.parametrize("what", ["foreign", "failed"])
def test_a_round_that_is_not_whole_has_no_manifest(cluster: FakeCluster, what: str) -> None:
    cluster.ended = JobEnd(done=False, shards=0, failed_shards="0-1", why="FailedIndexes")
    count = {"foreign": "foreigns", "failed": "failures"}[what]
    cluster.report = RoundReport(**{what: [("theirs", "not ours")], count: 1})
    found = copy(cluster)
    assert (found.complete, found.manifest) == (False, "")
    assert getattr(found, what) == [("theirs", "not ours")] * 2


def test_movers_that_end_without_a_word_are_told_with_how_to_look(cluster: FakeCluster) -> None:
    cluster.silent = True
    cluster.ended = JobEnd(done=False, shards=0, failed_shards="0-1", why="DeadlineExceeded")
    with pytest.raises(StepError, match="shards 0-1 ended without a result: DeadlineExceeded") as failed:
        copy(cluster)
    assert "kubectl logs -n moving -l atoll/mover" in failed.value.hint
    assert cluster.left() == {"PersistentVolumeClaim"}


def test_the_number_of_shards_stays(cluster: FakeCluster) -> None:
    copy(cluster)
    with pytest.raises(StepError, match="had 2 shards, not 3"):
        copy(cluster, shards=3)


@pytest.mark.parametrize(("parallelism", "mode"), [(1, "ReadWriteOnce"), (2, "ReadWriteMany")])
def test_pods_at_once_share_a_volume_that_several_nodes_mount(
    cluster: FakeCluster, parallelism: int, mode: str
) -> None:
    copy(cluster, parallelism=parallelism, storage_class="shared")
    ((name, claim),) = cluster.there.items()
    assert name.endswith("-ledgers")
    assert (claim["spec"]["accessModes"], claim["spec"]["storageClassName"]) == ([mode], "shared")


def test_what_a_killed_process_left_is_removed_and_a_volume_only_when_asked(cluster: FakeCluster) -> None:
    move = Move(
        places=places(kubeconfig_env="NEW_KUBECONFIG"),
        folder=cluster.folder / "old--new",
        secrets={"K": "k", "S": "s"},
        memory=None,  # type: ignore[arg-type] - not asked
        say=lambda _: None,
        now=lambda: datetime.now(UTC),
    )

    def leave(**more: Any) -> dict[str, object]:
        return cluster_opening.remove_stale_jobs(
            move, open_movers=lambda _places, _secrets: movers(cluster, connect=lambda _place: FakeDeposits({})), **more
        )

    assert leave() == {}
    (pair,) = pair_buckets(move)
    cluster.killed = True
    options = CopyOptions(reserved=".atoll-canary/")
    with pytest.raises(Killed):
        movers(cluster).copy_round(pair.source, pair.target, folder=pair.folder, options=options, say=lambda _: None)
    assert "Secret" in cluster.left()
    found: Any = leave()
    assert [name.rsplit("-", 1)[1] for name in found["movers_removed"]] == ["1"]
    assert (cluster.left(), found["ledgers"]) == ({"PersistentVolumeClaim"}, "kept")
    assert leave(ledgers=True) == {"movers_removed": [], "ledgers": "removed"}
    assert cluster.left() == set()


def places(**target: Any) -> Places:
    store = {"kind": "other", "endpoint": "http://127.0.0.1:1", "mover": {"access_key_env": "K", "secret_key_env": "S"}}
    return Places.model_validate(
        {
            "source": {"stack": "old", "store": store},
            "target": {"stack": "new", "store": store, **target},
            "buckets": [{"source": "a", "target": "b", "mover": "cluster"}],
            "movers": {"namespace": "moving", "peers": [{"port": 443, "cidr": "192.0.2.0/24"}]},
        }
    )


def test_a_cluster_that_nobody_names_or_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("nothing")
    (tmp_path / "empty").write_text("{}")
    named = places(kubeconfig_env="NEW_KUBECONFIG")
    cases = [
        (places(), {}, "the target names no kubeconfig"),
        (named, {}, "NEW_KUBECONFIG is not set"),
        (named, {"NEW_KUBECONFIG": str(tmp_path / "text")}, "what NEW_KUBECONFIG names is no kubeconfig"),
        (named, {"NEW_KUBECONFIG": str(tmp_path / "empty")}, "the cluster of the target cannot be opened"),
        (named, {"NEW_KUBECONFIG": str(tmp_path / "absent")}, "the cluster of the target cannot be opened"),
        (named.model_copy(update={"movers": None}), {}, '"movers" is missing'),
    ]
    for asked, secrets, said in cases:
        with pytest.raises(AtollError, match=said):
            cluster_opening.cluster_movers(asked, secrets)
    with pytest.raises(StepError, match="the source names no kubeconfig"):
        open_job_runs(named.source, {}, words="source")
