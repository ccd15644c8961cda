"""Keeps pods of a workload off the accelerator nodes of another: nobody goes round the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.context.accelerators import DEVICES, NVIDIA
from components.context.names import QUEUED, namespace

if TYPE_CHECKING:
    from pulumi_kubernetes.admissionregistration.v1 import VariableArgsDict

NAME: Final = "atoll-queues"
WORKLOAD: Final = "atoll/workload"
# Taints of accelerator nodes; slices of an accelerator begin with the same maker.
TAINTS: Final = tuple(dict.fromkeys([NVIDIA, *(name for _, name in DEVICES)]))
ASKED: Final = ("nvidia.com/", *TAINTS[1:])
REFUSED: Final = (
    "this pod tolerates the taint of accelerator nodes and asks for no accelerator: "
    "delete the toleration, which Kueue adds itself where it is due"
)


def guard(*, parent: pulumi.Resource) -> None:
    """A policy for the namespaces that wait for a queue.

    A pod that asks for accelerators is put on the nodes of its queue by Kueue. One that asks for none must not tolerate
    their taint, unless it chooses the nodes of its own workload.
    """
    made = kubernetes.admissionregistration.v1.ValidatingAdmissionPolicy(
        NAME,
        metadata={"name": NAME},
        spec={
            "failure_policy": "Fail",
            "match_constraints": {
                "namespace_selector": {"match_expressions": [{"key": QUEUED, "operator": "Exists"}]},
                "resource_rules": [
                    {"api_groups": [""], "api_versions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
                ],
            },
            "variables": _variables(),
            "validations": [
                {
                    "expression": "!variables.tolerates || variables.asks || variables.own",
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


def _variables() -> list[VariableArgsDict]:
    """Parts of the rule, in CEL."""
    shut = "(!has(t.effect) || t.effect == '' || t.effect == 'NoSchedule')"
    any_key = f"(!has(t.key) || t.key == '' || t.key in {list(TAINTS)})"
    asking = " || ".join(f"name.startsWith('{prefix}')" for prefix in ASKED)
    containers = "(object.spec.containers + (has(object.spec.initContainers) ? object.spec.initContainers : []))"
    chosen = f"'{WORKLOAD}' in object.spec.nodeSelector"
    own = f"namespaceObject.metadata.name == '{namespace('')}' + object.spec.nodeSelector['{WORKLOAD}']"
    return [
        {
            "name": "tolerates",
            "expression": f"has(object.spec.tolerations) && object.spec.tolerations.exists(t, {any_key} && {shut})",
        },
        {
            "name": "asks",
            "expression": f"{containers}.exists(c, has(c.resources) && has(c.resources.requests) && "
            f"c.resources.requests.exists(name, {asking}))",
        },
        {"name": "own", "expression": f"has(object.spec.nodeSelector) && {chosen} && {own}"},
    ]
