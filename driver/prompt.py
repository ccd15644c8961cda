"""What a person types at a prompt."""

from __future__ import annotations

import sys

import typer


def typed(prompt: str) -> str:
    """What was typed at a prompt; U+FFFD where it is no text.

    The prompt is not left to `input`, which writes it and waits in one call below Python: a Ctrl-C between the two
    would be heard only after the next key.

    Raises:
        typer.Abort: the input ended.
    """
    sys.stdout.write(prompt)
    sys.stdout.flush()
    try:
        return input("")
    except EOFError as error:
        raise typer.Abort from error
    except UnicodeDecodeError:
        return "\N{REPLACEMENT CHARACTER}"
