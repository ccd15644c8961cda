"""Kubeconfigs with a short-lived client certificate, whose names are a user and their groups."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import TYPE_CHECKING, Final, Protocol

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from components.context.names import namespace, workloads
from components.tenancy.workload import EVERYWHERE, group_of
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.checklist.model.people import User
    from planning.spec.cluster import ClusterSpec

CERTIFICATE: Final = "client-certificate-data"
KEY: Final = "client-key-data"


class CertificateSigner(Protocol):
    """Whoever signs for the cluster."""

    @property
    def cluster(self) -> Mapping[str, object]:
        """Where the cluster is and how it is known, as a kubeconfig says it."""
        ...

    def sign(self, request: bytes, *, user: str, seconds: int) -> bytes:
        """The certificate for a request, both PEM.

        Raises:
            AtollError: the cluster does not sign.
        """
        ...


def find_user(spec: ClusterSpec, name: str) -> User:
    """Raises: InputError: the lock has no user of that name."""
    users = {user.name: user for user in spec.access.users}
    if name not in users:
        raise InputError(
            f"the lock has no user {name!r}; its users: {', '.join(users) or 'none'}",
            hint="add the user to access.users, then accept again",
        )
    return users[name]


def list_user_workloads(user: User, spec: ClusterSpec) -> tuple[str, ...]:
    return tuple(each for each in workloads(spec) if not user.workloads or each in user.workloads)


def groups(user: User, spec: ClusterSpec) -> tuple[str, ...]:
    """Groups of a user, as the cluster's bindings name them."""
    if user.group == EVERYWHERE:
        return (group_of(EVERYWHERE, workload=""),)
    return tuple(group_of(user.group, workload=each) for each in list_user_workloads(user, spec))


def issue_kubeconfig(user: User, spec: ClusterSpec, *, hours: int, signer: CertificateSigner) -> str:
    """A kubeconfig that works for `hours`.

    Raises:
        InputError: the user has no workload here.
        AtollError: the cluster does not sign.
    """
    held = groups(user, spec)
    # A certificate without a group would sign in and be refused everything.
    if not held:
        raise InputError(f"{user.name} has no workload in this cluster", hint="name one in access.users[].workloads")
    # Made here, so that it is in no cluster and no log: only the request is sent.
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = signer.sign(_request(key, user=user.name, held=held), user=user.name, seconds=hours * 3600)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return _kubeconfig(
        signer.cluster, user=user.name, places=list_user_workloads(user, spec), certificate=certificate, key=private
    )


def _request(key: ec.EllipticCurvePrivateKey, *, user: str, held: Sequence[str]) -> bytes:
    """Kubernetes reads the user from the common name and the groups from the organisations."""
    names = [x509.NameAttribute(NameOID.COMMON_NAME, user)]
    names += [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in held]
    request = x509.CertificateSigningRequestBuilder().subject_name(x509.Name(names)).sign(key, hashes.SHA256())
    return request.public_bytes(serialization.Encoding.PEM)


def _kubeconfig(
    cluster: Mapping[str, object], *, user: str, places: Sequence[str], certificate: bytes, key: bytes
) -> str:
    contexts = [
        {"name": each, "context": {"cluster": "atoll", "user": user, "namespace": namespace(each)}} for each in places
    ]
    whole = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "atoll", "cluster": dict(cluster)}],
        "contexts": contexts or [{"name": "atoll", "context": {"cluster": "atoll", "user": user}}],
        "current-context": places[0] if places else "atoll",
        "users": [{"name": user, "user": {CERTIFICATE: _in_base64(certificate), KEY: _in_base64(key)}}],
    }
    return json.dumps(whole, indent=2) + "\n"


def _in_base64(octets: bytes) -> str:
    return b64encode(octets).decode()
