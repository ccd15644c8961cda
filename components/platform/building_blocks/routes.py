"""The way from the ingress gateway to a part's page: one name below the domain, behind the sign-in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform.building_blocks import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.platform.building_blocks.context import Ground
    from components.platform.building_blocks.subjects import Who

ROUTES: Final = "networking.istio.io/v1"
RULES: Final = "security.istio.io/v1"
GATE: Final = {"matchLabels": {"app": "istio-ingressgateway"}}
# Paths that are served without having signed in, on every name: they end here, never at the part behind the door.
OPEN_PATHS: Final = (("/oauth2/", names.PROXY, "oauth2-proxy", 80), ("/dex/", names.SIGN_IN, "dex", 5556))


def door(
    host: str,
    service: str,
    port: int,
    *,
    namespace: str,
    ground: Ground,
    parent: pulumi.Resource,
    prefix: str = "/",
    only: Who | None = None,
    token: bool = False,
) -> kubernetes.apiextensions.CustomResource:
    """Serve a part at https://<host>.<domain>, to people who have signed in.

    The part finds the person's e-mail in the header `kubeflow-userid`, which the gateway sets from the token after it
    has dropped what a client wrote there.

    Args:
        host: first label of the name: `names.GRAFANA_HOST` and the like.
        service: the service's name in `namespace`; the gateway may reach every namespace that `network_policies` shut.
        only: who gets in; None for everybody whom the cluster lets in.
        token: whether the part gets the person's own token as well, which a part with a login of its own refuses.
    """
    name = ground.host(host)
    page: dict[str, object] = {"match": [{"uri": {"prefix": prefix}}], "route": [_to(service, namespace, port)]}
    if not token:
        page["headers"] = {"request": {"remove": ["authorization"]}}
    if only is not None:
        refusal(f"{host}-door", only, hosts=[name], parent=parent)
    return kubernetes.apiextensions.CustomResource(
        f"{host}-door",
        api_version=ROUTES,
        kind="VirtualService",
        metadata={"name": f"{host}-door", "namespace": namespace},
        spec={
            "hosts": [name],
            "gateways": [names.GATEWAY],
            "http": [
                *(
                    {"match": [{"uri": {"prefix": path}}], "route": [_to(part, home, number)]}
                    for path, home, part, number in OPEN_PATHS
                ),
                page,
            ],
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )


def refusal(
    name: str, only: Who, *, parent: pulumi.Resource, hosts: Sequence[str] = ()
) -> kubernetes.apiextensions.CustomResource:
    """Refuse at the gateway everybody else on these names, or on all; nobody gets in where `only` names nobody."""
    requests: dict[str, object] = {"notPaths": [f"{path}*" for path, *_ in OPEN_PATHS]}
    if hosts:
        requests["hosts"] = list(hosts)
    return kubernetes.apiextensions.CustomResource(
        name,
        api_version=RULES,
        kind="AuthorizationPolicy",
        metadata={"name": name, "namespace": names.ISTIO},
        spec={
            "action": "DENY",
            "selector": GATE,
            "rules": [
                {
                    "to": [{"operation": requests}],
                    **({"when": _strangers(only)} if only else {}),
                }
            ],
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )


def unawaited(ground: Ground) -> dict[str, str]:
    """Annotations of the gateway's service where nobody may be there to give it a load balancer: a cluster that exists.

    Pulumi then goes on without waiting for one.
    """
    return {"pulumi.com/skipAwait": "true"} if ground.spec.existing is not None else {}


def _strangers(only: Who) -> list[dict[str, object]]:
    """Conditions that hold for whoever is neither named nor in one of the groups."""
    claims = {"email": only.emails, "groups": only.groups}
    return [{"key": f"request.auth.claims[{name}]", "notValues": list(has)} for name, has in claims.items() if has]


def _to(service: str, namespace: str, port: int) -> dict[str, object]:
    return {"destination": {"host": f"{service}.{namespace}.svc.cluster.local", "port": {"number": port}}}
