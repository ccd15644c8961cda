"""What a stack costs, resource by resource, before and after: the answer of `atoll price`, and its JSON form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import with_config
from typing_extensions import TypedDict

from planning.ceilings.verdict import Judgement, judge
from planning.costs.json_shapes import CLOSED, LineForm, RangeForm, line_form, range_form
from planning.costs.resources.stack_cost import price_resources
from planning.quoting.quote_form import JudgementForm, judgement_form
from planning.spec.lock import Ceilings
from planning.values.json_format import fill_form
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from planning.costs.bill import Bill, LineItem
    from planning.costs.resources.formats.values import Preview
    from planning.costs.resources.stack_cost import CostingBook, StackCost


@with_config(CLOSED)
class TakenForm(TypedDict):
    """One resource, counted and priced."""

    urn: str
    type: str
    state: Literal["priced", "free", "estimated", "unpriced"]
    usd_per_month: RangeForm | None
    reason: str
    """The rule by which it is free."""
    lines: list[LineForm]


@with_config(CLOSED)
class PriceSideForm(TypedDict):
    """A stack before or after."""

    usd_per_month: RangeForm
    unpriced: list[LineForm]
    estimated: list[LineForm]


@with_config(CLOSED)
class PriceForm(TypedDict):
    """`atoll price --json`."""

    stack: str
    resources: list[TakenForm]
    old: PriceSideForm | None
    """Null where the file does not say what exists."""
    new: PriceSideForm
    notes: list[str]
    judgement: JudgementForm | None
    """Null without --ceiling."""


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

    def judge_ceiling(self, usd_per_month: Decimal) -> Judgement:
        """Whether the stack, as it will be, stays under a monthly ceiling; what is missing can only add to it."""
        ceiling = Ceilings(usd_per_month=usd_per_month, usd_per_contract=None, usd_per_gpu_hour=None, binds="expected")
        found = judge(self.new.bill, ceiling, contract_months=0, usd_per_gpu_hour=None)
        if found.verdict is Verdict.WITHIN and self.gaps:
            return Judgement(verdict=Verdict.UNDETERMINED, reason="; ".join(self.gaps))
        return found

    def as_json(self, judgement: Judgement | None = None) -> PriceForm:
        """The report in plain values; no value of a resource's inputs beyond machine names and regions is in it."""
        return {
            "stack": self.stack,
            "resources": [fill_form(TakenForm, cost, lines=_lines(cost.lines)) for cost in self.new.resources],
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


def _side(bill: Bill) -> PriceSideForm:
    """Totals of one side: a floor while anything is unpriced."""
    return {
        "usd_per_month": range_form(bill.usd_per_month),
        "unpriced": _lines(bill.unpriced),
        "estimated": _lines(bill.estimated),
    }


def _lines(lines: Iterable[LineItem]) -> list[LineForm]:
    return [line_form(line) for line in lines]
