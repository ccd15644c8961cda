"""Typed clients of one AWS region, with few retries and short waits: a person waits for the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from operations.clouds.registry import Refusals

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


SERVICES: Final[Mapping[str, tuple[str, str]]] = {
    "tagging": ("resourcegroupstaggingapi", ""),
    "global_tagging": ("resourcegroupstaggingapi", GLOBAL),
    "quotas": ("service-quotas", ""),
}


@final
class Clients:
    """Clients of one region, each made once it is asked for.

    Args:
        session: where credentials come from.
    """

    ec2: EC2Client
    efs: EFSClient
    eks: EKSClient
    elbv2: ElasticLoadBalancingv2Client
    fsx: FSxClient
    kms: KMSClient
    logs: CloudWatchLogsClient
    s3: S3Client
    quotas: ServiceQuotasClient
    tagging: ResourceGroupsTaggingAPIClient  # resources of every service by tag
    global_tagging: ResourceGroupsTaggingAPIClient  # the same of what belongs to no region

    def __init__(self, region: str, *, session: boto3.Session) -> None:
        self.region = region
        # The stubs know ten of several hundred services; what the rest return makes the whole type unknown.
        self._make = cast("Callable[..., object]", session.client)  # pyright: ignore[reportUnknownMemberType]

    def __getattr__(self, name: str) -> object:
        if name not in Clients.__annotations__:
            raise AttributeError(name)
        service, region = SERVICES.get(name, (name, ""))
        made = self._make(service, region_name=region or self.region, config=_CONFIG)
        setattr(self, name, made)
        return made


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


REFUSALS: Final = Refusals(REFUSED, refusal)
