"""Rules about teams: each has a name of its own, people, workloads that exist, and no more than the pools have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.checklist.rules.rule_violation import Broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist
    from planning.checklist.model.people import Team
    from planning.checklist.model.workload import HardwareAsk

# Names that are taken, and by what.
TAKEN: Final = {
    "everybody": "the team of the workloads that no other team has",
    "default": "the queue of jobs that name none",
}


def teams_unique(checklist: Checklist) -> Iterator[Broken]:
    """A team's name becomes a queue and a bucket, so no two have one name."""
    seen: set[str] = set()
    for at, team in enumerate(checklist.teams):
        if team.name in TAKEN:
            message = f'"{team.name}" is {TAKEN[team.name]}'
            yield Broken(("teams", at, "name"), message, "give it a name of its own")
        elif team.name in seen:
            message = f'two teams are called "{team.name}"'
            yield Broken(("teams", at, "name"), message, "give it a name of its own")
        seen.add(team.name)


def teams_have_people(checklist: Checklist) -> Iterator[Broken]:
    """Somebody is in each team: by a group where people sign in, or by name. Admins look after all, and are in none."""
    access = checklist.access
    free = any(user.team is None and user.group != "admin" for user in access.users)
    for at, team in enumerate(checklist.teams):
        named = free or any(user.team == team.name for user in access.users)
        if named or (team.group and access.sso):
            continue
        if team.group:
            message = f'the group "{team.group}" is nowhere, for access.sso does not say where people sign in'
            yield Broken(("teams", at, "group"), message, 'write access.sso, or "team" for each of access.users')
        else:
            message = f'nobody is in the team "{team.name}"'
            hint = f'write its "group" at your identity provider, or "team: {team.name}" for some of access.users'
            yield Broken(("teams", at, "name"), message, hint)


def teams_have_workloads(checklist: Checklist) -> Iterator[Broken]:
    """A team works in workloads that the checklist has."""
    known = {each.name for each in checklist.workloads}
    for at, team in enumerate(checklist.teams):
        for position, name in enumerate(team.workloads):
            if name not in known:
                path = ("teams", at, "workloads", position)
                yield Broken(path, f'no workload is called "{name}"', f"workloads are {', '.join(sorted(known))}")


def users_in_teams(checklist: Checklist) -> Iterator[Broken]:
    """A user's team is one that the checklist has."""
    known = {team.name for team in checklist.teams}
    for at, user in enumerate(checklist.access.users):
        if user.team is not None and user.team not in known:
            hint = f"teams are {', '.join(sorted(known))}" if known else "name it in teams, or delete the line"
            yield Broken(("access", "users", at, "team"), f'no team is called "{user.team}"', hint)


def guarantees_fit(checklist: Checklist) -> Iterator[Broken]:
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
            yield Broken(("teams", at, "accelerators"), message, f"write at most {there}, or ask for more hardware")
    yield from _together(checklist, {name: count for name, count in stated.items() if name not in away})


def _together(checklist: Checklist, stated: dict[str, int | None]) -> Iterator[Broken]:
    """The first team with which the guarantees of all are more than all the hardware at home."""
    if None in stated.values():
        return
    there, given = sum(count for count in stated.values() if count is not None), 0
    for at, team in enumerate(checklist.teams):
        before, given = given, given + (team.accelerators or 0)
        if before <= there < given and (team.accelerators or 0) <= there:
            message = f'the teams up to "{team.name}" are guaranteed {given} accelerators; all workloads have {there}'
            yield Broken(("teams", at, "accelerators"), message, f"write at most {there - before}")


def _places(team: Team, known: dict[str, int | None]) -> list[str]:
    return [name for name in known if not team.workloads or name in team.workloads]


def _count(ask: HardwareAsk | None) -> int | None:
    """Accelerators that are asked for; None where sizing finds out."""
    if ask is None:
        return None
    return ask.count or (ask.per_node * ask.nodes if ask.per_node and ask.nodes else None)
