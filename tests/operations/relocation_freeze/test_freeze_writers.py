from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from freeze_scene import NOW, TEAM, FakeCluster, Scene, with_team

from operations.clouds.kubernetes import kinds
from operations.relocation.runner.step import StepError
from operations.relocation.writers import suspension

if TYPE_CHECKING:
    from pathlib import Path

DEPLOYED = {"replicas": 2, "selector": {"matchLabels": {"app": "x"}}}


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    found = Scene(tmp_path)
    with_team(found.source)
    return found


def stop(scene: Scene) -> list[suspension.Stopped]:
    return suspension.stop(scene.source, scene.move, side="source", patience=scene.clock.patience())


def restore(scene: Scene) -> list[str]:
    return suspension.restore(scene.source, scene.move, side="source")


def everything(cluster: FakeCluster) -> None:
    cluster.have("deployments", "spend-guard", "kueue-system", spec={**DEPLOYED})
    cluster.have("statefulsets", "argocd-application-controller", "argocd", spec={**DEPLOYED, "replicas": 1})
    cluster.have("clusterqueues", "open", spec={"stopPolicy": "None"})
    cluster.have("clusterqueues", "bare", spec={})
    cluster.have("clusterqueues", "held", spec={"stopPolicy": "Hold"})
    cluster.have("clusterqueues", "drained", spec={"stopPolicy": "HoldAndDrain"})
    cluster.have("notebooks", "runs", TEAM)
    rests = cluster.have("notebooks", "rests", TEAM)
    rests["metadata"]["annotations"] = {kinds.STOPPED: "2026-11-01T00:00:00Z"}
    cluster.have("cronjobs", "daily", TEAM, spec={"suspend": False})
    cluster.have("cronjobs", "off", TEAM, spec={"suspend": True})
    cluster.have("cronworkflows", "weekly", TEAM, spec={})
    cluster.have("scheduledworkflows", "nightly", TEAM, spec={"enabled": True})
    cluster.have("scheduledworkflows", "paused", TEAM, spec={})
    cluster.have("workflows", "flow", TEAM, spec={})
    cluster.have("mpijobs", "ring", TEAM, spec={"runPolicy": {}})
    cluster.have("deployments", "ml-pipeline", "kubeflow", spec={**DEPLOYED})
    cluster.have("deployments", "server", TEAM, spec={"replicas": 3})


def test_everything_stands_still_and_goes_on_exactly_as_it_was(scene: Scene) -> None:
    everything(scene.source)
    before = scene.source.said()
    stopped = stop(scene)
    assert all(each.writer.way.kind for each in stopped)
    assert scene.source.objects["notebooks", TEAM, "runs"]["metadata"]["annotations"] == {
        kinds.STOPPED: NOW.strftime("%Y-%m-%dT%H:%M:%SZ")
    }
    assert scene.source.objects["mpijobs", TEAM, "ring"]["spec"]["runPolicy"]["suspend"] is True
    restore(scene)
    assert scene.source.said() == before


def test_what_stood_still_before_is_never_touched(scene: Scene) -> None:
    everything(scene.source)
    stop(scene)
    restore(scene)
    touched = set(scene.source.log)
    assert not touched & {"clusterqueues drained", "notebooks rests", "cronjobs off", "scheduledworkflows paused"}


def test_the_spend_guard_stops_before_the_queues_and_goes_on_after_them(scene: Scene) -> None:
    everything(scene.source)
    stop(scene)
    assert scene.source.log.index("deployments spend-guard") < scene.source.log.index("clusterqueues open")
    scene.source.log.clear()
    restore(scene)
    assert scene.source.log.index("deployments spend-guard") > scene.source.log.index("clusterqueues open")


def test_queues_are_not_held_while_a_pod_of_the_spend_guard_is_ending(scene: Scene) -> None:
    everything(scene.source)
    pod = scene.source.have("pods", "spend-guard-1", "kueue-system", status={"phase": "Running"})
    pod["metadata"]["labels"] = {"app": "x"}
    with pytest.raises(StepError, match="spend-guard-1"):
        stop(scene)
    assert "clusterqueues open" not in scene.source.log


def test_a_second_run_changes_nothing_and_remembers_the_first(scene: Scene) -> None:
    everything(scene.source)
    before = scene.source.said()
    stop(scene)
    changes = len(scene.source.log)
    again = stop(scene)
    assert len(scene.source.log) == changes
    assert {each.writer.name: each.before for each in again}["held"] == "Hold"
    restore(scene)
    assert scene.source.said() == before


def test_what_was_deleted_or_made_anew_meanwhile_is_left_as_it_is(scene: Scene) -> None:
    everything(scene.source)
    stop(scene)
    del scene.source.objects["notebooks", TEAM, "runs"]
    fresh = scene.source.have("cronjobs", "daily", TEAM, spec={"suspend": True})
    fresh["metadata"]["uid"] = "another"
    restore(scene)
    assert fresh["spec"]["suspend"] is True
    assert ("notebooks", TEAM, "runs") not in scene.source.objects


def test_what_somebody_started_during_the_freeze_is_not_started_twice(scene: Scene) -> None:
    everything(scene.source)
    stop(scene)
    scene.source.objects["deployments", TEAM, "server"]["spec"]["replicas"] = 7
    assert "Deployment work-team/server" not in restore(scene)
    assert scene.source.objects["deployments", TEAM, "server"]["spec"]["replicas"] == 7


def test_a_conflict_is_tried_again(scene: Scene) -> None:
    scene.source.have("cronjobs", "daily", TEAM, spec={"suspend": False})
    scene.source.conflicts = 3
    stop(scene)
    assert scene.source.objects["cronjobs", TEAM, "daily"]["spec"]["suspend"] is True


def test_who_changes_a_writer_all_the_time_is_reported(scene: Scene) -> None:
    scene.source.have("cronjobs", "daily", TEAM, spec={"suspend": False})
    scene.source.conflicts = 100
    with pytest.raises(StepError, match="CronJob work-team/daily is changed by somebody else"):
        stop(scene)


def test_a_writer_that_something_puts_back_is_named(scene: Scene) -> None:
    queue = scene.source.have("clusterqueues", "open", spec={"stopPolicy": "None"})

    def put_back(_: object) -> None:
        queue["spec"]["stopPolicy"] = "None"

    scene.source.after_change = put_back
    with pytest.raises(StepError, match="ClusterQueue open") as caught:
        stop(scene)
    assert caught.value.evidence == {"still_running": ["ClusterQueue open"]}


@pytest.mark.parametrize(
    "content",
    [
        {"spec": {}, "status": {"conditions": [{"type": "Complete", "status": "True"}]}},
        {"spec": {}, "owners": ["JobSet"]},
        {"spec": {}, "labels": {"kueue.x-k8s.io/queue-name": "team"}},
    ],
    ids=["ended", "of another", "of a queue"],
)
def test_jobs_that_others_stop_are_left_to_them(scene: Scene, content: dict[str, Any]) -> None:
    job = scene.source.have("jobs", "train", TEAM, spec=content["spec"], status=content.get("status", {}))
    job["metadata"]["labels"] = content.get("labels", {})
    job["metadata"]["ownerReferences"] = [{"kind": each} for each in content.get("owners", [])]
    stop(scene)
    assert "jobs train" not in scene.source.log


def test_a_job_of_nobody_is_suspended(scene: Scene) -> None:
    scene.source.have("jobs", "train", TEAM, spec={})
    stop(scene)
    assert scene.source.objects["jobs", TEAM, "train"]["spec"] == {"suspend": True}


def running(scene: Scene, name: str, namespace: str = TEAM, **metadata: Any) -> dict[str, Any]:
    pod = scene.source.have("pods", name, namespace, status={"phase": "Running"}, spec={})
    pod["metadata"] |= metadata
    return pod


def test_a_pod_that_goes_on_is_named_with_its_volume(scene: Scene) -> None:
    running(scene, "stray")["spec"] = {"volumes": [{"persistentVolumeClaim": {"claimName": "home"}}]}
    with pytest.raises(StepError, match="Pod work-team/stray, which mounts a volume"):
        stop(scene)


def test_a_pod_that_ends_in_time_is_waited_for(scene: Scene) -> None:
    pod = running(scene, "ending")
    scene.clock.sleep = lambda seconds: (  # type: ignore[method-assign]
        setattr(scene.clock, "seconds", scene.clock.seconds + seconds),
        pod["status"].update(phase="Succeeded"),
    )[0]
    assert stop(scene) == []


def test_pods_that_only_read_or_wait_at_a_gate_or_are_elsewhere_run_on(scene: Scene) -> None:
    running(scene, "model", labels={"serving.kserve.io/inferenceservice": "model"})
    running(scene, "gated")["spec"] = {"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]}
    running(scene, "board-1", labels={"app": "board"})
    board = scene.source.have("deployments", "board", TEAM, spec={"selector": {"matchLabels": {"app": "board"}}})
    board["metadata"]["ownerReferences"] = [{"kind": "Tensorboard"}]
    running(scene, "mlflow-1", "mlflow")
    assert stop(scene) == []


def test_a_task_of_airflow_is_a_writer(scene: Scene) -> None:
    running(scene, "task-1", "airflow", labels={"component": "worker"})
    with pytest.raises(StepError, match="Pod airflow/task-1"):
        stop(scene)
