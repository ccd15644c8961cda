"""The control plane on CoreWeave: CKS, private unless the stack's configuration opens it."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_coreweave as coreweave

from components.clouds.coreweave.network.vpc import BALANCERS, PODS, SERVICES, short_name
from components.context.kubeconfig import KubeconfigContext, build_kubeconfig

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.clouds.coreweave.cluster.settings import CoreWeaveSettings
    from components.context.placement import PlacementContext

TOKEN_ENV: Final = "COREWEAVE_API_TOKEN"  # noqa: S105 - the name of the variable, read by the provider too
GROUPS: Final = "atoll:"  # prefix of groups that have rights inside
# Metadata of requests, never the content of secrets, in Kubernetes' format (audit.k8s.io/v1).
AUDIT_POLICY: Final = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  verbs: [get, list, watch]
  resources: [{group: "", resources: [events]}]
- level: Metadata
"""


@final
class Cluster(pulumi.ComponentResource):
    """A CKS cluster with an audit log.

    Attributes:
        kubeconfig: holds no credential: the token is read from the environment at sign-in.
        open_id_server: API address for tokens of the customer's issuer; "" without one.
        issuer: URL of the issuer of service account tokens, which object storage trusts.
    """

    name: str
    kubeconfig: pulumi.Output[str]
    open_id_server: pulumi.Input[str]
    issuer: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        site: PlacementContext,
        *,
        settings: CoreWeaveSettings,
        vpc_id: pulumi.Input[str],
        opts: pulumi.ResourceOptions,
    ) -> None:
        facts = {"kubernetesVersion": site.spec.kubernetes_version, "publicApi": settings.public_api}
        charges = site.ledger.claim("cluster")
        super().__init__("atoll:cluster:Cluster", name, site.describe(**facts, charges=charges), opts)
        self.name = short_name(site.placement)
        cluster = coreweave.CksCluster(
            "cluster",
            name=self.name,
            zone=settings.zone,
            vpc_id=vpc_id,
            version=f"v{site.spec.kubernetes_version}",
            public=settings.public_api,
            oidc=_sign_on(settings),
            pod_cidr_name=PODS,
            service_cidr_name=SERVICES,
            internal_lb_cidr_names=[BALANCERS],
            audit_policy=b64encode(AUDIT_POLICY.encode()).decode(),
            opts=pulumi.ResourceOptions(parent=self),
        )
        endpoint = cluster.api_server_endpoint
        # CoreWeave's API token signs in (its Managed Auth).
        contexts = [KubeconfigContext(name=self.name, user="token", sign_in=_sign_in())]
        self.kubeconfig = build_kubeconfig(self.name, contexts, server=endpoint.apply(with_scheme))
        self.open_id_server = endpoint.apply(build_unmanaged_endpoint) if settings.issuer else ""
        self.issuer = cluster.service_account_oidc_issuer_url
        self.register_outputs({"name": self.name})


def _sign_on(settings: CoreWeaveSettings) -> coreweave.CksClusterOidcArgsDict | None:
    """Users by their email address, with the groups that have rights inside the cluster."""
    if not settings.issuer:
        return None
    return {
        "issuer_url": settings.issuer,
        "client_id": settings.client,
        "username_claim": "email",
        "username_prefix": GROUPS,
        "groups_claim": "groups",
        "groups_prefix": GROUPS,
    }


def with_scheme(endpoint: str) -> str:
    """The endpoint as a URL."""
    # The API answers with the host alone.
    return endpoint if endpoint.startswith("https://") else f"https://{endpoint}"


def build_unmanaged_endpoint(endpoint: str) -> str:
    """The second address of the API, for tokens of other issuers (docs.coreweave.com, Unmanaged auth)."""
    return f"https://api.{endpoint.removeprefix('https://')}"


def _sign_in() -> Mapping[str, object]:
    credential = '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}'
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "sh",
        "args": [
            "-c",
            f"printf '{credential}' \"${{{TOKEN_ENV}:?}}\"",
        ],  # a missing token is an error, not an anonymous call
        "interactiveMode": "Never",
        "installHint": f"export {TOKEN_ENV}=<an API access token of the CoreWeave console>",
    }
    return {"exec": plugin}
