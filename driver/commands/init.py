"""`atoll init`: a first checklist, from answers or from an example."""

import sys
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from driver.interview import interview
from driver.project import Project, find_project, known_stack, new_stack, shown
from driver.prompt import typed
from driver.screen import show
from driver.writing import write_all
from planning.checklist.reading import read_file
from planning.errors import InputError


def run(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Name of the new stack.", show_default=False)] = "",
    *,
    example: Annotated[
        str, typer.Option("--from", metavar="EXAMPLE", help="Copy a stack's checklist.", show_default=False)
    ] = "",
    list_: Annotated[bool, typer.Option("--list", help="List the stacks that can be copied.")] = False,
) -> int:
    """Write a first checklist, from answers or an example."""
    if list_:
        show(_examples(find_project()))
        return 0
    if not example:
        _need_terminal()
    stack = name or _asked_name(example)
    project = new_stack(stack)
    text = _copied(example) if example else interview(typed, print)
    path = project.checklist(stack)
    write_all({path: text})
    show(f"written: {shown(path)}", f"next: atoll check {stack}, atoll quote {stack}")
    return 0


def _need_terminal() -> None:
    """Refuse to ask where nobody answers.

    Raises:
        typer.BadParameter: stdin is no terminal.
    """
    if not sys.stdin.isatty():
        raise typer.BadParameter(
            "the questions need a terminal; name an example with --from (atoll init --list), or write the file by hand"
        )


def _asked_name(example: str) -> str:
    if example:
        raise typer.BadParameter("a copy needs a name of its own: atoll init NAME --from EXAMPLE")
    return typed("Name of the new stack: ").strip()


def _copied(example: str) -> str:
    """The text of a stack's checklist, faults and all left to `atoll check`."""
    path = known_stack(example).checklist(example)
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{shown(path)} cannot be read: {error}") from error


def _examples(project: Project) -> Table:
    """Stacks with what their checklists ask for."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("stack", no_wrap=True)
    table.add_column("workloads")
    for stack in project.known:
        table.add_row(stack, _workloads(project, stack))
    return table


def _workloads(project: Project, stack: str) -> str:
    try:
        checklist = read_file(project.checklist(stack))
    except InputError as error:
        return f"cannot be read: {error}"
    return ", ".join(f"{each.name} ({each.kind.replace('_', ' ')})" for each in checklist.workloads)
