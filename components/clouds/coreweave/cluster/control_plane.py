"""The control plane on CoreWeave: CKS, private unless the stack's configuration opens it."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_coreweave as coreweave

from components.clouds.coreweave.network.vpc import BALANCERS, PODS, SERVICES, short_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.spec.cluster import Placement

TOKEN_ENV: Final = "COREWEAVE_API_TOKEN"  # noqa: S105 - the name of the variable, read by the provider too
GROUPS: Final = "atoll:"  # what the names of groups with rights inside begin with
# Who did what to which object; never what secrets hold. The policy is ours, its form is Kubernetes' audit.k8s.io/v1.
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


@dataclass(frozen=True, kw_only=True)
class ClusterArgs:
    """What the control plane needs.

    Args:
        public_api: the endpoint is reachable from the internet, by whoever has a token.
        issuer, client: of the customer's OpenID Connect; "" for none.
        charges: declared charges of its logs.
    """

    placement: Placement
    kubernetes_version: str
    zone: str
    vpc_id: pulumi.Input[str]
    public_api: bool
    issuer: str
    client: str
    charges: Sequence[dict[str, object]]


@final
class Cluster(pulumi.ComponentResource):
    """A CKS cluster with an audit log.

    Attributes:
        kubeconfig: holds no credential: the token is read from the environment when somebody signs in.
        open_id_server: where the customer's own tokens are taken; "" without an issuer of theirs.
        issuer: URL of the issuer of its service accounts' tokens, which object storage trusts.
    """

    name: str
    kubeconfig: pulumi.Output[str]
    open_id_server: pulumi.Input[str]
    issuer: pulumi.Output[str]

    def __init__(self, name: str, args: ClusterArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:cluster:Cluster", name, _facts(args), opts)
        self.name = short_name(args.placement)
        cluster = coreweave.CksCluster(
            "cluster",
            name=self.name,
            zone=args.zone,
            vpc_id=args.vpc_id,
            version=f"v{args.kubernetes_version}",
            public=args.public_api,
            oidc=_sign_on(args),
            pod_cidr_name=PODS,
            service_cidr_name=SERVICES,
            internal_lb_cidr_names=[BALANCERS],
            audit_policy=b64encode(AUDIT_POLICY.encode()).decode(),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.kubeconfig = kubeconfig(self.name, endpoint=cluster.api_server_endpoint)
        self.open_id_server = cluster.api_server_endpoint.apply(build_unmanaged_endpoint) if args.issuer else ""
        self.issuer = cluster.service_account_oidc_issuer_url
        self.register_outputs({"name": self.name})


def _facts(args: ClusterArgs) -> dict[str, object]:
    return {
        "provider": args.placement.provider,
        "region": args.placement.region,
        "kubernetesVersion": args.kubernetes_version,
        "publicApi": args.public_api,
        "charges": list(args.charges),
    }


def _sign_on(args: ClusterArgs) -> coreweave.CksClusterOidcArgsDict | None:
    """People by their mail address, with the groups that rights inside the cluster are given to."""
    if not args.issuer:
        return None
    return {
        "issuer_url": args.issuer,
        "client_id": args.client,
        "username_claim": "email",
        "username_prefix": GROUPS,
        "groups_claim": "groups",
        "groups_prefix": GROUPS,
    }


def kubeconfig(name: str, *, endpoint: pulumi.Input[str]) -> pulumi.Output[str]:
    """The kubeconfig as JSON, which is YAML too; CoreWeave's API token signs in (its Managed Auth)."""
    server = pulumi.Output.from_input(endpoint).apply(with_scheme)
    return pulumi.Output.json_dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": {"server": server}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": "token"}}],
            "current-context": name,
            "users": [{"name": "token", "user": {"exec": _sign_in()}}],
        }
    )


def with_scheme(endpoint: str) -> str:
    """The endpoint as a URL; the API names the host alone."""
    return endpoint if endpoint.startswith("https://") else f"https://{endpoint}"


def build_unmanaged_endpoint(endpoint: str) -> str:
    """The second address of the same API, where tokens of others are taken (docs.coreweave.com, Unmanaged auth)."""
    return f"https://api.{endpoint.removeprefix('https://')}"


def _sign_in() -> Mapping[str, object]:
    credential = '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}'
    return {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "sh",
        "args": [
            "-c",
            f"printf '{credential}' \"${{{TOKEN_ENV}:?}}\"",
        ],  # a missing token says so and is no anonymous call
        "interactiveMode": "Never",
        "installHint": f"export {TOKEN_ENV}=<an API access token of the CoreWeave console>",
    }
