"""`atoll init`: a first checklist, from answers or from an example."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer
from pydantic import TypeAdapter
from rich.box import SIMPLE_HEAD
from rich.table import Table

from cli.terminal import options  # noqa: TC001 - Typer reads the annotations
from cli.terminal.amounts import number
from cli.terminal.console import show, show_json
from cli.terminal.interview import interview
from cli.terminal.output import deliver
from cli.terminal.prompts import read_typed_line
from operations.plans.plan_form import PlanForm
from operations.plans.watch_form import WatchForm
from operations.project.atomic_files import write_all
from operations.project.workspace import Project, display_path, find_project, new_stack, require_stack, resolve_stack
from operations.relocation.rehearsal.report import RehearsalForm
from operations.relocation.runner.status import StatusForm
from operations.software.availability import refuse_unfit
from planning.acceptance.report.form import AcceptanceForm
from planning.checklist.reading.checklist_file import read_file
from planning.checklist.reading.unpriced_fields import find_unused
from planning.checklist.reference import schema as checklist_schema
from planning.clone.form import CloneForm
from planning.cloud_checks.orphans import LeftoversForm
from planning.cloud_checks.pool_capacity import PreflightForm
from planning.costs.json_shapes import ExplainForm, OptionForm, PriceForm, QuoteForm
from planning.diff.form import DiffForm
from planning.incidents.form import IncidentsForm, NodesForm
from planning.inputs.files import read_text
from planning.platform.digests import SoftwareLock
from planning.platform.software_form import CopiesForm, SoftwareForm
from planning.quoting.catalog_report import (
    DemandsForm,
    FactsForm,
    ProvidersForm,
    SoundnessForm,
    WorthsForm,
    demands_form,
)
from planning.relocation.form import RelocationPlanForm
from planning.service_levels.form import SlaForm
from planning.sizing.checklist_demands import size
from planning.spec.lock import Lock
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
    """A name that no stack has; asked for until there is one."""
    while True:
        name = read_typed_line("Name of the new stack: ").strip()
        try:
            new_stack(name)
        except InputError as error:
            print(f"  {error}; {error.hint}")
        else:
            return name


def _read_example(example: str) -> str:
    """The text of a stack's checklist, faults and all left to `atoll check`."""
    path = require_stack(example).checklist(example)
    return read_text(path)


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


def demands_table(demands: tuple[Demand, ...]) -> Table:
    """What each workload needs of its node pool."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("workload", "kind"):
        table.add_column(heading, no_wrap=True)
    for heading in ("accelerators", "memory GB", "vCPUs", "copies\nmin / exp / max", "deadline h", "runs a month"):
        table.add_column(heading, justify="right")
    table.add_column("also")
    for demand in demands:
        table.add_row(*_cells(demand))
    return table


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
    """The machines that `hardware` asks for, in one phrase."""
    if hardware is None:
        return
    kind = " ".join(each for each in (hardware.accelerator, hardware.form) if each) or "accelerator"
    of_node = f"{hardware.per_node}x {kind}" if hardware.per_node else kind
    nodes = f"{hardware.nodes} node{'s' if hardware.nodes > 1 else ''} of " if hardware.nodes else ""
    if hardware.nodes or hardware.per_node or hardware.accelerator or hardware.form:
        yield f"{nodes}{of_node}"


DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
LOCK_DIGEST: Final[Mapping[str, object]] = {
    "type": "string",
    "pattern": "^sha256:[0-9a-f]{64}$",
    "description": "Over everything else in the file; a lock edited by hand is refused.",
}
_DOCUMENTS: Final[Mapping[str, tuple[Any, str]]] = {
    "lock": (Lock, "quote.lock.json: the accepted quote."),
    "quote": (QuoteForm, "atoll quote --json"),
    "option": (OptionForm, "atoll quote --option ID --json"),
    "explain": (ExplainForm, "atoll explain --json"),
    "plan": (PlanForm, "atoll plan --json"),
    "price": (PriceForm, "atoll price --json"),
    "diff": (DiffForm, "atoll diff --json"),
    "watch": (WatchForm, "atoll watch --json"),
    "preflight": (PreflightForm, "atoll preflight --json"),
    "leftovers": (LeftoversForm, "atoll leftovers --json"),
    "nodes": (NodesForm, "atoll nodes list --json"),
    "incidents": (IncidentsForm, "atoll nodes incidents --json"),
    "clone": (CloneForm, "atoll clone --json"),
    "relocation": (RelocationPlanForm, "atoll relocate plan --json"),
    "relocation_status": (StatusForm, "atoll relocate status --json"),
    "rehearsal": (RehearsalForm, "atoll relocate rehearse --json"),
    "sla": (SlaForm, "atoll sla --json"),
    "acceptance": (AcceptanceForm, "atoll accept-test --json"),
    "demands": (DemandsForm, "atoll check --json"),
    "providers": (ProvidersForm, "atoll catalog list --json"),
    "facts": (FactsForm, "atoll catalog show --json"),
    "soundness": (SoundnessForm, "atoll catalog check --json"),
    "software": (SoftwareForm, "atoll software list --json"),
    "copies": (CopiesForm, "atoll software images --json"),
    "software_lock": (SoftwareLock, "software.lock.json: digests of charts and images."),
    "worths": (WorthsForm, "atoll catalog worth --json"),
}
CHECKLIST: Final = "checklist"
NAMES: Final = (CHECKLIST, *_DOCUMENTS)


def schema(of: str) -> dict[str, object]:
    """The schema of a document in `NAMES`."""
    if of == CHECKLIST:
        return checklist_schema.document()
    shape, title = _DOCUMENTS[of]
    body = TypeAdapter(shape).json_schema(mode="serialization")
    if of == "lock":
        body["properties"]["digest"] = LOCK_DIGEST
        body["required"].append("digest")
    return {"$schema": DRAFT, "title": title, **_strip_titles(body)}


def _strip_titles(value: object, *, names: bool = False) -> Any:  # noqa: ANN401 - any part of a JSON document
    """Without the titles that are made up from names; `names` where the keys are field names themselves."""
    if isinstance(value, list):
        return [_strip_titles(each) for each in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, object]", value)
    return {
        key: _strip_titles(each, names=not names and key in {"properties", "$defs"})
        for key, each in fields.items()
        if names or key != "title"
    }


def run_schema(
    of: Annotated[str, typer.Option("--of", metavar="|".join(NAMES), help="Of which document.")] = "checklist",
) -> int:
    """Print the JSON schema of a file or of an output."""
    if of not in NAMES:
        raise InputError(f"there is no schema of {of!r}", hint=f"there are: {', '.join(NAMES)}")
    show_json(schema(of))
    return 0
