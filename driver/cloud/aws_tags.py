"""By which tags the parts of a stack are known on AWS: ours, and those that controllers put on what they make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_ec2.type_defs import FilterTypeDef
    from mypy_boto3_resourcegroupstaggingapi.type_defs import TagFilterTypeDef

    from driver.cloud import Asked
    from driver.cloud.aws_clients import Clients

STACK: Final = "atoll:stack"


def marks(asked: Asked) -> tuple[tuple[str, str], ...]:
    """Key and value of each tag by which something belongs to the stack; "" for any value.

    The controllers' own: EBS CSI driver and Karpenter `kubernetes.io/cluster/<name>`, AWS Load Balancer Controller
    `elbv2.k8s.aws/cluster`, EKS node groups `eks:cluster-name` (each project's documentation, read 2026-11-21).
    """
    return (
        (STACK, asked.stack),
        (f"kubernetes.io/cluster/{asked.cluster}", ""),
        ("elbv2.k8s.aws/cluster", asked.cluster),
        ("eks:cluster-name", asked.cluster),
    )


def tagged(aws: Clients, asked: Asked) -> Iterator[str]:
    """ARNs that the tagging API knows, of every service; those of things that are gone may still be among them."""
    for key, value in marks(asked):
        wanted: TagFilterTypeDef = {"Key": key, "Values": [value] if value else []}
        for page in aws.tagging.get_paginator("get_resources").paginate(TagFilters=[wanted]):
            for each in page["ResourceTagMappingList"]:
                yield each.get("ResourceARN", "")


def arns(aws: Clients, asked: Asked, *, service: str) -> list[str]:
    """ARNs of one service, sorted."""
    return sorted({arn for arn in tagged(aws, asked) if service_of(arn) == service})


def service_of(arn: str) -> str:
    """The service that an ARN names, as in "elasticloadbalancing"."""
    return arn.split(":", 3)[2] if arn.count(":") > 1 else ""


def ec2_ids(aws: Clients, asked: Asked, *, kind: str = "") -> list[tuple[str, str]]:
    """Type and id of everything of EC2 that carries one of the tags; tags go with the thing, unlike the tagging API's.

    Args:
        kind: one resource type, as in "volume"; "" for all.
    """
    found: set[tuple[str, str]] = set()
    for key, value in marks(asked):
        filters: list[FilterTypeDef] = [{"Name": "key", "Values": [key]}]
        if value:
            filters.append({"Name": "value", "Values": [value]})
        if kind:
            filters.append({"Name": "resource-type", "Values": [kind]})
        for page in aws.ec2.get_paginator("describe_tags").paginate(Filters=filters):
            for tag in page.get("Tags", []):
                found.add((str(tag.get("ResourceType", "")), tag.get("ResourceId", "")))
    return sorted(found)
