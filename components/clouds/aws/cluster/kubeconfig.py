"""A kubeconfig that holds no credential: whoever uses it signs in to AWS and takes the administrators' role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pulumi

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, kw_only=True)
class KubeconfigArgs:
    """Where the API is and how to sign in."""

    name: str
    region: str
    endpoint: pulumi.Input[str]
    certificate: pulumi.Input[str]
    role_arn: pulumi.Input[str]


def kubeconfig(args: KubeconfigArgs) -> pulumi.Output[str]:
    """The kubeconfig as JSON, which is YAML too."""
    return pulumi.Output.json_dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {
                    "name": args.name,
                    "cluster": {"server": args.endpoint, "certificate-authority-data": args.certificate},
                }
            ],
            "contexts": [{"name": args.name, "context": {"cluster": args.name, "user": "admin"}}],
            "current-context": args.name,
            "users": [{"name": "admin", "user": {"exec": _sign_in(args)}}],
        }
    )


def _sign_in(args: KubeconfigArgs) -> Mapping[str, object]:
    token = ["eks", "get-token", "--cluster-name", args.name, "--region", args.region, "--role-arn", args.role_arn]
    return {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "aws",
        "args": token,
        "interactiveMode": "Never",
    }
