"""Teams and what each is guaranteed of every pool: never more, together, than the pool has."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.platform.queues import in_order
from planning.sizing.workloads.training import has_rollouts, rollouts_of
from planning.spec.platform import Quota, TeamShare
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from planning.checklist.model.checklist import Checklist
    from planning.checklist.model.people import Access, Team, User
    from planning.spec.cluster import Pool

EVERYBODY: Final = "everybody"


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamClaim:
    """What one team may have, and how much of it is asked for.

    Args:
        pools: those of its workloads, the surest purchase first.
        accelerators: guaranteed; None where it follows from the money.
    """

    name: str
    pools: tuple[str, ...]
    accelerators: int | None = None
    usd_per_month: Decimal | None = None


@dataclass(slots=True)
class Holding:
    """Accelerators that are given out: by team and pool, and what is left of each pool."""

    free: dict[str, int]
    held: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    def give(self, claims: Mapping[str, TeamClaim], team: str, seen: set[str] | None = None) -> bool:
        """One accelerator more for a team: a free one, else one whose holder finds another; False for none."""
        for pool in claims[team].pools:
            if self.free[pool]:
                self.free[pool] -= 1
                self.add(team, pool, 1)
                return True
        seen = set() if seen is None else seen
        for pool in claims[team].pools:
            if pool not in seen:
                seen.add(pool)
                for holder in self._holders(pool, without=team):
                    if self.give(claims, holder, seen):
                        self.add(holder, pool, -1)
                        self.add(team, pool, 1)
                        return True
        return False

    def _holders(self, pool: str, *, without: str) -> list[str]:
        return [team for (team, at), count in self.held.items() if at == pool and count and team != without]

    def add(self, team: str, pool: str, count: int) -> None:
        self.held[team, pool] = self.held.get((team, pool), 0) + count


def team_shares(checklist: Checklist, pools: Sequence[Pool]) -> tuple[TeamShare, ...]:
    """The checklist's teams; one of everybody for the workloads that no team has.

    Accelerators are those of working nodes: a spare is for the job that lost a node. What no team is guaranteed
    stays with the cohort, which lends it.

    Raises:
        InputError: teams are guaranteed more accelerators than their pools have; says which, all at once.
    """
    here = tuple(work.name for work in checklist.workloads)
    named = {team.name: workloads_of(team, here) for team in checklist.teams}
    if rest := tuple(name for name in here if not any(name in held for held in named.values())):
        named[EVERYBODY] = rest
    there = {*here, *(pool.workload for pool in pools)}
    places = {
        team: tuple(name for name in with_rollouts(names, checklist) if name in there) for team, names in named.items()
    }
    asked = {team.name: team for team in checklist.teams}
    order = [pool for pool in in_order(pools) if pool.accelerators]
    claims = {name: _claim(name, asked.get(name), held, order) for name, held in places.items()}
    holding = divide_accelerators(claims.values(), {pool.name: pool.accelerators * pool.working for pool in pools})
    return tuple(_share(name, asked.get(name), held, pools, holding) for name, held in places.items())


def workloads_of(team: Team, here: Iterable[str]) -> tuple[str, ...]:
    """The team's workloads among those that are here; all where it names none."""
    return tuple(name for name in here if not team.workloads or name in team.workloads)


def with_rollouts(names: Iterable[str], checklist: Checklist) -> tuple[str, ...]:
    """Workloads and the simulators beside them, which have pods, a namespace and a queue of their own."""
    beside = {work.name: rollouts_of(work.name) for work in checklist.workloads if has_rollouts(work)}
    mine = tuple(names)
    return (*mine, *(beside[name] for name in mine if name in beside))


def people(checklist: Checklist) -> Access:
    """Who gets in, each user with the workloads of the team where none are named: rights are given by workload."""
    teams = {team.name: team for team in checklist.teams}
    users = tuple(_assign_workloads(user, teams.get(user.team or ""), checklist) for user in checklist.access.users)
    return checklist.access.model_copy(update={"users": users})


def _assign_workloads(user: User, team: Team | None, checklist: Checklist) -> User:
    named = user.workloads or (team.workloads if team else ())
    return user.model_copy(update={"workloads": with_rollouts(named, checklist)})


def _claim(name: str, team: Team | None, places: Sequence[str], pools: Sequence[Pool]) -> TeamClaim:
    return TeamClaim(
        name=name,
        pools=tuple(pool.name for pool in pools if pool.workload is None or pool.workload in places),
        accelerators=team.accelerators if team else None,
        usd_per_month=team.usd_per_month if team else None,
    )


def divide_accelerators(claims: Iterable[TeamClaim], pools: Mapping[str, int]) -> Mapping[tuple[str, str], int]:
    """Whole accelerators by team and pool: first what is guaranteed by number, then the rest by money or evenly.

    Args:
        pools: accelerators of each.

    Raises:
        InputError: more is guaranteed than there is.
    """
    by_name = {claim.name: claim for claim in claims}
    holding = Holding(dict(pools))
    short = [
        Fault(message=_short(claim, holding, pools), file="", path=f"teams[{at}].accelerators")
        for at, claim in enumerate(by_name.values())
        if not all(holding.give(by_name, claim.name) for _ in range(claim.accelerators or 0))
    ]
    if short:
        said = "; ".join(fault.message for fault in short)
        raise InputError(said, faults=short, hint="lower teams[].accelerators, or ask for more hardware")
    for pool in pools:
        takers = [each for each in by_name.values() if pool in each.pools and each.accelerators is None]
        for team, count in _apportion_rest(holding.free[pool], takers):
            holding.add(team, pool, count)
    return holding.held


def _short(claim: TeamClaim, holding: Holding, pools: Mapping[str, int]) -> str:
    there = sum(pools[name] for name in claim.pools)
    given = sum(count for (team, _), count in holding.held.items() if team == claim.name)
    return (
        f"the team {claim.name} is guaranteed {claim.accelerators} accelerators, "
        f"but {given} are left for it of the {there} of its workloads' working nodes"
    )


def _apportion_rest(rest: int, takers: Sequence[TeamClaim]) -> Iterator[tuple[str, int]]:
    """Whole parts of `rest`, by the largest remainder; a team that names no money has none where others name some."""
    weights = {each.name: each.usd_per_month or Decimal(0) for each in takers}
    if not any(weights.values()):
        weights = {each.name: Decimal(1) for each in takers}
    total = sum(weights.values(), Decimal(0))
    if not total:
        return
    exact = {name: rest * weight / total for name, weight in weights.items()}
    whole = {name: int(amount) for name, amount in exact.items()}
    over = sorted(exact, key=lambda name: exact[name] - whole[name], reverse=True)
    more = set(over[: rest - sum(whole.values())])
    yield from ((name, count + (name in more)) for name, count in whole.items())


def _share(
    name: str,
    team: Team | None,
    places: tuple[str, ...],
    pools: Sequence[Pool],
    holding: Mapping[tuple[str, str], int],
) -> TeamShare:
    quotas = ((pool.name, holding.get((name, pool.name), 0)) for pool in pools)
    return TeamShare(
        name=name,
        group=(team.group or "") if team else "",
        workloads=places,
        quotas=tuple(Quota(pool=pool, accelerators=count) for pool, count in quotas if count),
        usd_per_month=team.usd_per_month if team else None,
    )
