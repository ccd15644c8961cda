"""Kubernetes objects that many components register."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.context.names import QUEUED
from components.platform.building_blocks.names import CLUSTER_ISSUER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pulumi_kubernetes.admissionregistration.v1 import (
        MatchResourcesArgsDict,
        NamedRuleWithOperationsArgsDict,
        ValidatingAdmissionPolicySpecArgsDict,
    )
    from pulumi_kubernetes.meta.v1 import ObjectMetaArgsDict

CERTIFICATES: Final = "cert-manager.io/v1"
MONITORING: Final = "monitoring.coreos.com/v1"


def register_secret(
    name: str,
    content: Mapping[str, pulumi.Input[str]],
    *,
    namespace: str,
    parent: pulumi.Resource,
    logical: str = "",
    labels: Mapping[str, str] | None = None,
    kind: str | None = None,
    kept: bool = False,
) -> kubernetes.core.v1.Secret:
    """A Secret.

    Args:
        logical: name in the program; that of the Secret by default.
        kind: its type, where that is not left open.
        kept: whether it outlives the stack.
    """
    metadata: ObjectMetaArgsDict = {"name": name, "namespace": namespace}
    if labels:
        metadata["labels"] = dict(labels)
    return kubernetes.core.v1.Secret(
        logical or name,
        metadata=metadata,
        type=kind,
        string_data=dict(content),
        opts=pulumi.ResourceOptions(parent=parent, retain_on_delete=kept or None),
    )


def register_config_map(
    name: str,
    data: Mapping[str, pulumi.Input[str]],
    *,
    namespace: str,
    parent: pulumi.Resource,
    logical: str = "",
    labels: Mapping[str, str] | None = None,
) -> kubernetes.core.v1.ConfigMap:
    metadata: ObjectMetaArgsDict = {"name": name, "namespace": namespace}
    if labels:
        metadata["labels"] = dict(labels)
    return kubernetes.core.v1.ConfigMap(
        logical or name, metadata=metadata, data=dict(data), opts=pulumi.ResourceOptions(parent=parent)
    )


def register_object(
    version: str,
    kind: str,
    name: str,
    spec: Mapping[str, object],
    *,
    parent: pulumi.Resource,
    namespace: str = "",
    logical: str = "",
    labels: Mapping[str, str] | None = None,
    after: Sequence[pulumi.Resource] = (),
) -> kubernetes.apiextensions.CustomResource:
    """An object of a custom kind.

    Args:
        version: API version: "cert-manager.io/v1".
        namespace: "" for a kind of the whole cluster.
        logical: name in the program; that of the object by default.
        after: what must be there before it.
    """
    metadata: ObjectMetaArgsDict = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    if labels:
        metadata["labels"] = dict(labels)
    return kubernetes.apiextensions.CustomResource(
        logical or name,
        api_version=version,
        kind=kind,
        metadata=metadata,
        spec=dict(spec),
        opts=pulumi.ResourceOptions(parent=parent, depends_on=list(after)),
    )


def register_certificate(
    name: str,
    fields: Mapping[str, object],
    *,
    namespace: str,
    parent: pulumi.Resource,
    logical: str = "",
    issuer: str = CLUSTER_ISSUER,
) -> kubernetes.apiextensions.CustomResource:
    """A certificate of the cluster's authority, or of another issuer, whose key changes whenever it is renewed.

    Args:
        fields: of its spec, its names among them; it lies in the Secret of its own name by default.
    """
    spec = {
        "secretName": name,
        "privateKey": {"algorithm": "ECDSA", "size": 256, "rotationPolicy": "Always"},
        "issuerRef": {"group": "cert-manager.io", "kind": "ClusterIssuer", "name": issuer},
        **fields,
    }
    return register_object(CERTIFICATES, "Certificate", name, spec, namespace=namespace, parent=parent, logical=logical)


def register_pod_monitor(
    name: str, labels: Mapping[str, str], *, port: str, namespace: str, parent: pulumi.Resource, logical: str = ""
) -> None:
    """Have Prometheus scrape pods of a namespace.

    Args:
        labels: of the pods.
        port: name of theirs.
    """
    spec = {"selector": {"matchLabels": dict(labels)}, "podMetricsEndpoints": [{"port": port}]}
    register_object(MONITORING, "PodMonitor", name, spec, namespace=namespace, parent=parent, logical=logical)


def register_admission_policy(
    name: str,
    rules: Sequence[NamedRuleWithOperationsArgsDict],
    *,
    allowed: str,
    message: str,
    variables: Mapping[str, str] | None = None,
    queued_only: bool = True,
    parent: pulumi.Resource,
) -> None:
    """A ValidatingAdmissionPolicy with its binding.

    Args:
        rules: kinds and operations that it applies to.
        allowed: expression (CEL) that is true for what is admitted.
        variables: name to expression, for use in `allowed`.
        queued_only: whether it applies only to namespaces whose pods wait for a queue: those of the workloads.
    """
    constraints: MatchResourcesArgsDict = {"resource_rules": list(rules)}
    if queued_only:
        constraints["namespace_selector"] = {"match_expressions": [{"key": QUEUED, "operator": "Exists"}]}
    spec: ValidatingAdmissionPolicySpecArgsDict = {
        "failure_policy": "Fail",
        "match_constraints": constraints,
        "validations": [{"expression": allowed, "message": message, "reason": "Forbidden"}],
    }
    if variables:
        spec["variables"] = [{"name": key, "expression": expression} for key, expression in variables.items()]
    made = kubernetes.admissionregistration.v1.ValidatingAdmissionPolicy(
        name, metadata={"name": name}, spec=spec, opts=pulumi.ResourceOptions(parent=parent)
    )
    kubernetes.admissionregistration.v1.ValidatingAdmissionPolicyBinding(
        name,
        metadata={"name": name},
        spec={"policy_name": name, "validation_actions": ["Deny"]},
        opts=pulumi.ResourceOptions(parent=made),
    )
