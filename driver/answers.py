"""From a subject on the command line to its quote: what several commands start from."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from driver.prices import price_book, too_old
from planning.checklist.reading import read_file
from planning.errors import CannotTellError, InputError, OverCeilingError, StalePricesError
from planning.json_form import checklist_digest
from planning.options.market import Market
from planning.quote import Verdict
from planning.quoting import quote

if TYPE_CHECKING:
    from datetime import date

    from driver.project import Subject
    from planning.checklist.model import Checklist
    from planning.quote import Option, Quote


@dataclass(frozen=True, slots=True)
class Answer:
    """A checklist and its quote."""

    checklist: Checklist
    quote: Quote


def quoted(asked: Subject, *, book: str, own: str, today: date) -> Answer:
    """The quote of a subject at a price book.

    Raises:
        InputError: the checklist has faults.
        CatalogError: no such price book, or faults in it.
        NothingFitsError: nothing on sale satisfies the checklist.
    """
    checklist = read_file(asked.checklist)
    market = Market(price_book(book, own=own))
    digest = checklist_digest(checklist)
    return Answer(checklist, quote(checklist, checklist_digest=digest, stack=asked.stack, market=market, today=today))


def option_named(found: Quote, name: str) -> Option:
    """The option with this id, or the one that answers this view.

    Raises:
        InputError: neither; names those there are.
    """
    wanted = name.replace("-", "_")
    for option in found.options:
        if option.id == name or wanted in option.views:
            return option
    if why := found.missing_views.get(wanted):
        raise InputError(f"there is no {name} option: {why}")
    names = [word for option in found.options for word in (*option.views, option.id)]
    near = get_close_matches(name, names, n=1)
    raise InputError(
        f"there is no option {name!r}; there are: {', '.join(option.id for option in found.options)}",
        hint=f'did you mean "{near[0]}"?' if near else "a view names one too: cheapest, dependable, fastest",
    )


def refuse_old_option(option: Option, *, today: date) -> None:
    """Refuse an option that rests on prices which may have moved since.

    Raises:
        StalePricesError: names the oldest price and its day.
    """
    old = too_old(option.bill, today=today)
    if not old:
        return
    line = min(old, key=lambda each: each.as_of or today)
    raise StalePricesError(
        f"{option.id} rests on {len(old)} price{'s' if len(old) > 1 else ''} that may have moved: "
        f"{line.label} is of {line.as_of}",
        hint="refresh the catalogs, name a dated book with --prices, or go on with --allow-stale",
    )


def exit_code(found: Quote, *, allow_stale: bool) -> int:
    """0 where an option is within the ceiling; 11 where none is but some may be; 10 where all are over it.

    Raises:
        StalePricesError: every option rests on prices that are too old.
    """
    fresh = [option for option in found.options if allow_stale or not too_old(option.bill, today=found.priced_at)]
    if not fresh:
        refuse_old_option(found.options[0], today=found.priced_at)
    verdicts = {option.judgement.verdict for option in fresh}
    if Verdict.WITHIN in verdicts:
        return 0
    return CannotTellError.exit_code if Verdict.CANNOT_TELL in verdicts else OverCeilingError.exit_code
