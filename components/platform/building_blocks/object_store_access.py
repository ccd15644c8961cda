"""Object store of components and teams: endpoint, bucket and credentials, the same for every engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

import pulumi
import pulumi_kubernetes as kubernetes

from components.context.names import METADATA_ADDRESS, POD_IDENTITY_ADDRESS, namespace, workloads
from components.platform.building_blocks import network_policies
from components.platform.building_blocks.names import (
    AIRFLOW,
    AIRFLOW_ACCOUNTS,
    BUCKET_USERS,
    EDITOR,
    KUBEFLOW,
    S3_ADDRESS,
    Account,
)
from components.platform.building_blocks.objects import register_certificate
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.context.placement import PlatformBucket
    from components.platform.building_blocks.context import PlatformContext
    from planning.spec.cluster import ClusterSpec
    from planning.spec.platform import Platform


ALWAYS: Final[Mapping[str, str]] = {  # user: component that it belongs to
    "velero": "velero",
    "mlflow-database": "mlflow",
    "airflow-database": "airflow",
}
STORE_INSIDE: Final[Mapping[str, str]] = {"object-store": "object_store"}
STORE_AT_PROVIDER: Final[Mapping[str, str]] = {"loki": "loki", "tempo": "tempo", "mlflow": "mlflow"}
PROVIDER: Final = "provider"
# Parts whose pods run under several accounts, or under one that the part's own manifests make: they keep what they
# write below the part's name.
PARTS_AT_PROVIDER: Final[Mapping[str, tuple[Account, ...]]] = {
    "pipelines": (Account(KUBEFLOW, "ml-pipeline"),),
    "airflow": tuple(Account(AIRFLOW, name) for name in AIRFLOW_ACCOUNTS.values()),
}


class Visitor(NamedTuple):
    """Service accounts without annotations, and the prefixes of the bucket that they may use."""

    accounts: tuple[Account, ...]
    prefixes: tuple[str, ...]


def bucket_users(platform: Platform) -> dict[str, Account]:
    """User, whose name is its prefix in the bucket, to its service account."""
    by_store = STORE_AT_PROVIDER if platform.object_store == PROVIDER else STORE_INSIDE
    wanted = {**ALWAYS, **by_store}
    return {user: account for user, account in BUCKET_USERS.items() if platform.part(wanted.get(user, "")) is not None}


def list_visitors(spec: ClusterSpec) -> dict[str, Visitor]:
    """Other users of the provider's bucket: components, and the teams of each namespace."""
    platform = spec.platform
    if platform is None or platform.object_store != PROVIDER:
        return {}
    found = {
        part: Visitor(accounts, (part,))
        for part, accounts in PARTS_AT_PROVIDER.items()
        if platform.part(part) is not None
    }
    for workload in workloads(spec):
        teams = tuple(f"team-{team.name}" for team in platform.teams if workload in team.workloads)
        if teams:
            found[f"teams-{workload}"] = Visitor((Account(namespace(workload), EDITOR),), teams)
    return found


REGION: Final = "us-east-1"  # what MinIO and SeaweedFS answer to unless told otherwise
POD_PORTS: Final[Mapping[str, int]] = {"minio": 9000, "seaweedfs": 8443}  # of the pods behind `names.S3_ADDRESS`
CA_NAME: Final = "s3-ca"  # Secret, and Certificate, of `register_store_authority`
CA_KEY: Final = "ca.crt"
CA_FOLDER: Final = "/etc/s3-ca"  # in containers
GKE_METADATA_ADDRESS: Final = "169.254.169.252/32"  # of its network policies, beside METADATA_ADDRESS
# Agents on the node that give a pod its identity: EKS Pod Identity agent (docs.aws.amazon.com/eks, pod-id-agent),
# and the metadata server of GKE's workload identity (cloud.google.com/kubernetes-engine/docs, network policy of it).
# By the kind of identity; an existing cluster may have any. A node's own identity answers at the last of them, too.
IDENTITY_AGENTS: Final[Mapping[str, Mapping[str, int]]] = {
    "pod_identity": {POD_IDENTITY_ADDRESS: 80},
    "workload_identity": {GKE_METADATA_ADDRESS: 988, METADATA_ADDRESS: 80},
    "federation": {},
    "none": {POD_IDENTITY_ADDRESS: 80, GKE_METADATA_ADDRESS: 988, METADATA_ADDRESS: 80},
}


@dataclass(frozen=True, kw_only=True)
class ObjectStoreAccess:
    """One user's access to the object store.

    Args:
        endpoint: URL of the S3-compatible API.
        host: the same without its scheme: "s3.object-store.svc.cluster.local:9000".
        prefix: what every key must begin with, without slashes at its ends; "" where the bucket is the user's own.
        access_key: "" where the service account's identity gives access; `secret_key` likewise.
        ca_secret: Secret with the authority (`ca.crt`) of the endpoint's certificate; "" for a public one.
        scheme: of URIs: "s3", or "gs" where the provider's own API is spoken.
        path_style: whether the bucket is part of the path, and not of the host.
        annotations: what the user's service account carries.
    """

    endpoint: str
    host: str
    region: str
    bucket: pulumi.Input[str]
    prefix: str
    access_key: str
    secret_key: pulumi.Input[str] = field(repr=False)
    ca_secret: str
    scheme: str
    path_style: bool
    annotations: Mapping[str, pulumi.Input[str]] = field(default_factory=dict[str, "pulumi.Input[str]"])

    @property
    def keyless(self) -> bool:
        """Whether the pod's identity at the provider gives access."""
        return not self.access_key

    def list_authority_volumes(self, name: str) -> list[dict[str, object]]:
        """A volume with the certificate authority; none for a public one."""
        if not self.ca_secret:
            return []
        only = {"secretName": self.ca_secret, "items": [{"key": CA_KEY, "path": CA_KEY}]}
        return [{"name": name, "secret": only}]

    def list_authority_mounts(self, name: str, *, folder: str = CA_FOLDER) -> list[dict[str, object]]:
        """Mount of that volume in a container."""
        return [{"name": name, "mountPath": folder, "readOnly": True}] if self.ca_secret else []

    def build_uri(self, *folders: str) -> pulumi.Output[str]:
        """Where the user writes, as in "s3://bucket/prefix/folder"."""
        path = "/".join(each for each in (self.prefix, *folders) if each)
        return pulumi.Output.concat(f"{self.scheme}://", self.bucket, f"/{path}" if path else "")


def store_of(user: str, context: PlatformContext) -> ObjectStoreAccess:
    """Access of a user of `names.STORE_USERS`, or of "team-<name>".

    Raises:
        AtollError: the store is the provider's bucket, and there is none.
    """
    if context.platform.object_store == PROVIDER:
        return _at_provider(user, context.handle.bucket)
    return ObjectStoreAccess(
        endpoint=S3_ADDRESS,
        host=urlsplit(S3_ADDRESS).netloc,
        region=REGION,
        bucket=user,
        prefix="",
        access_key=user,
        secret_key=context.keyring.get_secret(f"s3-{user}"),
        ca_secret=CA_NAME,
        scheme="s3",
        path_style=True,
    )


def _at_provider(user: str, bucket: PlatformBucket | None) -> ObjectStoreAccess:
    if bucket is None:
        raise AtollError("the object store is the provider's, and the platform has no bucket there")
    return ObjectStoreAccess(
        endpoint=bucket.endpoint,
        host=urlsplit(bucket.endpoint).netloc,
        region=bucket.region,
        bucket=bucket.name,
        prefix=user,
        access_key="",
        secret_key="",
        ca_secret="",
        scheme=bucket.scheme,
        path_style=False,
        annotations=bucket.annotations.get(user, {}),
    )


def pod_port(context: PlatformContext) -> int:
    """Port of the store's pods, which network policies name."""
    return POD_PORTS[context.platform.object_store]


def register_store_authority(
    name: str, *, namespace: str, context: PlatformContext, parent: pulumi.Resource
) -> pulumi.Resource | None:
    """Brings the store's certificate authority into a namespace as Secret `s3-ca`, key `ca.crt`.

    Args:
        name: logical name.

    Returns:
        What has to be there before a pod mounts it; None where the store's certificate is a public one.
    """
    if context.platform.object_store == PROVIDER:
        return None
    fields = {"commonName": CA_NAME, "usages": ["client auth"]}
    # A cert-manager Secret always holds the authority that signed it; its own key pair serves for nothing.
    return register_certificate(CA_NAME, fields, namespace=namespace, parent=parent, logical=name)


def allow_bucket_egress(
    name: str, *, namespace: str, pods: Mapping[str, str], context: PlatformContext, parent: pulumi.Resource
) -> None:
    """Allow egress of pods to the provider's bucket, and to the agent that gives them their identity.

    For isolated namespaces: in any other these policies would deny all other egress.

    Args:
        name: as in "store-to-tier".
        pods: labels of the pods.
    """
    network_policies.allow_egress(name, namespace=namespace, pods=pods, parent=parent)
    agents = IDENTITY_AGENTS[context.handle.identity.kind]
    if not agents:
        return
    kubernetes.networking.v1.NetworkPolicy(
        f"{name}-identity",
        metadata={"name": f"{name}-identity", "namespace": namespace},
        spec={
            "pod_selector": {"match_labels": dict(pods)},
            "policy_types": ["Egress"],
            "egress": [
                {"to": [{"ip_block": {"cidr": cidr}}], "ports": [{"protocol": "TCP", "port": port}]}
                for cidr, port in agents.items()
            ],
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )
