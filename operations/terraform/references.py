"""A second run of a program that answers with references, so that what it composes of them can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pulumi.runtime.proto import resource_pb2

from operations.offline.adapter import CapturingMonitor
from operations.offline.program import run
from operations.terraform.addresses import PACKAGE
from operations.terraform.policy_documents import ACCOUNT, ARN, composed, place
from operations.terraform.values import snake_case

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from operations.terraform.policy_documents import Documents
    from planning.costs.resources.resource import Resource

OUTPUTS: Final = (ARN, "bucket", "keyId", "name", "url")  # those that policies name
INNER: Final = {"aws:eks/cluster:Cluster": ("vpcConfig", "clusterSecurityGroupId")}  # an object, and its part
CALLER: Final = "aws:index/getCallerIdentity:getCallerIdentity"


def documents_of(
    stack: str, planned: Sequence[Resource], *, root: Path, program: Callable[[], None] | None = None
) -> Documents:
    """Texts of the policies that `planned` has as unknowns, from one more run of the same program."""
    return composed(planned, run(stack, program=program, root=root, monitor=AnsweringMonitor).resources)


class AnsweringMonitor(CapturingMonitor):
    """Knows what a preview does not: each AWS resource's id and ARN, and the account, all as references."""

    def RegisterResource(self, request: Any) -> Any:  # noqa: ANN401, N802 - the SDK's signature
        """Take one registration, and name its outputs."""
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
        """The account is a reference; every other function of a provider is unknown."""
        if request.tok != CALLER:
            return super().Invoke(request)
        response = resource_pb2.ResourceInvokeResponse()
        getattr(response, "return").fields["accountId"].string_value = ACCOUNT
        return response
