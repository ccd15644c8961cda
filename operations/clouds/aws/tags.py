"""By which tags the parts of a stack are known on AWS: ours, and those that controllers put on what they make."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mypy_boto3_ec2.type_defs import FilterTypeDef
    from mypy_boto3_resourcegroupstaggingapi import ResourceGroupsTaggingAPIClient
    from mypy_boto3_resourcegroupstaggingapi.type_defs import TagFilterTypeDef

    from operations.clouds.aws.client import Clients
    from operations.clouds.registry import Asked

STACK: Final = "atoll:stack"


def marks(asked: Asked) -> tuple[tuple[str, str], ...]:
    """Key and value of each tag by which something belongs to the stack; "" for any value."""
    # Each controller tags by a key of its own: EBS CSI driver and Karpenter `kubernetes.io/cluster/<name>`, AWS Load
    # Balancer Controller `elbv2.k8s.aws/cluster`, EKS node groups `eks:cluster-name` (documentation of each).
    return (
        (STACK, asked.stack),
        (f"kubernetes.io/cluster/{asked.cluster}", ""),
        ("elbv2.k8s.aws/cluster", asked.cluster),
        ("eks:cluster-name", asked.cluster),
    )


@final
class Tagged:
    """Everything in a region that carries one of the stack's tags; each list is asked for once.

    Attributes:
        aws: clients of the region.
        asked: the placement.
    """

    def __init__(self, aws: Clients, asked: Asked) -> None:
        self.aws = aws
        self.asked = asked

    @cached_property
    def ec2(self) -> Mapping[str, tuple[str, ...]]:
        """Ids of EC2 by their prefix ("i", "vol", "nat"): the tags of EC2 go with the thing that carries them."""
        found: dict[str, set[str]] = {}
        for key, value in marks(self.asked):
            filters: list[FilterTypeDef] = [{"Name": "key", "Values": [key]}]
            if value:
                filters.append({"Name": "value", "Values": [value]})
            # EC2's own tags go with the thing that carries them; those of the tagging API may outlive it.
            for page in self.aws.ec2.get_paginator("describe_tags").paginate(Filters=filters):
                for tag in page.get("Tags", []):
                    id_ = tag.get("ResourceId", "")
                    found.setdefault(id_.rpartition("-")[0], set()).add(id_)
        return {prefix: tuple(sorted(ids)) for prefix, ids in sorted(found.items())}

    @cached_property
    def arns(self) -> tuple[str, ...]:
        """ARNs of every other service; the tagging API may still name what is gone."""
        return tuple(sorted({arn for arn in self._search_arns(self.aws.tagging) if service_of(arn) != "ec2"}))

    @cached_property
    def global_arns(self) -> tuple[str, ...]:
        """ARNs of what belongs to no region."""
        # AWS names what belongs to no region in one region only.
        return tuple(sorted({arn for arn in self._search_arns(self.aws.global_tagging) if region_of(arn) == ""}))

    def _search_arns(self, tagging: ResourceGroupsTaggingAPIClient) -> Iterator[str]:
        for key, value in marks(self.asked):
            wanted: TagFilterTypeDef = {"Key": key, "Values": [value] if value else []}
            for page in tagging.get_paginator("get_resources").paginate(TagFilters=[wanted]):
                for each in page["ResourceTagMappingList"]:
                    yield each.get("ResourceARN", "")

    def list_arns(self, service: str) -> list[str]:
        return [arn for arn in self.arns if service_of(arn) == service]


def service_of(arn: str) -> str:
    """The service that an ARN names, as in "elasticloadbalancing"."""
    return arn.split(":", 3)[2] if arn.count(":") > 1 else ""


def region_of(arn: str) -> str:
    """The region that an ARN names; "" where it belongs to none."""
    return arn.split(":", 4)[3] if arn.count(":") > 2 else ""  # noqa: PLR2004 - the fourth part of an ARN


def kind_of(arn: str) -> str:
    """The service and the type of resource that an ARN names, as in "eks:nodegroup"."""
    parts = arn.split(":", 5)
    rest = parts[5] if len(parts) > 5 else ""  # noqa: PLR2004 - an ARN has six parts
    typed = "/" in rest or ":" in rest
    return f"{service_of(arn)}:{rest.replace(':', '/').split('/')[0] if typed else ''}".rstrip(":")


def last(arn: str) -> str:
    """What an ARN ends in: the id or the name."""
    return arn.replace("/", ":").rpartition(":")[2]
