"""Any valid set of people: users, teams, where they sign in, and what was agreed with them."""

from __future__ import annotations

from collections.abc import Sequence

from any_workload import Body
from chance import Chance, plain

_NAMES = ("ada", "grace", "linus", "edsger", "barbara", "ken", "margaret", "tim", "x-1", "katherine-of-the-orbits")
_TEAMS = ("models", "research", "vision", "risk", "a-team-with-a-long-name")
_KEYS = (
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGfWxvXPZvHbYtnGfLkPXJCjTTbpHHBcyvhBO5B0j8yB ada@laptop",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBX3ZkIvXVHyyc2MxiZmDJyqXPlgYXKHDWqaHBFkPcvH",
)
_SIGN_IN: dict[str, Body] = {
    "google": {"organisation": "acme.example"},
    "github": {"organisation": "acme"},
    "okta": {"issuer": "https://acme.okta.com"},
    "oidc": {"issuer": "https://login.acme.example:8443/realms/ml"},
    "entra": {"tenant": "0a1b2c3d-0000-4000-8000-000000000000"},
}
_URGENCY = ("urgent", "high", "normal")
_STEPS = (
    "sign", "prepare", "preflight", "build", "burn_in", "accept", "deliver", "teach", "load", "first_job", "review"
)  # fmt: skip
_ROLES = ("customer_lead", "customer_engineer", "account", "engineer_on_call", "support", "security")


def any_access(chance: Chance, names: Sequence[str], teams: Sequence[str]) -> Body:
    """Who gets in, and how; every team has somebody."""
    people = chance.some(_NAMES, least=len(teams) and 1, most=None if chance.flag(0.3) else 3)
    users = [_user(chance, person, names=names, teams=teams) for person in people]
    if users and teams:
        users[0].pop("team", None)
        users[0]["group"] = "engineer"
    body: Body = {"users": users} if users else {}
    if chance.flag(0.2):
        body["ssh"] = any("ssh_key" in user for user in users)
    if chance.flag(0.3):
        provider = chance.among(tuple(_SIGN_IN))
        body["sso"] = {"provider": provider, "client_id": chance.among(("atoll", chance.text())), **_SIGN_IN[provider]}
    if "ssh" not in body and not users:
        body |= chance.fields(vpn=(0.2, lambda: False))
    return body


def any_teams(chance: Chance, names: Sequence[str]) -> list[Body]:
    """Teams that share the workloads."""
    return [
        {"name": team}
        | chance.fields(
            workloads=(0.6, lambda: chance.some(names, least=1)),
            usd_per_month=(0.5, lambda: chance.amount(1, 1e7)),
            accelerators=(0.15, lambda: chance.scaled_whole(1, 64) - 1),
        )
        for team in chance.some(_TEAMS, least=1, most=4)
    ]


def _user(chance: Chance, person: str, *, names: Sequence[str], teams: Sequence[str]) -> Body:
    user: Body = {"name": person, "email": f"{person}@acme.example"}
    return user | chance.fields(
        group=(0.6, lambda: chance.among(("engineer", "admin", "viewer"))),
        workloads=(0.3, lambda: chance.some(names, least=1)),
        team=(0.5 if teams else 0.0, lambda: chance.among(teams)),
        ssh_key=(0.4, lambda: chance.among(_KEYS)),
    )


def any_agreement(chance: Chance, *, months: int, burn_in: bool, tiers: Sequence[tuple[str, str]]) -> Body:
    """Terms that agree with the contract and with the storage that is asked for."""
    fix = chance.whole(1, 60)
    body = chance.fields(
        starts=(0.5, lambda: f"20{chance.whole(26, 98)}-{chance.whole(1, 12):02}-{chance.whole(1, 28):02}"),
        steps=(0.3, lambda: _steps(chance)),
        credits=(0.4, lambda: _credits(chance)),
        tier_speeds=(0.5 if tiers else 0.0, lambda: _speeds(chance, tiers)),
        fix_within_days=(0.4, lambda: fix),
        replace_within_hours=(0.4, lambda: chance.amount(0.25, 200)),
        provider_spares=(0.3, lambda: chance.whole(0, 20)),
        burn_in_hours=(0.3 if burn_in else 0.0, lambda: chance.whole(48, 336)),
        responses=(0.4, lambda: _responses(chance)),
        migration_by=(0.3, lambda: chance.among(("provider", "customer"))),
        maintenance_notice_hours=(0.3, lambda: chance.amount(1, 1000)),
        contacts=(0.4, lambda: _contacts(chance)),
    )
    if months:
        body |= chance.fields(
            exit_after_days=(0.3, lambda: fix + chance.whole(0, 60)),
            upgrade_after_months=(0.3, lambda: chance.whole(1, months - 1)),
        )
    return body


def _steps(chance: Chance) -> list[Body]:
    return [{"step": step, "working_days": chance.whole(0, 260)} for step in chance.some(_STEPS, least=1)]


def _credits(chance: Chance) -> list[Body]:
    count = chance.whole(1, 4)
    below = sorted({chance.share("50", "99.9") for _ in range(count)}, key=float, reverse=True)
    paid = sorted({chance.whole(1, 100) for _ in below})
    return [{"below_percent": low, "credit_percent": part} for low, part in zip(below, paid, strict=False)]


def _speeds(chance: Chance, tiers: Sequence[tuple[str, str]]) -> list[Body]:
    read = {"read_mb_per_s": chance.amount(10, 1e6)}
    return [
        {"tier": tier, "placement": place}
        | chance.among((read, {"write_mb_per_s": chance.amount(10, 1e6)}, read | {"write_mb_per_s": 100}))
        for place, tier in chance.some(tiers, least=1)
    ]


def _responses(chance: Chance) -> list[Body]:
    minutes = sorted(chance.scaled_whole(1, 10_000) for _ in _URGENCY)
    every = [
        {"sort": sort, "within_minutes": within} | chance.fields(weekends=(0.5, lambda: True))
        for sort, within in zip(_URGENCY, minutes, strict=True)
    ]
    return chance.some(every, least=1)


def _contacts(chance: Chance) -> list[Body]:
    return [
        {"role": role, "name": chance.text(), "email": f"{role}@acme.example"}
        | chance.fields(phone=(0.5, lambda: "+49 30 1234567"))
        for role in chance.some(_ROLES, least=1)
    ]


def money(chance: Chance, low: float, high: float) -> str:
    """USD as people write them."""
    return plain(chance.scaled(low, high))
