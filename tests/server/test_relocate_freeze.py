"""The freeze against real servers: a Kubernetes API, MinIO set up by our script, PostgreSQL."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import definitions
import psycopg
import pytest
from control_plane import BIN, LOOPBACK, WITHOUT_GO, build, start_control_plane
from kube_client import KubeClient, Manifest
from psycopg.errors import OperationalError, ReadOnlySqlTransaction
from relocate_moves import Killed, KilledOnce, KilledWhenRemembering, Remembered, cluster_of, move_in
from store_server import StoreServer, build_store, running_store
from waiting import WITHIN

from operations.relocation.config.endpoints import Places
from operations.relocation.rehearsal.processes import postgres_program
from operations.relocation.rehearsal.servers import database
from operations.relocation.runner.step import StepError
from operations.relocation.steps import freeze
from operations.relocation.writers.ports import HANDS
from operations.relocation.writers.suspension import Patience

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from operations.relocation.runner.step import Move

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

TEAM, QUEUED, GUARD = "work-frozen", "work-queued", "kueue-system"
QUICK = replace(HANDS, patience=Patience(seconds=WITHIN, pause=0.2))
CANARY_KEY, MOVER_KEY = "canary-secret-0123456789", "mover-secret-0123456789"
EVERYTHING = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": ["s3:*"], "Resource": "*"}]}


def named(api: str, kind: str, name: str, namespace: str = "", **spec: Any) -> Manifest:
    where = {"namespace": namespace} if namespace else {}
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, **where}, **({"spec": spec} if spec else {})}


def space(name: str, **labels: str) -> Manifest:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def container(command: str = "true") -> dict[str, Any]:
    return {"containers": [{"name": "main", "image": "none", "command": [command]}], "restartPolicy": "Never"}


def deployment(name: str, namespace: str, replicas: int) -> Manifest:
    labels = {"app": name}
    pod = {"metadata": {"labels": labels}, "spec": {**container(), "restartPolicy": "Always"}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": pod}
    return named("apps/v1", "Deployment", name, namespace, **spec)


def cron_job(name: str, *, suspend: bool) -> Manifest:
    job = {"spec": {"template": {"spec": container()}}}
    return named("batch/v1", "CronJob", name, TEAM, schedule="0 3 * * *", suspend=suspend, jobTemplate=job)


WRITERS: list[Manifest] = [
    named("kubeflow.org/v1", "Notebook", "runs", TEAM, template={"spec": container()}),
    {
        **named("kubeflow.org/v1", "Notebook", "rests", TEAM, template={"spec": container()}),
        "metadata": {
            "name": "rests",
            "namespace": TEAM,
            "annotations": {"kubeflow-resource-stopped": "2026-11-01T00:00:00Z"},
        },
    },
    named("kueue.x-k8s.io/v1beta2", "ClusterQueue", "open", namespaceSelector={}, stopPolicy="None"),
    named("kueue.x-k8s.io/v1beta2", "ClusterQueue", "held", namespaceSelector={}, stopPolicy="Hold"),
    {**named("kubeflow.org/v1beta1", "ScheduledWorkflow", "nightly", TEAM, enabled=True), "status": {}},
    {**named("kubeflow.org/v1beta1", "ScheduledWorkflow", "paused", TEAM, enabled=False), "status": {}},
    named("argoproj.io/v1alpha1", "CronWorkflow", "weekly", TEAM, schedule="0 3 * * 0"),
    cron_job("daily", suspend=False),
    cron_job("off", suspend=True),
    named("batch/v1", "Job", "training", TEAM, template={"spec": container()}),
    named("trainer.kubeflow.org/v1alpha1", "TrainJob", "tuning", TEAM, runtimeRef={"name": "torch"}),
    deployment("spend-guard", GUARD, 1),
    deployment("ml-pipeline", "kubeflow", 2),
    deployment("mlflow", "mlflow", 1),
    deployment("own-server", TEAM, 1),
]


@pytest.fixture(scope="module")
def built() -> Path:
    """The servers' programs; a skip where they cannot be built for want of Go, a failure in CI."""
    codes = {build(), build_store()}
    if WITHOUT_GO in codes and os.environ.get("CI", "").lower() not in {"true", "1"}:
        pytest.skip("the servers are built with Go, and there is no `go` on PATH")
    assert codes == {0}
    return BIN


@pytest.fixture(scope="module")
def kube(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeClient]:
    """A cluster of its own: a freeze stops whatever it finds."""
    assert (built / "kube-apiserver").is_file()
    with start_control_plane(tmp_path_factory.mktemp("frozen-cluster")) as plane:
        client = KubeClient(plane)
        for each in WRITERS:
            group = definitions.group_of(each)
            if not definitions.is_served(client, each) and not definitions.install(client, group, each["kind"]):
                pytest.skip(definitions.ABSENT)
        profile = {"app.kubernetes.io/part-of": "kubeflow-profile"}
        queued = {"atoll/queued": "yes"}
        for each in (space(TEAM, **profile), space(QUEUED, **queued), *map(space, ("mlflow", "kubeflow", GUARD))):
            assert client.apply(each).ok
        for name in (TEAM, QUEUED):
            account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": name}}
            assert client.wait(account, lambda answer: answer.ok).ok
        yield client


@pytest.fixture
def writers(kube: KubeClient) -> Iterator[list[Manifest]]:
    for each in WRITERS:
        answer = kube.apply(each)
        assert answer.ok, answer.text
    yield WRITERS
    kube.delete_all(WRITERS)


def specs(kube: KubeClient) -> dict[str, object]:
    """What people said of every writer."""
    found = {f"{each['kind']} {each['metadata']['name']}": kube.get(each).json() for each in WRITERS}
    return {
        name: (each.get("spec"), each["metadata"].get("annotations", {}).get("kubeflow-resource-stopped"))
        for name, each in found.items()
    }


@pytest.fixture(scope="module")
def minio(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreServer]:
    assert (built / "minio").is_file()
    folder = tmp_path_factory.mktemp("frozen-store")
    with running_store(folder, ("mlflow", "team-vision", "loki")) as found:
        (folder / "all.json").write_text(json.dumps(EVERYTHING))
        admin(found, "policy", "create", "store", "all", str(folder / "all.json"))
        for user, key in (("canary", CANARY_KEY), ("mover", MOVER_KEY)):
            admin(found, "user", "add", "store", user, key)
            admin(found, "policy", "attach", "store", "all", "--user", user)
        yield found


def admin(store: StoreServer, *arguments: str) -> str:
    settings = {
        "PATH": os.environ["PATH"],
        "HOME": str(store.folder),
        "MC_CONFIG_DIR": str(store.folder / "mc"),
        "MC_HOST_store": f"https://atoll:{store.key('atoll')}@{store.endpoint.removeprefix('https://')}",
    }
    command = [str(BIN / "mc"), "--json", "admin", *arguments]
    return subprocess.run(command, env=settings, check=True, capture_output=True, text=True).stdout


def users(store: StoreServer) -> dict[str, str]:
    lines = [json.loads(each) for each in admin(store, "user", "ls", "store").splitlines()]
    return {each["accessKey"]: each.get("policyName", "") for each in lines}


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A database whose owner is no superuser."""
    if not postgres_program("initdb"):
        pytest.skip("PostgreSQL is not on this machine")
    with database(tmp_path_factory.mktemp("frozen") / "database", name="mlflow") as found:
        with psycopg.connect(found.uri, autocommit=True) as session:
            session.execute("CREATE ROLE writer LOGIN PASSWORD 'writer-password'")
            session.execute("CREATE DATABASE runs OWNER writer")
            session.execute("CREATE DATABASE target OWNER writer")
        yield f"postgresql+psycopg2://writer:writer-password@{LOOPBACK}:{found.port}"


def settings(url: str) -> list[object]:
    """What is set for databases and roles; everybody may read it."""
    with psycopg.connect(f"{url.replace('+psycopg2', '')}/mlflow") as session:
        return session.execute("SELECT setdatabase, setconfig FROM pg_db_role_setting ORDER BY 1").fetchall()


@pytest.fixture
def move(kube: KubeClient, minio: StoreServer, postgres: str, tmp_path: Path) -> Move:
    store = {
        "kind": "minio",
        "endpoint": minio.endpoint,
        "authority": str(minio.authority),
        "mover": {"access_key_env": "MOVER", "secret_key_env": "MOVER_SECRET"},
        "canary": {"access_key_env": "CANARY", "secret_key_env": "CANARY_SECRET"},
        "admin": {"access_key_env": "ADMIN", "secret_key_env": "ADMIN_SECRET"},
    }
    (tmp_path / "hosts").write_text("127.0.0.1 localhost\n10.0.0.1 mlflow.acme.example\n")
    places = Places.model_validate(
        {
            "source": {
                "stack": "acme",
                "store": store,
                "kubeconfig_env": "SOURCE_KUBECONFIG",
                "databases": [{"part": "mlflow", "uri_env": "SOURCE_URI"}],
            },
            "target": {"stack": "acme-2", "store": store, "databases": [{"part": "mlflow", "uri_env": "TARGET_URI"}]},
            "buckets": [{"source": "mlflow", "target": "team-vision"}],
            "names": {
                "kind": "hosts_file",
                "names": ["mlflow.acme.example"],
                "source": "10.0.0.1",
                "target": "10.0.0.2",
                "file": str(tmp_path / "hosts"),
            },
        }
    )
    secrets = {
        "MOVER": "mover",
        "MOVER_SECRET": MOVER_KEY,
        "CANARY": "canary",
        "CANARY_SECRET": CANARY_KEY,
        "ADMIN": "atoll",
        "ADMIN_SECRET": minio.key("atoll"),
        "SOURCE_URI": f"{postgres}/runs",
        "TARGET_URI": f"{postgres}/target",
        "SOURCE_KUBECONFIG": str(kube.plane.kubeconfig),
    }
    return move_in(tmp_path, places, secrets)


def refuses(call: Callable[[], object]) -> bool:
    try:
        call()
    except Exception as error:  # noqa: BLE001 - the client's own class is made at run time
        return "AccessDenied" in str(error)
    return False


def write(store: StoreServer, user: str, key: str = "written") -> object:
    return store.client(user).put_object(Bucket=user, Key=key, Body=b"x")


def insert(url: str) -> None:
    with psycopg.connect(f"{url.replace('+psycopg2', '')}/runs") as session:
        session.execute("CREATE TABLE IF NOT EXISTS runs (id integer)")
        session.execute("INSERT INTO runs VALUES (1)")


def test_writers_of_all_three_are_refused_and_everything_is_as_before_after_the_way_back(
    move: Move, writers: list[Manifest], kube: KubeClient, minio: StoreServer, postgres: str
) -> None:
    insert(postgres)
    before = (specs(kube), users(minio), settings(postgres))
    pooled = psycopg.connect(f"{postgres.replace('+psycopg2', '')}/runs", autocommit=True)
    evidence = freeze.freeze(move, QUICK)
    with pytest.raises(OperationalError):  # it began before the setting, and was ended
        pooled.execute("INSERT INTO runs VALUES (1)")
    pooled.close()
    assert refuses(lambda: write(minio, "mlflow"))
    assert refuses(lambda: minio.client("mlflow").delete_object(Bucket="mlflow", Key="written"))
    write(minio, "loki")  # what is not moved goes on
    with pytest.raises(ReadOnlySqlTransaction):
        insert(postgres)
    frozen = specs(kube)
    assert frozen["ClusterQueue open"][0]["stopPolicy"] == "HoldAndDrain"  # type: ignore[index]
    assert frozen["Notebook runs"][1] is not None  # type: ignore[index]
    assert frozen["Notebook rests"] == before[0]["Notebook rests"]
    assert frozen["Deployment mlflow"] == before[0]["Deployment mlflow"]
    stopped = {each["name"] for each in evidence["source"]["writers"]}  # type: ignore[index]
    assert stopped == {each["metadata"]["name"] for each in writers} - {"mlflow"}
    assert "writer-password" not in json.dumps(evidence)
    thawed = freeze.thaw(move, QUICK)
    assert thawed["writes_again"] == {"store": {"mlflow": True}, "databases": {"mlflow": "written"}}
    insert(postgres)
    write(minio, "mlflow")
    assert (specs(kube), users(minio), settings(postgres)) == before


def until_done(call: Callable[[], object]) -> int:
    """Run again after every kill; how often it was killed."""
    for killed in range(200):
        try:
            call()
        except Killed:
            continue
        return killed
    raise AssertionError("it never came to its end")


def test_killed_between_each_word_and_each_change_it_ends_the_same(
    move: Move, writers: list[Manifest], kube: KubeClient, minio: StoreServer, postgres: str
) -> None:
    assert writers
    before = (specs(kube), users(minio), settings(postgres))
    dying = replace(move, memory=KilledWhenRemembering(Remembered()))
    assert until_done(lambda: freeze.freeze(dying, QUICK)) > len(WRITERS)
    assert refuses(lambda: write(minio, "mlflow"))
    freeze.thaw(dying, QUICK)
    assert (specs(kube), users(minio), settings(postgres)) == before


def test_killed_after_each_change_it_ends_the_same_and_so_does_the_way_back(
    move: Move, writers: list[Manifest], kube: KubeClient, minio: StoreServer, postgres: str
) -> None:
    assert writers
    before = (specs(kube), users(minio), settings(postgres))
    dying = KilledOnce()
    hands = replace(QUICK, cluster=lambda side, secrets, words: dying.around(QUICK.cluster(side, secrets, words)))
    assert until_done(lambda: freeze.freeze(move, hands)) > 5
    dying.forget()
    assert until_done(lambda: freeze.thaw(move, hands)) > 5
    assert (specs(kube), users(minio), settings(postgres)) == before


def test_a_pod_that_goes_on_is_named_and_the_freeze_fails(
    move: Move, writers: list[Manifest], kube: KubeClient
) -> None:
    assert writers
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "stray", "namespace": QUEUED}, "spec": container()}
    assert kube.apply(pod).ok
    try:
        with pytest.raises(StepError, match=f"Pod {QUEUED}/stray"):
            freeze.freeze(move, replace(QUICK, patience=Patience(seconds=2, pause=0.2)))
    finally:
        kube.request("DELETE", f"/api/v1/namespaces/{QUEUED}/pods/stray", query={"gracePeriodSeconds": "0"})
        freeze.thaw(move, QUICK)


def test_a_writer_whom_the_freeze_does_not_bind_is_found_by_the_canary(move: Move, minio: StoreServer) -> None:
    root = {**move.secrets, "CANARY": "atoll", "CANARY_SECRET": minio.key("atoll"), "SOURCE_KUBECONFIG": ""}
    places = move.places.model_copy(update={"source": move.places.source.model_copy(update={"kubeconfig_env": None})})
    bound = replace(move, places=places, secrets=root)
    try:
        with pytest.raises(StepError, match="a canary write that succeeds"):
            freeze.freeze(bound, QUICK)
    finally:
        freeze.thaw(bound, QUICK)
    found = minio.client("atoll").list_object_versions(Bucket="mlflow", Prefix=".atoll-canary")
    assert not found.get("Versions")
    assert not found.get("DeleteMarkers")


def test_the_target_is_closed_until_the_commit_opens_it(
    move: Move, kube: KubeClient, writers: list[Manifest], minio: StoreServer, postgres: str
) -> None:
    assert writers
    there = move.places.target.model_copy(update={"kubeconfig_env": "SOURCE_KUBECONFIG"})
    here = move.places.source.model_copy(update={"kubeconfig_env": None})
    away = replace(move, places=move.places.model_copy(update={"source": here, "target": there}))
    before = specs(kube)
    freeze.freeze(away, QUICK)
    assert refuses(lambda: write(minio, "team-vision"))
    names = freeze.switch_names(away, QUICK, freeze.name_switchers())
    assert "10.0.0.2 mlflow.acme.example" in Path(str(away.places.names.file)).read_text()  # type: ignore[union-attr]
    assert names["canary"] == {"mlflow": "read-only"}
    with cluster_of(kube):
        done = freeze.commit(away, QUICK)
    write(minio, "team-vision")
    assert refuses(lambda: write(minio, "mlflow"))
    opened = specs(kube)
    assert opened.pop("Notebook runs") != before.pop("Notebook runs")
    assert opened == before
    assert datetime.fromisoformat(str(done["retain_until"])) > datetime.now(UTC)
    freeze.thaw(away, QUICK)
    assert settings(postgres) == []
