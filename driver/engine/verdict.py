"""The verdict before anything is touched: the same program, run offline, counted and judged as `atoll plan` does."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

from components.settings import EVERYTHING, SECTION
from driver.offline.program import run as run_offline
from driver.offline.stack_config import read_config
from driver.planned import Planned, dearest_gpu_hour, planned
from driver.prices import price_book
from driver.project import shown
from driver.render.amounts import total, usd
from driver.screen import progress
from planning.errors import AtollError, CannotTellError, OverCeilingError
from planning.lock import Lock, read_lock
from planning.money import to_cents
from planning.quote import Verdict
from planning.verdict import judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driver.project import Project

REACH: Final = f"{SECTION}:reach"


def judged(project: Project, stack: str, *, prices: str, own: str) -> Planned:
    """The stack's program, run without the engine, with its bill and verdict.

    Raises:
        AtollError: no lock, or the program fails.
    """
    lock = read_lock(Path(shown(project.lock(stack))))
    with progress(f"judging {stack}"):
        resources = run_offline(stack, root=project.root).resources
        plan = planned(lock, resources, catalog=price_book(prices, own=own))
    settings = read_config(project.stack_config(stack)).values
    return plan if settings.get(REACH, EVERYTHING) == EVERYTHING else _whole(plan)


def _whole(plan: Planned) -> Planned:
    """A first update that stops short of the cluster's inside is judged as the whole cluster that was accepted."""
    lock = plan.lock
    judgement = judge(
        plan.accepted,
        lock.ceiling,
        contract_months=lock.contract_months,
        usd_per_gpu_hour=dearest_gpu_hour(lock.placements, plan.accepted),
    )
    beyond = tuple(each for each in plan.differences if each.takeoff is not None)
    return replace(plan, bill=plan.accepted, differences=beyond, judgement=judgement)


def lines(plan: Planned) -> Iterator[str]:
    """The bill in one line, and by how much it moved since it was accepted."""
    now, verdict = plan.bill.usd_per_month.expected, plan.judgement
    yield f"{plan.lock.option}: {total(now, bill=plan.bill)} USD a month expected; {verdict.verdict}: {verdict.reason}"
    then = accepted_usd(plan.lock)
    if to_cents(now) != to_cents(then):
        change = f" ({(now - then) / then * 100:+.1f}%)" if then else ""
        accepted = f"accepted at {usd(then)} USD a month on {plan.lock.priced_at}"
        yield f"{accepted}; today's prices move it by {usd(now - then)}{change}"


def expected_steps(plan: Planned) -> int:
    """How many resources the engine will look at: those of the program, and the stack itself."""
    return len(plan.resources) + 1


def accepted_usd(lock: Lock) -> Decimal:
    """USD a month expected, as it was accepted."""
    return sum((line.usd_per_month[1] for line in lock.bill if line.usd_per_month), start=Decimal(0))


def refuse(plan: Planned, *, accept_unknown: bool) -> None:
    """Let only what may be built go on.

    Raises:
        OverCeilingError: over the ceiling; no option gets around it.
        CannotTellError: nobody can tell, and nobody accepted that.
        AtollError: the program does not cost what was accepted.
    """
    stack, verdict = plan.lock.stack, plan.judgement
    if verdict.verdict is Verdict.OVER:
        raise OverCeilingError(
            f"{stack} is over its ceiling: {verdict.reason}; nothing was touched",
            hint="accept another option, or change the checklist; the ceiling cannot be waived",
        )
    if plan.differences:
        count = len(plan.differences)
        raise AtollError(
            f"what the program registers does not cost what was accepted, on {count} line{'s' if count > 1 else ''}"
            "; nothing was touched",
            hint=f"atoll plan {stack} shows them",
        )
    if verdict.verdict is Verdict.CANNOT_TELL and not accept_unknown:
        raise CannotTellError(
            f"nobody can tell whether {stack} stays under its ceiling; nothing was touched",
            hint="give the missing prices with --price-book FILE, or go on with --accept-unknown",
        )
