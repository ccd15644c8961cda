"""How pods reach the buckets on Google Cloud: by their own service account, with no key in any secret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.context.names import SERVICE_ACCOUNT, namespace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Read and write objects, and read the bucket itself, which the FUSE driver does before it mounts (GKE docs, GCS FUSE).
ROLES: Final = ("roles/storage.objectUser", "roles/storage.bucketViewer")


@dataclass(frozen=True, kw_only=True)
class BucketAccessArgs:
    """Who, and to what.

    Args:
        number: the project's number.
        workload_pool: issuer of the pods' identities.
        buckets: bucket names by purpose.
    """

    number: pulumi.Input[str]
    workload_pool: pulumi.Input[str]
    workloads: Sequence[str]
    buckets: Mapping[str, pulumi.Input[str]]


@final
class BucketAccess(pulumi.ComponentResource):
    """The service account `workload` of each workload's namespace may read and write objects.

    Rights are given to the Kubernetes account itself: there is no Google account between, and nothing to annotate.
    """

    def __init__(self, name: str, args: BucketAccessArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:access:BucketAccess", name, {"workloads": list(args.workloads)}, opts)
        for workload in args.workloads:
            for purpose, bucket in args.buckets.items():
                for role in ROLES:
                    gcp.storage.BucketIAMMember(
                        f"{workload}-{purpose}-{role.rpartition('.')[2]}",
                        bucket=bucket,
                        role=role,
                        member=principal(workload, number=args.number, workload_pool=args.workload_pool),
                        opts=pulumi.ResourceOptions(parent=self),
                    )
        self.register_outputs({})


def principal(workload: str, *, number: pulumi.Input[str], workload_pool: pulumi.Input[str]) -> pulumi.Output[str]:
    """A workload's service account as IAM names it."""
    return principal_of((namespace(workload), SERVICE_ACCOUNT), number=number, workload_pool=workload_pool)


def principal_of(
    account: tuple[str, str], *, number: pulumi.Input[str], workload_pool: pulumi.Input[str]
) -> pulumi.Output[str]:
    """A service account, by namespace and name, as IAM names it (docs.cloud.google.com/iam, principal identifiers)."""
    return pulumi.Output.concat(
        "principal://iam.googleapis.com/projects/",
        number,
        "/locations/global/workloadIdentityPools/",
        workload_pool,
        f"/subject/ns/{account[0]}/sa/{account[1]}",
    )
