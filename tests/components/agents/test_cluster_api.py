"""The one client of the Kubernetes API in our pods: where the token goes, what is tried again, and what is bounded."""

from __future__ import annotations

import json
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError

import pytest
import specs
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from platform_samples import run_part, spec_with

from components.agents import cluster_api, notebook_culler
from components.agents.cluster_api import ClusterApi, LedgerCluster
from components.platform.building_blocks.script_pod import path_of
from components.platform.kubeflow import notebooks
from components.stack.targets import build
from operations.offline.program import run

if TYPE_CHECKING:
    from operations.offline.program import OfflineRun

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

TOKEN = "of-the-pod"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
NODES = "/api/v1/nodes"


@dataclass
class Server:
    """Answers in the order in which they stand in `answers`: status, headers, body."""

    url: str = ""
    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    asked: list[tuple[str, str, str, bytes]] = field(default_factory=list)

    def answer(self, body: object = None, *, status: int = 200, **headers: str) -> None:
        self.answers.append((status, headers, json.dumps(body or {}).encode()))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a key, and the certificate of 127.0.0.1 that is its own authority."""
    folder = tmp_path_factory.mktemp("authority")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "ca.crt").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(private)
    (folder / "token").write_text(f"{TOKEN}\n")
    return folder


def serve(folder: Path) -> Iterator[Server]:
    told = Server()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            told.asked.append((self.command, self.path, self.headers.get("Authorization", ""), body))
            status, headers, answer = told.answers.pop(0)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(answer)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer)

        do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815 - the names are the library's

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
            """Nothing."""

    server = HTTPServer(("127.0.0.1", 0), Answers)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "ca.crt", folder / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    told.url = f"https://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield told
    server.shutdown()
    server.server_close()


@pytest.fixture
def api_server(certificate: Path) -> Iterator[Server]:
    yield from serve(certificate)


@pytest.fixture
def elsewhere(certificate: Path) -> Iterator[Server]:
    yield from serve(certificate)


@pytest.fixture
def api(api_server: Server, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> ClusterApi:
    monkeypatch.setattr(cluster_api, "PAUSE", 0.0)
    return ClusterApi(api=api_server.url, secrets=certificate)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_redirect_is_refused_and_the_token_goes_nowhere_else(
    api: ClusterApi, api_server: Server, elsewhere: Server, status: int, method: str
) -> None:
    api_server.answer(status=status, Location=f"{elsewhere.url}/taken")
    elsewhere.answer({"items": []})
    with pytest.raises(HTTPError, match=str(status)):
        api.call(method, NODES)
    assert elsewhere.asked == []
    assert [asked[2] for asked in api_server.asked] == [f"Bearer {TOKEN}"]


def test_no_notebook_sends_the_culler_elsewhere(
    api_server: Server, elsewhere: Server, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusted = ssl.create_default_context(cafile=str(certificate / "ca.crt"))
    monkeypatch.setattr(notebook_culler, "build_bounded_opener", lambda: cluster_api.build_bounded_opener(trusted))
    api_server.answer(status=302, Location=f"{elsewhere.url}/taken")
    with pytest.raises(HTTPError, match="302"):
        notebook_culler.ask_over_http(f"{api_server.url}/api/kernels")
    assert elsewhere.asked == []
    api_server.answer(status=404)
    assert notebook_culler.ask_over_http(f"{api_server.url}/api/kernels") is None


def test_a_list_is_read_page_after_page(api: ClusterApi, api_server: Server) -> None:
    api_server.answer({"items": [{"metadata": {"name": "a"}}], "metadata": {"continue": "x y"}})
    api_server.answer({"items": [{"metadata": {"name": "b"}}], "metadata": {}})
    assert [each["metadata"] for each in api.list_objects(NODES)] == [{"name": "a"}, {"name": "b"}]
    assert [asked[1] for asked in api_server.asked] == [
        f"{NODES}?limit=500&continue=",
        f"{NODES}?limit=500&continue=x%20y",
    ]


@pytest.mark.parametrize(
    ("method", "kind", "status", "asked"),
    [
        ("GET", "json", 500, 3),
        ("DELETE", "json", 503, 3),
        ("PATCH", cluster_api.MERGE, 502, 3),
        ("POST", "json", 500, 1),
        ("PATCH", "json-patch+json", 503, 1),
        ("POST", "json", 429, 3),
        ("GET", "json", 403, 1),
    ],
)
def test_only_what_may_be_done_twice_is_tried_again(
    api: ClusterApi, api_server: Server, method: str, kind: str, *, status: int, asked: int
) -> None:
    for _ in range(3):
        api_server.answer(status=status)
    with pytest.raises(HTTPError, match=str(status)):
        api.call(method, NODES, {"a": 1}, kind=kind)
    assert len(api_server.asked) == asked


def test_what_is_tried_again_can_succeed(api: ClusterApi, api_server: Server) -> None:
    api_server.answer(status=503)
    api_server.answer({"kind": "Node"})
    assert api.read(NODES) == {"kind": "Node"}


def test_an_answer_that_is_too_long_too_slow_or_cut_short_is_no_answer(
    api: ClusterApi, api_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_api, "TRIES", 1)
    for name, value, headers, words in (
        ("PIECE", 65536, {"Content-Length": "99"}, "lacks its last"),
        ("SECONDS_IN_ALL", -1, {}, "within -1 s"),
    ):
        monkeypatch.setattr(cluster_api, name, value)
        api_server.answer({"kind": "Node"}, **headers)
        with pytest.raises(OSError, match=words):
            api.read(NODES)
    request = cluster_api.Request(f"{api_server.url}{NODES}")
    api_server.answer({"kind": "Node"})
    with pytest.raises(OSError, match="more than 5 bytes"):
        cluster_api.read_answer(api._opener, request, most_bytes=5)


def test_an_answer_that_is_no_object_is_a_fault(api: ClusterApi, api_server: Server) -> None:
    api_server.answer([1])
    with pytest.raises(ValueError, match="no object"):
        api.read(NODES)


def test_a_ledger_is_written_as_one_key_of_its_config_map(api_server: Server, certificate: Path) -> None:
    cluster = LedgerCluster("/ledger", api=api_server.url, secrets=certificate)
    api_server.answer()
    cluster.write_ledger("spent")
    assert api_server.asked[-1] == ("PATCH", "/ledger", f"Bearer {TOKEN}", b'{"data": {"ledger": "spent"}}')
    api_server.answer({"data": {"ledger": "spent"}})
    assert cluster.read_ledger() == "spent"


def registered(program: str) -> OfflineRun:
    if program == "atoll-culler":
        return run_part("notebooks", notebooks.build, spec_with())
    spec = spec_with(specs.aws_cluster(), platform={"size": "full"}, ceiling={"usd_per_month": 250_000})
    return run("sample", program=lambda: build((spec,), ceiling=250_000) and None)


@pytest.mark.parametrize("program", ["atoll-culler", "spend-guard", "burn-in"])
def test_all_that_a_program_imports_is_mounted_in_its_pod(program: str, tmp_path: Path) -> None:
    found = registered(program)
    (files,) = [each.inputs["data"] for each in found.resources if (each.type, each.name) == (CONFIG_MAP, program)]
    (pod,) = [each.inputs for each in found.resources if each.type.endswith(":Deployment") and each.name == program]
    told: Any = pod
    spec = told["spec"]["template"]["spec"]
    assert isinstance(files, dict)
    for item in spec["volumes"][0]["configMap"]["items"]:
        file = tmp_path / item["path"]
        assert item["path"] == path_of(item["key"])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(str(files[item["key"]]))
    _, flag, module = spec["containers"][0]["command"]
    assert flag == "-m"
    code = f"import sys; sys.path.append({str(tmp_path)!r}); import {module}"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], cwd=tmp_path, check=True)
