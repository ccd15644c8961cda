"""`atoll init` and `atoll check`: a first checklist, from answers or from an example, and what its workloads demand."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cli.terminal import options  # noqa: TC001 - Typer reads the annotations
from cli.terminal.amounts import number
from cli.terminal.console import show
from cli.terminal.options import deliver
from cli.terminal.prompts import read_typed_line
from cli.terminal.tables import make_table
from operations.project.atomic_files import write_all
from operations.project.workspace import Project, display_path, find_project, new_stack, require_stack, resolve_stack
from operations.software.availability import refuse_unfit
from planning.checklist.reading.checklist_file import read_file
from planning.checklist.reading.unpriced_fields import find_unused
from planning.inputs.files import read_text
from planning.quoting.catalog_report import demands_form
from planning.sizing.checklist_demands import size
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from planning.checklist.model.workload import HardwareAsk
    from planning.sizing.demand import Demand


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
    """Write the checklist of a stack that does not exist yet."""
    # Looked at once more: another process may have made the stack while a person answered.
    path = new_stack(stack).checklist(stack)
    write_all({path: text})
    show(f"written: {display_path(path)}", f"next: atoll quote {stack}")
    return 0


def _need_terminal() -> None:
    """Refuse to ask without a terminal.

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


def run_check(
    stack_or_file: options.StackOrFile, *, as_json: options.AsJson = False, output: options.Output = None
) -> int:
    """Say what a checklist demands, or every fault in it."""
    asked = resolve_stack(stack_or_file)
    checklist = read_file(asked.checklist)
    refuse_unfit(asked.checklist, checklist)
    demands = size(checklist).demands
    unused = find_unused(checklist)
    remarks = ("No price depends on these fields:", *(f"  {each.path}: {each.reason}" for each in unused))
    deliver(
        demands_form(asked.stack, demands, unused=unused),
        as_json=as_json,
        output=output,
        parts=lambda: (f"{display_path(asked.checklist)}: ok", demands_table(demands), *(remarks if unused else ())),
    )
    return 0


COUNTS: Final = ("accelerators", "memory GB", "vCPUs", "copies\nmin / exp / max", "deadline h", "runs a month")


def demands_table(demands: tuple[Demand, ...]) -> Table:
    whole = ("workload", "kind")
    return make_table((*whole, *COUNTS, "also"), map(_cells, demands), right=COUNTS, whole=whole)


def _cells(demand: Demand) -> tuple[str, ...]:
    copies = " / ".join(number(each) for each in (demand.copies.min, demand.copies.expected, demand.copies.max))
    is_run = demand.flops is not None or demand.samples_per_run is not None
    return (
        demand.workload,
        demand.kind.replace("_", " "),
        _accelerators(demand),
        number(demand.memory_gb) if demand.accelerators else "",
        str(demand.vcpus) if demand.vcpus else "",
        copies,
        number(demand.deadline_hours) if demand.deadline_hours is not None else "",
        number(demand.runs_per_month) if is_run else "",
        ", ".join(_words(demand)),
    )


def _accelerators(demand: Demand) -> str:
    """The number that `hardware` asks for; else the least that sizing knows before there is a machine."""
    if not demand.accelerators:
        return "none"
    asked = demand.hardware
    count = None if asked is None else asked.count or (asked.nodes or 0) * (asked.per_node or 0)
    return f"{count} asked" if count else f"{demand.accelerators} at least"


def _words(demand: Demand) -> list[str]:
    said = {"always on": demand.always_on, "spot": demand.spot, "fabric between nodes": demand.rdma}
    return [*_describe_hardware(demand.hardware), *(word for word, holds in said.items() if holds)]


def _describe_hardware(hardware: HardwareAsk | None) -> Iterator[str]:
    if hardware is None:
        return
    kind = " ".join(each for each in (hardware.accelerator, hardware.form) if each) or "accelerator"
    of_node = f"{hardware.per_node}x {kind}" if hardware.per_node else kind
    nodes = f"{hardware.nodes} node{'s' if hardware.nodes > 1 else ''} of " if hardware.nodes else ""
    if hardware.nodes or hardware.per_node or hardware.accelerator or hardware.form:
        yield f"{nodes}{of_node}"
