"""Output: lines, tables and trees to stdout, progress to stderr; plain text without a terminal."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

from planning.values.printable import printable, printable_json

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment


GAP: Final = "  "
CUT: Final = " ..."


@dataclass(frozen=True, slots=True)
class ScreenLine:
    """One line of a screen; `style` is that of its tail, of the whole line where it has none.

    Args:
        style: "bold", "dim", "good", "warn" or "alert".
    """

    text: str
    tail: str = ""
    style: str = ""


def wrap(text: str, *, width: int, first: str = "", rest: str = "", most: int = 0, style: str = "") -> list[ScreenLine]:
    """A paragraph; a word longer than the line is folded at its dashes, and stands on a line of its own without any.

    Args:
        first: what its first line begins with.
        rest: what its other lines begin with.
        most: lines after which it is cut; 0 for all of it.
    """
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=any(len(word) > width - len(rest) for word in text.split()),
        max_lines=most or None,
        placeholder=CUT,
    )
    return [ScreenLine(each, style=style) for each in lines]


def wrap_name(name: str, *, width: int, first: str = "", rest: str = "") -> list[ScreenLine]:
    """A name such as an option's, which is folded at its dashes alone, and only where it is longer than the line."""
    lines = textwrap.wrap(
        name,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=len(first) + len(name) > width,
    )
    return [ScreenLine(each, style="bold") for each in lines]


def lay_out_terms(rows: Sequence[tuple[str, Sequence[str]]], *, width: int, indent: str = "") -> Iterator[ScreenLine]:
    said = [each for each in rows if each[1]]
    wide = max((len(label) for label, _ in said), default=0)
    rest = indent + " " * wide + GAP
    for label, sentences in said:
        longest = max(len(word) for sentence in sentences for word in sentence.split() or [""])
        if len(rest) + longest > width:  # a name is not folded: it stands below a label that leaves it no room
            yield ScreenLine(f"{indent}{label}")
            below = indent + GAP
            for sentence in sentences:
                yield from wrap(sentence, width=width, first=below, rest=below)
            continue
        for at, sentence in enumerate(sentences):
            first = rest if at else f"{indent}{label.ljust(wide)}{GAP}"
            yield from wrap(sentence, width=width, first=first, rest=rest)


def align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells, each column as wide as its widest cell, figures right and the last column left."""
    wide = [max(map(len, each)) for each in zip(*rows, strict=True)]
    return [
        GAP.join(
            cell.ljust(size) if at == len(wide) - 1 else cell.rjust(size)
            for at, (cell, size) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in rows
    ]


WIDTH: Final = 120  # of what is piped into a file; a terminal says its own width
NARROWEST: Final = 60  # below it a terminal folds the lines itself
_STYLES: Final = {"bold": "\x1b[1m", "dim": "\x1b[2m", "good": "\x1b[32m", "warn": "\x1b[33m", "alert": "\x1b[1;31m"}
_PLAIN: Final = "\x1b[0m"


def screen_width() -> int:
    return max(NARROWEST, shutil.get_terminal_size((WIDTH, 0)).columns)


def show_lines(lines: Iterable[ScreenLine]) -> None:
    """Print lines that are laid out already."""
    # Not by `rich`, which takes longer to import than a quote to lay out.
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
def progress(text: str) -> Generator[Callable[[str], None]]:
    """A spinner with words on a terminal; what it yields says other words."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415 - see `show`

    with Console(stderr=True).status(printable(text)) as status:
        yield lambda words: status.update(printable(words))
