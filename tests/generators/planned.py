"""An option accepted and planned: the lock in a project of its own, and the program run without an engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

from any_market import DAY
from command_forms import WIDTHS, Ended, faults_of_output, make_project
from command_here import command_here

from operations.project.stack_config import with_accepted
from planning.checklist.model.checklist import Checklist
from planning.quoting.option import ceilings
from planning.quoting.quote import Option, Quote, lock
from planning.spec.lock import to_text


def installable(checklist: Checklist) -> Checklist:
    """The same with software from its publishers: a mirror and digests are files that nobody has here."""
    return checklist.model_copy(
        update={"platform": checklist.platform.model_copy(update={"mirror": None, "digests": "shown"})}
    )


def faults_of_plan(checklist: Checklist, quote: Quote, option: Option, folder: Path) -> list[str]:
    """Where the bill of an option and the resources of its program disagree; empty where they are one."""
    accepted = lock(quote, option, ceiling=ceilings(checklist), contract_months=checklist.contract.months)
    make_project(folder, quote.stack)
    (folder / "stacks" / quote.stack / "quote.lock.json").write_text(to_text(accepted))
    config = folder / "stacks" / f"Pulumi.{quote.stack}.yaml"
    config.write_text(with_accepted(config, option=option.id))
    command = ("plan", quote.stack, "-o", "plan.json", "--today", str(DAY))
    width = WIDTHS[len(option.bill.lines) % len(WIDTHS)]
    with patch.dict("os.environ", {"COLUMNS": str(width)}):
        done = command_here(folder, *command)
    faults = [
        f"{option.id}: {fault}"
        for fault in faults_of_output(Ended(command, width, done.returncode, done.stdout, done.stderr))
    ]
    if not (folder / "plan.json").exists():
        return faults or [f"{option.id}: no plan was written"]
    plan: dict[str, Any] = json.loads((folder / "plan.json").read_text())
    faults += [f"{option.id}: {difference}" for difference in plan["differences"]]
    planned, billed = {line["key"] for line in plan["bill"]["lines"]}, {line.key for line in option.bill.lines}
    if planned != billed:
        faults.append(f"{option.id}: billed or planned alone: {sorted(planned ^ billed)}")
    return faults if plan["resources"] else [*faults, f"{option.id}: no resource"]
