"""`atoll quote`: three to five priced options for a checklist."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from cli.terminal import options
from cli.terminal.console import ScreenLine, json_text, note, screen_width, show_json, show_lines
from cli.terminal.options import resolve_files, tell_written
from cli.views.quote.options import lay_out_details, lay_out_option, order_options
from cli.views.quote.summary import lay_out_quote
from operations.plans.price_book import describe_unused_rows
from operations.plans.quote import QuoteResult, Wanted, exit_code, option_named, quote_subject
from operations.project.atomic_files import write_all
from operations.project.workspace import resolve_stack
from planning.quoting.option import ceilings
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.quoting.quote import Option


def run_quote(
    stack_or_file: options.StackOrFile,
    *,
    prices: options.Book = options.CURRENT_BOOK,
    price_book: options.OwnBook = "",
    option: Annotated[str, options.make_option("--option", "ID", "Show one option with its whole bill.")] = "",
    details: Annotated[bool, typer.Option("--details", help="Show every option in full.")] = False,
    provider: options.Providers = None,
    region: options.Regions = None,
    html: Annotated[str, options.make_option("--html", "FILE", "Write the document to sign as one HTML page.")] = "",
    markdown: Annotated[str, options.make_option("--markdown", "FILE", "Write the same as Markdown.")] = "",
    focus: options.Focus = "",
    today: options.Today = "",
    allow_stale: options.AllowStale = False,
    as_json: options.AsJson = False,
    output: Annotated[list[str] | None, options.output_of(".html, .md, .json")] = None,
) -> int:
    """Show three to five priced options of a checklist.

    --provider and --region ask once what where.wanted and where.regions of the checklist ask every time.

    Exit code: 0 where an option is within the ceiling, 10 where all are over it or miss something that the checklist
    asks for, 11 where it is undetermined, 12 where the prices are too old.
    """
    _refuse_unwritable(html, markdown)
    files = resolve_files(output, forms=("html", "markdown", "json"), html=html, markdown=markdown, focus=focus)
    wanted = Wanted(providers=tuple(provider or ()), regions=tuple(region or ()))
    asked = resolve_stack(stack_or_file)
    answer = quote_subject(
        asked,
        book=prices,
        own=price_book,
        today=options.day(today),
        allow_stale=allow_stale,
        wanted=wanted,
    )
    for unused in describe_unused_rows(answer.catalog, (each.bill for each in answer.quote.options)):
        note(unused)
    one = option_named(answer.quote, option) if option else None
    if files:
        _write_documents(answer, one, files, stack=asked.stack)
    if as_json:
        show_json(_form(answer, one))
    elif one is not None:
        _show_option(one)
    else:
        _show_quote(answer, asked=" ".join((stack_or_file, *wanted.flags)), details=details)
    return exit_code(answer.quote, allow_stale=allow_stale or prices != options.CURRENT_BOOK)


def _show_option(option: Option) -> None:
    from cli.views.quote.derivations import lay_out_bill  # noqa: PLC0415 - most quotes are shown without their bills

    width = screen_width()
    show_lines((*lay_out_option(option, width=width), ScreenLine(""), *lay_out_bill(option.bill, width=width)))


def _show_quote(answer: QuoteResult, *, asked: str, details: bool) -> None:
    width, shown = screen_width(), order_options(answer.quote)
    show_lines(lay_out_quote(shown, ceilings=ceilings(answer.checklist), asked=asked, width=width, whole=details))
    if details:
        show_lines(lay_out_details(shown, width=width))


def _refuse_unwritable(html: str, markdown: str) -> None:
    """Say before anything is calculated what could not be written after it."""
    for name in (html, markdown):
        if name and Path(name).is_dir():
            raise InputError(f"{name} is a folder", hint="name a file in it")
    if html and markdown and Path(html).resolve() == Path(markdown).resolve():
        raise InputError(f"--html and --markdown name the same file: {html}", hint="give each a name of its own")


def _form(answer: QuoteResult, one: Option | None) -> Mapping[str, object]:
    from planning.quoting.quote_form import option_form, quote_form  # noqa: PLC0415 - most quotes are only shown

    return cast("Mapping[str, object]", quote_form(answer.quote) if one is None else option_form(one))


def _write_documents(answer: QuoteResult, one: Option | None, files: Mapping[str, Path], *, stack: str) -> None:
    # A quote without a document need not wait for these.
    from cli.pages.quote.document import documents  # noqa: PLC0415 - see above
    from planning.usage.focus_bill import PlannedMonth, focus_text  # noqa: PLC0415 - see above

    html, markdown = (str(files.get(form, "")) for form in ("html", "markdown"))
    texts = documents(answer, html=html, markdown=markdown)
    if "json" in files:
        texts = {**texts, files["json"]: json_text(_form(answer, one))}
    if "focus" in files:
        titles = {name: each.title for name, each in answer.catalog.providers.items()}
        months = (
            PlannedMonth(
                stack=stack,
                option=option.id,
                bill=option.bill,
                placements=option.placements,
                titles=titles,
                today=answer.quote.priced_at,
            )
            for option in ((one,) if one else answer.quote.options)
        )
        texts = {**texts, files["focus"]: focus_text(months)}
    write_all(texts)
    tell_written(texts)
