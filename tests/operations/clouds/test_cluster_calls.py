"""What every room sends to an API server, and what it says where that refuses or is silent; none is asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from kubernetes.client import ApiClient, Configuration
from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import MaxRetryError

from components.acceptance.model import Reference
from operations.acceptance import kubernetes_cluster as accepting
from operations.acceptance.kubernetes_cluster import PodSnapshot
from operations.clouds.kubernetes import client
from operations.clouds.kubernetes.client import KubernetesClient
from operations.clouds.kubernetes.objects import ChangedMeanwhileError, ClusterError, ClusterSilentError, ResourceKind
from operations.nodes import kubernetes_cluster as nodes
from operations.relocation.cluster import client as relocate
from operations.relocation.jobs.runs import SILENT_MOST, JobRuns
from operations.relocation.runner.step import StepError
from planning.incidents.node import Node
from planning.incidents.pods import Pod
from planning.values.errors import AtollError


class Server:
    """Answers in the place of a server, and keeps what it was sent."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, object]] = []
        self.sent: list[tuple[Any, ...]] = []
        self.error: Exception | None = None
        configuration = Configuration()
        configuration.host = "https://c"
        configuration.api_key = {"authorization": "Bearer t"}
        self.api = ApiClient(configuration)
        self.api.rest_client.request = self.request

    def request(
        self, method: str, url: str, *, headers: Any, body: Any, post_params: Any, _request_timeout: Any
    ) -> Any:
        assert (post_params, _request_timeout, headers["authorization"]) == (None, (5, 30), "Bearer t")
        path = url.removeprefix("https://c")
        self.sent.append((method, path, headers["Accept"], headers.get("Content-Type"), body))
        if self.error is not None:
            raise self.error
        status, found = self.answers.pop(0)
        content = found if isinstance(found, bytes) else json.dumps(found).encode()
        return SimpleNamespace(status=status, read=lambda: content)


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    with made.api:
        yield made


JSON, MERGE, APPLY = "application/json", "application/merge-patch+json", "application/apply-patch+yaml"
POD = Pod(namespace="team", name="p", uid="u")
NODE = Node(name="n", uid="u", version="7")
DELETE = {"kind": "DeleteOptions", "apiVersion": "v1"}
SET = ResourceKind(group="apps", version="v1", plural="sets", name="Set")
MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "namespace": "team"}}
# An API server lists parts of an object with the object's own kind, as `namespaces/status` behind `namespaces`.
MAPS = {"resources": [{"kind": "ConfigMap", "name": "configmaps"}, {"kind": "ConfigMap", "name": "configmaps/status"}]}


def test_an_acceptance_sends_its_own_text(server: Server) -> None:
    cluster = accepting.AcceptanceCluster(KubernetesClient(server.api))
    server.answers = [(200, MAPS), (200, {}), (200, {"items": []}), (200, b"said")]
    cluster.apply(MAP)
    assert cluster.list_references(api_version="v1", kind="ConfigMap", namespace="", selector="a=b") == []
    seen = PodSnapshot(namespace="team", name="p", phase="Running", node="n")
    assert cluster.read_log(seen, container="c") == "said"
    query = "fieldManager=atoll-acceptance&force=true&fieldValidation=Strict"
    assert server.sent == [
        ("GET", "/api/v1", JSON, None, None),
        ("PATCH", f"/api/v1/namespaces/team/configmaps/m?{query}", JSON, APPLY, json.dumps(MAP)),
        ("GET", "/api/v1/configmaps?limit=500&labelSelector=a%3Db", JSON, None, None),
        ("GET", "/api/v1/namespaces/team/pods/p/log?container=c&limitBytes=8388608", "*/*", None, None),
    ]


def test_nodes_are_changed_as_they_were_looked_at(server: Server) -> None:
    cluster = nodes.NodeApi(KubernetesClient(server.api))
    server.answers = [(200, {}), (429, {"message": "not now"}), (200, b"<html>"), (200, {"items": []}), (200, b"[]")]
    cluster.change(NODE, {"spec": {"unschedulable": True}})
    assert cluster.evict(POD, grace_seconds=9) == "not now"
    cluster.delete(NODE)
    assert list(cluster.list_pods_on("n")) == []
    assert cluster.read_xids() == {}
    held = {"spec": {"unschedulable": True}, "metadata": {"uid": "u", "resourceVersion": "7"}}
    eviction = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": "p", "namespace": "team"},
        "deleteOptions": {"gracePeriodSeconds": 9, "preconditions": {"uid": "u"}},
    }
    assert server.sent == [
        ("PATCH", "/api/v1/nodes/n", JSON, MERGE, held),
        ("POST", "/api/v1/namespaces/team/pods/p/eviction", JSON, JSON, eviction),
        ("DELETE", "/api/v1/nodes/n", JSON, JSON, {**DELETE, "preconditions": {"uid": "u"}}),
        ("GET", "/api/v1/pods?limit=500&fieldSelector=spec.nodeName%3Dn", JSON, None, None),
        ("GET", f"{nodes.PROMETHEUS}?query=DCGM_FI_DEV_XID_ERRORS%20%3E%200", JSON, None, None),
    ]


def test_a_relocation_reads_patches_and_makes(server: Server) -> None:
    cluster = relocate.RelocationCluster(KubernetesClient(server.api))
    server.answers = [(200, {"items": [MAP]}), (404, b"no"), (200, b"<html>"), (409, {}), (404, {})]
    assert cluster.list_objects(SET) == [MAP]
    assert cluster.get(SET, namespace="team", name="s") is None
    assert cluster.change(SET, namespace="team", name="s", change={})
    assert not cluster.create(SET, MAP)
    assert not cluster.delete(SET, namespace="team", name="s")
    now = {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0}
    assert server.sent == [
        ("GET", "/apis/apps/v1/sets?limit=500", JSON, None, None),
        ("GET", "/apis/apps/v1/namespaces/team/sets/s", JSON, None, None),
        ("PATCH", "/apis/apps/v1/namespaces/team/sets/s", JSON, MERGE, {}),
        ("POST", "/apis/apps/v1/namespaces/team/sets", JSON, JSON, MAP),
        ("DELETE", "/apis/apps/v1/namespaces/team/sets/s", JSON, JSON, now),
    ]


def test_a_job_is_applied_as_text(server: Server) -> None:
    server.answers = [(200, {}), (404, b"gone")]
    runs = JobRuns(KubernetesClient(server.api))
    runs.start([MAP])
    runs.remove([MAP])
    path = "/api/v1/namespaces/team/configmaps/m"
    query = "fieldManager=atoll-relocate&force=true&fieldValidation=Strict"
    assert server.sent == [
        ("PATCH", f"{path}?{query}", JSON, APPLY, json.dumps(MAP)),
        ("DELETE", path, JSON, JSON, {**DELETE, "propagationPolicy": "Background"}),
    ]


CALLS: dict[str, tuple[Callable[[ApiClient], object], type[AtollError], str, str]] = {
    "accepting": (
        lambda api: accepting.AcceptanceCluster(KubernetesClient(api)).get(
            Reference(api_version="v1", kind="Node", name="n")
        ),
        ClusterError,
        "the cluster does not answer: ",
        "look at its address in the kubeconfig",
    ),
    "nodes": (
        lambda api: nodes.NodeApi(KubernetesClient(api)).list_budgets(),
        ClusterSilentError,
        "the cluster does not answer: ",
        "look at its address in the kubeconfig",
    ),
    "relocate": (
        lambda api: relocate.RelocationCluster(KubernetesClient(api)).list_objects(SET),
        ClusterSilentError,
        "the cluster does not answer: ",
        "look at its address in the kubeconfig",
    ),
    "jobs": (
        lambda api: JobRuns(KubernetesClient(api)).start([MAP]),
        ClusterSilentError,
        "the cluster does not answer: ",
        "look at its address in the kubeconfig",
    ),
}
SILENT: list[Exception] = [MaxRetryError(cast("Any", None), "u"), ConnectionResetError("x"), ApiException(status=0)]


@pytest.mark.parametrize("room", list(CALLS))
@pytest.mark.parametrize("error", SILENT, ids=lambda each: type(each).__name__)
def test_who_does_not_answer_is_said_without_its_words(room: str, error: Exception, server: Server) -> None:
    server.error = error
    call, kind, said, hint = CALLS[room]
    with pytest.raises(kind) as raised:
        call(server.api)
    assert (str(raised.value), raised.value.hint) == (f"{said}{type(error).__name__}", hint)


def test_a_job_outlives_a_minute_of_silence(server: Server) -> None:
    slept: list[float] = []
    server.error = MaxRetryError(cast("Any", None), "u")
    with pytest.raises(ClusterSilentError, match="the cluster does not answer: MaxRetryError"):
        JobRuns(KubernetesClient(server.api), sleep=slept.append, every=5.0).wait(MAP, say=print)
    assert (len(server.sent), sum(slept)) == (SILENT_MOST, 55.0)


def test_a_job_outlives_a_server_that_starts_again_and_a_token_that_ran_out(server: Server) -> None:
    done = {"status": {"succeeded": 2, "conditions": [{"type": "Complete", "status": "True"}]}}
    server.answers = [(500, {"message": "leader changed"}), (503, b"<html>"), (429, {}), (401, {}), (200, done)]
    slept: list[float] = []
    ended = JobRuns(KubernetesClient(server.api), sleep=slept.append, every=5.0).wait(MAP, say=print)
    assert (ended.done, ended.shards, slept) == (True, 2, [5.0] * 4)


@pytest.mark.parametrize(
    ("answer", "said", "asked"),
    [
        ((404, {"message": "no"}), "m is not there any more: 404 no", 1),
        ((403, {"message": "no"}), "m cannot be looked at: 403 no", 1),
        ((503, {"message": "no"}), "m cannot be looked at: 503 no", SILENT_MOST),
    ],
)
def test_a_job_that_is_gone_or_may_not_be_looked_at_is_said(
    answer: tuple[int, object], said: str, asked: int, server: Server
) -> None:
    server.answers = [answer] * asked
    with pytest.raises(StepError, match=f"{said}$"):
        JobRuns(KubernetesClient(server.api), sleep=lambda _: None).wait(MAP, say=print)
    assert len(server.sent) == asked


@pytest.mark.parametrize(
    ("call", "answer", "kind", "said"),
    [
        (
            lambda api: accepting.AcceptanceCluster(KubernetesClient(api)).list_nodes(),
            (403, {"message": "may not"}),
            ClusterError,
            "the cluster refused GET /api/v1/pods: 403 may not",
        ),
        (
            lambda api: nodes.NodeApi(KubernetesClient(api)).list_budgets(),
            (403, b"<html>"),
            ClusterError,
            "the cluster refused GET /apis/policy/v1/poddisruptionbudgets: 403 no reason given",
        ),
        (
            lambda api: relocate.RelocationCluster(KubernetesClient(api)).list_objects(SET),
            (500, {"reason": "Timeout"}),
            ClusterError,
            "the cluster refused GET /apis/apps/v1/sets: 500 Timeout",
        ),
        (
            lambda api: JobRuns(KubernetesClient(api)).start([MAP]),
            (403, {"message": "may not"}),
            ClusterError,
            "the cluster refused PATCH /api/v1/namespaces/team/configmaps/m: 403 may not",
        ),
    ],
)
def test_a_refusal_is_said_in_the_servers_words(
    call: Callable[[ApiClient], object], answer: tuple[int, object], kind: type[AtollError], said: str, server: Server
) -> None:
    server.answers = [answer]
    with pytest.raises(kind) as raised:
        call(server.api)
    assert str(raised.value) == said


def test_what_changed_meanwhile_is_told_apart(server: Server) -> None:
    server.answers = [(409, {}), (409, {})]
    with pytest.raises(ChangedMeanwhileError):
        nodes.NodeApi(KubernetesClient(server.api)).change(NODE, {})
    with pytest.raises(ChangedMeanwhileError):
        relocate.RelocationCluster(KubernetesClient(server.api)).change(SET, namespace="team", name="s", change={})


@pytest.mark.parametrize(
    ("content", "found"),
    [(b'{"a": 1}', {"a": 1}), (b"[1]", {}), (b"null", {}), (b"<html>", {}), (b"\xff", {}), (b"", {})],
)
def test_only_a_json_object_is_taken_for_an_answer(content: bytes, found: dict[str, object]) -> None:
    assert client.parse_object(content) == found


def test_the_callers_own_document_is_not_handed_on(server: Server) -> None:
    body: dict[str, object] = {"a": 1}
    server.answers = [(418, b"tea")]
    assert client.answer(server.api, "POST", "/x", body=body, sent_as=JSON) == (418, b"tea")
    sent = server.sent[0][-1]
    assert (sent, sent is not body) == (body, True)


@pytest.mark.parametrize(
    ("error", "said"),
    [(OSError("one\ntwo"), "one"), (TimeoutError(), "TimeoutError"), (OSError(2, "no"), "[Errno 2] no")],
)
def test_a_reason_is_one_line(error: Exception, said: str) -> None:
    assert client.reason_of(error) == said
