"""Chapters on what the options rest on: assumptions, what has no price, prices and their age, and the signatures."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final

from catalogs.age import MACHINE_AGE_LIMIT_DAYS, SERVICE_AGE_LIMIT_DAYS, age_days
from driver.render.amounts import day, usd
from driver.render.figures import NOT_COMPUTED, figure_number
from driver.render.options import NOT_VALID
from driver.render.quote_names import letter, named
from driver.render.quote_sheets import Cell, Chapter, Row, Sheet, texts
from planning.bill import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driver.render.quote_sheets import Notes
    from planning.demand import Figure
    from planning.lock import Ceilings
    from planning.quote import Quote

MOST_DECIMALS: Final = 6
AGAIN_LATER: Final = "After the last day the quote has to be made again."
AGAIN_WITH_NEWER: Final = "The quote has to be made again with newer prices before anybody signs."


def ceiling_text(ceiling: Ceilings) -> str:
    """The limits, and the reading that each is held against."""
    limits = {
        "a month": ceiling.usd_per_month,
        "over the contract": ceiling.usd_per_contract,
        "for an accelerator-hour": ceiling.usd_per_gpu_hour,
    }
    said = [f"{usd(limit)} USD {what}" for what, limit in limits.items() if limit is not None]
    return f"Ceiling: {', '.join(said)}; it binds the {ceiling.binds} reading." if said else "No ceiling is set."


def not_priced(quote: Quote) -> Iterator[Chapter]:
    """Lines without a price, and what no bill covers."""
    rows = tuple(
        Row((Cell(named(at, option)), Cell(line.label), Cell(line.note)))
        for at, option in enumerate(quote.options)
        for line in option.bill.unpriced
    )
    left = tuple(
        Row((Cell(named(at, option)), Cell(words)))
        for at, option in enumerate(quote.options)
        for words in option.leaves_out
    )
    lines = Sheet(head=("option", "line without a price", "why"), rows=rows, wide=34)
    outside = Sheet(head=("option", "not in the bill"), rows=left, wide=26)
    said = (
        "A line without a price is not zero: the totals above it read >= and nobody can tell whether they are within."
        if rows
        else "Every line of every bill has a price."
    )
    yield Chapter(
        title="What is not priced",
        anchor="unpriced",
        sentences=texts(said),
        sheets=tuple(each for each in (lines, outside) if each.rows),
    )


def reasons(quote: Quote) -> Iterator[Chapter]:
    """Why there are not more options, what would bring one under the ceiling, what was left out."""
    missing = [f"No {view.replace('_', ' ')} option: {why}" for view, why in quote.missing_views.items()]
    advice = [f"To come under the ceiling: {change}" for change in quote.advice]
    said = [*([quote.reason] if quote.reason else missing), *advice]
    rows = tuple(Row(texts(reason, str(count))) for reason, count in quote.refusals)
    refused = Sheet(head=("machines and places left out, because", "how many"), rows=rows, numbers_from=1, wide=20)
    if said or rows:
        yield Chapter(
            title="What was left out, and why",
            anchor="left-out",
            sentences=texts(*said),
            sheets=(refused,) if rows else (),
        )


def assumptions(quote: Quote, notes: Notes) -> Iterator[Chapter]:
    """What sizing derived from the checklist, with the rule behind each figure."""
    if not quote.figures:
        return
    subjects = dict.fromkeys(figure.subject for figure in quote.figures)
    sheets = tuple(
        Sheet(
            head=(subject, "is", "reckoned as"),
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


def _figure(figure: Figure, notes: Notes) -> Row:
    value = NOT_COMPUTED if figure.value is None else f"{figure_number(figure.value)} {figure.unit}".strip()
    terms = "; ".join(f"{name} = {_term(value)}" for name, value in figure.inputs)
    reckoned = f"{figure.formula} ({terms})" if terms else figure.formula
    return Row((Cell(figure.name), Cell(value), Cell(reckoned, notes.of(figure.source), "faint")))


def _term(value: str) -> str:
    """A term as it was reckoned with; a number with its thousands apart and without the tail of a division."""
    try:
        number = Decimal(value)
    except InvalidOperation:
        return value
    rounded = round(number, MOST_DECIMALS)
    if not number.is_finite() or (number and not rounded):
        return value
    return f"{rounded.normalize():,f}" if rounded else "0"


def prices(quote: Quote) -> Iterator[Chapter]:
    """The price book, its age, and until when the quote holds."""
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
            "oldest that is believed",
            f"{MACHINE_AGE_LIMIT_DAYS} days for machines, {SERVICE_AGE_LIMIT_DAYS} for services",
        ),
        ("digest of the price book", quote.prices_digest),
        ("digest of the checklist", quote.checklist_digest),
    ]
    yield Chapter(
        title="Prices, and until when they hold",
        anchor="prices",
        sentences=texts(f"All amounts are in USD, without taxes. {AGAIN_WITH_NEWER if quote.stale else AGAIN_LATER}"),
        sheets=(Sheet(head=(), rows=tuple(_stated(label, said) for label, said in rows), wide=0),),
    )


def _stated(label: str, said: str) -> Row:
    return Row((Cell(label, tone="faint"), Cell(said)))


def signing(quote: Quote) -> Iterator[Chapter]:
    """A box for each option, and lines for two names."""
    if not quote.options:
        return
    if quote.stale:
        refused = texts(f"{NOT_VALID[0].upper()}{NOT_VALID[1:]}.", AGAIN_WITH_NEWER)
        yield Chapter(title="Not to be signed", anchor="accepted", sentences=refused)
        return
    boxes = tuple(Cell(f"{named(at, option)}: {option.id}", tone="box") for at, option in enumerate(quote.options))
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
            Cell(f"One option, as it stands in this document, accepted by {day(quote.valid_until)}:"),
            *boxes,
            *(Cell(label, tone="blank") for label in blanks),
            Cell(f"The option is then locked: atoll accept {quote.stack} OPTION.", tone="faint"),
        ),
    )


def letters(quote: Quote) -> str:
    """Which letter is which option."""
    return "; ".join(f"{letter(at)}: {option.id}" for at, option in enumerate(quote.options))
