"""Locks of the worked example, and plans between them."""

from __future__ import annotations

from datetime import date
from functools import cache
from pathlib import Path

from operations.plans.price_book import price_book
from operations.plans.quote import option_named, quote_subject
from operations.project.workspace import StackRef
from operations.relocation.config.plan_inputs import (
    MeasuredFile,
    PlacesSummary,
    build_plan_inputs,
    rates,
    read_measurements,
)
from planning.quoting.option import ceilings
from planning.quoting.quote import lock
from planning.relocation.costs.route import Exit
from planning.relocation.inventory.expected_assets import from_lock
from planning.relocation.inventory.stack_inventory import Inventory, leave_behind, with_measured
from planning.relocation.plan import RelocationPlan, plan
from planning.spec.lock import Lock

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "relocation"
TODAY = date(2026, 11, 21)


@cache
def _locked(name: str) -> Lock:
    subject = StackRef(stack="atlas" if name == "source" else f"atlas-{name}", checklist=EXAMPLE / f"{name}.yaml")
    answer = quote_subject(subject, book="current", own="", today=TODAY, allow_stale=True)
    return lock(
        answer.quote,
        option_named(answer.quote, "cheapest"),
        ceiling=ceilings(answer.checklist),
        contract_months=answer.checklist.contract.months,
        residency=answer.checklist.where.residency,
    )


class Kit:
    @property
    def source(self) -> Lock:
        return _locked("source")

    @property
    def west(self) -> Lock:
        return _locked("west")

    @property
    def google(self) -> Lock:
        return _locked("google")

    def inventory(self, file: MeasuredFile | None = None) -> Inventory:
        said = file or MeasuredFile()
        return with_measured(leave_behind(from_lock(_locked("source")), said.leave_out), read_measurements(said))

    def plan(
        self,
        target: Lock,
        file: MeasuredFile | None = None,
        *,
        source: Lock | None = None,
        leaves_by: Exit | None = None,
        found: PlacesSummary | None = None,
    ) -> RelocationPlan:
        said = file or MeasuredFile()
        inventory = self.inventory(said)
        speeds = rates(said.rates, bandwidth_gbps=None, objects_per_s=None)
        decided = build_plan_inputs(
            said, places=None, inventory=inventory, speeds=speeds, leaves_by=leaves_by, today=TODAY, found=found
        )
        return plan(
            source or _locked("source"),
            target,
            inventory=inventory,
            given=decided,
            catalog=price_book(),
            prices="current",
            today=TODAY,
        )
