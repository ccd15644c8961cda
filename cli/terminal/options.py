"""Arguments and options that several commands share."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Final

import typer

MARKER: Final = "Pulumi.yaml"
CHECKLIST: Final = "checklist.yaml"
LOCK: Final = "quote.lock.json"
LARGEST_LOCK_BYTES: Final = 4 * 2**20


def stacks(incomplete: str) -> list[str]:
    return sorted(each for each in (path.parent.name for path in _checklists()) if each.startswith(incomplete))


def option_ids(incomplete: str) -> list[str]:
    """Views, and the options that were accepted somewhere: asking for a quote would keep the shell waiting."""
    from planning.quoting.search.views import VIEWS  # noqa: PLC0415 - only while a shell completes

    return [each for each in (*VIEWS, *_list_accepted_options()) if each.startswith(incomplete)]


def price_books(incomplete: str) -> list[str]:
    books = Path(__file__).parents[2] / "catalogs" / "books"
    dated = sorted(path.name for path in books.iterdir() if path.is_dir()) if books.is_dir() else []
    return [each for each in ("current", *dated) if each.startswith(incomplete)]


def _checklists() -> list[Path]:
    with suppress(OSError):
        here = Path.cwd()
        for folder in (here, *here.parents):
            if (folder / MARKER).is_file():
                return list((folder / "stacks").glob(f"*/{CHECKLIST}"))
    return []


def _list_accepted_options() -> list[str]:
    found: set[str] = set()
    for path in _checklists():
        lock = path.with_name(LOCK)
        with suppress(OSError, ValueError, RecursionError):
            if lock.stat().st_size <= LARGEST_LOCK_BYTES:
                document: object = json.loads(lock.read_bytes())
                option: object = document.get("option") if isinstance(document, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
                found |= {option} if isinstance(option, str) else set()
    return sorted(found)


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


def make_option(name: str, metavar: str, words: str, *, default: str | bool = False) -> object:
    """An option with a value.

    Args:
        words: its help.
        default: what the help says stands in for it; False for nothing.
    """
    return typer.Option(name, metavar=metavar, help=words, show_default=default)


def make_argument(metavar: str, words: str) -> object:
    return typer.Argument(metavar=metavar, help=words, show_default=False)


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
