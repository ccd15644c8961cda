"""The worked example: what moving 50 TB costs, by line, a coast further and to another cloud.

`.venv/bin/python docs/examples/relocation/make.py` writes west.md and google.md; with a folder named, pages too.
"""  # noqa: INP001 - a script beside what it makes

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cli.pages.relocation import bill_text, page
from cli.views.relocation import conclusion, heading
from operations.plans.price_book import price_book
from operations.plans.quote import option_named, quote_subject
from operations.project.workspace import StackRef
from operations.relocation.config.plan_inputs import build_plan_inputs, rates, read_measured, read_measurements
from planning.quoting.option import ceilings
from planning.quoting.quote import lock
from planning.relocation.inventory.expected_assets import from_lock
from planning.relocation.inventory.stack_inventory import with_measured
from planning.relocation.plan import plan
from planning.relocation.plan_form import plan_form

if TYPE_CHECKING:
    from planning.relocation.plan_form import RelocationPlanForm
    from planning.spec.lock import Lock

HERE: Final = Path(__file__).resolve().parent
TODAY: Final = date(2026, 11, 21)  # the prices are of this autumn
BOOK: Final = "current"
VIEW: Final = "cheapest"
TARGETS: Final = ("west", "google")


def locked(name: str) -> Lock:
    """What `atoll accept` would write for a checklist of this folder."""
    stack = "atlas" if name == "source" else f"atlas-{name}"
    subject = StackRef(stack=stack, checklist=HERE / f"{name}.yaml")
    answer = quote_subject(subject, book=BOOK, own="", today=TODAY, allow_stale=True)
    return lock(
        answer.quote,
        option_named(answer.quote, VIEW),
        ceiling=ceilings(answer.checklist),
        contract_months=answer.checklist.contract.months,
        residency=answer.checklist.where.residency,
    )


def planned(source: Lock, target: Lock) -> RelocationPlanForm:
    """What `atoll relocate plan --volumes measured.yaml` says, but for the program, which is not run here."""
    file = read_measured(HERE / "measured.yaml")
    inventory = with_measured(from_lock(source), read_measurements(file))
    decided = build_plan_inputs(
        file,
        places=None,
        inventory=inventory,
        speeds=rates(file.rates, bandwidth_gbps=None, objects_per_s=None),
        leaves_by=None,
        today=TODAY,
    )
    made = plan(source, target, inventory=inventory, given=decided, catalog=price_book(BOOK), prices=BOOK, today=TODAY)
    return plan_form(made)


def text(form: RelocationPlanForm) -> str:
    """The bill with what it says in short."""
    head = [f"# 50 TB: {heading(form)}", "", *(f"- {each}" for each in conclusion(form)), ""]
    return "\n".join(head) + "\n" + bill_text(form)


def texts() -> dict[str, str]:
    """File name to what it must hold."""
    source = locked("source")
    return {f"{name}.md": text(planned(source, locked(name))) for name in TARGETS}


def main() -> None:
    """Write what the guide shows; pages too, into a folder that is named."""
    for name, found in texts().items():
        (HERE / name).write_text(found, encoding="utf-8")
    for folder in sys.argv[1:]:
        source = locked("source")
        for name in TARGETS:
            (Path(folder) / f"{name}.html").write_text(page(planned(source, locked(name))), encoding="utf-8")


if __name__ == "__main__":
    main()
