"""How every room opens a kubeconfig, and what it says of one that cannot be used."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from samples import asked, existing_cluster

from catalogs.files import MEGABYTE
from operations.acceptance import kubernetes_cluster as accepting
from operations.clouds.kubernetes import placement
from operations.clouds.kubernetes.objects import ClusterError
from operations.nodes import kubernetes_cluster as nodes
from operations.relocation.cluster import client as relocate
from operations.relocation.cluster import inventory
from operations.relocation.config.endpoints import Keys, RelocationSide, StorePlace
from operations.relocation.jobs.runs import open_job_runs
from planning.spec.cluster import ClusterSpec, ExistingCluster
from planning.values.errors import AtollError

VARIABLE = "ATOLL_TEST_KUBECONFIG"
SPEC = existing_cluster()
STORE = StorePlace(kind="minio", endpoint="http://127.0.0.1", mover=Keys(access_key_env="A", secret_key_env="S"))
SIDE = RelocationSide(stack="demo", store=STORE, kubeconfig_env=VARIABLE)
KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}, {name: d, cluster: {server: "https://127.0.0.1:2"}}]
users: [{name: u, user: {token: not-to-be-repeated}}]
contexts: [{name: x, context: {cluster: c, user: u}}, {name: y, context: {cluster: d, user: u}}]
current-context: x
"""
BAD = {
    "list": b"- a\n",
    "empty": b"",
    "broken": b"a: [\n",
    "bomb": b"a: &a [x]\nb: [*a, *a]\n",
    "no-context": b"a: 1\n",
    "latin": b"a: 1\nb: \xe9t\xe9\n",
    "utf-16": b"\xff\xfea\x00",
    "control": b"a: \x1b[31m\n",
    "long": b"#" * (MEGABYTE + 1),
}
ROOMS: dict[str, Callable[[ClusterSpec, RelocationSide], object]] = {
    "accepting": lambda spec, _: accepting.open_acceptance_cluster(spec),
    "nodes": lambda spec, _: nodes.open_node_api(spec),
    "relocate": lambda _, side: relocate.open_cluster(side, {}, words="target"),
    "jobs": lambda _, side: open_job_runs(side, {}, words="target"),
}
HINTS = {
    "accepting": f"export {VARIABLE}=FILE, as `atoll outputs` or `atoll access` writes it",
    "nodes": f"{VARIABLE} names the kubeconfig of the cluster",
    "relocate": f"{VARIABLE} names the kubeconfig of the target",
    "jobs": f"{VARIABLE} names the kubeconfig of the target",
}
ERRORS: dict[str, type[AtollError]] = {
    "accepting": ClusterError,
    "nodes": ClusterError,
    "relocate": ClusterError,
    "jobs": ClusterError,
}
CANNOT = {"accepting": "the cluster cannot be opened: ", "nodes": "the cluster cannot be opened: "}
OF_TARGET = "the cluster of the target cannot be opened: "
CONTEXT = "Invalid kube-config file. Expected key current-context in AT"
BROKEN = "AT, line 2: not YAML as it is read here: names once, no anchors, no tags"
BOMB = BROKEN.replace("2", "1")
OF_FILE = {
    "missing": "AT: there is no such file",
    "folder": "AT: this is a folder, not a file",
    "pipe": "AT: this is a named pipe, not a file",
    "latin": "AT, line 2: byte 9 is not UTF-8 text",
    "utf-16": "AT, line 1: it is UTF-16 text",
    "control": "AT, line 1: character U+001B is not text",
    "long": "AT: over 1 MB",
    "broken": BROKEN,
    "bomb": BOMB,
    "no-context": CONTEXT,
}
SAID = {
    **{
        (room, why): f"{CANNOT.get(room, OF_TARGET)}{reason}"
        for room in ("accepting", "nodes", "relocate", "jobs")
        for why, reason in OF_FILE.items()
    },
    **{
        (room, why): f"what {VARIABLE} names is no kubeconfig"
        for room in ("accepting", "nodes", "relocate", "jobs")
        for why in ("list", "empty")
    },
    ("accepting", "unset"): f"{VARIABLE} is not set, and it names the kubeconfig of the cluster",
    ("nodes", "unset"): f"{VARIABLE} is not set, and it names the kubeconfig of the cluster",
    ("relocate", "unset"): f"{VARIABLE} is not set, and it names the kubeconfig of the cluster of the target",
    ("jobs", "unset"): f"{VARIABLE} is not set, and it names the kubeconfig of the cluster of the target",
}


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the kubeconfig is that the variable names."""
    monkeypatch.delenv("KUBECONFIG", raising=False)
    path = tmp_path / "kubeconfig"
    monkeypatch.setenv(VARIABLE, str(path))
    return path


def put(at: Path, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if why in BAD:
        at.write_bytes(BAD[why])
    if why == "folder":
        at.mkdir()
    if why == "pipe":
        os.mkfifo(at)
    if why == "unset":
        monkeypatch.delenv(VARIABLE)


@pytest.mark.parametrize(("room", "why"), list(SAID))
def test_a_kubeconfig_that_cannot_be_used_is_said(
    room: str, why: str, at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(at, why, monkeypatch)
    with pytest.raises(AtollError) as raised:
        ROOMS[room](SPEC, SIDE)
    assert type(raised.value) is ERRORS[room]
    assert (str(raised.value).replace(str(at), "AT"), raised.value.hint) == (SAID[room, why], HINTS[room])


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("unset", f"{VARIABLE} is not set, and it names the kubeconfig of the cluster"),
        ("list", f"what {VARIABLE} names is no kubeconfig"),
        *((why, f"the cluster cannot be opened: {reason}") for why, reason in OF_FILE.items()),
    ],
)
def test_a_cluster_that_is_asked_says_it_in_a_line(
    why: str, said: str, at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(at, why, monkeypatch)
    assert placement.read_capacity(asked(SPEC)).silence.replace(str(at), "AT") == said


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("unset", f"{VARIABLE} is not set, which names its kubeconfig"),
        ("list", f"what {VARIABLE} names is no kubeconfig"),
        *OF_FILE.items(),
    ],
)
def test_a_cluster_that_a_plan_looks_at_says_it_in_a_line(
    why: str, said: str, at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(at, why, monkeypatch)
    assert inventory.query_cluster(SPEC, SIDE).silence.replace(str(at), "AT") == said


@pytest.mark.parametrize("room", list(ROOMS))
@pytest.mark.parametrize(("context", "port"), [(None, 1), ("y", 2)])
def test_the_first_of_several_kubeconfigs_is_opened_in_its_context(
    room: str, context: str | None, port: int, at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at.write_text(KUBECONFIG)
    monkeypatch.setenv("HOME", str(at.parent))
    monkeypatch.setenv(VARIABLE, "~/kubeconfig:/nowhere")
    spec = existing_cluster(existing=ExistingCluster(kubeconfig_env=VARIABLE, context=context))
    opened = cast("Any", ROOMS[room](spec, SIDE.model_copy(update={"context": context})))
    opened = getattr(opened, "_cluster", opened)
    assert opened._api.configuration.host == f"https://127.0.0.1:{port}"


def test_a_side_without_a_kubeconfig_has_no_cluster() -> None:
    side = SIDE.model_copy(update={"kubeconfig_env": None})
    assert relocate.open_cluster(side, {}, words="target") is None


@pytest.mark.parametrize("room", ["relocate", "jobs"])
def test_what_a_relocation_was_given_goes_before_the_environment(room: str, at: Path, tmp_path: Path) -> None:
    at.write_text("- a\n")
    given = tmp_path / "given"
    given.write_text(KUBECONFIG)
    secrets = {VARIABLE: str(given)}
    opens = {"relocate": relocate.open_cluster, "jobs": open_job_runs}
    opened = cast("Any", opens[room])(SIDE, secrets, words="target")
    assert opened._cluster._api.configuration.host == "https://127.0.0.1:1"
