"""Keeps doors of teams' namespaces shut: whoever works in one opens no way in or out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.access.names import QUEUED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pulumi_kubernetes.admissionregistration.v1 import NamedRuleWithOperationsArgsDict

NAME: Final = "atoll-doors"
WRITTEN: Final = ("CREATE", "UPDATE", "DELETE")
# What opens a way, by API group. Kubeflow's and Kubernetes' own roles let everybody who edits a namespace write it, and
# every notebook's account with them (common/kubeflow-roles at the release's commit, `kubeflow-kubernetes-edit`).
WAYS: Final[Mapping[str, Sequence[str]]] = {
    "networking.k8s.io": ("ingresses", "networkpolicies"),
    "": ("services",),
}
REFUSED: Final = (
    "network policies, ingresses, and services that are reached from outside are the platform's here: "
    "ask whoever runs it for a way"
)


def door_guard(*, parent: pulumi.Resource) -> None:
    """A policy for the namespaces of the workloads: only who may write such an object in every namespace may here.

    Services inside the cluster are everybody's own; those with an address outside of it, or with one of their choice,
    are not.
    """
    made = kubernetes.admissionregistration.v1.ValidatingAdmissionPolicy(
        NAME,
        metadata={"name": NAME},
        spec={
            "failure_policy": "Fail",
            "match_constraints": {
                "namespace_selector": {"match_expressions": [{"key": QUEUED, "operator": "Exists"}]},
                "resource_rules": [_rule(group, kinds) for group, kinds in WAYS.items()],
            },
            "variables": [
                {
                    "name": "outside",
                    "expression": "object != null && ((has(object.spec.type) && "
                    "object.spec.type in ['LoadBalancer', 'NodePort']) || "
                    "(has(object.spec.externalIPs) && size(object.spec.externalIPs) > 0))",
                },
                {
                    "name": "everywhere",
                    "expression": "authorizer.group(request.resource.group).resource(request.resource.resource)"
                    ".check(request.operation.lowerAscii()).allowed()",
                },
            ],
            "validations": [
                {
                    "expression": "(request.resource.resource == 'services' && !variables.outside) || "
                    "variables.everywhere",
                    "message": REFUSED,
                    "reason": "Forbidden",
                }
            ],
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )
    kubernetes.admissionregistration.v1.ValidatingAdmissionPolicyBinding(
        NAME,
        metadata={"name": NAME},
        spec={"policy_name": NAME, "validation_actions": ["Deny"]},
        opts=pulumi.ResourceOptions(parent=made),
    )


def _rule(group: str, kinds: Sequence[str]) -> NamedRuleWithOperationsArgsDict:
    return {"api_groups": [group], "api_versions": ["v1"], "operations": list(WRITTEN), "resources": list(kinds)}
