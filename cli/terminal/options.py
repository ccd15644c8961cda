"""Arguments and options that commands share; where an answer goes: `--json` prints it, `-o FILE` writes it (0033)."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cli.terminal.console import json_text, note, show, show_json
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rich.console import RenderableType


MARKER: Final = "Pulumi.yaml"
CHECKLIST: Final = "checklist.yaml"
LOCK: Final = "quote.lock.json"
LARGEST_LOCK_BYTES: Final = 4 * 2**20


def stacks(incomplete: str) -> list[str]:
    return sorted(each for each in (path.parent.name for path in _checklists()) if each.startswith(incomplete))


def option_ids(incomplete: str) -> list[str]:
    """Views, and the options that were accepted somewhere."""
    from planning.quoting.search.views import VIEWS  # noqa: PLC0415 - only while a shell completes

    # Only what was accepted somewhere: a quote, which knows all of them, would keep the shell waiting.
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
Focus = Annotated[
    str,
    typer.Option(
        "--focus", metavar="FILE", help="Write the bill in the columns of FOCUS 1.2 (CSV).", show_default=False
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


Providers = Annotated[
    list[str] | None,
    make_option("--provider", "NAME", "Only this provider; repeat for several.", default="all"),
]
Regions = Annotated[
    list[str] | None, make_option("--region", "NAME", "Only this region; repeat for several.", default="all")
]


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


ENDINGS: Final[Mapping[str, str]] = {
    ".json": "json",
    ".html": "html",
    ".md": "markdown",
    ".sarif": "sarif",
    ".xml": "junit",
}
OPTION: Final = "--output"


def resolve_files(output: Sequence[str] | None, *, forms: Sequence[str], **named: str) -> dict[str, Path]:
    """The file of each form that is wanted: of `-o` by its ending, of `--html FILE` and the like as named.

    Raises:
        typer.BadParameter: an ending that is no form of this command, or a form or a file named twice.
        InputError: it is a folder.
    """
    found: dict[str, Path] = {}
    asked = [(OPTION, _form(each, forms=forms), each) for each in output or ()]
    asked += [(f"--{form}", form, path) for form, path in named.items() if path]
    for option, form, text in asked:
        path = Path(text)
        if path.is_dir():
            raise InputError(f"{text} is a folder", hint="name a file in it")
        if form in found:
            raise typer.BadParameter(f"two files for {form}: {found[form]} and {text}", param_hint=option)
        if path.resolve() in {each.resolve() for each in found.values()}:
            raise typer.BadParameter(f"two documents for one file: {text}", param_hint=option)
        found[form] = path
    return found


def _form(text: str, *, forms: Sequence[str]) -> str:
    form = ENDINGS.get(Path(text).suffix.lower())
    if form and form in forms:
        return form
    known = ", ".join(ending for ending, each in ENDINGS.items() if each in forms)
    raise typer.BadParameter(f"{text!r} ends in none of: {known}", param_hint=OPTION)


def resolve_folder(output: str, *, old: str = "", option: str = "") -> str:
    """The folder of `-o`, or of the option that named it before; "" for neither.

    Raises:
        typer.BadParameter: both name one.
        InputError: it is a file.
    """
    if output and old:
        raise typer.BadParameter(f"it is the same as {OPTION}; give one of them", param_hint=option)
    found = output or old
    if found and Path(found).is_file():
        raise InputError(f"{found} is a file, not a folder", hint="name a folder that is empty, or not there yet")
    return found


def require_folder(output: str, *, old: str, option: str) -> str:
    """The same, where there has to be one.

    Raises:
        typer.BadParameter: as `chosen_folder`, or none is named.
    """
    found = resolve_folder(output, old=old, option=option)
    if not found:
        raise typer.BadParameter("name the folder that is written: -o DIR", param_hint=OPTION)
    return found


def deliver(
    form: Mapping[str, object],
    *,
    as_json: bool,
    output: Sequence[str] | None,
    parts: Callable[[], Iterable[RenderableType]],
) -> None:
    """Write an answer as JSON where a file is named; print it as JSON or as what people read."""
    publish(form, resolve_files(output, forms=("json",)), as_json=as_json, parts=parts)


def publish(
    form: Mapping[str, object],
    files: Mapping[str, Path],
    *,
    as_json: bool,
    parts: Callable[[], Iterable[RenderableType]],
    **texts: Callable[[], str],
) -> None:
    """Write an answer in the form of each file that is named; print it as JSON or as what people read.

    Args:
        texts: what writes a form other than JSON, by its name.
    """
    write_documents(files, json=lambda: json_text(form), **texts)
    if as_json:
        show_json(form)
    else:
        show(*parts())
    tell_written(files.values())


def write_documents(files: Mapping[str, Path], **texts: Callable[[], str]) -> None:
    """Write all files, or none."""
    if files:
        from operations.project.atomic_files import write_all  # noqa: PLC0415 - most answers are only printed

        write_all({path: texts[form]() for form, path in files.items()})


def tell_written(paths: Iterable[Path]) -> None:
    for path in paths:
        note(f"written: {path}")
