"""How Dex asks the customer's identity provider who somebody is: one connector for each kind of provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planning.checklist.model.people import SingleSignOn

# Types and fields: github.com/dexidp/dex, connector/, tag v2.45.1.
TITLES: Final[Mapping[str, str]] = {
    "google": "Google",
    "okta": "Okta",
    "entra": "Microsoft",
    "github": "GitHub",
    "oidc": "single sign-on",
}


def connector(sso: SingleSignOn) -> tuple[str, dict[str, object]]:
    """Dex's type of connector, and what is special to the provider in its configuration."""
    kind, fields = _KINDS[sso.provider]
    return kind, fields(sso)


def _google(sso: SingleSignOn) -> dict[str, object]:
    """Groups stay unknown: Google tells them to a service account of the whole directory only."""
    return {"hostedDomains": [sso.organisation]} if sso.organisation else {}


def _okta(sso: SingleSignOn) -> dict[str, object]:
    """The scope `groups` is Okta's own; long lists come with the answer of its userinfo endpoint only."""
    return {**_oidc(sso), "scopes": ["profile", "email", "groups"], "getUserInfo": True}


def _oidc(sso: SingleSignOn) -> dict[str, object]:
    """Groups are taken where the claim is there; a scope for it is no standard, so none is asked for."""
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
