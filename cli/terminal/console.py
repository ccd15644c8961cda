"""What reaches the terminal: tables and trees to stdout, progress to stderr, both plain where nobody watches."""

from __future__ import annotations

import json
import os
import shutil
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, final

from planning.values.printable import printable, printable_json

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping

    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    from cli.terminal.layout import ScreenLine

WIDTH: Final = 120  # of what is piped into a file; a terminal says its own width
NARROWEST: Final = 60  # below it a terminal folds the lines itself
_STYLES: Final = {"bold": "\x1b[1m", "dim": "\x1b[2m", "good": "\x1b[32m", "warn": "\x1b[33m", "alert": "\x1b[1;31m"}
_PLAIN: Final = "\x1b[0m"


def screen_width() -> int:
    return max(NARROWEST, shutil.get_terminal_size((WIDTH, 0)).columns)


def show_lines(lines: Iterable[ScreenLine]) -> None:
    """Print lines that are laid out already; without `rich`, which takes longer to import than a quote to lay out."""
    painted = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    texts = (_paint_line(each) if painted else printable(each.text + each.tail).rstrip() for each in lines)
    sys.stdout.write("".join(f"{text}\n" for text in texts))


def _paint_line(line: ScreenLine) -> str:
    style, text, tail = _STYLES.get(line.style, ""), printable(line.text), printable(line.tail)
    if not style:
        return text + tail
    return f"{text}{style}{tail}{_PLAIN}" if tail else f"{style}{text}{_PLAIN}"


@final
class _Printable:
    """A table, tree or sentence whose words steer no terminal; what styles it is added later."""

    def __init__(self, part: RenderableType) -> None:
        self._part = part

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        from rich.segment import Segment  # noqa: PLC0415 - see `show`

        for each in console.render(self._part, options):
            yield each if each.control else Segment(printable(each.text), each.style)


def show(*parts: RenderableType) -> None:
    from rich.console import Console  # noqa: PLC0415 - a quote does without it

    watched = sys.stdout.isatty()
    width = None if watched or os.environ.get("COLUMNS") else WIDTH
    console = Console(file=sys.stdout, width=width, highlight=False, emoji=False, soft_wrap=False)
    with console.capture() as captured:
        for part in parts:
            console.print(_Printable(part), markup=False)
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def show_json(form: Mapping[str, object]) -> None:
    sys.stdout.write(json_text(form))


def json_text(form: Mapping[str, object]) -> str:
    return printable_json(json.dumps(form, indent=2, ensure_ascii=False)) + "\n"


def note(text: str) -> None:
    print(printable(text), file=sys.stderr)


@contextmanager
def progress(text: str) -> Generator[None]:
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console  # noqa: PLC0415 - see `show`

    with Console(stderr=True).status(printable(text)):
        yield
