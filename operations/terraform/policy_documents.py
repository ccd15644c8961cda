"""Texts of policies that a program composes of what is known only after creation, with references in these places."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import quote, unquote

from pulumi.runtime.proto import resource_pb2

from operations.offline.adapter import CapturingMonitor
from operations.offline.program import run
from operations.terraform.values import PACKAGE, snake_case
from planning.costs.resources.resource import UnknownValue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from operations.terraform.values import Address
    from planning.costs.resources.resource import Resource, Value


Documents: TypeAlias = "Mapping[str, Mapping[str, str]]"  # URN to input to text

ACCOUNT: Final = "${data.aws_caller_identity.current.account_id}"
ARN: Final = "arn"
BEFORE_ARN: Final = f"arn:aws:::{ACCOUNT}:"  # a program may take an ARN apart, mostly for its account
PLACE: Final = re.compile(rf"(?:{re.escape(BEFORE_ARN)})?\$\{{(?P<urn>urn%3A[^}}#]+)#(?P<output>[\w.\[\]]+)\}}")


def place(urn: str, output: str) -> str:
    """What stands in a text for an output of a resource until its address is known."""
    return f"{BEFORE_ARN if output == ARN else ''}${{{quote(urn, safe='')}#{output}}}"


def in_addresses(text: str, addresses: Mapping[str, Address]) -> str:
    """The text with `${address.output}` in every place."""
    return PLACE.sub(lambda found: f"${{{addresses[unquote(found['urn'])]}.{found['output']}}}", text)


def find_composed_documents(planned: Sequence[Resource], answered: Sequence[Resource]) -> Documents:
    """What a preview does not know and an answered run does: the inputs that are JSON objects."""
    texts = {resource.urn: resource.inputs for resource in answered}
    return {
        resource.urn: {
            name: text
            for name, value in resource.inputs.items()
            if isinstance(value, UnknownValue) and (text := _document(texts.get(resource.urn, {}).get(name)))
        }
        for resource in planned
    }


def _document(value: Value) -> str:
    if not isinstance(value, str) or not value.startswith("{"):
        return ""
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return ""
    return value


OUTPUTS: Final = (ARN, "bucket", "keyId", "name", "url")  # those that policies name
INNER: Final = {"aws:eks/cluster:Cluster": ("vpcConfig", "clusterSecurityGroupId")}  # an object, and its part
CALLER: Final = "aws:index/getCallerIdentity:getCallerIdentity"


def documents_of(
    stack: str, planned: Sequence[Resource], *, root: Path, program: Callable[[], None] | None = None
) -> Documents:
    """Texts of the policies that `planned` has as unknowns, from one more run of the same program."""
    return find_composed_documents(planned, run(stack, program=program, root=root, monitor=AnsweringMonitor).resources)


class AnsweringMonitor(CapturingMonitor):
    """Knows what a preview does not: each AWS resource's id and ARN, and the account, all as references."""

    def RegisterResource(self, request: Any) -> Any:  # noqa: ANN401, N802 - the SDK's signature
        response = super().RegisterResource(request)
        if request.custom and request.type.startswith(PACKAGE):
            response.id = place(response.urn, "id")
            for output in OUTPUTS:
                if output not in response.object.fields:
                    response.object.fields[output].string_value = place(response.urn, snake_case(output))
        if request.type in INNER:
            outer, inner = INNER[request.type]
            at = place(response.urn, f"{snake_case(outer)}[0].{snake_case(inner)}")
            response.object.fields[outer].struct_value.fields[inner].string_value = at
        return response

    def Invoke(self, request: Any) -> Any:  # noqa: ANN401, N802 - the SDK's signature
        """Answer a function of a provider."""
        # The account is a reference in the plan; every other function of a provider stays unknown.
        if request.tok != CALLER:
            return super().Invoke(request)
        response = resource_pb2.ResourceInvokeResponse()
        getattr(response, "return").fields["accountId"].string_value = ACCOUNT
        return response
