"""What Dex is told: where it answers, who asks it, and how it knows people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from components.platform.building_blocks.sso import DEX_PORT, addresses, clients
from components.platform.foundation.dex_connectors import TITLES, connector

if TYPE_CHECKING:
    from collections.abc import Callable

    import pulumi

    from components.platform.building_blocks.context import Ground
    from planning.checklist.model.people import SingleSignOn, User


@dataclass(frozen=True, kw_only=True)
class Secrets:
    """Where its secrets are taken from.

    Args:
        plain: a generated secret by name.
        hashed: its bcrypt hash.
        provider: the client secret at the customer's identity provider.
    """

    plain: Callable[[str], pulumi.Input[str]]
    hashed: Callable[[str], pulumi.Input[str]]
    provider: pulumi.Input[str] = field(repr=False)


def configuration(ground: Ground, secrets: Secrets) -> dict[str, object]:
    """Dex's configuration file (github.com/dexidp/dex, cmd/dex/config.go, tag v2.45.1)."""
    sso = ground.platform.sso
    return {
        "issuer": addresses(ground).issuer,
        "storage": {"type": "kubernetes", "config": {"inCluster": True}},
        "web": {"http": f"0.0.0.0:{DEX_PORT}"},
        "logger": {"level": "info", "format": "json"},
        "oauth2": {"skipApprovalScreen": True},
        "staticClients": [
            {
                "id": each.name,
                "name": each.name,
                "redirectURIs": [each.callback(ground)],
                "secret": secrets.plain(each.secret),
            }
            for each in clients(ground)
        ],
        **(_own_people(ground, secrets) if sso is None else _theirs(sso, ground, secrets)),
    }


def password_of(user: User) -> str:
    """Name of a user's password in the keyring."""
    return f"sign-in-{user.name}"


def _theirs(sso: SingleSignOn, ground: Ground, secrets: Secrets) -> dict[str, object]:
    kind, special = connector(sso)
    told = {
        "clientID": sso.client_id,
        "clientSecret": secrets.provider,
        "redirectURI": addresses(ground).callback,
        **special,
    }
    return {
        "enablePasswordDB": False,
        "connectors": [{"type": kind, "id": sso.provider, "name": TITLES[sso.provider], "config": told}],
    }


def _own_people(ground: Ground, secrets: Secrets) -> dict[str, object]:
    """An account for each of the checklist's users; their groups are their role and their team."""
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
            for user in ground.spec.access.users
        ],
    }
