"""`atoll explain`: how each figure of the sizing came about."""

from difflib import get_close_matches
from typing import Annotated

import typer

from driver import arguments
from driver.project import subject
from driver.render.figures import figure_parts
from driver.screen import show, show_json
from planning.checklist.reading import read_file
from planning.demand import Figure, Sizing
from planning.errors import InputError
from planning.json_form import explain_form
from planning.sizing.derive import size
from planning.sizing.explain import explain, subjects


def run(
    stack_or_file: arguments.StackOrFile,
    about: Annotated[
        str,
        typer.Argument(metavar="[SUBJECT|NAME]", help="A workload, or part of a figure's name.", show_default=False),
    ] = "",
    *,
    as_json: arguments.AsJson = False,
) -> int:
    """Show how each figure of the sizing came about."""
    asked = subject(stack_or_file)
    figures = _about(size(read_file(asked.checklist)), about)
    if as_json:
        show_json(explain_form(asked.stack, figures))
    else:
        show(*figure_parts(figures))
    return 0


def _about(sizing: Sizing, about: str) -> tuple[Figure, ...]:
    """The figures of one subject, else those with this word in their name; all of them for "".

    Raises:
        InputError: neither; names the subjects.
    """
    known = subjects(sizing)
    found = explain(sizing, subject=about) if about in known else explain(sizing, name=about)
    if found:
        return found
    near = get_close_matches(about, (*known, *(figure.name for figure in sizing.figures)), n=1)
    raise InputError(
        f"there is no figure of {about!r}; there are figures of: {', '.join(known)}",
        hint=f'did you mean "{near[0]}"?' if near else "",
    )
