"""What a refresh of the catalog has done: counts, the largest moves, and everything that was not taken."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from cli.terminal.tables import make_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from operations.price_refresh.report import PriceNote, RefreshForm, SectionNote

COUNTS: Final = ("new", "same", "changed", "held", "refused", "older", "gone")
MOVE: Final = ("price", "before", "after", "change")
OLD: Final = ("rows", "oldest", "days", "undated")
NAMED: Final = 8  # machines
SHOWN: Final = 20  # of a list; the JSON has all


def refresh_parts(form: RefreshForm) -> Iterator[RenderableType]:
    """The whole of it, part by part."""
    if form["providers"]:
        rows = ((row["provider"], *(f"{row[each]:,}" for each in COUNTS)) for row in form["providers"])
        yield make_table(("provider", *COUNTS), rows, right=COUNTS)
    yield from _moves("The largest moves", form["moves"])
    yield from _moves("Held back, for they moved by more than 25% (--accept takes them)", form["held"])
    yield from _notes("Refused", form["refused"])
    yield from _notes("A second source says otherwise", form["disagreeing"])
    yield from _notes("Gone from their source; the old rows stay, and age", form["gone"])
    yield from _sections("Not taken, so that the old rows stay", [*form["sections_refused"], *form["silent"]])
    yield from _sections("Left out", form["skipped"])
    unknown = form["unknown_machines"]
    if unknown:
        more = f" and {len(unknown) - NAMED:,} more" if len(unknown) > NAMED else ""
        yield f"Not known to the catalog, so that their prices are not written: {', '.join(unknown[:NAMED])}{more}."
    if form["stays"]:
        yield "What stays as old as it was"
        yield _old_table(form)
    yield f"{form['state'][0].upper()}{form['state'][1:]}."


def _old_table(form: RefreshForm) -> Table:
    rows = (
        (
            f"{row['provider']}, {row['kind']}",
            f"{row['rows']:,}",
            row["oldest"] or "no date",
            f"{row['days']:,}" if row["oldest"] else "",
            f"{row['undated']:,}",
        )
        for row in form["stays"]
    )
    return make_table(("prices of", *OLD), rows, right=OLD)


def _moves(title: str, notes: Sequence[PriceNote]) -> Iterator[RenderableType]:
    if not notes:
        return
    yield title
    rows = ((_place(each), each["before"], each["after"], _percent(each["change"])) for each in notes[:SHOWN])
    yield make_table(MOVE, rows, right=MOVE[1:])
    yield from _rest(len(notes))


def _notes(title: str, notes: Sequence[PriceNote]) -> Iterator[RenderableType]:
    if not notes:
        return
    yield f"{title}:"
    for each in notes[:SHOWN]:
        after = f" {each['after']} USD" if each["after"] else ""
        yield f"  {_place(each)}{after}{': ' if each['text'] else ''}{each['text']}"
    yield from _rest(len(notes))


def _sections(title: str, notes: Sequence[SectionNote]) -> Iterator[RenderableType]:
    if not notes:
        return
    yield f"{title}:"
    for each in notes[:SHOWN]:
        place = " ".join(filter(None, (each["provider"], each["region"], each["kind"])))
        yield f"  {place}: {each['text']}"
    yield from _rest(len(notes))


def _rest(count: int) -> Iterator[RenderableType]:
    if count > SHOWN:
        yield f"  and {count - SHOWN:,} more (--json has all)"


def _place(note: PriceNote) -> str:
    return " ".join((note["provider"], note["item"], note["region"], note["purchase"]))


def _percent(change: str) -> str:
    return f"{Decimal(change):+.1%}" if change else ""
