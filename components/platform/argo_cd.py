"""Argo CD, which installs the platform's next versions from the customer's own repository, once that was asked for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform import names
from components.platform.built import Part
from components.platform.chart import release
from components.platform.doors import door
from components.platform.fences import HOME, outward
from components.platform.sso import addresses
from components.platform.who import admins, everybody

if TYPE_CHECKING:
    from components.platform.built import Charges
    from components.platform.ground import Ground

NAMESPACE: Final = "argocd"
RELEASE: Final = "argocd"  # its services are then called argocd-server and so on
SERVICE: Final = "argocd-server"
CLIENT: Final = "argocd"  # its id at Dex, as in components/platform/sso.py
REDIS: Final = "argocd-redis"  # name that the chart reads
SIGN_IN: Final = "argocd-sign-in"
AUTHORITY: Final = "authority"  # Certificate and Secret that bring the cluster's own authority here
TRUSTED_AT: Final = "/etc/atoll-ca"
GATEWAY_PORT: Final = 8443  # of the gateway's pods, behind the names that people open
CERTIFICATE: Final = {"key": "ca.crt", "path": "ca.crt"}
# Applications have no health of their own in Argo CD, and waves wait for health.
HEALTH: Final = """\
hs = {status = "Progressing", message = ""}
if obj.status ~= nil and obj.status.health ~= nil then
  hs.status = obj.status.health.status
  hs.message = obj.status.health.message or ""
end
return hs
"""
REQUESTS: Final = {  # part of the chart to what it asks for; together the row of the catalog
    "controller": ("250m", "512Mi"),
    "repoServer": ("100m", "256Mi"),
    "server": ("50m", "128Mi"),
    "applicationSet": ("25m", "64Mi"),
    "redis": ("25m", "64Mi"),
}


@dataclass(frozen=True, kw_only=True)
class ArgoCdArgs:
    """What it stands on."""

    ground: Ground
    charges: Charges

    def facts(self) -> dict[str, object]:
        """What a plan shows of it."""
        part, placement = self.ground.part("argo_cd"), self.ground.spec.placement
        return {
            "provider": placement.provider,
            "region": placement.region,
            "version": part.version,
            "source": part.repository,
            "charges": list(self.charges),
        }


@final
class ArgoCd(pulumi.ComponentResource):
    """Argo CD behind the sign-in, without the account "admin"; its applications come from `atoll handover`."""

    def __init__(self, name: str, args: ArgoCdArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:ArgoCd", name, args.facts(), opts)
        ground = args.ground
        before = [*_secrets(ground, parent=self), *_trust(ground, parent=self)]
        outward("argocd-sources", namespace=NAMESPACE, parent=self, ports=(443, 22))
        _to_gateway(parent=self)
        server = release(
            RELEASE, ground.part("argo_cd"), values=_values(ground), ground=ground, parent=self, depends_on=before
        )
        door(
            names.ARGO_CD_HOST,
            SERVICE,
            80,
            namespace=NAMESPACE,
            ground=ground,
            parent=self,
            only=everybody(ground.spec),
        )
        self.register_outputs({"release": server.name})


def build(ground: Ground, charges: Charges, options: pulumi.ResourceOptions) -> Part:
    """Argo CD and its page."""
    made = ArgoCd("argocd", ArgoCdArgs(ground=ground, charges=charges), opts=options)
    return Part(resource=made, outputs={"argoCd": f"https://{ground.host(names.ARGO_CD_HOST)}"})


def _values(ground: Ground) -> dict[str, object]:
    selector = {"kubernetes.io/os": "linux", **ground.on_system}
    asked: dict[str, dict[str, object]] = {
        part: {"resources": {"requests": {"cpu": cpu, "memory": memory}}} for part, (cpu, memory) in REQUESTS.items()
    }
    if _private(ground):
        asked["server"] |= {
            "env": [{"name": "SSL_CERT_DIR", "value": f"/etc/ssl/certs:{TRUSTED_AT}"}],
            "volumes": [{"name": "authority", "secret": {"secretName": AUTHORITY, "items": [CERTIFICATE]}}],
            "volumeMounts": [{"name": "authority", "mountPath": TRUSTED_AT, "readOnly": True}],
        }
    return {
        "global": {"domain": ground.host(names.ARGO_CD_HOST), "nodeSelector": selector},
        "redisSecretInit": {"enabled": False},
        "dex": {"enabled": False},
        "notifications": {"enabled": False},
        "configs": {"cm": _settings(ground), "rbac": _rights(ground), "params": {"server.insecure": True}},
        **asked,
    }


def _settings(ground: Ground) -> dict[str, object]:
    sign_in = {
        "name": "single sign-on",
        "issuer": addresses(ground).issuer,
        "clientID": CLIENT,
        "clientSecret": f"${SIGN_IN}:clientSecret",
        "requestedScopes": ["openid", "profile", "email", "groups"],
    }
    return {
        "url": f"https://{ground.host(names.ARGO_CD_HOST)}",
        "admin.enabled": False,
        "oidc.config": json.dumps(sign_in),  # JSON is YAML too
        "resource.customizations.health.argoproj.io_Application": HEALTH,
    }


def _rights(ground: Ground) -> dict[str, str]:
    """Who is admin in the checklist is admin here; all others who get in look."""
    chosen = admins(ground.spec)
    grants = [f"g, {each}, role:admin" for each in (*chosen.emails, *chosen.groups)]
    return {"policy.default": "role:readonly", "policy.csv": "\n".join(grants), "scopes": "[groups, email]"}


def _secrets(ground: Ground, *, parent: ArgoCd) -> list[pulumi.Resource]:
    """The password of its cache, which the chart would have a job make, and the secret shared with Dex."""
    part_of = {"app.kubernetes.io/part-of": "argocd"}  # Argo CD reads no Secret without it
    contents = {
        REDIS: {"auth": ground.keyring.secret("argocd-redis")},
        SIGN_IN: {"clientSecret": ground.keyring.secret(f"oidc-{CLIENT}")},
    }
    return [
        kubernetes.core.v1.Secret(
            name,
            metadata={"name": name, "namespace": NAMESPACE, "labels": part_of},
            string_data=content,
            opts=pulumi.ResourceOptions(parent=parent),
        )
        for name, content in contents.items()
    ]


def _private(ground: Ground) -> bool:
    """Whether certificates of the names that people open hang on the cluster's own authority."""
    return not ground.settings.certificate_issuer


def _trust(ground: Ground, *, parent: ArgoCd) -> list[pulumi.Resource]:
    """A Secret of cert-manager always holds the authority that signed it; its own key serves for nothing."""
    if not _private(ground):
        return []
    made = kubernetes.apiextensions.CustomResource(
        AUTHORITY,
        api_version="cert-manager.io/v1",
        kind="Certificate",
        metadata={"name": AUTHORITY, "namespace": NAMESPACE},
        spec={
            "secretName": AUTHORITY,
            "commonName": AUTHORITY,
            "usages": ["client auth"],
            "privateKey": {"algorithm": "ECDSA", "size": 256, "rotationPolicy": "Always"},
            "issuerRef": {"group": "cert-manager.io", "kind": "ClusterIssuer", "name": names.CLUSTER_ISSUER},
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )
    return [made]


def _to_gateway(*, parent: ArgoCd) -> None:
    """Argo CD asks Dex for its addresses under the name that people sign in at, which the gateway answers."""
    kubernetes.networking.v1.NetworkPolicy(
        "argocd-to-gateway",
        metadata={"name": "argocd-to-gateway", "namespace": NAMESPACE},
        spec={
            "pod_selector": {},
            "policy_types": ["Egress"],
            "egress": [
                {
                    "to": [{"namespace_selector": {"match_labels": {HOME: names.ISTIO}}}],
                    "ports": [{"protocol": "TCP", "port": GATEWAY_PORT}],
                }
            ],
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )
