"""What a person types at a prompt."""

from __future__ import annotations

import typer


def typed(prompt: str) -> str:
    """What was typed at a prompt.

    Raises:
        typer.Abort: the input ended.
    """
    try:
        return input(prompt)
    except EOFError as error:
        raise typer.Abort from error
