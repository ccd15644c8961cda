"""Dex from the Kubeflow release: sign-in by the customer's identity provider, or by accounts of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from json import dumps
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import pulumi

from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.manifests import Patch, manifests, on_system
from components.platform.building_blocks.network_policies import allow, allow_egress, api_servers, isolate_namespace
from components.platform.building_blocks.objects import register_secret
from components.platform.building_blocks.sign_in import DEX_PORT, addresses, clients
from components.tenancy.cluster import shut_namespace
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from components.platform.building_blocks.context import Outputs, PlatformContext, PlatformResource
    from planning.checklist.model.people import SingleSignOn, User


# Types and fields: github.com/dexidp/dex, connector/, tag v2.45.1.
TITLES: Final[Mapping[str, str]] = {
    "google": "Google",
    "okta": "Okta",
    "entra": "Microsoft",
    "github": "GitHub",
    "oidc": "single sign-on",
}


def connector(sso: SingleSignOn) -> tuple[str, dict[str, object]]:
    """Dex's type of connector, and the provider's fields of its configuration."""
    kind, fields = _KINDS[sso.provider]
    return kind, fields(sso)


def _google(sso: SingleSignOn) -> dict[str, object]:
    """Without groups, which Google gives only to a service account with access to the directory."""
    return {"hostedDomains": [sso.organisation]} if sso.organisation else {}


def _okta(sso: SingleSignOn) -> dict[str, object]:
    """Okta as the identity provider."""
    # The scope `groups` is Okta's own; long lists of groups are in its userinfo endpoint only.
    return {**_oidc(sso), "scopes": ["profile", "email", "groups"], "getUserInfo": True}


def _oidc(sso: SingleSignOn) -> dict[str, object]:
    """An identity provider by OpenID Connect alone."""
    # Groups come from a claim, if there is one; no standard scope asks for it.
    return {"issuer": sso.issuer, "scopes": ["profile", "email"], "insecureEnableGroups": True}


def _entra(sso: SingleSignOn) -> dict[str, object]:
    return {"tenant": sso.tenant, "onlySecurityGroups": True, "emailToLowercase": True}


def _github(sso: SingleSignOn) -> dict[str, object]:
    """Groups are "organisation:team"."""
    if not sso.organisation:
        return {"loadAllGroups": True}
    return {"orgs": [{"name": sso.organisation}], "teamNameField": "slug"}


_KINDS: Final[Mapping[str, tuple[str, Callable[[SingleSignOn], dict[str, object]]]]] = {
    "google": ("google", _google),
    "okta": ("oidc", _okta),
    "entra": ("microsoft", _entra),
    "github": ("github", _github),
    "oidc": ("oidc", _oidc),
}


@dataclass(frozen=True, kw_only=True)
class Secrets:
    """Sources of its secrets.

    Args:
        plain: a generated secret by name.
        hashed: its bcrypt hash.
        provider: the client secret at the customer's identity provider.
    """

    plain: Callable[[str], pulumi.Input[str]]
    hashed: Callable[[str], pulumi.Input[str]]
    provider: pulumi.Input[str] = field(repr=False)


def configuration(context: PlatformContext, secrets: Secrets) -> dict[str, object]:
    """Dex's configuration file (github.com/dexidp/dex, cmd/dex/config.go, tag v2.45.1)."""
    sso = context.platform.sso
    return {
        "issuer": addresses(context).issuer,
        "storage": {"type": "kubernetes", "config": {"inCluster": True}},
        "web": {"http": f"0.0.0.0:{DEX_PORT}"},
        "logger": {"level": "info", "format": "json"},
        "oauth2": {"skipApprovalScreen": True},
        "staticClients": [
            {
                "id": each.name,
                "name": each.name,
                "redirectURIs": [each.build_callback(context)],
                "secret": secrets.plain(each.secret),
            }
            for each in clients(context)
        ],
        **(_own_people(context, secrets) if sso is None else _theirs(sso, context, secrets)),
    }


def password_of(user: User) -> str:
    return f"sign-in-{user.name}"


def _theirs(sso: SingleSignOn, context: PlatformContext, secrets: Secrets) -> dict[str, object]:
    kind, special = connector(sso)
    told = {
        "clientID": sso.client_id,
        "clientSecret": secrets.provider,
        "redirectURI": addresses(context).callback,
        **special,
    }
    return {
        "enablePasswordDB": False,
        "connectors": [{"type": kind, "id": sso.provider, "name": TITLES[sso.provider], "config": told}],
    }


def _own_people(context: PlatformContext, secrets: Secrets) -> dict[str, object]:
    """An account for each user of the checklist; groups are the role and the team."""
    return {
        "enablePasswordDB": True,
        "staticPasswords": [
            {
                "email": user.email,
                "emailVerified": True,
                "username": user.name,
                "preferredUsername": user.name,
                "userID": user.name,
                "groups": [user.group, *([user.team] if user.team else [])],
                "hash": secrets.hashed(password_of(user)),
            }
            for user in context.spec.access.users
        ],
    }


CONFIGURATION: Final = "atoll-dex"
FILE: Final = "config.yaml"  # as the release mounts it
HTTPS: Final = 443
PODS: Final = {"app": "dex"}


@component("dex", "atoll:platform:Dex")
def build(own: PlatformResource) -> Outputs:
    """Dex with its configuration in a Secret, and without the release's accounts and secrets.

    Outputs: the address of the sign-in, and the passwords of Dex's own accounts.
    """
    context = own.context
    _complete(context)
    home = shut_namespace(names.SIGN_IN, level="restricted", parent=own)
    isolate_namespace(names.SIGN_IN, servers=api_servers(context.spec), parent=home)
    _allow_traffic(context, home=home)
    manifests(own, patches(context), after=[_register_secret(context, home=home)])
    outputs: dict[str, pulumi.Input[object]] = {"signIn": f"https://{context.build_host(names.DASHBOARD_HOST)}"}
    if context.platform.sso is not None:
        return {**outputs, "ssoRedirectUri": addresses(context).callback}
    passwords = {user.name: context.keyring.get_secret(password_of(user)) for user in context.spec.access.users}
    return {**outputs, "signInPasswords": pulumi.Output.secret(passwords)}


def patches(context: PlatformContext) -> tuple[Patch, ...]:
    """The release's namespace, accounts and secrets left out; our configuration in their place."""
    return (
        Patch(kind="Namespace", name=names.SIGN_IN),
        Patch(kind="ConfigMap", name="dex"),
        Patch(kind="Secret", name="dex-oidc-client"),
        Patch(kind="Secret", name="dex-passwords"),
        Patch(kind="Deployment", name="dex", change={"spec": {"template": _template(context)}}),
        *on_system(context),
    )


def _complete(context: PlatformContext) -> None:
    """Check that the client secret is set, which a run without an engine does not need.

    Raises:
        InputError: it is not in the stack's configuration.
    """
    settings = context.settings
    if context.platform.sso is None or settings.offline or settings.sso_client_secret:
        return
    raise InputError(
        "access.sso is set, and the stack has no secret for it",
        hint="write it with: pulumi config set --secret atoll:ssoClientSecret",
    )


def _register_secret(context: PlatformContext, *, home: pulumi.Resource) -> pulumi.Resource:
    keyring = context.keyring
    real = Secrets(plain=keyring.get_secret, hashed=keyring.hash_secret, provider=context.settings.sso_client_secret)
    text = pulumi.Output.secret(pulumi.Output.json_dumps(configuration(context, real)))
    return register_secret(CONFIGURATION, {FILE: text}, namespace=names.SIGN_IN, parent=home, kind="Opaque")


def _template(context: PlatformContext) -> dict[str, object]:
    """Pod template of Dex."""
    shape = Secrets(plain=lambda name: name, hashed=lambda name: name, provider="provider")
    # Dex reads its configuration once: the annotation restarts the pods after a change.
    mark = sha256(dumps(configuration(context, shape), sort_keys=True).encode()).hexdigest()[:16]
    container = {
        "name": "dex",
        "envFrom": None,
        "env": [{"name": "DEX_EXPAND_ENV", "value": "false"}],
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}},
    }
    mounted = {"secretName": CONFIGURATION, "items": [{"key": FILE, "path": FILE}]}
    return {
        "metadata": {"annotations": {"atoll/configuration": mark}},
        "spec": {"containers": [container], "volumes": [{"name": "config", "configMap": None, "secret": mounted}]},
    }


def _allow_traffic(context: PlatformContext, *, home: pulumi.Resource) -> None:
    """Egress to the identity provider, ingress from oauth2-proxy; later components allow their own access to Dex."""
    allow(
        "oauth2-proxy-to-dex",
        source=names.PROXY,
        target=names.SIGN_IN,
        ports=[DEX_PORT],
        target_pods=PODS,
        parent=home,
    )
    sso = context.platform.sso
    if sso is not None:
        port = urlsplit(sso.issuer or "").port or HTTPS
        allow_egress(
            "dex-identity-provider", namespace=names.SIGN_IN, ports=sorted({HTTPS, port}), pods=PODS, parent=home
        )
