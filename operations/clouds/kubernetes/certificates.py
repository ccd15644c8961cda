"""Certificates of a cluster's own authority, asked for and approved with an administrator's kubeconfig."""

from __future__ import annotations

import os
import secrets
import time
from base64 import b64decode, b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast, final

from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

from components.clouds.existing.cluster.kubeconfig import read
from operations.clouds.kubernetes.client import MISSHAPEN, SILENT, UNUSABLE
from planning.inputs.files import read_content, read_text
from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planning.spec.cluster import ExistingCluster

# kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests: whoever may approve for this signer
# hands out any group, so the caller must be an administrator.
SIGNER: Final = "kubernetes.io/kube-apiserver-client"
PATIENCE_S: Final = 30.0
EACH_S: Final = 0.5
TIMEOUT_S: Final = (5, 20)
REFUSED: Final = (*SILENT, *UNUSABLE, ValueError)


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
        load = cast("Callable[..., client.ApiClient]", config.new_client_from_config)  # pyright: ignore[reportUnknownMemberType]
        try:
            self._kubeconfig = read(read_text(path), context=existing.context, variable=variable, path=path)
            api = load(config_file=str(path), context=self._kubeconfig.context, persist_config=False)
        except (*REFUSED, *MISSHAPEN) as error:
            raise InputError(f"the kubeconfig that {variable} names cannot be used") from error
        self._certificates = client.CertificatesV1Api(api)

    @property
    def cluster(self) -> Mapping[str, object]:
        """Where that kubeconfig leads; a file of the cluster's authority is taken in."""
        found = dict(self._kubeconfig.cluster)
        file = found.pop("certificate-authority", None)
        if file is not None:
            octets = read_content(self._kubeconfig.path.parent / str(file))
            found["certificate-authority-data"] = b64encode(octets).decode()
        return found

    def sign(self, request: bytes, *, user: str, seconds: int) -> bytes:
        """The certificate for a request.

        Raises:
            AtollError: the cluster refuses, or nobody in it signs.
        """
        name = f"atoll-{user}-{secrets.token_hex(4)}"
        try:
            self._ask(name, request, seconds=seconds)
            certificate = self._wait(name)
            self._certificates.delete_certificate_signing_request(name, _request_timeout=TIMEOUT_S)
        except REFUSED as error:
            raise AtollError(f"the cluster does not sign a certificate for {user}: {_why(error)}") from error
        return certificate

    def _ask(self, name: str, request: bytes, *, seconds: int) -> None:
        body = client.V1CertificateSigningRequest(
            metadata=client.V1ObjectMeta(name=name, labels={"app.kubernetes.io/managed-by": "atoll"}),
            spec=client.V1CertificateSigningRequestSpec(
                request=b64encode(request).decode(),
                signer_name=SIGNER,
                expiration_seconds=seconds,
                usages=["client auth"],
            ),
        )
        made = self._certificates.create_certificate_signing_request(body, _request_timeout=TIMEOUT_S)
        yes = client.V1CertificateSigningRequestCondition(
            type="Approved", status="True", reason="AtollAccess", message="asked for by an administrator"
        )
        made.status = client.V1CertificateSigningRequestStatus(conditions=[yes])
        self._certificates.replace_certificate_signing_request_approval(name, made, _request_timeout=TIMEOUT_S)

    def _wait(self, name: str) -> bytes:
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            found = self._certificates.read_certificate_signing_request(name, _request_timeout=TIMEOUT_S)
            if found.status is not None and found.status.certificate:
                return b64decode(found.status.certificate)
            time.sleep(EACH_S)
        raise AtollError(
            f"nobody in the cluster signed within {PATIENCE_S:.0f} s",
            hint=f"its provider switched the signer {SIGNER} off: use the provider's own sign-in",
        )


def _why(error: Exception) -> str:
    """Reason that the API gave, else what kind of fault it is."""
    return f"answer {error}".splitlines()[0] if isinstance(error, ApiException) else type(error).__name__
