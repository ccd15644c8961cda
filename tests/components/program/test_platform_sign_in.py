"""The sign-in: whose tokens count, where secrets come from, and who gets in."""

from __future__ import annotations

import json
from typing import Any

import pytest
from grounds import changes, grounded, said
from look import at, of_type, one
from platform_samples import SSO, run_part, spec_with

from components.platform.building_blocks.context import PlatformContext, PlatformResource, component
from components.platform.building_blocks.sign_in import Subjects, admins, register_route
from components.platform.foundation import dex, ingress, oauth2_proxy
from planning.costs.resources.resource import Secret

RULE = "kubernetes:security.istio.io/v1:AuthorizationPolicy"


def test_no_secret_of_the_release_is_left() -> None:
    both = (*grounded(spec_with(), dex.patches), *grounded(spec_with(), oauth2_proxy.patches))
    left_out = {each.name for each in both if each.kind == "Secret" and each.change is None}
    assert left_out == {"dex-oidc-client", "dex-passwords", "oauth2-proxy"}


def test_one_cookie_over_tls_serves_every_name() -> None:
    text = grounded(spec_with(), oauth2_proxy.configuration)
    assert 'cookie_domains = [".ml.example.com"]' in text
    assert "cookie_secure = true" in text
    assert 'redirect_url = "https://auth.ml.example.com/oauth2/callback"' in text
    parameters = changes(grounded(spec_with(), oauth2_proxy.patches), "ConfigMap", "oauth2-proxy-parameters")
    assert parameters.change["data"]["FORCE_HTTPS"] == "true"


def test_the_gateway_takes_tokens_of_our_issuer_alone() -> None:
    tokens = changes(grounded(spec_with(), oauth2_proxy.patches), "RequestAuthentication", "dex-jwt")
    (rule,) = tokens.change["spec"]["jwtRules"]
    assert rule["issuer"] == "https://auth.ml.example.com/dex"
    assert rule["jwksUri"].startswith("http://dex.auth.svc.cluster.local")
    assert rule["audiences"] == ["oauth2-proxy"]  # and of no other page's


def test_the_proxys_secrets_are_generated() -> None:
    found = run_part("oauth2_proxy", oauth2_proxy.build, spec_with())
    secret = one(found, "kubernetes:core/v1:Secret", "oauth2-proxy")
    assert isinstance(at(secret, "stringData"), Secret)
    made = {each.name for each in of_type(found, "random:index/randomPassword:RandomPassword")}
    assert made == {"oauth2-proxy-cookie", "oidc-oauth2-proxy"}


def test_without_sso_each_user_gets_a_generated_password() -> None:
    found = run_part("dex", dex.build, spec_with())
    passwords = {each.name for each in of_type(found, "random:index/randomPassword:RandomPassword")}
    assert {"sign-in-ada", "sign-in-grace"} <= passwords
    assert isinstance(said(found)["signInPasswords"], Secret)
    assert isinstance(at(one(found, "kubernetes:core/v1:Secret", "atoll-dex"), "stringData"), Secret)


def test_with_sso_nobody_has_a_password_here() -> None:
    found = run_part("dex", dex.build, spec_with(access={"sso": SSO}), settings={"sso_client_secret": "s3cret"})
    passwords = {each.name for each in of_type(found, "random:index/randomPassword:RandomPassword")}
    assert not any(name.startswith("sign-in") for name in passwords)
    assert "signInPasswords" not in said(found)
    assert said(found)["ssoRedirectUri"] == "https://auth.atoll.internal/dex/callback"


def test_nobody_gets_in_but_the_checklists_people() -> None:
    found = run_part("ingress", ingress.build, spec_with())
    strangers = one(found, RULE, "strangers")
    assert at(strangers, "spec", "action") == "DENY"
    (condition,) = at(strangers, "spec", "rules", 0, "when")  # type: ignore[misc]
    assert condition["notValues"] == ["ada@lagoon-labs.example", "grace@lagoon-labs.example"]


@pytest.mark.parametrize(
    ("provider", "fields", "kind", "told"),
    [
        ("google", {"organisation": "acme.com"}, "google", {"hostedDomains": ["acme.com"]}),
        ("okta", {"issuer": "https://acme.okta.com"}, "oidc", {"insecureEnableGroups": True}),
        ("oidc", {"issuer": "https://login.acme.com"}, "oidc", {"issuer": "https://login.acme.com"}),
        ("entra", {"tenant": "acme"}, "microsoft", {"tenant": "acme"}),
        ("github", {"organisation": "acme"}, "github", {"orgs": [{"name": "acme"}]}),
    ],
)
def test_each_provider_has_its_connector(
    provider: str, fields: dict[str, str], kind: str, told: dict[str, object]
) -> None:
    spec = spec_with(access={"sso": {"provider": provider, "client_id": "atoll", **fields}})
    (made,) = grounded(spec, plain)["connectors"]
    assert made["type"] == kind
    assert made["config"].items() >= told.items()
    assert made["config"]["redirectURI"] == "https://auth.ml.example.com/dex/callback"


def test_dex_knows_the_clients_that_are_installed() -> None:
    found = grounded(spec_with(), plain)
    assert [each["id"] for each in found["staticClients"]] == ["oauth2-proxy", "grafana"]
    (ada, _) = found["staticPasswords"]
    assert ada["email"] == "ada@lagoon-labs.example"
    assert ada["groups"] == ["admin"]


def plain(ground: PlatformContext) -> Any:
    """Dex's configuration with the names of its secrets in their place."""
    shape = dex.Secrets(plain=lambda name: name, hashed=lambda name: name, provider="provider")
    return json.loads(json.dumps(dex.configuration(ground, shape)))


def test_a_door_sends_its_own_paths_to_the_sign_in_and_the_rest_to_the_part() -> None:
    @component("prometheus", "atoll:platform:Sample")
    def build(own: PlatformResource) -> None:
        only = admins(own.context.spec)
        register_route("grafana", "grafana", 80, namespace="observability", own=own, only=only)

    found = run_part("prometheus", build, spec_with(), domain="ml.example.com")
    route = one(found, "kubernetes:networking.istio.io/v1:VirtualService", "grafana-door")
    assert at(route, "spec", "hosts") == ["grafana.ml.example.com"]
    ways: Any = at(route, "spec", "http")
    assert [each["match"][0]["uri"]["prefix"] for each in ways] == ["/oauth2/", "/dex/", "/"]
    assert ways[-1]["headers"] == {"request": {"remove": ["authorization"]}}
    refused = at(one(found, RULE, "grafana-door"), "spec", "rules", 0)
    assert refused["when"] == [  # type: ignore[index]
        {"key": "request.auth.claims[email]", "notValues": ["ada@lagoon-labs.example"]}
    ]


def test_where_nobody_is_named_nobody_gets_in() -> None:
    @component("mlflow", "atoll:platform:Sample")
    def build(own: PlatformResource) -> None:
        register_route("x", "x", 80, namespace="mlflow", own=own, only=Subjects())

    found = run_part("mlflow", build, spec_with())
    rules: Any = at(one(found, RULE, "x-door"), "spec", "rules")
    assert [list(each) for each in rules] == [["to"]]
