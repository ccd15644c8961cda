"""Object tiers on CoreWeave: buckets of AI Object Storage, and who may use them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_coreweave as coreweave
import pulumi_random as random

from components.context.buckets import INCOMPLETE_UPLOAD_DAYS, OLD_VERSION_DAYS, purposes, tier_facts
from components.context.names import SERVICE_ACCOUNT, namespace
from components.context.naming import build_physical_name, tags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.spec.cluster import ClusterSpec, Placement, Tier


ENDPOINT: Final = "https://cwobject.com"  # docs.coreweave.com, AI Object Storage
SUFFIX_BYTES: Final = 3  # bucket names are shared by all customers


@dataclass(frozen=True, kw_only=True)
class ObjectTierArgs:
    """One object tier, and the declared charges of its volume."""

    spec: ClusterSpec
    tier: Tier
    zone: str
    charges: Sequence[dict[str, object]]


@final
class ObjectTier(pulumi.ComponentResource):
    """The buckets of one tier: versioned and cleaned up.

    CoreWeave encrypts what it stores; a key of the customer's own is no argument of its buckets. No policy asks for
    TLS: inside a cluster the way to them is a proxy on each node, http://cwlota.com (docs.coreweave.com, About LOTA).

    Attributes:
        buckets: bucket names by purpose.
    """

    buckets: Mapping[str, pulumi.Output[str]]

    def __init__(self, name: str, args: ObjectTierArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(
            "atoll:storage:ObjectTier", name, tier_facts(args.spec.placement, args.tier, args.charges), opts
        )
        within = pulumi.ResourceOptions(parent=self)
        suffix = random.RandomId(f"suffix-{args.tier.tier}", byte_length=SUFFIX_BYTES, opts=within)
        self.buckets = {
            purpose: _bucket(purpose, args, suffix=suffix.hex, parent=self) for purpose in purposes(args.tier)
        }
        self.register_outputs({"buckets": dict(self.buckets)})


def _bucket(
    purpose: str, args: ObjectTierArgs, *, suffix: pulumi.Output[str], parent: ObjectTier
) -> pulumi.Output[str]:
    name = f"{args.tier.tier}-{purpose}"
    bucket = coreweave.ObjectStorageBucket(
        name,
        name=pulumi.Output.concat(build_physical_name(args.spec.placement, name), "-", suffix),
        zone=args.zone,
        tags=tags(args.spec),
        opts=pulumi.ResourceOptions(parent=parent, protect=True, retain_on_delete=True),
    )
    within = pulumi.ResourceOptions(
        parent=bucket, protect=False, retain_on_delete=True
    )  # a kept bucket keeps its versions
    versions = coreweave.ObjectStorageBucketVersioning(
        name, bucket=bucket.name, versioning_configuration={"status": "Enabled"}, opts=within
    )
    coreweave.ObjectStorageBucketLifecycleConfiguration(
        name,
        bucket=bucket.name,
        rules=[
            {
                "id": "leftovers",
                "status": "Enabled",
                "filter": {"prefix": ""},  # the rule's own prefix is refused (terraform-provider-coreweave, May 2026)
                "abort_incomplete_multipart_upload": {"days_after_initiation": INCOMPLETE_UPLOAD_DAYS},
                "noncurrent_version_expiration": {"noncurrent_days": OLD_VERSION_DAYS},
            }
        ],
        opts=pulumi.ResourceOptions.merge(within, pulumi.ResourceOptions(depends_on=[versions])),
    )
    return bucket.name


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
                name=build_physical_name(args.placement, "workloads"),
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
