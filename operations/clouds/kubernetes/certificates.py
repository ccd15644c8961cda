"""Certificates of a cluster's own authority, asked for and approved with an administrator's kubeconfig."""

from __future__ import annotations

import os
import secrets
import time
from base64 import b64decode, b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from components.clouds.existing.cluster.kubeconfig import read
from operations.clouds.kubernetes.client import UNUSABLE, KubernetesClient, open_api, parse_object
from operations.clouds.kubernetes.objects import ClusterError, value_at
from planning.inputs.files import read_content, read_text
from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.spec.cluster import ExistingCluster

# kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests: whoever may approve for this signer
# hands out any group, so the caller must be an administrator.
SIGNER: Final = "kubernetes.io/kube-apiserver-client"
PATIENCE_S: Final = 30.0
EACH_S: Final = 0.5
PATH: Final = "/apis/certificates.k8s.io/v1/certificatesigningrequests"


@final
class ClusterSigner:
    """The signer of the cluster that a kubeconfig reaches.

    Args:
        existing: which variable names the kubeconfig, and which context of it is meant.

    Raises:
        InputError: the kubeconfig cannot be used.
    """

    def __init__(self, existing: ExistingCluster) -> None:
        variable = existing.kubeconfig_env
        named = os.environ.get(variable, "")
        if not named:
            raise InputError(
                f"{variable} is not set, and it names the kubeconfig of an administrator",
                hint=f"export {variable}=<path of the kubeconfig>",
            )
        path = Path(named.split(os.pathsep)[0]).expanduser()
        try:
            self._kubeconfig = read(read_text(path), context=existing.context, variable=variable, path=path)
            self._cluster = KubernetesClient(open_api(named, context=self._kubeconfig.context))
        except UNUSABLE as error:
            raise InputError(f"the kubeconfig that {variable} names cannot be used") from error

    @property
    def cluster(self) -> Mapping[str, object]:
        """Where that kubeconfig leads; a file of the cluster's authority is taken in."""
        found = dict(self._kubeconfig.cluster)
        file = found.pop("certificate-authority", None)
        if file is not None:
            # Taken in, for the person's kubeconfig is written to another folder, or sent.
            octets = read_content(self._kubeconfig.path.parent / str(file))
            found["certificate-authority-data"] = b64encode(octets).decode()
        return found

    def sign(self, request: bytes, *, user: str, seconds: int) -> bytes:
        """The certificate for a request.

        Raises:
            AtollError: the cluster refuses, or no signer answers in time.
        """
        name = f"atoll-{user}-{secrets.token_hex(4)}"
        try:
            self._request(name, request, seconds=seconds)
            certificate = self._await_certificate(name)
            self._cluster.delete(f"{PATH}/{name}")
        except ClusterError as error:
            raise AtollError(f"the cluster does not sign a certificate for {user}: {error}") from error
        return certificate

    def _request(self, name: str, request: bytes, *, seconds: int) -> None:
        body = {
            "apiVersion": "certificates.k8s.io/v1",
            "kind": "CertificateSigningRequest",
            "metadata": {"name": name, "labels": {"app.kubernetes.io/managed-by": "atoll"}},
            "spec": {
                "request": b64encode(request).decode(),
                "signerName": SIGNER,
                "expirationSeconds": seconds,
                "usages": ["client auth"],
            },
        }
        _, content = self._cluster.request("POST", PATH, body=body)
        approved = {
            "type": "Approved",
            "status": "True",
            "reason": "AtollAccess",
            "message": "asked for by an administrator",
        }
        document = {**parse_object(content), "status": {"conditions": [approved]}}
        self._cluster.request("PUT", f"{PATH}/{name}/approval", body=document)

    def _await_certificate(self, name: str) -> bytes:
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            found = value_at(self._cluster.get(f"{PATH}/{name}") or {}, ("status", "certificate"))
            if isinstance(found, str) and found:
                return b64decode(found)
            time.sleep(EACH_S)
        raise AtollError(
            f"no signer of the cluster issued the certificate within {PATIENCE_S:.0f} s",
            hint=f"its provider switched the signer {SIGNER} off: use the provider's own sign-in",
        )
