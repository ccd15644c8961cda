"""Teams and what each is guaranteed of every pool: never more, together, than the pool has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.installed import Quota, TeamShare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.checklist.model import Checklist
    from planning.spec import Pool

EVERYBODY: Final = "everybody"


def team_shares(checklist: Checklist, pools: Sequence[Pool]) -> tuple[TeamShare, ...]:
    """The checklist's teams; one of everybody where it names none."""
    names = tuple(work.name for work in checklist.workloads)
    quotas = tuple(
        Quota(pool=pool.name, accelerators=pool.accelerators * pool.working) for pool in pools if pool.accelerators
    )
    return (TeamShare(name=EVERYBODY, workloads=names, quotas=quotas),)
