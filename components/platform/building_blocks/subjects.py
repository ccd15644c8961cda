"""Who is meant by a rule: people by their e-mail, groups by their name at the identity provider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planning.checklist.model.people import User
    from planning.spec.cluster import ClusterSpec

ADMIN: Final = "admin"


@dataclass(frozen=True, kw_only=True)
class Who:
    """Some people; false where it names nobody.

    Args:
        emails: as the identity provider writes them.
        groups: names there.
    """

    emails: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.emails or self.groups)


def admins(spec: ClusterSpec) -> Who:
    """Who sees everything."""
    return Who(emails=_emails(user for user in spec.access.users if user.group == ADMIN))


def everybody(spec: ClusterSpec) -> Who:
    """Everybody whom the checklist names, one by one or by a team's group."""
    teams = spec.platform.teams if spec.platform else ()
    return Who(
        emails=_emails(spec.access.users),
        groups=tuple(sorted({team.group for team in teams if team.group})),
    )


def _emails(users: Iterable[User]) -> tuple[str, ...]:
    """As written, and in small letters, as Dex and Entra have them."""
    return tuple(sorted({written for user in users for written in (user.email, user.email.lower())}))
