"""Argo CD, which updates the platform from the customer's repository, where the checklist asks for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from components.platform.building_blocks import names
from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component
from components.platform.building_blocks.network_policies import allow, allow_egress
from components.platform.building_blocks.objects import register_secret
from components.platform.building_blocks.sign_in import DEX_PORT, addresses, admins, list_people, register_route

if TYPE_CHECKING:
    import pulumi

    from components.platform.building_blocks.context import Outputs, PlatformContext, PlatformResource

NAMESPACE: Final = "argocd"
RELEASE: Final = "argocd"  # its services are then called argocd-server and so on
SERVICE: Final = "argocd-server"
CLIENT: Final = "argocd"  # its id at Dex, as in components/platform/building_blocks/sign_in.py
REDIS: Final = "argocd-redis"  # name that the chart reads
SIGN_IN: Final = "argocd-sign-in"
BROKER: Final = {"app.kubernetes.io/name": "argocd-dex-server"}
DEX: Final = {"app": "dex"}
# Applications have no health of their own in Argo CD, and waves wait for health.
HEALTH: Final = """\
hs = {status = "Progressing", message = ""}
if obj.status ~= nil and obj.status.health ~= nil then
  hs.status = obj.status.health.status
  hs.message = obj.status.health.message or ""
end
return hs
"""
REQUESTS: Final = {  # part of the chart to its requests; their sum is in the catalog
    "controller": ("250m", "512Mi"),
    "repoServer": ("100m", "256Mi"),
    "server": ("50m", "128Mi"),
    "applicationSet": ("25m", "64Mi"),
    "redis": ("25m", "64Mi"),
    "dex": ("25m", "64Mi"),
}


@component("argo_cd", "atoll:platform:ArgoCd", name=RELEASE)
def build(own: PlatformResource) -> Outputs:
    """Argo CD behind the sign-in, without the account "admin"; its applications come from `atoll gitops export`."""
    context = own.context
    before = _register_secrets(own)
    allow_egress("argocd-sources", namespace=NAMESPACE, parent=own, ports=(443, 22))
    allow(
        "argocd-to-dex",
        source=NAMESPACE,
        source_pods=BROKER,
        target=names.SIGN_IN,
        target_pods=DEX,
        ports=[DEX_PORT],
        parent=own,
    )
    server = release(own, _values(context), after=before)
    people = list_people(context.spec)
    register_route(names.ARGO_CD_HOST, SERVICE, 80, namespace=NAMESPACE, own=own, only=people)
    own.shown["release"] = server.name
    return {"argoCd": f"https://{context.build_host(names.ARGO_CD_HOST)}"}


def _values(context: PlatformContext) -> dict[str, object]:
    selector = {"kubernetes.io/os": "linux", **context.on_system}
    asked: dict[str, dict[str, object]] = {
        part: {"resources": {"requests": {"cpu": cpu, "memory": memory}}} for part, (cpu, memory) in REQUESTS.items()
    }
    return {
        "global": {"domain": context.build_host(names.ARGO_CD_HOST), "nodeSelector": selector},
        "redisSecretInit": {"enabled": False},
        "notifications": {"enabled": False},
        "configs": {"cm": _settings(context), "rbac": _rights(context), "params": {"server.insecure": True}},
        **asked,
    }


def _settings(context: PlatformContext) -> dict[str, object]:
    """Settings of Argo CD: sign-in by our Dex alone."""
    # Argo CD discovers an issuer only under its public name, which the cluster's DNS may not resolve: its bundled Dex
    # sits between, sends browsers to the public name, and calls our Dex inside the cluster
    # (dexidp.io/docs/connectors/oauth).
    where = addresses(context)
    connector = {
        "type": "oauth",
        "id": "atoll",
        "name": "single sign-on",
        "config": {
            "clientID": CLIENT,
            "clientSecret": f"${SIGN_IN}:clientSecret",
            "authorizationURL": where.authorize,
            "tokenURL": where.token,
            "userInfoURL": where.userinfo,
            "scopes": ["openid", "profile", "email", "groups"],
            "userIDKey": "sub",
            "claimMapping": {"userNameKey": "name", "groupsKey": "groups"},
        },
    }
    return {
        "url": f"https://{context.build_host(names.ARGO_CD_HOST)}",
        "admin.enabled": False,
        "dex.config": json.dumps({"connectors": [connector]}),  # JSON is YAML too
        "resource.customizations.health.argoproj.io_Application": HEALTH,
    }


def _rights(context: PlatformContext) -> dict[str, str]:
    """Roles: admins of the checklist are admins, everybody else who has access reads."""
    chosen = admins(context.spec)
    grants = [f"g, {each}, role:admin" for each in (*chosen.emails, *chosen.groups)]
    return {"policy.default": "role:readonly", "policy.csv": "\n".join(grants), "scopes": "[groups, email]"}


def _register_secrets(own: PlatformResource) -> list[pulumi.Resource]:
    """The password of Redis, which a job of the chart would make otherwise, and the secret shared with Dex."""
    part_of = {"app.kubernetes.io/part-of": "argocd"}  # Argo CD reads no Secret without it
    contents = {
        # A job of the chart would make it otherwise, with rights to write Secrets.
        REDIS: {"auth": own.context.keyring.get_secret("argocd-redis")},
        SIGN_IN: {"clientSecret": own.context.keyring.get_secret(f"oidc-{CLIENT}")},
    }
    return [
        register_secret(name, content, namespace=NAMESPACE, parent=own, labels=part_of)
        for name, content in contents.items()
    ]
