"""What everything that signs people in must agree on: Dex's addresses, and the clients that it knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.platform.building_blocks import names

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Ground

DEX_PORT: Final = 5556
INSIDE: Final = f"http://dex.{names.SIGN_IN}.svc.cluster.local:{DEX_PORT}/dex"  # no person's browser gets there


@dataclass(frozen=True, kw_only=True)
class Addresses:
    """Dex's addresses: people are sent to those below the domain, services ask those inside the cluster.

    Args:
        issuer: in every token; what an identity provider sends people back to begins with it.
        authorize: where a person signs in.
    """

    issuer: str
    authorize: str
    token: str = f"{INSIDE}/token"
    userinfo: str = f"{INSIDE}/userinfo"
    keys: str = f"{INSIDE}/keys"

    @property
    def callback(self) -> str:
        """What is registered as redirect URI at the customer's identity provider."""
        return f"{self.issuer}/callback"


def addresses(ground: Ground) -> Addresses:
    """Where people sign in to this cluster."""
    issuer = f"https://{ground.host(names.SIGN_IN_HOST)}/dex"
    return Addresses(issuer=issuer, authorize=f"{issuer}/auth")


@dataclass(frozen=True, kw_only=True)
class Client:
    """Something that sends people to Dex; its secret is `keyring.secret(f"oidc-{name}")`.

    Its part opens the way to Dex: `fences.allow(..., target=names.SIGN_IN, ports=[DEX_PORT])`.

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
        """Name of its secret in the keyring."""
        return f"oidc-{self.name}"

    def callback(self, ground: Ground) -> str:
        """Its redirect URI."""
        return f"https://{ground.host(self.host)}{self.path}"


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


def clients(ground: Ground) -> tuple[Client, ...]:
    """The clients that are installed."""
    return tuple(each for each in CLIENTS if ground.has(each.part))
