from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from freeze_scene import TEAM, Scene, with_team

from operations.clouds.kubernetes import kinds
from operations.relocation.runner.step import StepError
from operations.relocation.steps import freeze

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    found = Scene(tmp_path)
    for cluster in (found.source, found.target):
        with_team(cluster).have("clusterqueues", "train", spec={"stopPolicy": "None"})
    return found


def test_it_proves_what_it_froze_and_takes_everything_back(scene: Scene) -> None:
    before = (scene.source.said(), scene.target.said())
    evidence: Any = freeze.freeze(scene.move, scene.hands)
    (refused,) = evidence["canary"]["store"]
    assert refused == {"bucket": "mlflow", "write": "refused", "upload in parts": "refused", "delete": "refused"}
    assert evidence["canary"]["databases"] == {"mlflow": "read-only"}
    assert scene.databases.closed == {"OLD_URI"}
    assert scene.doors["user mlflow-2"] is False
    done: Any = freeze.thaw(scene.move, scene.hands)
    assert (scene.source.said(), scene.target.said()) == before
    assert done["writes_again"] == {"store": {"mlflow": True}, "databases": {"mlflow": "written"}}
    assert not scene.databases.closed
    assert not scene.written


def test_a_canary_write_that_succeeds_fails_the_freeze_and_leaves_nothing_behind(scene: Scene) -> None:
    scene.unbound = "canary"
    with pytest.raises(StepError, match="a canary write that succeeds: somebody may still write into mlflow") as caught:
        freeze.freeze(scene.move, scene.hands)
    assert caught.value.evidence == {"bucket": "mlflow", "canary": "write", "left_behind": ""}
    assert not scene.written


def test_a_database_that_takes_a_write_fails_the_freeze(scene: Scene) -> None:
    scene.databases.answers["OLD_URI"] = "written"
    with pytest.raises(StepError, match="the database of mlflow at the source is not read-only"):
        freeze.freeze(scene.move, scene.hands)


def test_a_canary_that_may_write_nothing_even_before_is_no_canary(scene: Scene) -> None:
    scene.doors["canary mlflow"] = False
    with pytest.raises(StepError, match="its refusal proves nothing"):
        freeze.freeze(scene.move, scene.hands)
    assert not scene.source.log


def test_a_canary_whose_keys_are_wrong_proves_nothing(scene: Scene) -> None:
    scene.says = "SignatureDoesNotMatch"
    scene.doors["canary mlflow"] = False
    with pytest.raises(StepError, match="was answered SignatureDoesNotMatch, which proves nothing"):
        freeze.freeze(scene.move, scene.hands)


def test_a_run_after_a_kill_still_knows_that_the_canary_could_write(scene: Scene) -> None:
    freeze.freeze(scene.move, scene.hands)
    assert freeze.freeze(scene.move, scene.hands)["canary"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"source/store/canary": None}, "names no canary"),
        ({"source/store/admin": None}, "MinIO's users cannot be stopped"),
        (
            {
                "source/kubeconfig_env": None,
                "source/databases": [{"part": "pipelines", "engine": "mysql", "uri_env": "MYSQL"}],
            },
            "writers of the MySQL database of pipelines cannot be stopped",
        ),
    ],
    ids=["canary", "admin", "mysql"],
)
def test_what_cannot_be_proved_or_done_is_refused(scene: Scene, changes: dict[str, Any], words: str) -> None:
    scene.changes = changes
    with pytest.raises(StepError, match=words) as caught:
        freeze.freeze(scene.move, scene.hands)
    assert caught.value.hint


def test_a_store_without_a_hand_of_ours_is_a_persons_and_the_canary_decides(scene: Scene) -> None:
    scene.changes = {"source/store/kind": "gcs", "target/store/kind": "gcs"}
    with pytest.raises(StepError, match="a canary write that succeeds"):
        freeze.freeze(scene.move, scene.hands)
    assert any("storage.googleapis.com/objects.create" in line for line in scene.said)
    scene.doors["canary mlflow"] = False  # somebody has done it
    evidence: Any = freeze.freeze(scene.move, scene.hands)
    assert evidence["source"]["store"]["by_hand"]


def test_a_mover_who_is_stopped_with_the_others_is_found_at_once(scene: Scene) -> None:
    scene.doors["mover mlflow-2"] = False
    with pytest.raises(StepError, match="the copy worker may no longer write into mlflow-2"):
        freeze.freeze(scene.move, scene.hands)


def test_a_database_that_was_read_only_before_stays_so(scene: Scene) -> None:
    scene.databases.closed.add("OLD_URI")
    freeze.freeze(scene.move, scene.hands)
    freeze.thaw(scene.move, scene.hands)
    assert scene.databases.closed == {"OLD_URI"}


class Killed(BaseException): ...


def until_done(scene: Scene, call: Callable[[], object]) -> int:
    """Die after every change of a cluster, once, and run again."""
    seen: set[object] = set()

    def die_at(side: str) -> Callable[[object], None]:
        def die(key: object) -> None:
            if (side, key) not in seen:
                seen.add((side, key))
                raise Killed

        return die

    scene.source.after_change, scene.target.after_change = die_at("source"), die_at("target")
    for times in range(50):
        try:
            call()
        except Killed:
            continue
        return times
    raise AssertionError


def test_killed_after_every_change_both_ways_end_the_same(scene: Scene) -> None:
    for cluster in (scene.source, scene.target):
        cluster.have("notebooks", "runs", TEAM)
        cluster.have("deployments", "spend-guard", "kueue-system", spec={"replicas": 1})
    before = (scene.source.said(), scene.target.said())
    assert until_done(scene, lambda: freeze.freeze(scene.move, scene.hands)) == 6
    assert scene.source.objects["notebooks", TEAM, "runs"]["metadata"]["annotations"][kinds.STOPPED]
    assert until_done(scene, lambda: freeze.thaw(scene.move, scene.hands)) == 6
    assert (scene.source.said(), scene.target.said()) == before


def committed(scene: Scene) -> Any:
    freeze.freeze(scene.move, scene.hands)
    freeze.switch_names(scene.move, scene.hands, {})
    assert scene.databases.closed == {"OLD_URI", "NEW_URI"}
    return freeze.commit(scene.move, scene.hands)


def test_the_commit_opens_the_target_as_the_source_ran_and_leaves_the_source_frozen(scene: Scene) -> None:
    scene.source.have("scheduledworkflows", "nightly", TEAM, spec={"enabled": True})
    scene.source.have("scheduledworkflows", "paused", TEAM, spec={"enabled": False})
    scene.target.have("scheduledworkflows", "nightly", TEAM, spec={"enabled": False})
    scene.target.have("scheduledworkflows", "paused", TEAM, spec={"enabled": True})
    scene.target.have("notebooks", "early", TEAM)
    evidence = committed(scene)
    enabled = {
        name: scene.target.objects["scheduledworkflows", TEAM, name]["spec"]["enabled"]
        for name in ("nightly", "paused")
    }
    assert enabled == {"nightly": True, "paused": False}
    assert scene.target.objects["clusterqueues", "", "train"]["spec"]["stopPolicy"] == "None"
    assert kinds.STOPPED in scene.target.objects["notebooks", TEAM, "early"]["metadata"]["annotations"]
    assert scene.source.objects["clusterqueues", "", "train"]["spec"]["stopPolicy"] == "HoldAndDrain"
    assert scene.databases.closed == {"OLD_URI"}
    assert scene.doors["user mlflow"] is False
    assert scene.doors["user mlflow-2"] is True
    assert evidence["retain_until"] == "2026-12-22T12:00:00+00:00"


def test_the_days_count_from_the_first_commit_though_it_was_killed(scene: Scene) -> None:
    first = committed(scene)
    scene.clock.seconds += 86_400
    assert freeze.commit(scene.move, scene.hands)["retain_until"] == first["retain_until"]


def test_a_target_that_does_not_come_up_fails_the_commit_by_name(scene: Scene) -> None:
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "ml-pipeline"}}}
    scene.target.have("deployments", "ml-pipeline", "kubeflow", spec=spec)
    with pytest.raises(StepError, match="not ready at the target: Deployment kubeflow/ml-pipeline"):
        committed(scene)
    scene.target.objects["deployments", "kubeflow", "ml-pipeline"]["status"] = {"readyReplicas": 1}
    assert freeze.commit(scene.move, scene.hands)["opened"]


def test_a_target_that_still_refuses_fails_the_commit(scene: Scene) -> None:
    scene.databases.answers["NEW_URI"] = "read-only"
    with pytest.raises(StepError, match="the target still refuses writes: the database of mlflow"):
        committed(scene)


def test_without_names_the_target_is_closed_all_the_same_and_opened_on_the_way_back(scene: Scene) -> None:
    assert freeze.switch_names(scene.move, scene.hands, {})["names"] == "none are switched"
    assert scene.databases.closed == {"NEW_URI"}
    freeze.put_names_back(scene.move, scene.hands, {})
    assert not scene.databases.closed
