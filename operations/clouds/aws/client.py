"""Typed clients of one AWS region, with few retries and short waits: a person waits for the answer."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Final, cast, final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_ec2 import EC2Client
    from mypy_boto3_efs import EFSClient
    from mypy_boto3_eks import EKSClient
    from mypy_boto3_elbv2 import ElasticLoadBalancingv2Client
    from mypy_boto3_fsx import FSxClient
    from mypy_boto3_kms import KMSClient
    from mypy_boto3_logs import CloudWatchLogsClient
    from mypy_boto3_resourcegroupstaggingapi import ResourceGroupsTaggingAPIClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_service_quotas import ServiceQuotasClient

REFUSED: Final = (BotoCoreError, ClientError)
NO_CREDENTIALS: Final = "no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
GLOBAL: Final = "us-east-1"  # where the tagging API names what belongs to no region
_CONFIG: Final = Config(connect_timeout=5, read_timeout=20, retries={"max_attempts": 3, "mode": "standard"})


@final
class Clients:
    """Clients of one region, each made once it is asked for.

    Args:
        session: where credentials come from.
    """

    def __init__(self, region: str, *, session: boto3.Session) -> None:
        self.region = region
        # The stubs know ten of several hundred services; what the rest return makes the whole type unknown.
        client = cast("Callable[..., object]", session.client)  # pyright: ignore[reportUnknownMemberType]
        self._make = partial(client, region_name=region, config=_CONFIG)

    @cached_property
    def ec2(self) -> EC2Client:
        """EC2."""
        return cast("EC2Client", self._make("ec2"))

    @cached_property
    def efs(self) -> EFSClient:
        return cast("EFSClient", self._make("efs"))

    @cached_property
    def eks(self) -> EKSClient:
        return cast("EKSClient", self._make("eks"))

    @cached_property
    def elbv2(self) -> ElasticLoadBalancingv2Client:
        return cast("ElasticLoadBalancingv2Client", self._make("elbv2"))

    @cached_property
    def fsx(self) -> FSxClient:
        return cast("FSxClient", self._make("fsx"))

    @cached_property
    def kms(self) -> KMSClient:
        return cast("KMSClient", self._make("kms"))

    @cached_property
    def logs(self) -> CloudWatchLogsClient:
        return cast("CloudWatchLogsClient", self._make("logs"))

    @cached_property
    def tagging(self) -> ResourceGroupsTaggingAPIClient:
        """Resources of every service by tag."""
        return cast("ResourceGroupsTaggingAPIClient", self._make("resourcegroupstaggingapi"))

    @cached_property
    def global_tagging(self) -> ResourceGroupsTaggingAPIClient:
        """The same of what belongs to no region."""
        return cast("ResourceGroupsTaggingAPIClient", self._make("resourcegroupstaggingapi", region_name=GLOBAL))

    @cached_property
    def s3(self) -> S3Client:
        return cast("S3Client", self._make("s3"))

    @cached_property
    def quotas(self) -> ServiceQuotasClient:
        return cast("ServiceQuotasClient", self._make("service-quotas"))


def clients(region: str) -> Clients | str:
    """Clients of a region with the credentials of the environment; why there are none where there are none."""
    try:
        session = boto3.Session()
        return NO_CREDENTIALS if session.get_credentials() is None else Clients(region, session=session)
    except BotoCoreError as error:
        return refusal(error)


def refusal(error: Exception) -> str:
    """Why AWS did not answer, in one line."""
    if isinstance(error, ClientError):
        told = error.response.get("Error", {})
        operation = error.operation_name
        return f"{operation}: {told.get('Code', 'refused')}: {told.get('Message', '')}".rstrip(": ")
    return str(error)
