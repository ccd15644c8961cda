"""What a stack costs before and after, resource by resource."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from cli.terminal.amounts import ABOUT, NOT_KNOWN, total, usd
from cli.terminal.tables import make_table
from planning.spec.lock_content import State
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from rich.console import RenderableType
    from rich.table import Table

    from planning.costs.resources.stack_cost import ResourceCost, StackCost
    from planning.quoting.price_report import PriceReport


@dataclass(frozen=True, slots=True)
class PriceChange:
    """One resource before and after; None: it is not there then, or nothing is known of its price.

    Args:
        fate: "added", "removed", or "" for what stays.
    """

    name: str
    type: str
    state: State
    fate: str
    note: str
    old: Decimal | None
    new: Decimal | None

    @property
    def delta(self) -> Decimal:
        return (self.new or ZERO) - (self.old or ZERO)


def price_parts(report: PriceReport) -> Iterator[RenderableType]:
    found = changes(report)
    paid = [each for each in found if each.state is not State.FREE or each.delta]
    yield f"{report.stack or 'the stack'}: expected USD a month"
    yield changes_table(paid, compared=report.old is not None)
    free = len(found) - len(paid)
    yield f"{free} resource{'s are' if free != 1 else ' is'} free by rule."
    yield from sums(report)
    yield from (f"Note: {note}" for note in report.notes)


def changes(report: PriceReport) -> tuple[PriceChange, ...]:
    """What changes most first, then what costs most; names break ties."""
    old, new = _by_urn(report.old), _by_urn(report.new)
    compared = report.old is not None
    found = (_change(urn, old.get(urn), new.get(urn), compared=compared) for urn in dict.fromkeys((*new, *old)))
    return tuple(sorted(found, key=lambda each: (-abs(each.delta) if compared else 0, -(each.new or ZERO), each.name)))


def changes_table(found: list[PriceChange], *, compared: bool) -> Table:
    amounts = ("old", "new", "change") if compared else ("new",)
    rows = (
        (
            *(each.name, each.type),
            *((usd(each.old), _new(each), _format_signed(each.delta)) if compared else (_new(each),)),
            _state(each),
        )
        for each in found
    )
    return make_table(("resource", "type", *amounts, "state"), rows, right=amounts, whole=amounts)


def _new(each: PriceChange) -> str:
    return f"{ABOUT}{usd(each.new)}" if each.state is State.ESTIMATED else usd(each.new)


def sums(report: PriceReport) -> Iterator[str]:
    new = report.new.bill
    if report.old is not None:
        old = report.old.bill
        yield f"old: {total(old.usd_per_month.expected, bill=old)}"
    yield f"new: {total(new.usd_per_month.expected, bill=new)}, max {total(new.usd_per_month.max, bill=new)}"
    if report.old is not None:
        change = new.usd_per_month.expected - report.old.bill.usd_per_month.expected
        yield f"change of what is priced: {_format_signed(change)}"


def _by_urn(side: StackCost | None) -> Mapping[str, ResourceCost]:
    return {} if side is None else {taken.urn: taken for taken in side.resources}


def _fate(old: ResourceCost | None, new: ResourceCost | None) -> str:
    if old is None:
        return "added"
    return "removed" if new is None else ""


def _change(urn: str, old: ResourceCost | None, new: ResourceCost | None, *, compared: bool) -> PriceChange:
    shown = new or old
    return PriceChange(
        name=urn.rsplit("::", 1)[-1],
        type=shown.type if shown else "",
        state=shown.state if shown else State.FREE,
        fate=_fate(old, new) if compared else "",
        note=_note(shown),
        old=_read_expected(old),
        new=_read_expected(new),
    )


def _note(taken: ResourceCost | None) -> str:
    """Why a resource has no price, or what its estimate leans on; "" where it has a price."""
    doubtful = taken is not None and taken.state in {State.UNPRICED, State.ESTIMATED}
    doubts = [line.note for line in taken.lines if line.state is taken.state] if taken and doubtful else []
    reasons = tuple(dict.fromkeys(doubts))
    rest = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return f"{reasons[0]}{rest}" if reasons else ""


def _read_expected(taken: ResourceCost | None) -> Decimal | None:
    amount = taken.usd_per_month if taken else None
    return amount.expected if amount else None


def _format_signed(amount: Decimal) -> str:
    return f"+{usd(amount)}" if amount > ZERO else usd(amount) if amount else NOT_KNOWN


def _state(each: PriceChange) -> Text:
    said = ", ".join(word for word in (each.state.value, each.fate) if word)
    if each.state in {State.UNPRICED, State.ESTIMATED}:
        return Text(f"{said}: {each.note}" if each.note else said, style="yellow")
    return Text(said)
