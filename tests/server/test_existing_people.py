"""`atoll access` against a real API server: what is signed opens what the checklist says, for as long as it says."""

from __future__ import annotations

import base64
import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key
from existing_plan import EXAMPLE, accepted, atoll

from operations.clouds.kubernetes.certificates import SIGNER, ClusterSigner
from operations.handbook.user_kubeconfig import issue_kubeconfig
from planning.checklist.model.people import User
from planning.spec.lock import read_lock

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Applied
    from control_plane import ControlPlane
    from kube_client import KubeClient

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
NODES, SECRETS, PODS = "/api/v1/nodes", "/api/v1/secrets", "/api/v1/namespaces/work-protein-13b/pods"


@pytest.fixture
def administrator(control_plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An administrator's environment beside the accepted example."""
    folder = accepted(tmp_path)
    named = tmp_path / "kubeconfig"
    named.write_text(control_plane.kubeconfig.read_text().replace("atoll-test", "tern-prod"))
    monkeypatch.setenv("TERN_KUBECONFIG", str(named))
    return folder


def certificate(kubeconfig: dict[str, Any]) -> x509.Certificate:
    (user,) = kubeconfig["users"]
    return x509.load_pem_x509_certificate(base64.b64decode(user["user"]["client-certificate-data"]))


def answers(kubeconfig: dict[str, Any], plane: ControlPlane, folder: Path) -> dict[str, int]:
    """What the API server says to whoever holds that kubeconfig, by path."""
    (user,) = kubeconfig["users"]
    files = (folder / "client.crt", folder / "client.key")
    for path, name in zip(files, ("client-certificate-data", "client-key-data"), strict=True):
        path.write_bytes(base64.b64decode(user["user"][name]))
    server = kubeconfig["clusters"][0]["cluster"]["server"]
    pair = (str(files[0]), str(files[1]))
    return {
        path: requests.get(server + path, cert=pair, verify=str(plane.authority), timeout=30).status_code
        for path in (NODES, SECRETS, PODS)
    }


def test_an_admin_is_let_in_for_the_hours_asked_and_reads_no_secret(
    administrator: Path, control_plane: ControlPlane, kube: KubeClient, example: Applied, tmp_path: Path
) -> None:
    assert example.objects
    made = json.loads(atoll("access", EXAMPLE, "--user", "wren", "--hours", "2", folder=administrator))
    signed = certificate(made)
    spent = signed.not_valid_after_utc - signed.not_valid_before_utc
    assert timedelta(hours=2) <= spent < timedelta(hours=2, minutes=10)
    assert answers(made, control_plane, tmp_path) == {NODES: 200, SECRETS: 403, PODS: 200}
    left = kube.request("GET", REQUESTS).json()["items"]
    assert not [each for each in left if each["spec"]["signerName"] == SIGNER]


def test_an_engineer_is_let_into_the_workload_and_a_stranger_nowhere(
    administrator: Path, control_plane: ControlPlane, example: Applied, tmp_path: Path
) -> None:
    assert example.objects
    spec = read_lock(administrator / f"stacks/{EXAMPLE}/quote.lock.json").spec
    assert spec.existing is not None
    teal = User(name="teal", email="teal@tern-bio.example")
    made = json.loads(issue_kubeconfig(teal, spec, hours=1, signer=ClusterSigner(spec.existing)))
    assert answers(made, control_plane, tmp_path) == {NODES: 200, SECRETS: 403, PODS: 200}
    (context,) = made["contexts"]
    assert context["context"]["namespace"] == "work-protein-13b"
    made["users"][0]["user"] = _stranger(made["users"][0]["user"])
    assert set(answers(made, control_plane, tmp_path).values()) == {401}


def _stranger(user: dict[str, str]) -> dict[str, str]:
    """The same key under a certificate that it signed itself."""
    key = load_pem_private_key(base64.b64decode(user["client-key-data"]), password=None)
    assert isinstance(key, EllipticCurvePrivateKey)
    old = x509.load_pem_x509_certificate(base64.b64decode(user["client-certificate-data"]))
    own = x509.CertificateBuilder(
        old.subject, old.subject, key.public_key(), 1, old.not_valid_before_utc, old.not_valid_after_utc
    ).sign(key, hashes.SHA256())
    return {**user, "client-certificate-data": base64.b64encode(own.public_bytes(Encoding.PEM)).decode()}
