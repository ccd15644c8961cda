"""Chapters on what the options rest on: assumptions, what has no price, prices and their age, and the signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.ages import MACHINE_AGE, SERVICE_AGE, age_days
from cli.pages.quote.sheets import chapter, find_note, sheet, texts
from cli.terminal.amounts import ABOUT, day, term_number, usd_range
from cli.views.quote.derivations import describe_value
from cli.views.quote.options import find_shared, letter, option_title
from cli.views.quote.summary import NOT_VALID, describe_advice, describe_age, describe_aging, group_unmet
from planning.documents.blocks import Blank, Paragraph
from planning.documents.figures import cite
from planning.quoting.quote import name_view
from planning.spec.lock_content import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalogs.catalog import Catalog
    from planning.costs.bill import LineItem
    from planning.documents.blocks import Block
    from planning.documents.figures import Sentence
    from planning.quoting.quote import Quote
    from planning.sizing.demand import SizingFigure

CONFIRM: Final = "Estimated prices are to be confirmed."
AGAIN_LATER: Final = "After the last day the quote has to be made again."
AGAIN_WITH_NEWER: Final = "The quote has to be made again with newer prices before anybody signs."


def not_priced(quote: Quote) -> Iterator[Block]:
    rows = [
        texts(option_title(at, option), line.label, line.note)
        for at, option in enumerate(quote.options)
        for line in option.bill.unpriced
    ]
    shared = find_shared([option.leaves_out for option in quote.options])
    left = [texts("all options" if words in shared else which, words) for words, which in _list_exclusions(quote)]
    said = (
        "A line without a price is not zero: totals with one read >=, and whether they are within is undetermined."
        if rows
        else "Every line of every bill has a price or an estimate."
        if any(option.bill.estimated for option in quote.options)
        else "Every line of every bill has a price."
    )
    yield from chapter("What is not priced", "unpriced", cite(said))
    if rows:
        yield sheet(("option", "line without a price", "why"), rows, anchor="unpriced", wide=34)
    yield from _list_estimates(quote)
    if left:
        yield sheet(("option", "not included in the bill"), left, anchor="unpriced", wide=26)


def _list_estimates(quote: Quote) -> Iterator[Block]:
    """Lines whose price is an estimate, with what it leans on; no such price is offered."""
    rows = [
        texts(option_title(at, option), line.label, _least_to_most(line), line.note)
        for at, option in enumerate(quote.options)
        for line in option.bill.estimated
    ]
    if rows:
        yield Paragraph(
            cite(f"A line with {ABOUT} is estimated: a range, of which a ceiling counts the most. {CONFIRM}")
        )
        yield sheet(("option", "estimated line", "estimated USD a month", "basis"), rows, anchor="unpriced", wide=34)


def _least_to_most(line: LineItem) -> str:
    least, _, most = usd_range(line.usd_per_month)
    return " to ".join(dict.fromkeys((least, most)))


def _list_exclusions(quote: Quote) -> list[tuple[str, str]]:
    """What no bill covers, each once with the letters of its options; what most options leave out comes first."""
    found: dict[str, list[str]] = {}
    for at, option in enumerate(quote.options):
        for words in option.leaves_out:
            found.setdefault(words, []).append(letter(at))
    order = sorted(found.items(), key=lambda each: -len(each[1]))
    return [(words, ", ".join(which)) for words, which in order]


def reasons(quote: Quote) -> Iterator[Block]:
    missing = [f"No {name_view(view)}: {why}" for view, why in quote.missing_views.items()]
    unmet = [f"No option at {names}: {why}" for names, why in group_unmet(quote)]
    said = [*unmet, *([quote.reason] if quote.reason else missing), *describe_advice(quote)]
    rows = [texts(reason, str(count)) for reason, count in quote.refusals]
    if said or rows:
        yield from chapter("Not considered, and why", "not-considered", *texts(*said))
    if rows:
        head = ("machines and places not considered, because", "how many")
        yield sheet(head, rows, anchor="not-considered", numbers_from=1, wide=20)


def assumptions(quote: Quote, catalog: Catalog) -> Iterator[Block]:
    if not quote.figures:
        return
    said = "Where one of these is wrong for you, change the checklist: every option follows from them."
    yield from chapter("What is assumed", "assumptions", cite(said))
    for subject in dict.fromkeys(figure.subject for figure in quote.figures):
        rows = [_figure(figure, catalog) for figure in quote.figures if figure.subject == subject]
        yield sheet((subject, "is", "calculated as"), rows, anchor="assumptions", wide=34)


def _figure(figure: SizingFigure, catalog: Catalog) -> tuple[Sentence, ...]:
    terms = "; ".join(f"{name} = {term_number(value)}" for name, value in figure.inputs)
    derivation = f"{figure.formula} ({terms})" if terms else figure.formula
    source = find_note(catalog.sources, figure.source)
    return *texts(figure.name, describe_value(figure)), cite(derivation, source=source, tone="faint")


def prices(quote: Quote) -> Iterator[Block]:
    lines = [line for option in quote.options for line in option.bill.lines if line.state is State.PRICED]
    days = sorted({line.as_of for line in lines if line.as_of is not None})
    undated = len({(line.item, line.source) for line in lines if line.as_of is None and line.source != "checklist"})
    oldest = quote.oldest_price
    age = age_days(quote.prices_as_of, today=quote.priced_at)
    newest = day(quote.prices_as_of) + ("" if age is None else f", {age} days old on the day of pricing")
    rows = [
        ("valid until", NOT_VALID if quote.stale else day(quote.valid_until)),
        ("priced on", day(quote.priced_at)),
        ("price book", f"{quote.prices}, {quote.own_prices} over it" if quote.own_prices else quote.prices),
        ("newest price in the book", newest),
        *([("prices used are of", f"{day(days[0])} to {day(days[-1])}")] if days else []),
        *([("prices used without a day", str(undated))] if undated else []),
        (
            "oldest price accepted",
            f"{MACHINE_AGE.refused_days} days for machines, {SERVICE_AGE.refused_days} for services",
        ),
        *([("oldest price that matters", f"{oldest.label}: {describe_age(oldest)}")] if oldest else []),
        *([("prices that may have moved", aging)] if (aging := describe_aging(quote.aging_prices)) else []),
        ("digest of the price book", quote.prices_digest),
        ("digest of the checklist", quote.checklist_digest),
    ]
    again = AGAIN_WITH_NEWER if quote.stale else AGAIN_LATER
    yield from chapter(
        "Prices, and until when they hold", "prices", cite(f"All amounts are in USD, without taxes. {again}")
    )
    yield sheet((), [(cite(label, tone="faint"), cite(said)) for label, said in rows])


def _count_estimated(quote: Quote) -> str:
    counts = {letter(at): len(option.bill.estimated) for at, option in enumerate(quote.options)}
    return ", ".join(f"{count} of {which}" for which, count in counts.items() if count)


def signing(quote: Quote) -> Iterator[Block]:
    if not quote.options:
        return
    if quote.stale:
        refused = texts(f"{NOT_VALID[0].upper()}{NOT_VALID[1:]}.", AGAIN_WITH_NEWER)
        yield from chapter("Not to be signed", "accepted", *refused)
        return
    yield from chapter(
        "Accepted",
        "accepted",
        cite(f"One option, as it stands in this document, accepted by {day(quote.valid_until)}:"),
        *texts(*(f"{option_title(at, option)}: {option.id}" for at, option in enumerate(quote.options)), tone="box"),
        *texts(
            *([f"{CONFIRM} They are not accepted here: {_count_estimated(quote)}."] if _count_estimated(quote) else [])
        ),
    )
    for side in ("customer", "provider"):
        yield from (Blank(cite(each)) for each in (f"name and role, for the {side}", "date", "signature"))
    yield Paragraph(cite(f"The option is then locked: atoll accept {quote.stack} OPTION.", tone="faint"))
