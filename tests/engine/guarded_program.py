"""A program with all that a destroy has to mind: protected, retained and guarded resources, and secret outputs.

It is copied over a project's stacks/__main__.py; the guarded resource stands in for a cluster whose cloud protects it.
"""

from __future__ import annotations

from typing import Any

import pulumi
from pulumi import dynamic

from components.context.settings import read_settings


class Cloud(dynamic.ResourceProvider):
    """Keeps nothing, and deletes nothing whose deletion protection is on."""

    def create(self, props: dict[str, Any]) -> dynamic.CreateResult:
        return dynamic.CreateResult("made", props)

    def update(self, _id: str, _olds: dict[str, Any], news: dict[str, Any]) -> dynamic.UpdateResult:
        return dynamic.UpdateResult(news)

    def delete(self, _id: str, props: dict[str, Any]) -> None:
        if props.get("deletionProtection"):
            raise ValueError("deletion protection is on")


class Thing(dynamic.Resource):
    """One resource of that cloud."""

    def __init__(self, name: str, *, guarded: bool, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(Cloud(), name, {"deletionProtection": guarded}, opts)


cluster = Thing("cluster", guarded=not read_settings().allow_destroy)
Thing("plain", guarded=False, opts=pulumi.ResourceOptions(depends_on=[cluster]))
Thing("bucket", guarded=False, opts=pulumi.ResourceOptions(protect=True, retain_on_delete=True))
Thing("logs", guarded=False, opts=pulumi.ResourceOptions(retain_on_delete=True))

secret = pulumi.Output.secret
pulumi.export("endpoints", {"api": "https://10.0.0.1", "token": secret("hidden-token")})
pulumi.export("kubeconfig", secret("apiVersion: v1\nkind: Config\n"))
pulumi.export("kubeconfigs", secret({"engineer": "apiVersion: v1\n# engineer\n"}))
pulumi.export("vpnProfiles", {"ann": secret("[Interface]\nPrivateKey = hidden-key\n")})
