"""`atoll init`: a first checklist, from answers or from an example."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from cli.terminal.console import show
from cli.terminal.prompts import read_typed_line
from cli.terminal.tables import make_table
from operations.project.atomic_files import write_all
from operations.project.workspace import Project, display_path, find_project, new_stack, require_stack
from planning.checklist.reading.checklist_file import read_file
from planning.inputs.files import read_text
from planning.values.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table


def run_init(
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
    if example:
        if not name:
            raise typer.BadParameter("a copy needs a name of its own: atoll init NAME --from EXAMPLE")
        new_stack(name)
        return _write(name, _read_example(example))
    _need_terminal()
    from cli.terminal.interview import interview  # noqa: PLC0415 - only where a person is asked

    find_project()
    if name:
        new_stack(name)
    stack = name or _ask_name()
    return _write(stack, interview(read_typed_line, print))


def _write(stack: str, text: str) -> int:
    """Write the checklist of a stack that does not exist yet, which may have changed while a person answered."""
    path = new_stack(stack).checklist(stack)
    write_all({path: text})
    show(f"written: {display_path(path)}", f"next: atoll quote {stack}")
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


def _ask_name() -> str:
    while True:
        name = read_typed_line("Name of the new stack: ").strip()
        try:
            new_stack(name)
        except InputError as error:
            print(f"  {error}; {error.hint}")
        else:
            return name


def _read_example(example: str) -> str:
    path = require_stack(example).checklist(example)
    return read_text(path)


def _examples(project: Project) -> Table:
    rows = ((stack, _workloads(project, stack)) for stack in project.known)
    return make_table(("stack", "workloads"), rows, whole={"stack"})


def _workloads(project: Project, stack: str) -> str:
    try:
        checklist = read_file(project.checklist(stack))
    except InputError as error:
        return f"cannot be read: {error}"
    return ", ".join(f"{each.name} ({each.kind.replace('_', ' ')})" for each in checklist.workloads)
