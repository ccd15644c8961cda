"""What controllers of the cluster fill in after us, in objects of upstream's manifests: never set back."""

from __future__ import annotations

from typing import Final

import pulumi

ROLE: Final = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole"
CHECKS: Final = "kubernetes:admissionregistration.k8s.io/v1:ValidatingWebhookConfiguration"
ISTIOS: Final = "istio-validator"  # istiod makes it strict once it answers (istio.io, pkg/webhooks/validation)
POLICY: Final = "webhooks[*].failurePolicy"


def filled(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
    """Leave alone rules of roles that have none or are made of other roles, and how strict Istio's own webhook is.

    An empty list of rules comes back from the server as nothing, which would be a change at every preview.
    """
    if args.type_ == ROLE and ("aggregationRule" in args.props or not args.props.get("rules")):
        rest = {name: value for name, value in args.props.items() if name != "rules"}
        return pulumi.ResourceTransformResult(props=rest, opts=args.opts)
    if args.type_ == CHECKS and ISTIOS in args.name:
        left = pulumi.ResourceOptions(ignore_changes=[POLICY])
        return pulumi.ResourceTransformResult(props=args.props, opts=pulumi.ResourceOptions.merge(args.opts, left))
    return None
