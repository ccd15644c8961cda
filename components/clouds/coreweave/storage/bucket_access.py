"""Who may use the buckets on CoreWeave: the workloads' own service accounts, by the tokens of their cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_coreweave as coreweave

from components.context.names import SERVICE_ACCOUNT, namespace
from components.context.naming import physical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.spec.cluster import Placement

ACTIONS: Final = ("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:ListBucket", "s3:AbortMultipartUpload")


@dataclass(frozen=True, kw_only=True)
class BucketAccessArgs:
    """Who, and to which buckets.

    Args:
        issuer: URL that signs the tokens of the cluster's service accounts.
    """

    placement: Placement
    workloads: Sequence[str]
    buckets: Sequence[pulumi.Input[str]]
    issuer: pulumi.Input[str]


@final
class BucketAccess(pulumi.ComponentResource):
    """One access policy of the organisation for this cluster: nobody else gains anything by it."""

    def __init__(self, name: str, args: BucketAccessArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.placement.provider, "region": args.placement.region}
        super().__init__("atoll:access:BucketAccess", name, facts, opts)
        if args.workloads:
            coreweave.ObjectStorageOrganizationAccessPolicy(
                "workloads",
                name=physical(args.placement, "workloads"),
                statements=[
                    {
                        "name": "workloads",
                        "effect": "Allow",
                        "actions": list(ACTIONS),
                        "principals": [_role(args.issuer, workload) for workload in args.workloads],
                        "resources": list(args.buckets),
                    }
                ],
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({})


def _role(issuer: pulumi.Input[str], workload: str) -> pulumi.Output[str]:
    """The role that a token exchange gives: issuer and subject (docs.coreweave.com, Use WIF with OIDC)."""
    subject = f"system:serviceaccount:{namespace(workload)}:{SERVICE_ACCOUNT}"
    return pulumi.Output.concat("role/", issuer, ":", subject)
