from __future__ import annotations

import os
import subprocess
import sys
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from _pytest.capture import CaptureManager
from control_plane import BIN, REPOSITORY, WITHOUT_GO, ControlPlane, build, start_control_plane
from definitions import judged
from existing_plan import TEAMS, TWO_TEAMS, accepted, accepted_for_two_teams, manifests, pools
from fake_nodes import join, owners, remove
from kube_client import KubeClient, Manifest
from mlflow_server import HOW, PYTHON, MlflowServer, chart_values, running_mlflow
from store_server import StoreServer, build_store, running_store

from components.context.names import namespace as namespace_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from planning.spec.cluster import Pool


SESSION = {"example", "two-teams"}  # whose nodes stay for every file
PLANE = pytest.StashKey[ControlPlane]()
# Whose tests take longest, the longest first: begun last, one of them would keep one worker busy alone.
LONG = ("relocation_rehearsal", "relocate_gauntlet", "relocate_metadata", "relocate_freeze", "mover_jobs", "mover_copy")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the long files; the rest stays as it is, and a shuffle comes after."""
    rank = {f"test_{name}.py": at for at, name in enumerate(LONG)}
    items.sort(key=lambda item: rank.get(item.path.name, len(LONG)))


@dataclass(frozen=True)
class Applied:
    """What a stack's program would create, as the server has taken it, and the nodes it stands on."""

    objects: list[Manifest]
    unknown: list[Manifest]
    """Custom resources that were not applied, for nothing here defines their kind."""
    pools: tuple[Pool, ...]
    nodes: list[Manifest]

    def pool(self, role: str) -> Pool:
        return next(each for each in self.pools if each.role == role)


def _built(config: pytest.Config, build: Callable[[], int], what: str) -> None:
    """Build what a test needs and say so, for the first time takes minutes; without Go a skip, and a failure in CI."""
    capture = config.pluginmanager.getplugin("capturemanager")
    assert isinstance(capture, CaptureManager)
    with capture.global_and_fixture_disabled():
        code = build()
    if code == WITHOUT_GO and os.environ.get("CI", "").lower() not in {"true", "1"}:
        pytest.skip(f"{what} built with Go, and there is no `go` on PATH")
    if code:
        pytest.fail(f"tools/build ended with {code}; its reason is above")


@pytest.fixture(scope="session")
def control_plane(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A running control plane."""
    _built(pytestconfig, build, "the servers are")
    with start_control_plane(tmp_path_factory.mktemp("control-plane")) as plane:
        pytestconfig.stash[PLANE] = plane
        yield plane


@pytest.fixture(scope="module", autouse=True)
def _no_node_is_left(pytestconfig: pytest.Config) -> Iterator[None]:
    """Each file removes the nodes that it made: a pod of another's tests could land there."""
    yield
    plane = pytestconfig.stash.get(PLANE, None)
    if plane is None:
        return
    kube = KubeClient(plane)
    left = {name: owner for name, owner in owners(kube).items() if owner not in SESSION}
    remove(kube, [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}} for name in left])
    assert left == {}, "this file's tests leave nodes; make them with fake_nodes.joined"


@pytest.fixture(scope="session")
def store(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreServer]:
    """The platform's object store with two teams."""
    _built(pytestconfig, build_store, "MinIO is")
    users = ("mlflow", "loki", "team-vision", "team-speech")
    with running_store(tmp_path_factory.mktemp("store"), users) as found:
        yield found


@pytest.fixture(scope="session")
def promtool(pytestconfig: pytest.Config) -> Path:
    """Prometheus' tool."""

    def build_promtool() -> int:
        return subprocess.run([sys.executable, REPOSITORY / "tools" / "build", "promtool"], check=False).returncode

    _built(pytestconfig, build_promtool, "promtool is")
    return BIN / "promtool"


@pytest.fixture(scope="session")
def clients() -> Path:
    """Python with the clients that people have in a notebook; without it a skip, in CI a failure."""
    if not PYTHON.exists():
        if os.environ.get("CI", "").lower() in {"true", "1"}:
            pytest.fail(f"MLflow and the SDK of Pipelines are not installed: {HOW}")
        pytest.skip(f"MLflow and the SDK of Pipelines are not installed: {HOW}")
    return PYTHON


@pytest.fixture(scope="session")
def mlflow(clients: Path, store: StoreServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MlflowServer]:
    """The server with the values that the program registers."""
    assert clients
    with running_mlflow(tmp_path_factory.mktemp("mlflow"), store, chart_values()) as found:
        yield found


@pytest.fixture(scope="session")
def kube(control_plane: ControlPlane) -> KubeClient:
    return KubeClient(control_plane)


def _houses_of_manifests(kube: KubeClient, objects: list[Manifest]) -> None:
    """Namespaces that Kubeflow's own manifests bring, which a plan without an engine does not see."""
    ours = {each["metadata"]["name"] for each in objects if each["kind"] == "Namespace"}
    used = {each["metadata"]["namespace"] for each in objects if "namespace" in each["metadata"]}
    for name in sorted(used - ours):
        kube.have_namespace(name)


def apply(kube: KubeClient, found: list[Manifest], pools: tuple[Pool, ...], *, owner: str) -> Applied:
    objects, unknown = judged(kube, found)
    _houses_of_manifests(kube, objects)
    for manifest in objects:
        answer = kube.apply(manifest)
        assert answer.ok, f"{manifest['kind']} {manifest['metadata']['name']}: {answer.text}"
    return Applied(objects, unknown, pools, join(kube, pools, owner=owner))


@pytest.fixture(scope="session")
def example(kube: KubeClient, tmp_path_factory: pytest.TempPathFactory) -> Applied:
    """The existing-cluster example, every object of it."""
    folder = accepted(tmp_path_factory.mktemp("existing"))
    return apply(kube, manifests(folder), pools(folder), owner="example")


@pytest.fixture(scope="session")
def two_teams(kube: KubeClient, tmp_path_factory: pytest.TempPathFactory) -> Applied:
    """Two workloads on one cluster: what is in their namespaces, the platform being the example's."""
    folder = accepted_for_two_teams(tmp_path_factory.mktemp("teams"))
    homes = {namespace_of(team) for team in TEAMS}
    mine = [
        each
        for each in manifests(folder, TWO_TEAMS)
        if homes & {each["metadata"].get("namespace"), each["metadata"]["name"]}
    ]
    return apply(kube, mine, tuple(each for each in pools(folder, TWO_TEAMS) if each.workload), owner="two-teams")


@pytest.fixture
def namespace(kube: KubeClient) -> Iterator[str]:
    """A new namespace in which pods can be admitted; deleted after the test."""
    name = f"test-{uuid.uuid4().hex[:8]}"
    manifest: Manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    answer = kube.apply(manifest)
    assert answer.ok, answer.text
    account: Manifest = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "default", "namespace": name},
    }
    assert kube.wait(account, lambda answer: answer.ok).ok, "the controllers made no service account"
    yield name
    kube.delete(manifest)
