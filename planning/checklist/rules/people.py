"""Rules about who gets in, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from planning.checklist.rules.rule_violation import Broken
from planning.values.vpn_addresses import RANGES, user_address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ipaddress import IPv4Address

    from planning.checklist.model.checklist import Checklist

# Of Debian's base-passwd, and the first user of the images of Ubuntu and Amazon Linux.
ACCOUNTS: Final = frozenset(
    {"root", "daemon", "bin", "sys", "sync", "games", "man", "lp", "mail", "news", "uucp", "proxy", "backup", "list"}
    | {"irc", "nobody", "www-data", "ubuntu", "ec2-user"}
)
# What Dex needs to find the provider (github.com/dexidp/dex, connector/, tag v2.45.1), with an example.
FOUND_BY: Final = {
    "okta": ("issuer", "https://acme.okta.com"),
    "oidc": ("issuer", "https://login.acme.com"),
    "entra": ("tenant", "0a1b2c3d-0000-4000-8000-000000000000"),
}
OPEN_TO_ALL: Final = {"google": "acme.com", "github": "acme"}  # with an example of what narrows it
WITHOUT_GROUPS: Final = frozenset({"google"})
EVERY_TENANT: Final = frozenset({"common", "organizations", "consumers"})


def users_unique(checklist: Checklist) -> Iterator[Broken]:
    """One login and one identity for each person."""
    for name in ("name", "email"):
        seen: set[str] = set()
        for at, user in enumerate(checklist.access.users):
            given = str(getattr(user, name)).casefold()
            if given in seen:
                yield Broken(
                    ("access", "users", at, name), f'two users have the {name} "{given}"', "give each their own"
                )
            seen.add(given)


def vpn_addresses_apart(checklist: Checklist) -> Iterator[Broken]:
    """A user's address in the VPN follows from the name alone, so two names may meet on one address."""
    if not checklist.access.vpn:
        return
    seen: dict[IPv4Address, str] = {}
    for at, user in enumerate(checklist.access.users):
        other = seen.setdefault(user_address(user.name, RANGES[0]), user.name)
        if other != user.name:
            message = f'"{user.name}" and "{other}" would have the same address in the VPN'
            yield Broken(("access", "users", at, "name"), message, f'write the name differently, as in "{user.name}-2"')


def ssh_has_a_key(checklist: Checklist) -> Iterator[Broken]:
    """SSH without a public key lets nobody in; we make no keys for people."""
    access = checklist.access
    if access.ssh and not any(user.ssh_key for user in access.users):
        message = "SSH is wanted, but no user has a public key"
        yield Broken(("access", "ssh"), message, 'add "ssh_key: ssh-ed25519 ..." to at least one of access.users')


def ssh_names_free(checklist: Checklist) -> Iterator[Broken]:
    """Accounts that a node has already are left alone, so nobody gets one of their names."""
    access = checklist.access
    for at, user in enumerate(access.users):
        if access.ssh and user.ssh_key and user.name in ACCOUNTS:
            message = f'nodes have an account "{user.name}" already, which is left alone'
            yield Broken(("access", "users", at, "name"), message, "write the person's own name")


def ssh_through_vpn(checklist: Checklist) -> Iterator[Broken]:
    """SSH is never open to the internet."""
    if checklist.access.ssh and not _has_private_way_in(checklist):
        message = "SSH to nodes goes through the VPN or a peered network, and there is neither"
        yield Broken(("access", "ssh"), message, 'write "vpn: true"')


def users_get_in(checklist: Checklist) -> Iterator[Broken]:
    """A private API with no VPN and no peering is a cluster that nobody can reach."""
    where, access = checklist.where, checklist.access
    if not access.users or _has_private_way_in(checklist) or where.api_cidrs:
        return
    message = "the users have no way in: no VPN, a private API, no peered network"
    yield Broken(("access", "vpn"), message, 'write "vpn: true", or name your office in where.api_cidrs')


def sso_over_https(checklist: Checklist) -> Iterator[Broken]:
    """People's tokens and the client's secret travel to the issuer."""
    sso = checklist.access.sso
    if sso is None or sso.issuer is None:
        return
    if not _is_https(sso.issuer):
        hint = 'write the address with https://, as in "https://acme.okta.com"'
        yield Broken(("access", "sso", "issuer"), f'the issuer "{sso.issuer}" is not an https:// address', hint)


def _is_https(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme == "https" and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def sso_complete(checklist: Checklist) -> Iterator[Broken]:
    """Each kind of provider is found by something else."""
    sso = checklist.access.sso
    if sso is None or sso.provider not in FOUND_BY:
        return
    field, example = FOUND_BY[sso.provider]
    if not getattr(sso, field):
        message = f'people sign in at "{sso.provider}", and {field} is missing'
        yield Broken(("access", "sso", "provider"), message, f'add "{field}: {example}"')


def sso_keeps_strangers_out(checklist: Checklist) -> Iterator[Broken]:
    """Whoever has an account at Google or GitHub could sign in, where neither an organisation nor people are named."""
    access, sso = checklist.access, checklist.access.sso
    if sso is None or sso.provider not in OPEN_TO_ALL or sso.organisation or access.users:
        return
    if any(team.group for team in checklist.teams):
        return
    message = f'everybody with an account at "{sso.provider}" would get in'
    yield Broken(("access", "sso", "provider"), message, f'add "organisation: {OPEN_TO_ALL[sso.provider]}"')


def sso_names_one_tenant(checklist: Checklist) -> Iterator[Broken]:
    """Words that Microsoft takes for every tenant there is (learn.microsoft.com/entra, token issuers of v2.0)."""
    sso = checklist.access.sso
    if sso is not None and sso.provider == "entra" and (sso.tenant or "").casefold() in EVERY_TENANT:
        message = f'"{sso.tenant}" stands for everybody with an account at Microsoft'
        yield Broken(("access", "sso", "tenant"), message, "write the id of your own tenant")


def sso_tells_groups(checklist: Checklist) -> Iterator[Broken]:
    """Google tells groups to a service account of the whole directory only, which Atoll does not ask for."""
    sso = checklist.access.sso
    if sso is None or sso.provider not in WITHOUT_GROUPS:
        return
    for at, team in enumerate(checklist.teams):
        if team.group:
            message = f'"{sso.provider}" does not tell who is in the group "{team.group}"'
            yield Broken(("teams", at, "group"), message, f'write "team: {team.name}" for each of its access.users')


def _has_private_way_in(checklist: Checklist) -> bool:
    peered = checklist.main_cloud is not None and checklist.main_cloud.vpc_id is not None
    return checklist.access.vpn or peered or checklist.where.existing is not None
