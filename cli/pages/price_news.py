"""A refresh of the catalog as the text of a pull request: what each accepted stack costs now, then the prices."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from cli.pages.diff.comment_parts import box, render_list, table
from cli.terminal.amounts import usd
from cli.terminal.escaping import name, prose
from cli.views.diff import amounts
from planning.values.money import parse_amount

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from operations.price_refresh.report import PriceNote, RefreshForm, SectionNote
    from planning.diff.form import DiffForm, StackDiffForm

MARKER: Final = "<!-- atoll-prices -->"
BUDGET: Final = 8_000  # characters of each part; a pull request has 65,000
SHORT: Final = 1_000
UNKNOWN: Final = "Machines on sale that machines.csv does not describe"
GONE: Final = "Gone from their source; the old rows stay, and age"
NOT_TAKEN: Final = "Not taken, so that the old rows stay"
COUNTS: Final = ("new", "same", "changed", "held", "refused", "older", "gone")
STACKS: Final = ("stack", "at the old prices", "at the new prices", "by price alone", "%")
MOVES: Final = ("price", "before", "after", "change")
OLD: Final = ("prices of", "rows", "oldest", "days old", "without a date")


def text(form: RefreshForm, diff: DiffForm | None = None) -> str:
    """The whole of it; without a comparison only the prices."""
    parts = (
        f"{MARKER}\n## Prices of {form['today']}{_headline(diff)}\n\n",
        *(_stacks(diff) if diff else ()),
        _counts(form),
        *_moves("The largest moves", form["moves"]),
        *_list_held(form),
        render_list("Refused", [_note(each) for each in form["refused"]], budget=BUDGET),
        render_list("A second source says otherwise", [_note(each) for each in form["disagreeing"]], budget=BUDGET),
        render_list(GONE, [_note(each) for each in form["gone"]], budget=BUDGET),
        render_list(NOT_TAKEN, _sections([*form["sections_refused"], *form["silent"]]), budget=BUDGET),
        render_list("Skipped", _sections(form["skipped"]), budget=BUDGET),
        render_list(UNKNOWN, [prose(each) for each in form["unknown_machines"]], budget=SHORT),
        _old(form),
    )
    return "".join(parts).rstrip("\n") + "\n"


def _headline(diff: DiffForm | None) -> str:
    """The stack that moves most, by price alone."""
    moved = [each for each in diff["stacks"] if amounts.has_change(each["by_prices"])] if diff else []
    shown = [f"{name(each['stack'])} {_percent(each)}" for each in sorted(moved, key=_size, reverse=True)[:1]]
    return f": {shown[0]} by price alone" if shown else ": no accepted stack moves" if diff else ""


def _size(stack: StackDiffForm) -> Decimal:
    moved = stack["by_prices"]
    return abs(parse_amount(moved["usd_per_month"]["expected"]) or Decimal(0)) if moved else Decimal(0)


def _percent(stack: StackDiffForm) -> str:
    moved = stack["by_prices"]
    value = parse_amount(moved["percent"]) if moved else None
    return f"{value:+}%" if value is not None else "moves"


def _stacks(diff: DiffForm) -> Iterator[str]:
    rows = [_row(each) for each in sorted(diff["stacks"], key=_size, reverse=True)]
    if rows:
        yield "USD a month of what is accepted, as expected; machines and quantities are the same on both sides.\n\n"
        yield table(STACKS, "lrrrr", rows, budget=BUDGET)
    untouched = diff["untouched"]
    if untouched:
        yield f"{untouched} stack{'s use' if untouched != 1 else ' uses'} no price that moved.\n\n"


def _row(stack: StackDiffForm) -> tuple[str, ...]:
    before, moved = stack["new"], stack["by_prices"]
    if before is None or moved is None:
        return (name(stack["stack"]), amounts.amount(before), amounts.NOT_KNOWN, prose(stack["failure"]), "")
    old = parse_amount(before["usd_per_month"]["expected"])
    change = parse_amount(moved["usd_per_month"]["expected"])
    now = usd(old + change) if old is not None and change is not None else amounts.NOT_KNOWN
    return (name(stack["stack"]), amounts.amount(before), now, amounts.delta(moved), _percent(stack))


def _counts(form: RefreshForm) -> str:
    rows = [(name(row["provider"]), *(f"{row[each]:,}" for each in COUNTS)) for row in form["providers"]]
    return table(("provider", *COUNTS), "l" + "r" * len(COUNTS), rows, budget=BUDGET) if rows else ""


def _moves(title: str, notes: Sequence[PriceNote]) -> Iterator[str]:
    if notes:
        rows = [(_place(each), each["before"], each["after"], _share(each["change"])) for each in notes]
        yield f"**{title}**\n\n"
        yield table(MOVES, "lrrr", rows, budget=BUDGET)


def _list_held(form: RefreshForm) -> Iterator[str]:
    if form["held"]:
        count = len(form["held"])
        said = "1 price" if count == 1 else f"{count} prices"
        what = f"{said} moved by more than 25% and would come with `atoll catalog refresh --accept` only."
        yield box("WARNING", [what], budget=BUDGET)
        yield from _moves("Held back", form["held"])


def _old(form: RefreshForm) -> str:
    rows = [
        (
            f"{name(row['provider'])}, {prose(row['kind'])}",
            f"{row['rows']:,}",
            row["oldest"] or "none",
            f"{row['days']:,}" if row["oldest"] else "",
            f"{row['undated']:,}",
        )
        for row in form["stays"]
    ]
    return f"**What stays as old as it was**\n\n{table(OLD, 'lrrrr', rows, budget=BUDGET)}" if rows else ""


def _sections(notes: Sequence[SectionNote]) -> list[str]:
    places = (filter(None, (each["provider"], each["region"], each["kind"])) for each in notes)
    return [f"{' '.join(map(name, place))}: {prose(each['text'])}" for place, each in zip(places, notes, strict=True)]


def _note(note: PriceNote) -> str:
    after = f", {prose(note['after'])} USD" if note["after"] else ""
    return f"{_place(note)}{after}{': ' if note['text'] else ''}{prose(note['text'])}"


def _place(note: PriceNote) -> str:
    return " ".join(name(word) for word in (note["provider"], note["item"], note["region"], note["purchase"]))


def _share(change: str) -> str:
    value = parse_amount(change)
    return f"{value:+.1%}" if value is not None else ""
