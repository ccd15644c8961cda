"""Options of `atoll diff`."""

from enum import StrEnum
from typing import Annotated, Final

import typer

from cli.terminal import options

DEADLINE_S: Final = 120.0


class FailOn(StrEnum):
    """Which breaches of a changed stack stop the change."""

    NEW = "new"
    ALL = "all"


Base = Annotated[str, typer.Option("--base", metavar="REF", help="What to compare with.", show_default=False)]
Head = Annotated[str, typer.Option("--head", metavar="REF", help="What is compared.", show_default="the working tree")]
FromMergeBase = Annotated[bool, typer.Option("--merge-base", help="Compare with the commit where both histories part.")]
Stacks = Annotated[
    list[str] | None, typer.Option("--stack", metavar="NAME", help="Only this stack; may be given several times.")
]
Stopping = Annotated[
    FailOn, typer.Option("--fail-on", help="Breaches that stop: new ones and ceilings, or all of a changed stack.")
]
Output = Annotated[list[str] | None, options.output_of(".json, .md, .sarif, .xml (JUnit)")]
Markdown = Annotated[
    str, typer.Option("--markdown", metavar="FILE", help="Write a comment in Markdown.", show_default=False)
]
Sarif = Annotated[str, typer.Option("--sarif", metavar="FILE", help="Write SARIF.", show_default=False)]
Junit = Annotated[str, typer.Option("--junit", metavar="FILE", help="Write JUnit XML.", show_default=False)]
Deadline = Annotated[float, typer.Option("--deadline", metavar="SECONDS", min=1, help="For the program of one stack.")]
