"""Rules about who gets in, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from planning.checklist.rules.rule_violation import RuleViolation
from planning.values.addresses import RANGES, user_address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ipaddress import IPv4Address

    from planning.checklist.model.checklist import Checklist
    from planning.checklist.model.people import Team
    from planning.checklist.model.workload import HardwareAsk


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


def users_unique(checklist: Checklist) -> Iterator[RuleViolation]:
    """One login and one identity for each person."""
    for name in ("name", "email"):
        seen: set[str] = set()
        for at, user in enumerate(checklist.access.users):
            given = str(getattr(user, name)).casefold()
            if given in seen:
                yield RuleViolation(
                    ("access", "users", at, name), f'two users have the {name} "{given}"', "give each their own"
                )
            seen.add(given)


def vpn_addresses_apart(checklist: Checklist) -> Iterator[RuleViolation]:
    """A user's address in the VPN follows from the name alone, so two names may meet on one address."""
    if not checklist.access.vpn:
        return
    seen: dict[IPv4Address, str] = {}
    for at, user in enumerate(checklist.access.users):
        other = seen.setdefault(user_address(user.name, RANGES[0]), user.name)
        if other != user.name:
            message = f'"{user.name}" and "{other}" would have the same address in the VPN'
            yield RuleViolation(
                ("access", "users", at, "name"), message, f'write the name differently, as in "{user.name}-2"'
            )


def ssh_has_a_key(checklist: Checklist) -> Iterator[RuleViolation]:
    """SSH needs a public key of each user; we make no keys for people."""
    access = checklist.access
    if access.ssh and not any(user.ssh_key for user in access.users):
        message = "SSH is wanted, but no user has a public key"
        yield RuleViolation(
            ("access", "ssh"), message, 'add "ssh_key: ssh-ed25519 ..." to at least one of access.users'
        )


def ssh_names_free(checklist: Checklist) -> Iterator[RuleViolation]:
    """Accounts that a node has already are left alone, so no user gets one of their names."""
    access = checklist.access
    for at, user in enumerate(access.users):
        if access.ssh and user.ssh_key and user.name in ACCOUNTS:
            message = f'nodes have an account "{user.name}" already, which is left alone'
            yield RuleViolation(("access", "users", at, "name"), message, "write the person's own name")


def ssh_through_vpn(checklist: Checklist) -> Iterator[RuleViolation]:
    """SSH is never open to the internet."""
    if checklist.access.ssh and not _has_private_way_in(checklist):
        message = "SSH to nodes goes through the VPN or a peered network, and there is neither"
        yield RuleViolation(("access", "ssh"), message, 'write "vpn: true"')


def users_get_in(checklist: Checklist) -> Iterator[RuleViolation]:
    """A private API with no VPN and no peering is a cluster out of reach."""
    where, access = checklist.where, checklist.access
    if not access.users or _has_private_way_in(checklist) or where.api_cidrs:
        return
    message = "the users have no way in: no VPN, a private API, no peered network"
    yield RuleViolation(("access", "vpn"), message, 'write "vpn: true", or name your office in where.api_cidrs')


def sso_over_https(checklist: Checklist) -> Iterator[RuleViolation]:
    """People's tokens and the client's secret travel to the issuer."""
    sso = checklist.access.sso
    if sso is None or sso.issuer is None:
        return
    if not _is_https(sso.issuer):
        hint = 'write the address with https://, as in "https://acme.okta.com"'
        yield RuleViolation(("access", "sso", "issuer"), f'the issuer "{sso.issuer}" is not an https:// address', hint)


def _is_https(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme == "https" and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def sso_complete(checklist: Checklist) -> Iterator[RuleViolation]:
    """Each kind of provider is found by something else."""
    sso = checklist.access.sso
    if sso is None or sso.provider not in FOUND_BY:
        return
    field, example = FOUND_BY[sso.provider]
    if not getattr(sso, field):
        message = f'people sign in at "{sso.provider}", and {field} is missing'
        yield RuleViolation(("access", "sso", "provider"), message, f'add "{field}: {example}"')


def sso_keeps_strangers_out(checklist: Checklist) -> Iterator[RuleViolation]:
    """Whoever has an account at Google or GitHub could sign in, where neither an organisation nor people are named."""
    access, sso = checklist.access, checklist.access.sso
    if sso is None or sso.provider not in OPEN_TO_ALL or sso.organisation or access.users:
        return
    if any(team.group for team in checklist.teams):
        return
    message = f'everybody with an account at "{sso.provider}" would get in'
    yield RuleViolation(("access", "sso", "provider"), message, f'add "organisation: {OPEN_TO_ALL[sso.provider]}"')


def sso_names_one_tenant(checklist: Checklist) -> Iterator[RuleViolation]:
    """Words that Microsoft takes for every tenant there is (learn.microsoft.com/entra, token issuers of v2.0)."""
    sso = checklist.access.sso
    if sso is not None and sso.provider == "entra" and (sso.tenant or "").casefold() in EVERY_TENANT:
        message = f'"{sso.tenant}" stands for everybody with an account at Microsoft'
        yield RuleViolation(("access", "sso", "tenant"), message, "write the id of your own tenant")


def sso_tells_groups(checklist: Checklist) -> Iterator[RuleViolation]:
    """Google tells groups to a service account of the whole directory only, which Atoll does not ask for."""
    sso = checklist.access.sso
    if sso is None or sso.provider not in WITHOUT_GROUPS:
        return
    for at, team in enumerate(checklist.teams):
        if team.group:
            message = f'"{sso.provider}" does not tell who is in the group "{team.group}"'
            yield RuleViolation(
                ("teams", at, "group"), message, f'write "team: {team.name}" for each of its access.users'
            )


def _has_private_way_in(checklist: Checklist) -> bool:
    peered = checklist.main_cloud is not None and checklist.main_cloud.vpc_id is not None
    return checklist.access.vpn or peered or checklist.where.existing is not None


# Names that are taken, and by what.
TAKEN: Final = {
    "everybody": "the team of the workloads that no other team has",
    "default": "the queue of jobs that name none",
}


def teams_unique(checklist: Checklist) -> Iterator[RuleViolation]:
    """A team's name becomes a queue and a bucket, so no two have one name."""
    seen: set[str] = set()
    for at, team in enumerate(checklist.teams):
        if team.name in TAKEN:
            message = f'"{team.name}" is {TAKEN[team.name]}'
            yield RuleViolation(("teams", at, "name"), message, "give it a name of its own")
        elif team.name in seen:
            message = f'two teams are called "{team.name}"'
            yield RuleViolation(("teams", at, "name"), message, "give it a name of its own")
        seen.add(team.name)


def teams_have_people(checklist: Checklist) -> Iterator[RuleViolation]:
    """Somebody is in each team: by a group where people sign in, or by name. Admins look after all, and are in none."""
    access = checklist.access
    free = any(user.team is None and user.group != "admin" for user in access.users)
    for at, team in enumerate(checklist.teams):
        named = free or any(user.team == team.name for user in access.users)
        if named or (team.group and access.sso):
            continue
        if team.group:
            message = f'the group "{team.group}" is nowhere, for access.sso does not say where people sign in'
            yield RuleViolation(("teams", at, "group"), message, 'write access.sso, or "team" for each of access.users')
        else:
            message = f'team "{team.name}" has no members'
            hint = f'write its "group" at your identity provider, or "team: {team.name}" for some of access.users'
            yield RuleViolation(("teams", at, "name"), message, hint)


def teams_have_workloads(checklist: Checklist) -> Iterator[RuleViolation]:
    """A team works in workloads that the checklist has."""
    known = {each.name for each in checklist.workloads}
    for at, team in enumerate(checklist.teams):
        for position, name in enumerate(team.workloads):
            if name not in known:
                path = ("teams", at, "workloads", position)
                yield RuleViolation(
                    path, f'no workload is called "{name}"', f"workloads are {', '.join(sorted(known))}"
                )


def users_in_teams(checklist: Checklist) -> Iterator[RuleViolation]:
    """A user's team is one that the checklist has."""
    known = {team.name for team in checklist.teams}
    for at, user in enumerate(checklist.access.users):
        if user.team is not None and user.team not in known:
            hint = f"teams are {', '.join(sorted(known))}" if known else "name it in teams, or delete the line"
            yield RuleViolation(("access", "users", at, "team"), f'no team is called "{user.team}"', hint)


def guarantees_fit(checklist: Checklist) -> Iterator[RuleViolation]:
    """Where the hardware is stated, no team is guaranteed more of it than its workloads have; else the quote says."""
    stated = {each.name: _count(each.hardware) for each in checklist.workloads}
    away = {name for each in checklist.where.elsewhere for name in each.workloads}
    for at, team in enumerate(checklist.teams):
        found = [stated[name] for name in _places(team, stated) if name not in away]
        if team.accelerators is None or None in found:
            continue
        there = sum(count for count in found if count is not None)
        if team.accelerators > there:
            message = f'the team "{team.name}" is guaranteed {team.accelerators} accelerators of the {there} there are'
            yield RuleViolation(
                ("teams", at, "accelerators"), message, f"write at most {there}, or ask for more hardware"
            )
    yield from _together(checklist, {name: count for name, count in stated.items() if name not in away})


def _together(checklist: Checklist, stated: dict[str, int | None]) -> Iterator[RuleViolation]:
    """The first team with which the guarantees of all are more than all the hardware of the primary placement."""
    if None in stated.values():
        return
    there, given = sum(count for count in stated.values() if count is not None), 0
    for at, team in enumerate(checklist.teams):
        before, given = given, given + (team.accelerators or 0)
        if before <= there < given and (team.accelerators or 0) <= there:
            message = f'the teams up to "{team.name}" are guaranteed {given} accelerators; all workloads have {there}'
            yield RuleViolation(("teams", at, "accelerators"), message, f"write at most {there - before}")


def _places(team: Team, known: dict[str, int | None]) -> list[str]:
    return [name for name in known if not team.workloads or name in team.workloads]


def _count(ask: HardwareAsk | None) -> int | None:
    """Accelerators that are asked for; None where sizing finds out."""
    if ask is None:
        return None
    return ask.count or (ask.per_node * ask.nodes if ask.per_node and ask.nodes else None)
