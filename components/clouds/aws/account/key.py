"""The customer-managed KMS key of a cluster: encrypts secrets, node disks, buckets, file systems and logs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.iam import build_statement, find_account, partition
from components.context.naming import build_physical_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.clouds.aws.account.iam import Condition, Statement
    from components.context.placement import PlacementContext

DELETION_DAYS: Final = 30  # the maximum of KMS: without the key its data is lost
VIA_EC2: Final = ("kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:CreateGrant")
# A file system reads and writes its bucket by a role that AWS makes with it, hence named by its pattern
# (docs.aws.amazon.com/fsx/latest/LustreGuide/s3-server-side-encryption-support.html).
VIA_LINKS: Final = ("kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*")
LINK_ROLES: Final = "aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/AWSServiceRoleForFSxS3Access_*"
# EventBridge fills an encrypted queue (docs.aws.amazon.com/eventbridge/latest/userguide/eb-encryption-key-policy.html).
VIA_EVENTS: Final = ("kms:Decrypt", "kms:GenerateDataKey")
VIA_LOGS: Final = ("kms:Encrypt*", "kms:Decrypt*", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:Describe*")


@final
class EncryptionKey(pulumi.ComponentResource):
    """A rotated key with an alias.

    Attributes:
        alias: a plain value, for launch templates: an unknown one would hide the disk's size from the bill.
        named: users of the alias wait for it.
    """

    arn: pulumi.Output[str]
    alias: str
    named: aws.kms.Alias

    def __init__(self, name: str, site: PlacementContext, *, opts: pulumi.ResourceOptions) -> None:
        super().__init__("atoll:access:Key", name, site.describe(), opts)
        region = site.placement.region
        account = find_account(parent=self)
        key = aws.kms.Key(
            "key",
            description="Atoll: secrets, disks, buckets, file systems and logs of one cluster",
            enable_key_rotation=True,
            deletion_window_in_days=DELETION_DAYS,
            policy=account.apply(lambda known: json.dumps(_build_policy(account=known, region=region))),
            opts=pulumi.ResourceOptions(parent=self, protect=True, retain_on_delete=True),
        )
        self.arn = key.arn
        self.alias = f"alias/{build_physical_name(site.placement)}"
        self.named = aws.kms.Alias(
            "alias", name=self.alias, target_key_id=key.key_id, opts=pulumi.ResourceOptions(parent=self)
        )
        self.register_outputs({"arn": self.arn, "alias": self.alias})


def _build_policy(*, account: str, region: str) -> dict[str, object]:
    """The account's IAM decides who uses the key; services may use it for this account only."""
    arn = f"arn:{partition(region)}"
    trails = f"{arn}:cloudtrail:*:{account}:trail/*"
    links = {"aws:PrincipalArn": f"{arn}:iam::{account}:role/{LINK_ROLES}"}
    logs_of_account = {"kms:EncryptionContext:aws:logs:arn": f"{arn}:logs:{region}:{account}:*"}
    # The statement of the AWS-managed key for EBS, which also serves the service role of Auto Scaling. Naming that role
    # would fail in an account where no group was ever scaled, since KMS looks principals up.
    from_ec2 = {"kms:CallerAccount": account, "kms:ViaService": f"ec2.{region}.amazonaws.com"}
    trail = {"Service": "cloudtrail.amazonaws.com"}
    encrypted_trails = {"StringLike": {"kms:EncryptionContext:aws:cloudtrail:arn": trails}}
    events = {"StringEquals": {"aws:SourceAccount": account}}
    logs = {"Service": f"logs.{region}.amazonaws.com"}
    return {
        "Version": "2012-10-17",
        "Statement": [
            _allow("Account", {"AWS": f"{arn}:iam::{account}:root"}, "kms:*"),
            _allow("Disks", {"AWS": "*"}, *VIA_EC2, "kms:DescribeKey", condition={"StringEquals": from_ec2}),
            _allow("FileSystems", {"AWS": "*"}, *VIA_LINKS, "kms:DescribeKey", condition={"ArnLike": links}),
            _allow("Trails", trail, "kms:GenerateDataKey*", condition=encrypted_trails),
            _allow("TrailsLook", trail, "kms:DescribeKey", condition={"ArnLike": {"aws:SourceArn": trails}}),
            _allow("Events", {"Service": "events.amazonaws.com"}, *VIA_EVENTS, condition=events),
            _allow("Logs", logs, *VIA_LOGS, condition={"ArnLike": logs_of_account}),
        ],
    }


def _allow(sid: str, principal: Mapping[str, str], *actions: str, condition: Condition | None = None) -> Statement:
    return build_statement(actions, "*", sid=sid, principal=principal, condition=condition)
