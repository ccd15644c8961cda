"""`atoll quote`: three to five priced options for a checklist."""

from pathlib import Path
from typing import Annotated

import typer

from driver import arguments
from driver.answers import Answer, exit_code, option_named, quoted
from driver.project import subject
from driver.render.bill import bill_table
from driver.render.options import option_parts, quote_parts
from driver.screen import note, show, show_json
from driver.writing import write_all
from planning.errors import InputError
from planning.json_form import option_form, quote_form


def run(
    stack_or_file: arguments.StackOrFile,
    *,
    prices: arguments.Book = arguments.CURRENT_BOOK,
    price_book: arguments.OwnBook = "",
    option: Annotated[
        str, typer.Option("--option", metavar="ID", help="Show the whole bill of one option.", show_default=False)
    ] = "",
    html: Annotated[
        str,
        typer.Option("--html", metavar="FILE", help="Write the document to sign as one HTML page.", show_default=False),
    ] = "",
    markdown: Annotated[
        str, typer.Option("--markdown", metavar="FILE", help="Write the same as Markdown.", show_default=False)
    ] = "",
    today: arguments.Today = "",
    allow_stale: arguments.AllowStale = False,
    as_json: arguments.AsJson = False,
) -> int:
    """Show three to five priced options of a checklist.

    Exit code: 0 where an option is within the ceiling, 10 where all are over it, 11 where nobody can tell,
    12 where the prices are too old.
    """
    _refuse_unwritable(html, markdown)
    asked = subject(stack_or_file)
    answer = quoted(asked, book=prices, own=price_book, today=arguments.day(today), allow_stale=allow_stale)
    if html or markdown:
        _write_documents(answer, html=html, markdown=markdown)
    if option:
        one = option_named(answer.quote, option)
        if as_json:
            show_json(option_form(one))
        else:
            show(*option_parts(one), bill_table(one.bill))
    elif as_json:
        show_json(quote_form(answer.quote))
    else:
        show(*quote_parts(answer.quote))
    return exit_code(answer.quote, allow_stale=allow_stale or prices != arguments.CURRENT_BOOK)


def _refuse_unwritable(html: str, markdown: str) -> None:
    """Say before anything is reckoned what could not be written after it."""
    for name in (html, markdown):
        if name and Path(name).is_dir():
            raise InputError(f"{name} is a folder", hint="name a file in it")
    if html and markdown and Path(html).resolve() == Path(markdown).resolve():
        raise InputError(f"--html and --markdown name the same file: {html}", hint="give each a name of its own")


def _write_documents(answer: Answer, *, html: str, markdown: str) -> None:
    # A quote without a document need not wait for these.
    from driver.quote_documents import documents  # noqa: PLC0415 - see above

    texts = documents(answer, html=html, markdown=markdown)
    write_all(texts)
    for path in texts:
        note(f"written: {path}")
