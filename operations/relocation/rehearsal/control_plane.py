"""A Kubernetes control plane on loopback: etcd, API server, controllers, scheduler and kwok, with one credential.

No kubelet: kwok plays every node that is made and says that the pods there run. What it judges is admission,
validation, defaults, RBAC, quotas and where a pod lands, never what a container does.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import sys
import time
from base64 import encodebytes
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import run
from typing import TYPE_CHECKING, Final

import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from operations.relocation.rehearsal.processes import (
    BIN,
    LOOPBACK,
    REPOSITORY,
    SERVERS,
    Child,
    ServerError,
    free_ports,
    start_child,
    write_secret,
)

if TYPE_CHECKING:
    from collections.abc import Generator


READY_WITHIN: Final = 300.0  # seconds; a quiet machine needs about ten
STAGES: Final = Path(__file__).with_name("kwok_stages.yaml")
ACCOUNT_KEY: Final = "service-account.key"
SIGNING_KEY: Final = "signing.key"
SIGNING_CERTIFICATE: Final = "signing.crt"
TOKENS: Final = "tokens.csv"
READY: Final = "/readyz"
ACCOUNT: Final = "/api/v1/namespaces/default/serviceaccounts/default"  # pods need it, and a controller makes it
P256_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


@dataclass(frozen=True, slots=True)
class ControlPlane:
    """Address of a running control plane, and its cluster-admin credential."""

    url: str
    token: str
    authority: Path
    kubeconfig: Path


def build() -> int:
    """Build the servers; the exit code of tools/build."""
    wanted = [sys.executable, str(REPOSITORY / "tools" / "build"), *SERVERS]
    return run(wanted, check=False).returncode  # noqa: S603 - our own builder


@contextlib.contextmanager
def start_control_plane(folder: Path) -> Generator[ControlPlane]:
    """Start the servers with state and logs in a folder, wait until they are ready, and stop them at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    etcd_port, peer_port, port = free_ports(3)
    plane = ControlPlane(
        url=f"https://{LOOPBACK}:{port}",
        token=secrets.token_urlsafe(32),
        authority=folder / "certificates" / "apiserver.crt",
        kubeconfig=folder / "kubeconfig",
    )
    write_secret(folder / ACCOUNT_KEY, service_account_key())
    write_authority(folder)
    write_secret(folder / TOKENS, f"{plane.token},admin,admin,system:masters\n")
    write_secret(plane.kubeconfig, kubeconfig(plane))
    store = f"http://{LOOPBACK}:{etcd_port}"
    with contextlib.ExitStack() as stack:
        started = [
            stack.enter_context(_server(etcd(folder, store, f"http://{LOOPBACK}:{peer_port}"), folder)),
            stack.enter_context(_server(api_server(folder, store, port), folder)),
        ]
        wait(plane, started, READY, "is not ready")
        others = (controllers(folder, plane), scheduler(plane), nodes_player(plane))
        started.extend(stack.enter_context(_server(command, folder)) for command in others)
        wait(plane, started, ACCOUNT, "has no working controllers")
        yield plane


def etcd(folder: Path, clients: str, peers: str) -> list[str]:
    """A store, etcd, without durability."""
    return [
        "etcd",
        f"--data-dir={folder / 'etcd'}",
        f"--listen-client-urls={clients}",
        f"--advertise-client-urls={clients}",
        f"--listen-peer-urls={peers}",
        f"--initial-advertise-peer-urls={peers}",
        f"--initial-cluster=default={peers}",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def api_server(folder: Path, store: str, port: int) -> list[str]:
    """API server with the default admission and a self-signed certificate for loopback."""
    return [
        "kube-apiserver",
        f"--etcd-servers={store}",
        f"--bind-address={LOOPBACK}",
        f"--advertise-address={LOOPBACK}",
        f"--secure-port={port}",
        f"--cert-dir={folder / 'certificates'}",
        f"--token-auth-file={folder / TOKENS}",
        f"--client-ca-file={folder / SIGNING_CERTIFICATE}",
        "--authorization-mode=Node,RBAC",
        "--allow-privileged=true",  # so that it is the namespace's label that refuses a privileged pod
        "--endpoint-reconciler-type=none",  # it would refuse to publish a loopback address
        "--service-cluster-ip-range=10.0.0.0/16",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={folder / ACCOUNT_KEY}",
        f"--service-account-signing-key-file={folder / ACCOUNT_KEY}",
    ]


def controllers(folder: Path, plane: ControlPlane) -> list[str]:
    """Controllers: service accounts, quotas, deletion of namespaces, certificates for people."""
    return [
        "kube-controller-manager",
        f"--kubeconfig={plane.kubeconfig}",
        f"--service-account-private-key-file={folder / ACCOUNT_KEY}",
        f"--root-ca-file={plane.authority}",
        f"--cluster-signing-cert-file={folder / SIGNING_CERTIFICATE}",
        f"--cluster-signing-key-file={folder / SIGNING_KEY}",
        "--leader-elect=false",
        # No port and no lease: there is one of it, and nobody asks it anything.
        "--secure-port=0",
    ]


def scheduler(plane: ControlPlane) -> list[str]:
    return ["kube-scheduler", f"--kubeconfig={plane.kubeconfig}", "--leader-elect=false", "--secure-port=0"]


def nodes_player(plane: ControlPlane) -> list[str]:
    """The simulator kwok for every node: it renews leases and moves pods on by the configured stages."""
    return [
        "kwok",
        f"--kubeconfig={plane.kubeconfig}",
        f"--config={STAGES}",
        "--manage-all-nodes",
        "--node-lease-duration-seconds=40",
    ]


def _server(command: list[str], folder: Path) -> contextlib.AbstractContextManager[Child]:
    return start_child([str(BIN / command[0]), *command[1:]], log=folder / f"{command[0]}.log")


def service_account_key() -> str:
    """A new P-256 private key in PEM."""
    scalar = (secrets.randbelow(P256_ORDER - 1) + 1).to_bytes(32, "big")
    # SEC 1 allows to leave out the public point, so that no library has to compute it.
    der = bytes.fromhex("30310201010420") + scalar + bytes.fromhex("a00a06082a8648ce3d030107")
    return f"-----BEGIN EC PRIVATE KEY-----\n{encodebytes(der).decode()}-----END EC PRIVATE KEY-----\n"


def write_authority(folder: Path) -> None:
    """Certificate authority for people, valid for a day."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "people")])
    now = datetime.now(UTC)
    built = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(hours=1), now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    octets = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    write_secret(folder / SIGNING_KEY, octets.decode())
    write_secret(folder / SIGNING_CERTIFICATE, built.public_bytes(pem).decode())


def kubeconfig(plane: ControlPlane) -> str:
    """Kubeconfig in JSON, which is YAML."""
    name = "atoll-test"
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {"name": name, "cluster": {"server": plane.url, "certificate-authority": str(plane.authority)}}
            ],
            "users": [{"name": name, "user": {"token": plane.token}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
            "current-context": name,
        },
        indent=2,
    )


def wait(plane: ControlPlane, servers: list[Child], path: str, otherwise: str) -> None:
    """Poll a path until it answers, while the servers run and time is left."""
    until = time.monotonic() + READY_WITHIN
    while time.monotonic() < until:
        for each in servers:
            each.check()
        if plane.authority.exists():
            with contextlib.suppress(requests.RequestException):
                headers = {"Authorization": f"Bearer {plane.token}"}
                if requests.get(plane.url + path, headers=headers, verify=str(plane.authority), timeout=5).ok:
                    return
        time.sleep(0.1)
    raise ServerError(f"the API server {otherwise} after {READY_WITHIN:.0f} s; logs in {servers[0].log.parent}")
