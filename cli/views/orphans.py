"""What is left of a stack as tables: forgotten things first, then what is kept on purpose."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from cli.terminal.amounts import floor, usd
from planning.spec.lock_content import State
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from planning.cloud_checks.orphans import Leftover, Leftovers


def leftovers_parts(left: Leftovers) -> Iterator[RenderableType]:
    """Tables of what is there, what could not be asked, and the sum."""
    if left.forgotten:
        yield "Still there, and it costs:"
        yield leftovers_table(left.forgotten)
    if left.kept:
        yield "Kept on purpose:"
        yield leftovers_table(left.kept)
    if left.free:
        yield f"Still there, and it is free: {counted(left.free)}"
    for each in left.unanswered:
        yield f"Not answered: {each.what} of {each.placement}: {each.reason}"
    yield conclusion(left)


def leftovers_table(things: Sequence[Leftover]) -> Table:
    """One row for each thing."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("what", overflow="fold")
    table.add_column("id", overflow="fold")
    table.add_column("where")
    table.add_column("state")
    table.add_column("USD/month", justify="right", no_wrap=True)
    table.add_column("note", overflow="fold")
    for each in things:
        found = each.found
        cells = (found.kind, found.id, found.region, found.status, amount(each), "; ".join(notes(each)))
        table.add_row(*map(Text, cells))
    return table


def amount(each: Leftover) -> str:
    """Its price, "free", or "unpriced"."""
    if each.state is State.FREE:
        return "free"
    if each.usd_per_month is None:
        return "unpriced"
    return floor(usd(each.usd_per_month), unpriced=int(each.state is State.UNPRICED))


def notes(each: Leftover) -> Iterator[str]:
    """Why it is kept, and what else is to be known of it."""
    if each.found.kept:
        yield each.found.kept
    if each.note:
        yield each.note


def counted(things: Sequence[Leftover]) -> str:
    """As in "2 subnet, 1 VPC"."""
    kinds = Counter(each.found.kind for each in things)
    return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))


def conclusion(left: Leftovers) -> str:
    """What is left in one sentence."""
    things = left.forgotten
    if things:
        known = sum((each.usd_per_month or ZERO for each in things), start=ZERO)
        unpriced = sum(1 for each in things if each.state is State.UNPRICED)
        total = floor(usd(known), unpriced=unpriced)
        more = f", {unpriced} of them unpriced" if unpriced else ""
        return f"{left.stack}: {len(things)} left that cost {total} USD a month{more}"
    if left.unanswered:
        return f"{left.stack}: nothing was found, and not everything could be asked"
    return f"{left.stack}: nothing is left that costs" + (", but for what is kept" if left.kept else "")
