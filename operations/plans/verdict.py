"""The verdict before a stack is updated: its program is run offline and judged as by `atoll plan`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from components.context.settings import EVERYTHING, SECTION
from components.platform.building_blocks.artifact_mirror import read_artifact_mirror
from operations.offline.program import run as run_offline
from operations.plans.plan import Planned, plan_stack
from operations.plans.price_book import price_book
from operations.project.accepted_lock import read_accepted_lock
from operations.project.stack_config import allows_estimates, read_config
from operations.project.workspace import LAW_NAME, display_path
from planning.values.errors import AtollError, OverCeilingError, StalePricesError, UndeterminedError
from planning.values.verdict import Verdict
from policies.settings_reader import read_law
from policies.table import RULES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from operations.project.workspace import Project
    from policies.evaluation import PolicyFinding

REACH: Final = f"{SECTION}:reach"


def judge_stack(project: Project, stack: str, *, prices: str, own: str, today: date) -> Planned:
    """The stack's program, run without the engine, with its bill and the policy results.

    A first update without the cluster's contents is judged at the cost of the whole cluster.

    Raises:
        AtollError: no lock, a faulty law, or the program fails.
    """
    lock = read_accepted_lock(project, stack)
    law = read_law(Path(display_path(project.law)), rules=RULES)
    settings = read_config(project.stack_config(stack)).values
    resources = run_offline(stack, root=project.root).resources
    return plan_stack(
        lock,
        resources,
        catalog=price_book(prices, own=own, today=today),
        today=today,
        law=law,
        software=read_artifact_mirror(
            lock.spec.platform.mirror if lock.spec.platform else "", project=project.root
        ).lock,
        is_whole=settings.get(REACH, EVERYTHING) == EVERYTHING,
        estimated=allows_estimates(settings),
    )


def count_steps(plan: Planned) -> int:
    """Number of resources that the engine will look at."""
    return len(plan.resources) + 1  # and the stack itself


def refuse(plan: Planned, *, accept_unknown: bool) -> None:
    """Refuse what may not be built.

    Raises:
        OverCeilingError: over a ceiling; no option gets around it, only a reviewed exemption.
        StalePricesError: a policy finds prices too old, and no other fails.
        UndeterminedError: the verdict is undetermined, and `accept_unknown` is not set.
        AtollError: another policy fails, or the program does not cost what was accepted.
    """
    stack, report = plan.lock.stack, plan.report
    broken = [each for each in report.stopping if each.breach.verdict is Verdict.OVER]
    if broken:
        raise _refusal(broken, report.exit_code)(
            f"{stack} breaks {_rules(broken)}; nothing was touched: {' '.join(each.sentence for each in broken)}",
            hint=f"change the stack, or write an exemption into stacks/{LAW_NAME}; atoll plan {stack} shows all of it",
        )
    # Before what is undetermined: --accept-unknown must not let a program through that builds something else.
    if plan.differences:
        count = len(plan.differences)
        raise AtollError(
            f"what the program registers does not cost what was accepted, on {count} line{'s' if count > 1 else ''}"
            "; nothing was touched",
            hint=f"atoll plan {stack} shows them",
        )
    if report.stopping and not accept_unknown:
        raise UndeterminedError(
            f"undetermined whether {stack} passes {_rules(report.stopping)}; nothing was touched: "
            f"{' '.join(each.sentence for each in report.stopping)}",
            hint="give the missing prices with --price-book FILE, or go on with --accept-unknown",
        )


def _rules(found: Sequence[PolicyFinding]) -> str:
    return ", ".join(dict.fromkeys(each.rule.name for each in found))


def _refusal(broken: Sequence[PolicyFinding], code: int) -> type[AtollError]:
    """The error whose exit code is that of the worst broken rule."""
    codes = {each.rule.exit_code for each in broken}
    known = {each.exit_code: each for each in (OverCeilingError, StalePricesError)}
    return known.get(code, AtollError) if code in codes else AtollError
