"""oauth2-proxy from the Kubeflow release: it checks every request of the mesh, and redirects to Dex."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Final

import pulumi

from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.manifests import Patch, manifests, on_system, request_resources
from components.platform.building_blocks.network_policies import api_servers, isolate_namespace
from components.platform.building_blocks.objects import register_secret
from components.platform.building_blocks.sign_in import PROXY, DexEndpoints, addresses
from components.tenancy.cluster import shut_namespace

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Keyring, PlatformContext, PlatformResource

SECRET: Final = "oauth2-proxy"  # noqa: S105 - name of the Secret that the release's deployment reads
COOKIE_CHARACTERS: Final = 32  # oauth2-proxy takes 16, 24 or 32, or as many bytes once decoded


@component("oauth2_proxy", "atoll:platform:Oauth2Proxy")
def build(own: PlatformResource) -> None:
    """One session for all names below the domain; its secrets are generated."""
    home = shut_namespace(names.PROXY, level="restricted", parent=own)
    isolate_namespace(names.PROXY, servers=api_servers(own.context.spec), parent=home)
    manifests(own, patches(own.context), after=[_register_secret(own.context.keyring, home=home)])


def patches(context: PlatformContext) -> tuple[Patch, ...]:
    """Without the release's namespace and secrets; with secure cookies, and tokens of our issuer."""
    parameters = {"FORCE_HTTPS": "true", "ALLOW_SELF_SIGNED_ISSUER": "false"}
    file = {"oauth2_proxy.cfg": configuration(context)}
    return (
        Patch(kind="Namespace", name=names.PROXY),
        Patch(kind="Secret", name="oauth2-proxy"),
        Patch(kind="ConfigMap", name="oauth2-proxy-parameters", change={"data": parameters}),
        Patch(kind="ConfigMap", name="oauth2-proxy", change={"data": file}),
        Patch(
            kind="RequestAuthentication", name="dex-jwt", change={"spec": {"jwtRules": [_tokens(addresses(context))]}}
        ),
        request_resources("oauth2-proxy", "oauth2-proxy", cpu="10m", memory="32Mi"),
        *on_system(context),
    )


def configuration(context: PlatformContext) -> str:
    """Its configuration file: the release's, with addresses that a browser can open and one cookie for all names.

    It is TOML, which writes these values as JSON does.
    """
    known = addresses(context)
    domain = context.build_host("")
    lines: dict[str, str | bool | list[str]] = {
        "provider": "oidc",
        "provider_display_name": "Dex",
        "oidc_issuer_url": known.issuer,
        "skip_oidc_discovery": True,
        "login_url": known.authorize,
        "redeem_url": known.token,
        "oidc_jwks_url": known.keys,
        "redirect_url": PROXY.build_callback(context),
        "whitelist_domains": [domain],
        "scope": "openid profile email groups",
        "email_domains": ["*"],
        "code_challenge_method": "S256",
        "prompt": "none",
        "upstreams": ["static://200"],
        "skip_auth_routes": ["^/dex/"],
        "api_routes": ["/api/", "/apis/", "^/ml_metadata"],
        "skip_provider_button": False,
        "custom_sign_in_logo": "/custom-theme/kubeflow-logo.svg",
        "banner": "-",
        "footer": "-",
        "set_authorization_header": True,
        "set_xauthrequest": True,
        "cookie_name": "atoll_session",
        # One cookie for all names: people sign in once.
        "cookie_domains": [domain],
        "cookie_secure": True,
        "cookie_httponly": True,
        "cookie_samesite": "lax",
        "cookie_expire": "24h",
        "cookie_refresh": "0s",
    }
    return "".join(f"{key} = {dumps(value)}\n" for key, value in lines.items())


def _register_secret(keyring: Keyring, *, home: pulumi.Resource) -> pulumi.Resource:
    cookie = keyring.get_secret("oauth2-proxy-cookie").apply(lambda made: made[:COOKIE_CHARACTERS])
    content = {
        "client-id": PROXY.name,
        "client-secret": keyring.get_secret(PROXY.secret),
        "cookie-secret": pulumi.Output.secret(cookie),
    }
    return register_secret(SECRET, content, namespace=names.PROXY, parent=home, kind="Opaque")


def _tokens(known: DexEndpoints) -> dict[str, object]:
    """Tokens that the gateway accepts, and the headers with the user's identity."""
    return {
        "issuer": known.issuer,
        "audiences": [PROXY.name],  # a token for another client gives no access
        "jwksUri": known.keys,
        "forwardOriginalToken": True,
        "fromHeaders": [{"name": "Authorization", "prefix": "Bearer "}],
        "outputClaimToHeaders": [
            {"header": "kubeflow-userid", "claim": "email"},
            {"header": "kubeflow-groups", "claim": "groups"},
        ],
    }
