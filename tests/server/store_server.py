"""MinIO as the platform sets it up, on loopback: one process for each node, TLS between them, our script run on it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import boto3
import requests
from botocore.config import Config
from control_plane import BIN, LOOPBACK, REPOSITORY, free_ports, write_secret
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from waiting import wait_until

from components.platform.building_blocks.object_store_access import REGION
from components.platform.stores.minio import dns_names, environment
from components.platform.stores.s3_policies import CONFIG, KEYS, METRICS_USER, ROOT_USER, documents, script
from operations.relocation.rehearsal.processes import stop
from planning.platform.erasure_coding import erasure_set

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

DAY: Final = timedelta(days=1)
ERASURE: Final = erasure_set(3)


@dataclass(frozen=True)
class StoreServer:
    """A running store and everything its users need.

    Args:
        processes: of its nodes.
    """

    folder: Path
    ports: tuple[int, ...]
    users: tuple[str, ...]
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list["subprocess.Popen[bytes]"])

    @contextlib.contextmanager
    def without_node(self) -> Generator[None]:
        """While it lasts, the last node is away, killed; it is back for the next test."""
        away = self.processes.pop()
        away.kill()
        away.wait()
        try:
            yield
        finally:
            self.processes.append(start_node(self.folder, self.ports, len(self.processes)))
            wait(self)

    @property
    def authority(self) -> Path:
        return self.folder / "ca.crt"

    @property
    def endpoint(self) -> str:
        return f"https://{LOOPBACK}:{self.ports[0]}"

    def key(self, user: str) -> str:
        return f"{user}-secret-key-of-40-characters-0123456789"[:40]

    def client(self, user: str) -> Any:
        return cast("Any", boto3).client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id=user,
            aws_secret_access_key=self.key(user),
            verify=str(self.authority),
            config=Config(s3={"addressing_style": "path"}, retries={"max_attempts": 2}),
        )

    def set_up(self) -> str:
        """Runs the script as the job does, with the client that is built from source; what it said."""
        text = (self.folder / "config" / "setup.sh").read_text(encoding="utf-8")
        found = subprocess.run(
            ["/bin/sh", "-c", text],
            env={
                "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(self.folder),
                "MC_CONFIG_DIR": str(self.folder / "mc"),
                "MC_HOST_store": f"https://{ROOT_USER}:{self.key(ROOT_USER)}@{LOOPBACK}:{self.ports[0]}",
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert found.returncode == 0, found.stdout[-2000:] + found.stderr[-2000:]
        return found.stdout


def build_store() -> int:
    """Build the server and its client, or find them up to date; the exit code of tools/build."""
    command = [sys.executable, str(REPOSITORY / "tools" / "build"), "minio", "mc"]
    return subprocess.run(command, check=False).returncode


@contextlib.contextmanager
def running_store(folder: Path, users: Sequence[str]) -> Generator[StoreServer]:
    """Start the nodes, wait until they hold together, give the store its users; stop them at the end."""
    ports = tuple(free_ports(ERASURE.nodes))
    write_certificates(folder)
    store = StoreServer(folder, ports, tuple(users))
    try:
        for at in range(ERASURE.nodes):
            store.processes.append(start_node(folder, ports, at))
        write_files(store)
        wait(store)
        store.set_up()
        yield store
    finally:
        for each in store.processes:
            stop(each)


def start_node(folder: Path, ports: Sequence[int], at: int) -> subprocess.Popen[bytes]:
    """One node with one drive, told of the others as the chart tells it."""
    home = folder / f"node-{at}"
    home.mkdir(parents=True, exist_ok=True)
    everybody = [f"https://{LOOPBACK}:{port}{folder}/node-{number}/drive" for number, port in enumerate(ports)]
    command = [str(BIN / "minio"), "server", *everybody, "-S", str(folder / "certs")]
    settings = {
        **environment(ERASURE),
        "MINIO_ROOT_USER": ROOT_USER,
        "MINIO_ROOT_PASSWORD": f"{ROOT_USER}-secret-key-of-40-characters-0123456789"[:40],
        "MINIO_CI_CD": "on",  # drives on the root disk of this machine
        "_MINIO_SERVER_LOCAL": f"{LOOPBACK}:{ports[at]}",  # inside a container it would wait for another address
        "HOME": str(home),
    }
    with (home / "log").open("ab") as log:
        return subprocess.Popen(
            [*command, "--address", f"{LOOPBACK}:{ports[at]}"], env=settings, stdout=log, stderr=log
        )


def wait(store: StoreServer) -> None:
    """Return when every node says that the store holds together."""

    def health() -> list[str]:
        return [status_of(f"https://{LOOPBACK}:{port}/minio/health/cluster", store.authority) for port in store.ports]

    logs = store.folder / "node-0" / "log"
    wait_until(health, lambda said: set(said) == {"200"}, what=f"MinIO is ready; its log is {logs}")


def status_of(url: str, authority: Path) -> str:
    """The status of an answer, or why there is none."""
    try:
        return str(requests.get(url, verify=str(authority), timeout=10).status_code)
    except requests.RequestException as error:
        return str(error)


def write_files(store: StoreServer) -> None:
    """Documents, script and keys as the job finds them."""
    config, keys = store.folder / "config", store.folder / "keys"
    config.mkdir()
    keys.mkdir()
    for name, text in documents(store.users, tiered=False).items():
        (config / name).write_text(text, encoding="utf-8")
    text = script(store.users, minio=True, tiered=False).replace(CONFIG, str(config)).replace(KEYS, str(keys))
    (config / "setup.sh").write_text(text, encoding="utf-8")
    for user in (*store.users, METRICS_USER):
        write_secret(keys / user, store.key(user))


def write_certificates(folder: Path) -> None:
    """An authority, and what cert-manager would put into the store's Secret, where the chart mounts it."""
    authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca = certificate("authority", authority_key, "authority", authority_key, names=[], authority=True)
    leaf = certificate("s3", key, "authority", authority_key, names=dns_names(), authority=False)
    certs = folder / "certs"
    (certs / "CAs").mkdir(parents=True)
    secret = {
        "ca.crt": ca.public_bytes(serialization.Encoding.PEM),
        "tls.crt": leaf.public_bytes(serialization.Encoding.PEM),
        "tls.key": key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
    }
    for name, content in secret.items():
        (certs / "CAs" / name).write_bytes(content)
    (certs / "public.crt").write_bytes(secret["tls.crt"])
    (certs / "private.key").write_bytes(secret["tls.key"])
    (folder / "ca.crt").write_bytes(secret["ca.crt"])
    (folder / "mc" / "certs" / "CAs").mkdir(parents=True)
    (folder / "mc" / "certs" / "CAs" / "ca.crt").write_bytes(secret["ca.crt"])


def certificate(
    subject: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    signer: ec.EllipticCurvePrivateKey,
    *,
    names: Sequence[str],
    authority: bool,
) -> x509.Certificate:
    now = datetime.now(UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY)
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    if names:
        also = [*(x509.DNSName(name) for name in names), x509.IPAddress(ip_address(LOOPBACK))]
        built = built.add_extension(x509.SubjectAlternativeName(also), critical=False)
    return built.sign(signer, hashes.SHA256())
