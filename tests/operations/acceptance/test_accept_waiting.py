"""An operator who waits is told why, and what did not work says what the cluster or the program said."""

from __future__ import annotations

import json
import subprocess
from errno import ENOSPC
from pathlib import Path

import pytest
from accept_scene import SPACE, MindCluster, job, record, run_of
from accept_sold import asked_of

from components.acceptance import job_context
from components.acceptance.model import Reference
from operations.acceptance import run as live_run
from operations.acceptance.kubernetes_cluster import NodeSnapshot, parse_pod
from operations.acceptance.result_store import ResultStore
from operations.acceptance.run_plan import match_lock_pools
from planning.values.errors import InputError

HOME = Reference(api_version="v1", kind="Namespace", name=SPACE)


def test_why_a_pod_waits_is_said_once_and_again_where_it_was_given_up(tmp_path: Path) -> None:
    cluster, said = MindCluster(hangs=frozenset({"gpu-0"})), list[str]()
    run = run_of(cluster, ResultStore(tmp_path), said=said)
    found = run.run_all([job("gpu-0")], ground=[])
    assert [each for each in said if "waits" in each] == ["gpu-0: waits: Unschedulable: 0/2 nodes are available"]
    assert found.failed == ("gpu-0: not over after 605 s: Unschedulable: 0/2 nodes are available",)


def test_a_deadline_of_the_cluster_keeps_the_reason_that_was_seen_before(tmp_path: Path) -> None:
    cluster = MindCluster(hangs=frozenset({"gpu-0"}), fails={"gpu-0": "DeadlineExceeded"})
    run = run_of(cluster, ResultStore(tmp_path))

    def ends(_name: str) -> None:
        if run.clock.monotonic() > 300:
            cluster.hangs = frozenset()

    cluster.on_get = ends
    (fault,) = run.run_all([job("gpu-0")], ground=[]).failed
    assert "DeadlineExceeded" in fault
    assert "0/2 nodes are available" in fault


def test_what_a_program_could_not_measure_is_told(tmp_path: Path) -> None:
    log = "could not measure dcgm: dcgmi cannot be run\ncould not measure dcgm: dcgmi cannot be run\nother words\n"
    cluster = MindCluster(logs={"gpu-0": log}, fails={"gpu-0": "BackoffLimitExceeded"})
    found = run_of(cluster, ResultStore(tmp_path)).run_all([job("gpu-0")], ground=[]).failed
    assert found[1:] == ("gpu-0: could not measure dcgm: dcgmi cannot be run",)


def test_a_full_disk_leaves_nothing_in_the_cluster_and_the_job_is_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster, store = MindCluster(logs={"gpu-0": json.dumps(record(subject="node/gpu-0"))}), ResultStore(tmp_path)
    run = run_of(cluster, store)

    def full(_records: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(store, "append", full)
        with pytest.raises(OSError, match="No space left"):
            run.run_all([job("gpu-0")], ground=[])
    assert not cluster.there
    assert run.meta.done == ()
    assert run_of(cluster, store).run_all([job("gpu-0")], ground=[]).done == ("gpu-0",)


def test_an_image_that_cannot_be_pulled_is_named_also_where_it_comes_first() -> None:
    pulling = {"state": {"waiting": {"reason": "ImagePullBackOff", "message": 'Back-off pulling image "a/dcgm:1"'}}}
    behind = {"state": {"waiting": {"reason": "PodInitializing"}}}
    status = {"phase": "Pending", "initContainerStatuses": [pulling], "containerStatuses": [behind]}
    found = parse_pod({"metadata": {"namespace": SPACE, "name": "a"}, "spec": {}, "status": status})
    assert found.waiting == 'ImagePullBackOff: Back-off pulling image "a/dcgm:1"'
    later = {**status, "initContainerStatuses": [{"state": {"running": {}}}]}
    assert not parse_pod({"metadata": {"namespace": SPACE, "name": "a"}, "status": later}).waiting


def test_without_its_host_engine_dcgm_keeps_no_other_check_from_its_turn(tmp_path: Path) -> None:
    for name, text in {
        "nv-hostengine": "echo no driver >&2; exit 1",
        "dcgmi": "echo 4.6.0",
        "dcgm.sh": job_context.SCRIPTS["dcgm.sh"],
        "stand-in": job_context.SCRIPTS["dcgmi"].replace("/results", str(tmp_path)),
    }.items():
        (tmp_path / name).write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    subprocess.run(["/bin/sh", str(tmp_path / "dcgm.sh"), str(tmp_path), "3"], env=path, check=True, timeout=300)
    command = [str(tmp_path / "stand-in"), "diag", "-r", "3", "-j"]
    ran = subprocess.run(command, env=path, capture_output=True, text=True, timeout=300, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (3, "", "no driver\n")


def test_another_cluster_is_not_measured_for_this_stack() -> None:
    spec = asked_of("pretrain-7b", Path()).lock.spec
    other = NodeSnapshot(
        name="n", labels={"atoll/pool": "others"}, ready=True, cordoned=False, taints=(), accelerators={}
    )
    with pytest.raises(InputError, match="none of a pool of the lock: pretrain-7b, system"):
        match_lock_pools(spec, [other])
    assert not any(match_lock_pools(spec, []).values())


@pytest.mark.parametrize(("made_by", "stays"), [("nobody", False), ("a killed run", False), ("somebody else", True)])
def test_the_namespace_goes_unless_it_is_somebody_elses(made_by: str, stays: bool, tmp_path: Path) -> None:
    cluster = MindCluster()
    spec = asked_of("pretrain-7b", tmp_path).lock.spec
    if made_by == "somebody else":
        cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}})
    if made_by == "a killed run":  # which has no time to clean up
        cluster.apply(live_run._ground(spec, ours=True)[0])
    assert live_run._run(run_of(cluster, ResultStore(tmp_path)), [job("gpu-1")], spec=spec) == 0
    assert (cluster.get(HOME) is not None) == stays
