"""An option accepted and planned: the lock in a project of its own, and the program run without an engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from any_market import DAY

from driver.stack_file import with_accepted
from planning.checklist.model import Checklist
from planning.lock import lock, to_text
from planning.options.option import ceilings
from planning.quote import Option, Quote

ROOT = Path(__file__).parents[2]
PLANNED = (0, 10, 11)
SECONDS = 300
# What a plan refuses in words although a quote offers it.
REFUSED = ("is too narrow for", "the platform has no bucket there")


def faults_of_plan(checklist: Checklist, quote: Quote, option: Option, folder: Path) -> list[str]:
    """Where the bill of an option and the resources of its program disagree; empty where they are one."""
    accepted = lock(quote, option, ceiling=ceilings(checklist), contract_months=checklist.contract.months)
    stack = folder / "stacks" / quote.stack
    stack.mkdir(parents=True)
    for name in ("Pulumi.yaml", "stacks/__main__.py"):
        (folder / name).write_text((ROOT / name).read_text())
    (stack / "quote.lock.json").write_text(to_text(accepted))
    config = folder / "stacks" / f"Pulumi.{quote.stack}.yaml"
    config.write_text(with_accepted(config, option=option.id))
    command = [sys.executable, "-m", "driver.entry", "plan", quote.stack, "--json", "--today", str(DAY)]
    surroundings = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False, env=surroundings
    )
    if any(words in done.stderr for words in REFUSED):
        return []
    if done.returncode not in PLANNED:
        return [f"{option.id}: exit code {done.returncode}: {done.stderr.strip()}"]
    plan: dict[str, Any] = json.loads(done.stdout)
    faults = [f"{option.id}: {difference}" for difference in plan["differences"]]
    planned, billed = {line["key"] for line in plan["bill"]["lines"]}, {line.key for line in option.bill.lines}
    if planned != billed:
        faults.append(f"{option.id}: billed or planned alone: {sorted(planned ^ billed)}")
    return faults if plan["resources"] else [*faults, f"{option.id}: no resource"]
