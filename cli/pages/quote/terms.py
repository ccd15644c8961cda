"""Chapters on what the options rest on: assumptions, what has no price, prices and their age, and the signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.prices import MACHINE_AGE_LIMIT_DAYS, SERVICE_AGE_LIMIT_DAYS, age_days
from cli.pages.quote.sheets import Chapter, Sheet, SheetCell, SheetRow, texts
from cli.terminal.amounts import day, term_number
from cli.views.quote.derivations import describe_value
from cli.views.quote.options import find_shared, letter, option_title
from cli.views.quote.summary import NOT_VALID, describe_advice, group_unmet
from planning.quoting.quote import name_view
from planning.spec.lock_content import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cli.pages.quote.sheets import Notes
    from planning.quoting.quote import Quote
    from planning.sizing.demand import SizingFigure

AGAIN_LATER: Final = "After the last day the quote has to be made again."
AGAIN_WITH_NEWER: Final = "The quote has to be made again with newer prices before anybody signs."


def not_priced(quote: Quote) -> Iterator[Chapter]:
    rows = tuple(
        SheetRow((SheetCell(option_title(at, option)), SheetCell(line.label), SheetCell(line.note)))
        for at, option in enumerate(quote.options)
        for line in option.bill.unpriced
    )
    shared = find_shared([option.leaves_out for option in quote.options])
    left = tuple(
        SheetRow((SheetCell("all options" if words in shared else which), SheetCell(words)))
        for words, which in _list_exclusions(quote)
    )
    lines = Sheet(head=("option", "line without a price", "why"), rows=rows, wide=34)
    outside = Sheet(head=("option", "not included in the bill"), rows=left, wide=26)
    said = (
        "A line without a price is not zero: totals with one read >=, and whether they are within is undetermined."
        if rows
        else "Every line of every bill has a price."
    )
    yield Chapter(
        title="What is not priced",
        anchor="unpriced",
        sentences=texts(said),
        sheets=tuple(each for each in (lines, outside) if each.rows),
    )


def _list_exclusions(quote: Quote) -> list[tuple[str, str]]:
    """What no bill covers, each once with the letters of its options; what most options leave out comes first."""
    found: dict[str, list[str]] = {}
    for at, option in enumerate(quote.options):
        for words in option.leaves_out:
            found.setdefault(words, []).append(letter(at))
    order = sorted(found.items(), key=lambda each: -len(each[1]))
    return [(words, ", ".join(which)) for words, which in order]


def reasons(quote: Quote) -> Iterator[Chapter]:
    missing = [f"No {name_view(view)}: {why}" for view, why in quote.missing_views.items()]
    advice = describe_advice(quote)
    unmet = [f"No option at {names}: {why}" for names, why in group_unmet(quote)]
    said = [*unmet, *([quote.reason] if quote.reason else missing), *advice]
    rows = tuple(SheetRow(texts(reason, str(count))) for reason, count in quote.refusals)
    refused = Sheet(
        head=("machines and places not considered, because", "how many"), rows=rows, numbers_from=1, wide=20
    )
    if said or rows:
        yield Chapter(
            title="Not considered, and why",
            anchor="not-considered",
            sentences=texts(*said),
            sheets=(refused,) if rows else (),
        )


def assumptions(quote: Quote, notes: Notes) -> Iterator[Chapter]:
    if not quote.figures:
        return
    subjects = dict.fromkeys(figure.subject for figure in quote.figures)
    sheets = tuple(
        Sheet(
            head=(subject, "is", "calculated as"),
            rows=tuple(_figure(figure, notes) for figure in quote.figures if figure.subject == subject),
            wide=34,
        )
        for subject in subjects
    )
    yield Chapter(
        title="What is assumed",
        anchor="assumptions",
        sentences=texts("Where one of these is wrong for you, change the checklist: every option follows from them."),
        sheets=sheets,
    )


def _figure(figure: SizingFigure, notes: Notes) -> SheetRow:
    terms = "; ".join(f"{name} = {term_number(value)}" for name, value in figure.inputs)
    derivation = f"{figure.formula} ({terms})" if terms else figure.formula
    return SheetRow(
        (
            SheetCell(figure.name),
            SheetCell(describe_value(figure)),
            SheetCell(derivation, notes.of(figure.source), "faint"),
        )
    )


def prices(quote: Quote) -> Iterator[Chapter]:
    lines = [line for option in quote.options for line in option.bill.lines if line.state is State.PRICED]
    days = sorted({line.as_of for line in lines if line.as_of is not None})
    undated = len({(line.item, line.source) for line in lines if line.as_of is None and line.source != "checklist"})
    age = age_days(quote.prices_as_of, today=quote.priced_at)
    newest = day(quote.prices_as_of) + ("" if age is None else f", {age} days old on the day of pricing")
    rows = [
        ("valid until", NOT_VALID if quote.stale else day(quote.valid_until)),
        ("priced on", day(quote.priced_at)),
        ("price book", quote.prices),
        ("newest price in the book", newest),
        *([("prices used are of", f"{day(days[0])} to {day(days[-1])}")] if days else []),
        *([("prices used without a day", str(undated))] if undated else []),
        (
            "oldest price accepted",
            f"{MACHINE_AGE_LIMIT_DAYS} days for machines, {SERVICE_AGE_LIMIT_DAYS} for services",
        ),
        ("digest of the price book", quote.prices_digest),
        ("digest of the checklist", quote.checklist_digest),
    ]
    yield Chapter(
        title="Prices, and until when they hold",
        anchor="prices",
        sentences=texts(f"All amounts are in USD, without taxes. {AGAIN_WITH_NEWER if quote.stale else AGAIN_LATER}"),
        sheets=(Sheet(head=(), rows=tuple(_term_row(label, said) for label, said in rows), wide=0),),
    )


def _term_row(label: str, said: str) -> SheetRow:
    return SheetRow((SheetCell(label, tone="faint"), SheetCell(said)))


def signing(quote: Quote) -> Iterator[Chapter]:
    if not quote.options:
        return
    if quote.stale:
        refused = texts(f"{NOT_VALID[0].upper()}{NOT_VALID[1:]}.", AGAIN_WITH_NEWER)
        yield Chapter(title="Not to be signed", anchor="accepted", sentences=refused)
        return
    boxes = tuple(
        SheetCell(f"{option_title(at, option)}: {option.id}", tone="box") for at, option in enumerate(quote.options)
    )
    blanks = (
        "name and role, for the customer",
        "date",
        "signature",
        "name and role, for the provider",
        "date",
        "signature",
    )
    yield Chapter(
        title="Accepted",
        anchor="accepted",
        sentences=(
            SheetCell(f"One option, as it stands in this document, accepted by {day(quote.valid_until)}:"),
            *boxes,
            *(SheetCell(label, tone="blank") for label in blanks),
            SheetCell(f"The option is then locked: atoll accept {quote.stack} OPTION.", tone="faint"),
        ),
    )


def letters(quote: Quote) -> str:
    return "; ".join(f"{letter(at)}: {option.id}" for at, option in enumerate(quote.options))
