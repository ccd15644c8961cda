"""What a person types at a prompt, and the yes before anything changes."""

from __future__ import annotations

import select
import sys
from contextlib import suppress
from getpass import getpass
from io import UnsupportedOperation
from typing import Final

import typer

from planning.values.errors import AtollError, InputError

HEARD_WITHIN_S: Final = 0.25  # a Ctrl-C; a person takes it for at once


def read_typed_line(prompt: str) -> str:
    """What was typed at a prompt; U+FFFD where it is no text.

    Raises:
        typer.Abort: the input ended.
    """
    # `input(prompt)` writes and waits in one call below Python: a Ctrl-C between the two would be heard only after the
    # next key.
    sys.stdout.write(prompt)
    sys.stdout.flush()
    # A Ctrl-C that comes between the prompt and the read is heard only when the read ends, with the next line: Python
    # runs signal handlers between its own instructions. A wait that ends now and then hears it.
    with suppress(UnsupportedOperation):  # a stream that is no file: nothing to wait for
        while sys.stdin.isatty() and not select.select([sys.stdin], [], [], HEARD_WITHIN_S)[0]:
            pass
    try:
        return input("")
    except EOFError as error:
        raise typer.Abort from error
    except UnicodeDecodeError:
        return "\N{REPLACEMENT CHARACTER}"


def ask_passphrase(prompt: str) -> str | None:
    """A passphrase, typed without echo; None without a terminal."""
    return getpass(prompt) if sys.stdin.isatty() else None


def confirm(question: str, *, yes: bool) -> None:
    """Go on only after a yes.

    Raises:
        AtollError: a no.
        InputError: there is no terminal to ask at.
    """
    _ask_only_people(yes=yes)
    if not yes and not typer.confirm(question, err=True):
        raise AtollError("not confirmed; nothing was touched")


def confirm_by_name(question: str, *, name: str, yes: bool) -> None:
    """Go on only after the stack's name was typed.

    Raises:
        AtollError: something else was typed.
        InputError: there is no terminal to ask at.
    """
    _ask_only_people(yes=yes)
    if yes:
        return
    typed: object = typer.prompt(f"{question} Type {name} to go on", default="", show_default=False, err=True)
    if typed != name:
        raise AtollError(f"{typed!r} is not {name!r}; nothing was touched")


def _ask_only_people(*, yes: bool) -> None:
    if not yes and not sys.stdin.isatty():
        raise InputError("there is no terminal to confirm at; nothing was touched", hint="--yes does not ask")
