"""Arguments and options that several commands share."""

from datetime import UTC, date, datetime
from typing import Annotated, Final

import typer

Stack = Annotated[str, typer.Argument(metavar="STACK", help="Name of a stack under stacks/.", show_default=False)]
StackOrFile = Annotated[
    str, typer.Argument(metavar="STACK|FILE", help="A stack's name, or a checklist file.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Today = Annotated[
    str,
    typer.Option(
        "--today", metavar="YYYY-MM-DD", envvar="ATOLL_TODAY", help="Reckon as on this day.", show_default="today"
    ),
]
Book = Annotated[
    str, typer.Option("--prices", metavar="BOOK", help='"current", or the date of a book in catalogs/books.')
]
OwnBook = Annotated[
    str,
    typer.Option("--price-book", metavar="FILE", help="Your own prices and discounts (CSV).", show_default=False),
]
AllowStale = Annotated[bool, typer.Option("--allow-stale", help="Reckon with prices that are too old, too.")]
CURRENT_BOOK: Final = "current"


def day(text: str) -> date:
    """The day that `--today` names; the current one, in UTC, for "".

    Raises:
        typer.BadParameter: not a date.
    """
    if not text:
        return datetime.now(tz=UTC).date()
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not a date; write it as 2026-10-24", param_hint="--today") from error
