"""What a stack costs, resource by resource, before and after: the answer of `atoll price`, and its JSON form.

{"resources": [{"urn", "type", "state", "usd_per_month", "reason", "lines": [...]}],
 "old": {...}, "new": {...}, "notes": [...], "judgement": {...} | null}
Every amount is a decimal string, {"min", "expected", "max"} a month; null where nothing is known of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planning.ceilings.verdict import Judgement, judge
from planning.costs.resources.stack_cost import price_resources
from planning.quoting.quote_form import judgement_form, line_form, range_form
from planning.spec.lock import Ceilings
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from decimal import Decimal

    from planning.costs.bill import Bill
    from planning.costs.resources.formats.values import Preview
    from planning.costs.resources.stack_cost import CostingBook, ResourceCost, StackCost


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceReport:
    """Both sides of a preview, priced.

    Args:
        old: None where the file says nothing of what exists.
        notes: what the figures leave out.
        gaps: which of them keep resources out, so that a total is only a floor.
    """

    stack: str
    old: StackCost | None
    new: StackCost
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()

    def judged(self, usd_per_month: Decimal) -> Judgement:
        """Whether the stack, as it will be, stays under a monthly ceiling; what is missing can only add to it."""
        ceiling = Ceilings(usd_per_month=usd_per_month, usd_per_contract=None, usd_per_gpu_hour=None, binds="expected")
        found = judge(self.new.bill, ceiling, contract_months=0, usd_per_gpu_hour=None)
        if found.verdict is Verdict.WITHIN and self.gaps:
            return Judgement(verdict=Verdict.CANNOT_TELL, reason="; ".join(self.gaps))
        return found

    def as_json(self, judgement: Judgement | None = None) -> dict[str, object]:
        """The report in plain values; no value of a resource's inputs beyond machine names and regions is in it."""
        return {
            "stack": self.stack,
            "resources": [_resource(taken) for taken in self.new.resources],
            "old": None if self.old is None else _side(self.old.bill),
            "new": _side(self.new.bill),
            "notes": list(self.notes),
            "judgement": None if judgement is None else judgement_form(judgement),
        }


def report(preview: Preview, catalog: CostingBook) -> PriceReport:
    """Price what a file describes, as it is and as it will be.

    Raises:
        AmbiguousPriceError: the price list has more than one answer.
    """
    region = preview.default_region
    old = None if preview.old is None else price_resources(preview.old, catalog=catalog, default_region=region)
    new = price_resources(preview.new, catalog=catalog, default_region=region)
    return PriceReport(stack=preview.stack, old=old, new=new, notes=preview.notes, gaps=preview.gaps)


def _resource(taken: ResourceCost) -> dict[str, object]:
    return {
        "urn": taken.urn,
        "type": taken.type,
        "state": taken.state.value,
        "usd_per_month": None if taken.usd_per_month is None else range_form(taken.usd_per_month),
        "reason": taken.reason,
        "lines": [line_form(line) for line in taken.lines],
    }


def _side(bill: Bill) -> dict[str, object]:
    """Totals of one side: a floor while anything is unpriced."""
    return {
        "usd_per_month": range_form(bill.usd_per_month),
        "unpriced": [line_form(line) for line in bill.unpriced],
    }
