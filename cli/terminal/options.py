"""Arguments and options that several commands share."""

from datetime import UTC, date, datetime
from typing import Annotated, Final

import typer

from cli.terminal.completion import option_ids, price_books, stacks

Stack = Annotated[
    str,
    typer.Argument(metavar="STACK", help="Name of a stack under stacks/.", show_default=False, autocompletion=stacks),
]
StackOrFile = Annotated[
    str,
    typer.Argument(
        metavar="STACK|FILE",
        help="A stack's name, or a checklist file.",
        show_default=False,
        autocompletion=stacks,
    ),
]
OptionId = Annotated[
    str,
    typer.Argument(
        metavar="OPTION",
        help="An option's id, or a view such as cheapest.",
        show_default=False,
        autocompletion=option_ids,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON to standard output, and nothing else there.")]
Output = Annotated[
    list[str] | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write it as JSON into FILE.json.", show_default=False),
]
Today = Annotated[
    str,
    typer.Option(
        "--today", metavar="YYYY-MM-DD", envvar="ATOLL_TODAY", help="Calculate as of this day.", show_default="today"
    ),
]
Book = Annotated[
    str,
    typer.Option(
        "--prices",
        metavar="BOOK",
        help='"current", or the date of a book in catalogs/books.',
        autocompletion=price_books,
    ),
]
OwnBook = Annotated[
    str,
    typer.Option("--price-book", metavar="FILE", help="Your own prices and discounts (CSV).", show_default=False),
]
AllowStale = Annotated[bool, typer.Option("--allow-stale", help="Accept prices that are too old.")]
CURRENT_BOOK: Final = "current"
FIRST_DAY: Final = date(2000, 1, 1)
LAST_DAY: Final = date(2999, 12, 31)  # contracts and offers are counted on from a day, and a calendar ends with 9999


def output_of(forms: str) -> object:
    return typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help=f"Write it into a file whose ending says the form: {forms}. May be given several times.",
        show_default=False,
    )


def folder_option(words: str) -> object:
    return typer.Option("--output", "-o", metavar="DIR", help=words, show_default=False)


def old_option(name: str, *, metavar: str) -> object:
    """An option as it was named before; hidden, and understood for one release more."""
    return typer.Option(name, metavar=metavar, hidden=True, show_default=False)


def day(text: str) -> date:
    """The day that `--today` names; the current one, in UTC, for "".

    Raises:
        typer.BadParameter: not a date, or one that nothing can be counted on from.
    """
    if not text:
        return datetime.now(tz=UTC).date()
    try:
        found = date.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not a date; write it as 2026-10-24", param_hint="--today") from error
    if not FIRST_DAY <= found <= LAST_DAY:
        raise typer.BadParameter(f"{text!r} is not between {FIRST_DAY} and {LAST_DAY}", param_hint="--today")
    return found
