"""`atoll explain`: how each figure of a sizing or of an option came about."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Annotated

from cli.terminal import options
from cli.terminal.console import json_text, note, screen_width, show_json, show_lines
from cli.terminal.options import resolve_files, tell_written
from cli.views.quote.derivations import lay_out_figures
from operations.plans.quote import QuoteResult, option_named, quote_subject
from operations.project.atomic_files import write_all
from operations.project.workspace import resolve_stack
from planning.checklist.reading.checklist_file import read_file
from planning.quoting.explanation import bill_figures, explain, option_figures, subjects
from planning.quoting.quote_form import explain_form
from planning.sizing.checklist_demands import size
from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from planning.quoting.quote import Quote
    from planning.sizing.demand import SizingFigure


def run_explain(
    stack_or_file: options.StackOrFile,
    about: Annotated[
        str,
        options.make_argument(
            "[SUBJECT|NAME|OPTION]",
            "A workload, part of a figure's name, or an option of the quote with every line of its bill.",
        ),
    ] = "",
    *,
    prices: options.Book = options.CURRENT_BOOK,
    price_book: options.OwnBook = "",
    today: options.Today = "",
    as_json: options.AsJson = False,
    output: options.Output = None,
) -> int:
    """Show how each figure of the sizing came about, and what the options cost at least and at most."""
    asked = resolve_stack(stack_or_file)
    sizing = size(read_file(asked.checklist))
    known = subjects(sizing)
    figures = explain(sizing, subject=about) if about in known else explain(sizing, name=about)
    ask = partial(quote_subject, asked, book=prices, own=price_book, today=options.day(today), allow_stale=True)
    if not about:
        figures += _costs(ask)
    elif not figures:
        figures = _option(ask().quote, about, known=known)
    form = explain_form(asked.stack, figures)
    files = resolve_files(output, forms=("json",))
    write_all({path: json_text(form) for path in files.values()})
    tell_written(files.values())
    if as_json:
        show_json(form)
    else:
        show_lines(lay_out_figures(figures, width=screen_width()))
    return 0


def _costs(ask: Callable[[], QuoteResult]) -> tuple[SizingFigure, ...]:
    """The readings of every option's month; none, with a remark, where no option can be had."""
    try:
        quote = ask().quote
    except AtollError as error:
        note(f"no option has a price to explain: {error}")
        return ()
    months = tuple(figure for option in quote.shown for figure in option_figures(option))
    first = quote.recommended
    hours = (replace(each, subject=f"{each.subject} in {first.id}") for each in first.explain_hours())
    return (*months, *hours)


def _option(quote: Quote, about: str, *, known: Sequence[str]) -> tuple[SizingFigure, ...]:
    """One option's readings, and every line of its bill.

    Raises:
        InputError: neither a figure nor an option has this name.
    """
    try:
        option = option_named(quote, about)
    except InputError as error:
        options = [option.id for option in quote.shown]
        near = get_close_matches(about, (*known, *options), n=1)
        raise InputError(
            f"there is no figure of {about!r}; there are figures of: {', '.join((*dict.fromkeys(known), *options))}",
            hint=f'did you mean "{near[0]}"?' if near else error.hint,
        ) from error
    return (*option_figures(option), *bill_figures(option), *option.explain_hours())
