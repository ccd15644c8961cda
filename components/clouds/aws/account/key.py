"""The one customer key of a cluster: secrets, node disks, buckets, file systems and logs are encrypted with it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.iam import partition
from components.context.naming import build_physical_name

if TYPE_CHECKING:
    from planning.spec.cluster import Placement

DELETION_DAYS: Final = 30  # the longest KMS waits; a key deleted by mistake is data lost
VIA_EC2: Final = ("kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:CreateGrant")
# A file system reads and writes its bucket by a role that AWS makes with it, hence named by its pattern
# (docs.aws.amazon.com/fsx/latest/LustreGuide/s3-server-side-encryption-support.html).
VIA_LINKS: Final = ("kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*")
LINK_ROLES: Final = "aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/AWSServiceRoleForFSxS3Access_*"
# EventBridge fills an encrypted queue (docs.aws.amazon.com/eventbridge/latest/userguide/eb-encryption-key-policy.html).
VIA_EVENTS: Final = ("kms:Decrypt", "kms:GenerateDataKey")
VIA_LOGS: Final = ("kms:Encrypt*", "kms:Decrypt*", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:Describe*")


@dataclass(frozen=True, kw_only=True)
class EncryptionKeyArgs:
    """Where the key is."""

    placement: Placement


@final
class EncryptionKey(pulumi.ComponentResource):
    """A rotated key with an alias.

    Attributes:
        alias: a plain text; a launch template names the key by it, so that no unknown stands beside a disk's size.
        named: what uses the alias waits for this.
    """

    arn: pulumi.Output[str]
    alias: str
    named: aws.kms.Alias

    def __init__(self, name: str, args: EncryptionKeyArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.placement.provider, "region": args.placement.region}
        super().__init__("atoll:access:Key", name, facts, opts)
        self.alias = f"alias/{build_physical_name(args.placement)}"
        key = _key(region=args.placement.region, parent=self)
        self.arn = key.arn
        self.named = _alias(self.alias, key=key, parent=self)
        self.register_outputs({"arn": self.arn, "alias": self.alias})


def _key(*, region: str, parent: EncryptionKey) -> aws.kms.Key:
    return aws.kms.Key(
        "key",
        description="Atoll: secrets, disks, buckets, file systems and logs of one cluster",
        enable_key_rotation=True,
        deletion_window_in_days=DELETION_DAYS,
        policy=_policy(region=region, parent=parent),
        opts=pulumi.ResourceOptions(parent=parent, protect=True, retain_on_delete=True),
    )


def _alias(name: str, *, key: aws.kms.Key, parent: EncryptionKey) -> aws.kms.Alias:
    opts = pulumi.ResourceOptions(parent=parent)
    return aws.kms.Alias("alias", name=name, target_key_id=key.key_id, opts=opts)


def _policy(*, region: str, parent: EncryptionKey) -> pulumi.Output[str]:
    """The account decides by IAM; EC2 and CloudWatch Logs may use the key for this account only.

    The EC2 statement is that of the AWS-managed key for EBS, which also serves the service role of Auto Scaling. Naming
    that role instead would fail in an account where no group was ever scaled, since KMS looks principals up.
    """
    account = aws.get_caller_identity_output(opts=pulumi.InvokeOutputOptions(parent=parent)).account_id
    return account.apply(lambda id_: json.dumps(_document(account=id_, region=region)))


def _document(*, account: str, region: str) -> dict[str, object]:
    arn = f"arn:{partition(region)}"
    trails = {"kms:EncryptionContext:aws:cloudtrail:arn": f"{arn}:cloudtrail:*:{account}:trail/*"}
    of_account = {"aws:SourceAccount": account}
    of_trails = {"aws:SourceArn": f"{arn}:cloudtrail:*:{account}:trail/*"}
    links = {"aws:PrincipalArn": f"{arn}:iam::{account}:role/{LINK_ROLES}"}
    logs_of_account = {"kms:EncryptionContext:aws:logs:arn": f"{arn}:logs:{region}:{account}:*"}
    from_ec2 = {"kms:CallerAccount": account, "kms:ViaService": f"ec2.{region}.amazonaws.com"}
    return {
        "Version": "2012-10-17",
        "Statement": [
            _allow("Account", {"AWS": f"{arn}:iam::{account}:root"}, ("kms:*",)),
            _allow("Disks", {"AWS": "*"}, (*VIA_EC2, "kms:DescribeKey"), {"StringEquals": from_ec2}),
            _allow("FileSystems", {"AWS": "*"}, (*VIA_LINKS, "kms:DescribeKey"), {"ArnLike": links}),
            _allow(
                "Trails", {"Service": "cloudtrail.amazonaws.com"}, ("kms:GenerateDataKey*",), {"StringLike": trails}
            ),
            _allow("TrailsLook", {"Service": "cloudtrail.amazonaws.com"}, ("kms:DescribeKey",), {"ArnLike": of_trails}),
            _allow("Events", {"Service": "events.amazonaws.com"}, VIA_EVENTS, {"StringEquals": of_account}),
            _allow("Logs", {"Service": f"logs.{region}.amazonaws.com"}, VIA_LOGS, {"ArnLike": logs_of_account}),
        ],
    }


def _allow(
    sid: str, principal: dict[str, str], actions: tuple[str, ...], condition: dict[str, dict[str, str]] | None = None
) -> dict[str, object]:
    statement: dict[str, object] = {
        "Sid": sid,
        "Effect": "Allow",
        "Principal": principal,
        "Action": list(actions),
        "Resource": "*",
    }
    return {**statement, "Condition": condition} if condition else statement
