"""What reaches the terminal: tables and trees to stdout, progress to stderr, both plain where nobody watches."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from rich.console import RenderableType

WIDTH: Final = 120  # of what is piped into a file; a terminal says its own width


def show(*parts: RenderableType) -> None:
    """Print tables, trees and sentences to stdout."""
    watched = sys.stdout.isatty()
    width = None if watched or os.environ.get("COLUMNS") else WIDTH
    console = Console(file=sys.stdout, width=width, highlight=False, emoji=False, soft_wrap=False)
    with console.capture() as captured:
        for part in parts:
            console.print(part, markup=False)
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def show_json(form: Mapping[str, object]) -> None:
    """Print a JSON form to stdout."""
    sys.stdout.write(json_text(form))


def json_text(form: Mapping[str, object]) -> str:
    """A JSON form as text: two spaces, one newline at the end."""
    return json.dumps(form, indent=2, ensure_ascii=False) + "\n"


def note(text: str) -> None:
    """A remark for the person at the terminal, beside the result."""
    print(text, file=sys.stderr)


@contextmanager
def progress(text: str) -> Generator[None]:
    """Say what is going on while it lasts; nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield
        return
    with Console(stderr=True).status(text):
        yield
