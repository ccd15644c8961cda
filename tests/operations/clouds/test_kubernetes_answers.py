"""What a cluster's own client makes of each answer, and a kubeconfig that it stumbles over; no server is asked."""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import urllib3
from kubernetes.client.rest import RESTClientObject, RESTResponse
from samples import asked, existing_cluster

from operations.clouds.kubernetes import client, placement
from operations.clouds.kubernetes.certificates import ClusterSigner
from planning.spec.cluster import ExistingCluster
from planning.values.errors import InputError

VARIABLE = "ATOLL_TEST_KUBECONFIG"
ASKED = asked(existing_cluster())
PAGE = "what answers is no cluster, a page to sign in perhaps: look at the server that the kubeconfig names"
CANNOT = "the cluster cannot be opened: "
NODE = {
    "metadata": {"name": "n", "creationTimestamp": None},
    "status": {
        "allocatable": {"cpu": "7910m", "nvidia.com/gpu": "8"},
        "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": None, "lastTransitionTime": None}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "images": [{"names": None, "sizeBytes": 5}],
        "ofTomorrow": {"a": 1},
    },
}


def kubeconfig(
    at: Path, *, cluster: str = '{server: "https://127.0.0.1:1"}', user: str = "user: {token: secret}"
) -> None:
    at.write_text(
        f"apiVersion: v1\nkind: Config\nclusters: [{{name: c, cluster: {cluster}}}]\nusers: [{{name: u, {user}}}]\n"
        "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n"
    )


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the kubeconfig is that the variable names."""
    path = tmp_path / "kubeconfig"
    kubeconfig(path)
    monkeypatch.setenv(VARIABLE, str(path))
    return path


def answers(monkeypatch: pytest.MonkeyPatch, status: int, body: object, kind: str = "application/json") -> list[str]:
    """Everything that is asked for is answered with this; what was asked for."""
    sent: list[str] = []

    def request(_: object, method: str, url: str, **__: Any) -> RESTResponse:
        sent.append(f"{method} {url.removeprefix('https://127.0.0.1:1')}")
        content = BytesIO(body if isinstance(body, bytes) else json.dumps(body).encode())
        answer = urllib3.HTTPResponse(content, {"Content-Type": kind}, status, reason="as told", preload_content=False)
        return RESTResponse(answer)

    monkeypatch.setattr(RESTClientObject, "request", request)
    return sent


@pytest.mark.usefixtures("at")
def test_nodes_are_asked_for_and_read_as_kubelets_report_them(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = answers(monkeypatch, 200, {"kind": "NodeList", "metadata": {}, "items": [NODE]})
    told = placement.read_capacity(ASKED)
    assert (told.silence, sent) == ("", ["GET /api/v1/nodes?limit=500"])
    assert {name: getattr(each, "limit", None) for name, each in told.quotas.items()} == {
        "nodes-with-0-gpus": 0,
        "nodes-with-8-gpus": 1,
    }


@pytest.mark.usefixtures("at")
@pytest.mark.parametrize(
    ("status", "body", "kind", "reason"),
    [
        (200, b"<html>", "text/html", PAGE),
        (200, b"<html>", "application/json", PAGE),
        (200, {"kind": "Status"}, "application/json", PAGE),
        (200, {"items": None}, "application/json", PAGE),
        (302, b"", "text/html", "the cluster refused GET AT: 302 no reason given"),
        (403, {"reason": "Forbidden"}, "application/json", "the cluster refused GET AT: 403 Forbidden"),
        (403, {"message": "n" * 400}, "application/json", f"the cluster refused GET AT: 403 {'n' * 300}"),
        (502, b"<html>", "text/html", "the cluster refused GET AT: 502 no reason given"),
    ],
)
def test_what_is_no_answer_is_said_in_a_line(
    status: int, body: object, kind: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(monkeypatch, status, body, kind)
    assert placement.read_capacity(ASKED).silence == reason.replace("AT", "/api/v1/nodes")
    assert [each.reason for each in placement.search(ASKED).unanswered] == [reason.replace("AT", "/api/v1/namespaces")]


MISSHAPEN = [
    ({"cluster": '{server: "https://127.0.0.1:1", certificate-authority-data: "abc"}'}, "Incorrect padding"),
    ({"cluster": '{server: "https://127.0.0.1:1", proxy-url: "nonsense"}'}, "Proxy URL had no scheme"),
    ({"cluster": "{server: 5}"}, "'int' object has no attribute 'rstrip'"),
    ({"user": 'user: {client-certificate-data: "abc", client-key-data: "abc"}'}, "Incorrect padding"),
    ({"user": "user: secret"}, "'str' object has no attribute"),
]


@pytest.mark.parametrize(("words", "reason"), MISSHAPEN)
def test_a_kubeconfig_that_the_client_stumbles_over_is_said(words: dict[str, str], reason: str, at: Path) -> None:
    kubeconfig(at, **words)
    silence = placement.read_capacity(ASKED).silence
    assert silence.startswith(f"{CANNOT}{at}: something in it is not of a kubeconfig: {reason}")


@pytest.mark.parametrize("words", [each for each, _ in MISSHAPEN])
def test_nobody_is_let_in_with_one(words: dict[str, str], at: Path) -> None:
    kubeconfig(at, **words)
    with pytest.raises(InputError, match=f"^the kubeconfig that {VARIABLE} names cannot be used$"):
        ClusterSigner(ExistingCluster(kubeconfig_env=VARIABLE, context=None))


def test_a_kubeconfig_that_is_no_text_lets_nobody_in(at: Path) -> None:
    at.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=f"^{re.escape(str(at))}: not a text file$"):
        ClusterSigner(ExistingCluster(kubeconfig_env=VARIABLE, context=None))


def test_a_token_in_the_wrong_place_is_not_repeated(at: Path) -> None:
    kubeconfig(at, user="token: do-not-tell")
    assert placement.read_capacity(ASKED).silence == f"{CANNOT}Invalid kube-config file. Expected key user in {at}"
    with pytest.raises(Exception, match="do-not-tell") as whole:
        client.open_api(str(at), context=None)
    assert "do-not-tell" not in client.reason_of(whole.value)
