"""What people made in one real cluster, made again in another; and the checks of the target that ask its API server."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import pytest
import requests
from control_plane import ControlPlane, start_control_plane

from operations.clouds.kubernetes.objects import ClusterError
from operations.relocation.cluster.client import open_cluster
from operations.relocation.cluster.recreation import STOP, start_all
from operations.relocation.config.endpoints import Places
from operations.relocation.rehearsal.cluster import NODE, TEAM, RehearsedApiServer, furnish, kind, path_of
from operations.relocation.runner.step import Move, StepError
from operations.relocation.steps import rewrite, smoke

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

KEYS = {"access_key_env": "KEY", "secret_key_env": "SECRET"}
STORE = {"kind": "minio", "endpoint": "http://127.0.0.1:1", "mover": KEYS}


class Remembered(dict[str, object]):
    def remember(self, key: str, value: object) -> object:
        return self.setdefault(key, value)

    def recall(self, key: str) -> object | None:
        return self.get(key)


@pytest.fixture(scope="module")
def sides(
    control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[RehearsedApiServer, RehearsedApiServer]]:
    """Two clusters; the session's has objects of other tests, and is asked for so that the servers are built."""
    assert control_plane
    folder = tmp_path_factory.mktemp("relocate-objects")
    with contextlib.ExitStack() as stack:
        here, there = (
            RehearsedApiServer(stack.enter_context(start_control_plane(folder / side))) for side in ("here", "there")
        )
        furnish(here, bucket="team-here", works=True)
        furnish(there, bucket="team-there", works=False)
        yield here, there


@pytest.fixture
def move(sides: tuple[RehearsedApiServer, RehearsedApiServer], tmp_path: Path) -> Move:
    here, there = sides
    places = Places.model_validate(
        {
            "source": {"stack": "here", "store": STORE, "kubeconfig_env": "HERE"},
            "target": {"stack": "there", "store": STORE, "kubeconfig_env": "THERE"},
            "buckets": [{"source": "team-here", "target": "team-there"}],
            "uris": [{"source": "s3://team-here", "target": "s3://team-there"}],
        }
    )
    secrets = {"HERE": str(here.plane.kubeconfig), "THERE": str(there.plane.kubeconfig)}
    return Move(
        places=places,
        folder=tmp_path,
        secrets=secrets,
        memory=Remembered(),
        say=lambda _: None,
        now=lambda: datetime.now(UTC),
    )


def found(api: RehearsedApiServer, name: str, of: str) -> dict[str, Any]:
    return api.get(f"{path_of(kind(of))}/{name}")


def test_schedules_and_models_are_made_again_and_stand_still_until_the_commit(
    sides: tuple[RehearsedApiServer, RehearsedApiServer], move: Move
) -> None:
    here, there = sides
    before = [found(here, "hourly", "ScheduledWorkflow"), found(here, "served", "InferenceService")]
    told = cast("dict[str, Any]", rewrite.do(move)["cluster"])
    assert told["ScheduledWorkflow"]["made"] == [f"{TEAM}/hourly"]
    assert told["InferenceService"]["made"] == [f"{TEAM}/served"]
    schedule = found(there, "hourly", "ScheduledWorkflow")
    assert schedule["spec"]["enabled"] is False
    assert schedule["spec"]["workflow"]["parameters"][0]["value"] == "s3://team-there/sets/daily"
    served = found(there, "served", "InferenceService")
    assert served["spec"]["predictor"]["model"]["storageUri"] == "s3://team-there/models/served"
    assert served["metadata"]["annotations"][STOP] == "true"
    again = cast("dict[str, Any]", rewrite.do(move)["cluster"])
    assert again["ScheduledWorkflow"] == {"made": [], "there_already": [f"{TEAM}/hourly"]}
    assert found(there, "hourly", "ScheduledWorkflow")["metadata"]["uid"] == schedule["metadata"]["uid"]
    clusters = [open_cluster(side, move.secrets, words="x") for side in (move.places.source, move.places.target)]
    assert clusters[0] is not None
    assert clusters[1] is not None
    assert start_all(move.memory, source=clusters[0], target=clusters[1]) == [f"InferenceService {TEAM}/served"]
    assert STOP not in found(there, "served", "InferenceService")["metadata"].get("annotations", {})
    assert before == [found(here, "hourly", "ScheduledWorkflow"), found(here, "served", "InferenceService")]


def test_another_schedule_of_the_same_name_is_refused(
    sides: tuple[RehearsedApiServer, RehearsedApiServer], move: Move
) -> None:
    _, there = sides
    with contextlib.suppress(StepError):
        rewrite.do(move)
    path = f"{path_of(kind('ScheduledWorkflow'))}/hourly"
    merge = "application/merge-patch+json"
    there.ask("PATCH", path, {"spec": {"trigger": {"cronSchedule": {"cron": "0 0 7 * * *"}}}}, kind=merge)
    with pytest.raises(StepError, match=f"another ScheduledWorkflow of the same name: {TEAM}/hourly"):
        rewrite.do(move)
    assert there.ask("DELETE", path).ok
    assert there.ask("DELETE", f"{path_of(kind('InferenceService'))}/served").ok


def test_a_kind_that_nobody_may_make_is_refused_with_the_servers_words(move: Move) -> None:
    makes = open_cluster(move.places.target, move.secrets, words="target")
    assert makes is not None
    from operations.clouds.kubernetes.kinds import POD

    wrong = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "namespace": "nobody"}, "spec": {}}
    with pytest.raises(ClusterError, match=r"the cluster of the target refused POST .*: 4"):
        makes.create(POD, wrong)
    assert not makes.delete(POD, namespace="default", name="nobody")


def test_the_target_answers_and_places_a_pod(sides: tuple[RehearsedApiServer, RehearsedApiServer], move: Move) -> None:
    _, there = sides
    assert there.ask("DELETE", f"/api/v1/nodes/{NODE}").ok
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("operations.relocation.steps.smoke.SECONDS", 3.0)
        with pytest.raises(StepError, match="a pod was not placed: no node took it within 3 s: no nodes available"):
            smoke.do(move)
    there.apply("/api/v1/nodes", node())
    checks = cast("dict[str, Any]", smoke.do(move)["checks"])
    assert checks["a pod"] == {"node": "node-1"}
    assert checks["cluster"]["namespaces_of_the_source_only"] == []
    assert there.ask("GET", "/api/v1/namespaces/default/pods/atoll-relocation-smoke").status_code == gone()


def gone() -> int:
    return requests.codes.not_found


def node() -> dict[str, Any]:
    room = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "node-1"},
        "status": {"capacity": room, "allocatable": room},
    }
