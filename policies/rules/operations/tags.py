"""Billed resources carry tags, so that the provider's bill can be attributed to its owners."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from planning.costs.resources.resource import Properties, UnreadableError
from planning.inputs.files import parse_json
from planning.values.errors import InputError
from policies.properties import check_resources, over
from policies.rule import Breach, Rule, Severity
from policies.settings import Level, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from planning.costs.resources.resource import Resource
    from policies.stack_context import StackContext


class TagSettings(Settings):
    required: tuple[str, ...] = ("atoll:stack", "atoll:owner", "atoll:customer")
    """Names of the tags; labels on Google Cloud have "-" for ":"."""


def _defaults(name: str, inside: str) -> Callable[[Properties], Iterator[Properties]]:
    """Default tags of a provider."""

    def find(inputs: Properties) -> Iterator[Properties]:
        said = inputs.at(name)
        # The SDK sends a provider's inputs as texts of JSON.
        if isinstance(said.value, str):
            try:
                said = Properties(parse_json(said.value, file=said.path), said.path)
            except InputError:
                raise UnreadableError(f"{said.path} is no JSON", path=said.path) from None
        yield said.at(inside) if inside else said

    return find


def _at(*path: str) -> Callable[[Properties], Iterator[Properties]]:
    def find(inputs: Properties) -> Iterator[Properties]:
        for name in path:
            inputs = inputs.at(name)
        yield inputs

    return find


def _read_launch_tags(inputs: Properties) -> Iterator[Properties]:
    # A launch template does not pass on the tags of its provider.
    found = inputs.at("tagSpecifications").each()
    yield from (one.at("tags") for one in found) if found else (inputs.at("tagSpecifications"),)


TAGGED: Final[Mapping[str, Callable[[Properties], Iterator[Properties]]]] = {
    "pulumi:providers:aws": _defaults("defaultTags", "tags"),
    "pulumi:providers:gcp": _defaults("defaultLabels", ""),
    "aws:ec2/launchTemplate:LaunchTemplate": _read_launch_tags,
    "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass": _at("spec", "tags"),
    "gcp:container/cluster:Cluster": _at("resourceLabels"),
    "gcp:container/nodePool:NodePool": _at("nodeConfig", "resourceLabels"),
    "coreweave:index/objectStorageBucket:ObjectStorageBucket": _at("tags"),
}
# The most expensive types; without a provider of ours nothing adds their tags.
ALONE: Final[Mapping[str, str]] = {
    "aws:ec2/instance:Instance": "tags",
    "aws:ec2/natGateway:NatGateway": "tags",
    "aws:ec2/eip:Eip": "tags",
    "aws:eks/cluster:Cluster": "tags",
    "aws:s3/bucket:Bucket": "tags",
    "aws:fsx/lustreFileSystem:LustreFileSystem": "tags",
    "gcp:compute/instance:Instance": "labels",
    "gcp:storage/bucket:Bucket": "labels",
    "gcp:lustre/instance:Instance": "labels",
}


def _breaches(subject: StackContext) -> Iterator[Breach]:
    required = subject.law.get(TagSettings).required
    limit = f"every resource that can carry tags has {', '.join(required)}"
    yield from check_resources(subject.of_types(TAGGED), partial(_check, required, limit), limit=limit)
    alone = (one for one in subject.of_types(ALONE) if subject.registered.find(one.provider) is None)
    yield from check_resources(alone, partial(_alone, required, limit), limit=limit)


def _check(required: tuple[str, ...], limit: str, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    for tags in TAGGED[resource.type](inputs):
        yield from _missing(required, limit, resource, tags)


def _alone(required: tuple[str, ...], limit: str, resource: Resource, inputs: Properties) -> Iterator[Breach]:
    yield from _missing(required, limit, resource, inputs.at(ALONE[resource.type]))


def _missing(required: tuple[str, ...], limit: str, resource: Resource, tags: Properties) -> Iterator[Breach]:
    missing = [name for name in required if not tags.at(name).text("") and not tags.at(name.replace(":", "-")).text("")]
    if missing:
        yield over(
            resource,
            tags.path,
            given=f"it has no tag {', '.join(missing)}",
            limit=limit,
            fix="Add the stack's tags, or create it with the stack's own provider, which adds them",
        )


RULE: Final = Rule(
    name="tags",
    title="Tags",
    demand="Every billed resource that can carry tags names its stack, its owner and its customer.",
    why="The cost of an untagged machine cannot be attributed to an owner.",
    remedy="Create it with the stack's own provider, which adds the tags, or add them to the resource.",
    severity=Severity.MEDIUM,
    judge=_breaches,
    level=Level.ADVISORY,
    settings=TagSettings,
)
