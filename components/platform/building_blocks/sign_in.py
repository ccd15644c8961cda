"""Single sign-on: Dex's addresses and clients, and routes from the ingress gateway to the pages of components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.platform.building_blocks import names
from components.platform.building_blocks.objects import register_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pulumi
    import pulumi_kubernetes as kubernetes

    from components.platform.building_blocks.context import PlatformContext, PlatformResource
    from planning.checklist.model.people import User
    from planning.spec.cluster import ClusterSpec


DEX_PORT: Final = 5556
INSIDE: Final = f"http://dex.{names.SIGN_IN}.svc.cluster.local:{DEX_PORT}/dex"  # no person's browser gets there


@dataclass(frozen=True, kw_only=True)
class DexEndpoints:
    """Dex's addresses: browsers use those below the domain, services those inside the cluster.

    Args:
        issuer: in every token, and the beginning of the redirect URI.
        authorize: where a person signs in.
    """

    issuer: str
    authorize: str
    token: str = f"{INSIDE}/token"
    userinfo: str = f"{INSIDE}/userinfo"
    keys: str = f"{INSIDE}/keys"

    @property
    def callback(self) -> str:
        """Redirect URI that is registered at the customer's identity provider."""
        return f"{self.issuer}/callback"


def addresses(context: PlatformContext) -> DexEndpoints:
    """Where people sign in to this cluster."""
    issuer = f"https://{context.build_host(names.SIGN_IN_HOST)}/dex"
    return DexEndpoints(issuer=issuer, authorize=f"{issuer}/auth")


@dataclass(frozen=True, kw_only=True)
class Client:
    """OIDC client of Dex; its secret is `keyring.secret(f"oidc-{name}")`.

    Its component allows egress to Dex: `network_policies.allow(..., target=names.SIGN_IN, ports=[DEX_PORT])`.

    Args:
        name: its id at Dex.
        part: platform part that brings it.
        host: first label of its name.
        path: where Dex sends people back to.
    """

    name: str
    part: str
    host: str
    path: str

    @property
    def secret(self) -> str:
        return f"oidc-{self.name}"

    def build_callback(self, context: PlatformContext) -> str:
        return f"https://{context.build_host(self.host)}{self.path}"


PROXY: Final = Client(
    name="oauth2-proxy",
    part="oauth2_proxy",
    host=names.SIGN_IN_HOST,
    path="/oauth2/callback",
)
# MLflow and Airflow have no login of their own here: the gateway names the person to them.
CLIENTS: Final = (
    PROXY,
    Client(
        name="grafana",
        part="prometheus",
        host=names.GRAFANA_HOST,
        path="/login/generic_oauth",
    ),
    Client(
        name="argocd",
        part="argo_cd",
        host=names.ARGO_CD_HOST,
        path="/api/dex/callback",  # of its own broker (argo_cd.py)
    ),
)


def clients(context: PlatformContext) -> tuple[Client, ...]:
    return tuple(each for each in CLIENTS if context.has(each.part))


ROUTES: Final = "networking.istio.io/v1"
RULES: Final = "security.istio.io/v1"
GATE: Final = {"matchLabels": {"app": "istio-ingressgateway"}}
# Paths that need no sign-in, on every name: they lead to the sign-in itself, never to the component.
OPEN_PATHS: Final = (("/oauth2/", names.PROXY, "oauth2-proxy", 80), ("/dex/", names.SIGN_IN, "dex", 5556))


def register_route(
    host: str,
    service: str,
    port: int,
    *,
    namespace: str,
    own: PlatformResource,
    only: Subjects | None = None,
) -> kubernetes.apiextensions.CustomResource:
    """Serve a component at https://<host>.<domain>, to people who have signed in.

    The component finds the person's e-mail in the header `kubeflow-userid`, which the gateway sets from the token; it
    drops what a client sends there.

    Args:
        host: first label of the name: `names.GRAFANA_HOST` and the like.
        service: the service's name in `namespace`; the gateway may reach every namespace that `network_policies` shut.
        only: who has access; None for everybody with access to the cluster.
    """
    name = own.context.build_host(host)
    page: dict[str, object] = {
        "match": [{"uri": {"prefix": "/"}}],
        "route": [_to(service, namespace, port)],
        "headers": {"request": {"remove": ["authorization"]}},  # a part with a login of its own refuses such a token
    }
    if only is not None:
        deny_others(f"{host}-door", only, hosts=[name], parent=own)
    open_pages = [
        {"match": [{"uri": {"prefix": path}}], "route": [_to(part, home, number)]}
        for path, home, part, number in OPEN_PATHS
    ]
    spec = {"hosts": [name], "gateways": [names.GATEWAY], "http": [*open_pages, page]}
    return register_object(ROUTES, "VirtualService", f"{host}-door", spec, namespace=namespace, parent=own)


def deny_others(
    name: str, only: Subjects, *, parent: pulumi.Resource, hosts: Sequence[str] = ()
) -> kubernetes.apiextensions.CustomResource:
    """Deny everybody else at the gateway, on these hosts or on all; an empty `only` denies everybody."""
    requests: dict[str, object] = {"notPaths": [f"{path}*" for path, *_ in OPEN_PATHS]}
    if hosts:
        requests["hosts"] = list(hosts)
    rule = {"to": [{"operation": requests}], **({"when": _strangers(only)} if only else {})}
    spec = {"action": "DENY", "selector": GATE, "rules": [rule]}
    return register_object(RULES, "AuthorizationPolicy", name, spec, namespace=names.ISTIO, parent=parent)


def build_await_annotations(context: PlatformContext) -> dict[str, str]:
    """Annotations of the gateway's service: in an existing cluster Pulumi does not wait for a load balancer."""
    # Such a cluster may have no controller that makes a load balancer.
    return {"pulumi.com/skipAwait": "true"} if context.spec.existing is not None else {}


def _strangers(only: Subjects) -> list[dict[str, object]]:
    """Conditions for people who are neither named nor in one of the groups."""
    claims = {"email": only.emails, "groups": only.groups}
    return [{"key": f"request.auth.claims[{name}]", "notValues": list(has)} for name, has in claims.items() if has]


def _to(service: str, namespace: str, port: int) -> dict[str, object]:
    return {"destination": {"host": f"{service}.{namespace}.svc.cluster.local", "port": {"number": port}}}


ADMIN: Final = "admin"


@dataclass(frozen=True, kw_only=True)
class Subjects:
    """People by e-mail and group; false when empty.

    Args:
        emails: as the identity provider writes them.
        groups: names there.
    """

    emails: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.emails or self.groups)


def admins(spec: ClusterSpec) -> Subjects:
    """Admins, who have access to everything."""
    return Subjects(emails=_emails(user for user in spec.access.users if user.group == ADMIN))


def list_people(spec: ClusterSpec) -> Subjects:
    """Everybody in the checklist: users, and the groups of teams."""
    teams = spec.platform.teams if spec.platform else ()
    return Subjects(
        emails=_emails(spec.access.users),
        groups=tuple(sorted({team.group for team in teams if team.group})),
    )


def _emails(users: Iterable[User]) -> tuple[str, ...]:
    """E-mails as written, and in lower case, as Dex and Entra have them."""
    return tuple(sorted({written for user in users for written in (user.email, user.email.lower())}))
