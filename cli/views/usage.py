"""What a bill measured: a table of ranges, and what of the bill was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from planning.usage.checklist_section import COUNTS
from planning.usage.months import format_month

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from rich.console import RenderableType

    from planning.usage.months import MonthlyUsage
    from planning.values.money import Range


def usage_parts(measured: Mapping[str, Range], found: MonthlyUsage) -> Iterator[RenderableType]:
    table = Table("usage", "unit", box=SIMPLE_HEAD, pad_edge=False)
    for name in ("low", "expected", "high"):
        table.add_column(name, justify="right")
    for name, amounts in sorted(measured.items()):
        unit = "requests a month" if name in COUNTS else "GB a month"
        table.add_row(name, unit, *(_format_amount(each) for each in (amounts.min, amounts.expected, amounts.max)))
    yield table
    yield Text(f"whole months: {', '.join(format_month(month) for month in found.whole)} ({found.rows:,} rows)")
    if len(found.whole) == 1:
        yield Text("one month says nothing of how months differ: low, expected and high are the same")
    if found.partial:
        yield Text(f"left out, not complete: {', '.join(format_month(month) for month in found.partial)}")
    for unit, count in sorted(found.odd.items()):
        yield Text(f"left out, unit not known: {unit} ({count} rows)", style="yellow")
    if found.twice:
        yield Text(f"counted once, in more than one file: {found.twice} rows", style="yellow")
    if found.broken:
        yield Text(f"left out, day or quantity not readable: {found.broken} rows", style="yellow")


def _format_amount(amount: Decimal) -> str:
    return f"{amount:,.1f}"
