"""The verdict before anything is touched: the offline run and the bill, as `atoll plan` has them."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

from command_project import Atoll

from cli.views.plan import verdict_lines
from operations.engine.stack_warnings import reminders
from operations.plans.verdict import count_steps, judge_stack
from operations.project.workspace import Project
from planning.spec.lock import sum_accepted_usd
from planning.values.money import to_cents

ROOT = Path(__file__).parents[3]
DAY = "2026-11-21"


def test_it_is_what_a_plan_says(project: Path, atoll: Atoll) -> None:
    shutil.copy(ROOT / "stacks" / "__main__.py", project / "stacks" / "__main__.py")
    assert atoll("accept", "demo", "cheapest", "--today", DAY).code == 0
    there = Project(project)
    plan = judge_stack(there, "demo", prices="current", own="", today=date.fromisoformat(DAY))
    assert plan.differences == ()
    assert to_cents(sum_accepted_usd(plan.lock)) == to_cents(plan.bill.usd_per_month.expected)
    (line,) = verdict_lines(plan)
    assert line.startswith(f"{plan.lock.option}: ")
    assert "USD a month expected; within" in line
    assert count_steps(plan) == len(plan.resources) + 1
    assert list(reminders(there, plan.lock, today=date(2026, 11, 21))) == []
    settings = there.stack_config("demo")
    settings.write_text(settings.read_text() + "  atoll:allowDestroy: true\n")
    (reminder,) = reminders(there, plan.lock, today=date(2026, 11, 21))
    assert "anybody can delete the cluster" in reminder
    settings.unlink()
    assert "the quote was valid until" in next(reminders(there, plan.lock, today=date(2027, 1, 1)))


def test_a_bill_that_moved_says_by_how_much(project: Path, atoll: Atoll) -> None:
    shutil.copy(ROOT / "stacks" / "__main__.py", project / "stacks" / "__main__.py")
    assert atoll("accept", "demo", "cheapest", "--today", DAY).code == 0
    plan = judge_stack(Project(project), "demo", prices="current", own="", today=date.fromisoformat(DAY))
    dearest, *others = sorted(plan.lock.bill, key=lambda line: (line.usd_per_month or (0, 0, 0))[1], reverse=True)
    assert dearest.usd_per_month is not None
    halved = dearest.model_copy(update={"usd_per_month": tuple(usd / 2 for usd in dearest.usd_per_month)})
    before = plan.lock.model_copy(update={"bill": (halved, *others)})
    object.__setattr__(plan, "lock", before)
    _, moved = verdict_lines(plan)
    assert moved.startswith(
        f"accepted at {sum_accepted_usd(before):,.2f} USD a month on {DAY}; today's prices move it by"
    )
    assert moved.endswith("%)")


def test_a_first_update_without_the_inside_is_judged_as_the_whole_cluster(project: Path, atoll: Atoll) -> None:
    shutil.copy(ROOT / "stacks" / "__main__.py", project / "stacks" / "__main__.py")
    assert atoll("accept", "demo", "cheapest", "--today", DAY).code == 0
    there = Project(project)
    whole = judge_stack(there, "demo", prices="current", own="", today=date.fromisoformat(DAY))
    settings = there.stack_config("demo")
    settings.write_text(settings.read_text() + "  atoll:reach: cloud\n")
    first = judge_stack(there, "demo", prices="current", own="", today=date.fromisoformat(DAY))
    assert len(first.resources) < len(whole.resources)
    assert first.differences == ()
    readings = [(bill.min, bill.expected, bill.max) for bill in (first.bill.usd_per_month, whole.bill.usd_per_month)]
    assert [round(usd, 6) for usd in readings[0]] == [round(usd, 6) for usd in readings[1]]
    assert first.judgement == whole.judgement
    assert [each.sentence for each in first.report.stopping] == []
