"""A whole bill: every line with what it is made of, subtotals by group, the sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from driver.render.amounts import day, floor, number_range, unpriced_note, usd_exact, usd_range
from planning.bill import Bill, State, total
from planning.bill import Group as Chapter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

    from planning.bill import LineItem


def bill_table(bill: Bill) -> Table:
    """Every line, group by group; below each what it is made of and where its price stands."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("line", overflow="fold")
    for reading in ("min", "expected", "max"):
        table.add_column(f"USD/month\n{reading}", justify="right", no_wrap=True, min_width=12)
    for chapter in Chapter:
        _add_chapter(table, chapter, [line for line in bill.lines if line.group is chapter])
    _add_sum(table, "total", bill.lines, style="bold")
    return table


def _add_chapter(table: Table, chapter: Chapter, lines: list[LineItem]) -> None:
    if not lines:
        return
    for line in lines:
        table.add_row(*_cells(line))
    _add_sum(table, chapter.value, lines, style="bold dim")


def _cells(line: LineItem) -> tuple[RenderableType, ...]:
    """The label with its derivation below, and the amounts."""
    label = Group(Text(line.label), Padding(Text(derivation(line), style="dim"), (0, 0, 0, 2)))
    if line.state is State.UNPRICED:
        return label, "", Text("unpriced", style="yellow"), ""
    if line.state is State.FREE:
        return label, "", "free", ""
    return label, *usd_range(line.usd_per_month)


def derivation(line: LineItem) -> str:
    """Quantity, unit, unit price, source, day and note of a line in one sentence."""
    quantity = f"{number_range(line.quantity)} {line.unit}".strip()
    if line.state is State.UNPRICED:
        return f"{quantity}: {line.note}" if line.note else quantity
    price = f"{quantity} x {usd_exact(line.usd_per_unit)}" if line.usd_per_unit is not None else quantity
    dated = f", {day(line.as_of)}" if line.as_of else ""
    note = f"; {line.note}" if line.note else ""
    return f"{price}; {line.source}{dated}{note}"


def _add_sum(table: Table, label: str, lines: Iterable[LineItem], *, style: str) -> None:
    """A sum below its lines; a floor where one of them has no price."""
    listed = tuple(lines)
    missing = len(Bill(listed).unpriced)
    amounts = [Text(floor(each, unpriced=missing), style=style) for each in usd_range(total(listed))]
    name = Text.assemble((label, style), (f" ({unpriced_note(missing)})" if missing else "", "yellow"))
    table.add_row(name, *amounts, end_section=True)
