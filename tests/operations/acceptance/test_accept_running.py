from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from accept_scene import SPACE, MindCluster, job, meta, record, run_of

from components.acceptance.model import Reference
from operations.acceptance.records import parse_log
from operations.acceptance.result_store import ResultStore
from operations.clouds.kubernetes.objects import ClusterError

GROUND: list[dict[str, Any]] = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}}]
HOME = Reference(api_version="v1", kind="Namespace", name=SPACE)


def log(*records: Any) -> str:
    return "\n".join(["NCCL INFO starting", *(json.dumps(each) for each in records), "done", ""])


def own(name: str, **more: Any) -> dict[str, Any]:
    return record(subject=f"node/{name}", **more)


def test_what_jobs_tell_is_kept_and_their_objects_go(tmp_path: Path) -> None:
    cluster = MindCluster(logs={"gpu-0": log(own("gpu-0")), "gpu-1": log(own("gpu-1"))})
    store, said = ResultStore(tmp_path), list[str]()
    found = run_of(cluster, store, said=said).run_all([job("gpu-0"), job("gpu-1", stage=1)], ground=GROUND)
    assert store.read_records() == [own("gpu-0"), own("gpu-1")]
    assert list(cluster.there) == [HOME]
    assert cluster.made == [SPACE, "gpu-0", "gpu-1"]
    assert (found.done, found.failed, bool(found.ended)) == (("gpu-0", "gpu-1"), (), True)
    assert found == store.read_meta()
    assert said[0] == "gpu-0: started (node/gpu-0)"
    assert any(each.startswith("gpu-0: 1 records in ") for each in said)


def test_jobs_of_one_stage_run_side_by_side_and_the_next_stage_waits(tmp_path: Path) -> None:
    order: list[str] = []
    cluster = MindCluster(logs={name: log(own(name)) for name in "abc"}, on_get=order.append)
    run_of(cluster, ResultStore(tmp_path)).run_all([job("a"), job("b"), job("c", stage=1)], ground=GROUND)
    assert order == ["a", "b", "a", "b", "c", "c"]


def test_what_was_killed_goes_on_with_what_is_left(tmp_path: Path) -> None:
    def killed(name: str) -> None:
        if name == "gpu-1":
            raise KeyboardInterrupt

    store = ResultStore(tmp_path)
    jobs = [job("gpu-0"), job("gpu-1", stage=1)]
    cluster = MindCluster(logs={name: log(own(name)) for name in ("gpu-0", "gpu-1")}, on_get=killed)
    with pytest.raises(KeyboardInterrupt):
        run_of(cluster, store).run_all(jobs, ground=GROUND)
    assert list(cluster.there) == [HOME], "what ran when it was stopped was left behind"
    assert (store.read_records(), store.read_meta().done, store.read_meta().ended) == ([own("gpu-0")], ("gpu-0",), "")

    cluster.on_get = lambda _: None
    cluster.made.clear()
    said: list[str] = []
    run_of(cluster, store, said=said, found=store.read_meta()).run_all(jobs, ground=GROUND)
    assert cluster.made == [SPACE, "gpu-1"]
    assert said[0] == "1 of 2 jobs were done before"
    assert store.read_records() == [own("gpu-0"), own("gpu-1")]


def test_objects_of_a_run_that_could_not_clean_up_go_first(tmp_path: Path) -> None:
    cluster = MindCluster(logs={"gpu-0": log(own("gpu-0"))})
    left = job("gpu-9").objects[0]
    cluster.apply(left)
    said: list[str] = []
    run_of(cluster, ResultStore(tmp_path), said=said).run_all([job("gpu-0")], ground=GROUND)
    assert said[0] == "removing 1 objects that an earlier run has left"
    assert list(cluster.there) == [HOME]


def test_a_job_that_does_not_end_is_given_up_with_the_schedulers_reason(tmp_path: Path) -> None:
    cluster = MindCluster(hangs=frozenset({"gpu-0"}))
    store = ResultStore(tmp_path)
    found = run_of(cluster, store, timeout=60).run_all([job("gpu-0")], ground=GROUND)
    assert found.failed == ("gpu-0: not over after 65 s: Unschedulable: 0/2 nodes are available",)
    assert (found.done, store.read_records(), list(cluster.there)) == ((), [], [HOME])


def test_what_failed_is_told_and_kept_where_it_was_asked(tmp_path: Path) -> None:
    cluster = MindCluster(fails={"gpu-0": "BackoffLimitExceeded"})
    found = run_of(cluster, ResultStore(tmp_path), keep=True).run_all([job("gpu-0")], ground=GROUND)
    assert found.failed == ("gpu-0: Ended: BackoffLimitExceeded",)
    assert [each.name for each in cluster.there] == [SPACE, "gpu-0"]


def test_a_job_that_ends_well_and_says_nothing_proves_nothing(tmp_path: Path) -> None:
    found = run_of(MindCluster(), ResultStore(tmp_path)).run_all([job("gpu-0")], ground=GROUND)
    assert (found.done, found.failed) == ((), ("gpu-0: it ended and wrote no record",))


@pytest.mark.parametrize("fails", [False, True])
def test_a_service_without_a_pod_of_ours_is_measured_by_the_time_it_takes(tmp_path: Path, *, fails: bool) -> None:
    smoke = job("notebook", subject="service/home/notebook", checks=("smoke",), log=False)
    cluster = MindCluster(fails={"notebook": "no image"} if fails else {})
    store = ResultStore(tmp_path)
    run_of(cluster, store).run_all([smoke], ground=GROUND)
    (found,) = store.read_records()
    assert (found["check"], found["subject"]) == ("smoke", "service/home/notebook")
    assert found["readings"] == ([] if fails else [{"name": "seconds", "value": "5.0", "unit": "s"}])
    assert found["failed"] == (["Ended: no image"] if fails else [])


def test_a_cluster_that_is_silent_for_a_moment_is_asked_again(tmp_path: Path) -> None:
    left = [ClusterError("silent")] * 3

    def silent(_name: str) -> None:
        if left:
            raise left.pop()

    cluster = MindCluster(logs={"gpu-0": log(own("gpu-0"))}, on_get=silent)
    store = ResultStore(tmp_path)
    run_of(cluster, store).run_all([job("gpu-0")], ground=GROUND)
    assert store.read_records() == [own("gpu-0")]
    left.extend([ClusterError("silent")] * 30)
    with pytest.raises(ClusterError):
        run_of(cluster, ResultStore(tmp_path / "more"), found=meta()).run_all([job("gpu-0")], ground=GROUND)
    assert list(cluster.there) == [HOME]


def test_a_pod_speaks_for_itself_only() -> None:
    mine, forged = own("gpu-0"), own("gpu-1")
    found, refused = parse_log(log(mine, mine, forged, {"check": "matmul"}), job("gpu-0"))
    assert found == [mine]
    assert refused[0] == "a record about matmul of node/gpu-1, which is not its own"
    assert refused[1].startswith("what is no record: without at")


def test_a_pod_that_floods_is_cut_short() -> None:
    many = [own("gpu-0", tool=f"torch {number}") for number in range(1_010)]
    found, refused = parse_log(log(*many), job("gpu-0"))
    assert (len(found), refused) == (1_000, ["more than 1000 records"])
