"""How pods reach the buckets on AWS: by the role of their service account, with no key in any secret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.iam import POD_IDENTITY, role, service_trust
from components.context.names import SERVICE_ACCOUNT, namespace

if TYPE_CHECKING:
    from collections.abc import Sequence

OBJECT_ACTIONS: Final = ("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload")
BUCKET_ACTIONS: Final = ("s3:ListBucket", "s3:GetBucketLocation", "s3:ListBucketMultipartUploads")
KEY_ACTIONS: Final = ("kms:Decrypt", "kms:GenerateDataKey")


@dataclass(frozen=True, kw_only=True)
class BucketAccessArgs:
    """Who, and to what."""

    region: str
    cluster_name: pulumi.Input[str]
    workloads: Sequence[str]
    bucket_arns: Sequence[pulumi.Input[str]]
    key_arn: pulumi.Input[str]


@final
class BucketAccess(pulumi.ComponentResource):
    """One role for the service account `workload` of each workload's namespace: objects may be read and written."""

    def __init__(self, name: str, args: BucketAccessArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:access:BucketAccess", name, {"workloads": list(args.workloads)}, opts)
        taken = role("workload", trust=service_trust(POD_IDENTITY), parent=self)
        aws.iam.RolePolicy("buckets", role=taken.id, policy=_policy(args), opts=pulumi.ResourceOptions(parent=taken))
        for workload in args.workloads:
            aws.eks.PodIdentityAssociation(
                f"workload-{workload}",
                cluster_name=args.cluster_name,
                namespace=namespace(workload),
                service_account=SERVICE_ACCOUNT,
                role_arn=taken.arn,
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({"roleArn": taken.arn})


def _policy(args: BucketAccessArgs) -> pulumi.Output[str]:
    objects = [pulumi.Output.concat(arn, "/*") for arn in args.bucket_arns]
    return pulumi.Output.json_dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {"Effect": "Allow", "Action": list(OBJECT_ACTIONS), "Resource": objects},
                {"Effect": "Allow", "Action": list(BUCKET_ACTIONS), "Resource": list(args.bucket_arns)},
                {"Effect": "Allow", "Action": list(KEY_ACTIONS), "Resource": args.key_arn},
            ],
        }
    )
