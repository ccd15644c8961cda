"""`atoll usage`: what a stack really used, from its bill, as the ranges of its checklist."""

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.terminal import options
from cli.terminal.console import note, progress
from cli.terminal.options import deliver
from cli.views.cluster_operations import usage_parts
from operations.project.atomic_files import write_all
from operations.project.workspace import display_path, require_stack
from operations.usage.bill_files import opencost_rows, rows
from planning.checklist.model.units import QuantityError, parse_number
from planning.checklist.reading.checklist_file import read, read_file
from planning.costs.json_shapes import range_form
from planning.inputs.files import read_text
from planning.usage.checklist_section import block, fitting, with_block
from planning.usage.meters import MonthlyUsage, format_month, ranges
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.project.workspace import Project
    from planning.values.money import Range

app = typer.Typer(help="What a stack really used.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """What a stack really used."""


@app.command("import")
def run_usage(
    stack: options.Stack,
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="FOCUS, CUR 2.0 or BigQuery export; CSV or NDJSON, also gzipped."),
    ],
    *,
    tag: Annotated[
        str, options.make_option("--tag", "KEY=VALUE", "Rows of this stack.", default="atoll:stack=STACK")
    ] = "",
    all_rows: Annotated[bool, typer.Option("--all-rows", help="The bill is this stack's alone.")] = False,
    opencost: Annotated[
        str,
        options.make_option(
            "--opencost-usd-per-gb",
            "USD",
            "The files are answers of OpenCost, which charges this for a GB to the internet.",
        ),
    ] = "",
    write: Annotated[bool, typer.Option("--write", help="Put it into the checklist.")] = False,
    as_json: options.AsJson = False,
    output: options.Output = None,
) -> int:
    """Measure egress, logs, requests and growth in a bill: least, median and most of its whole months."""
    project = require_stack(stack)
    found = MonthlyUsage()
    with progress("reading the bill"):
        for file in files:
            found.take(
                opencost_rows(Path(file), usd_per_gb=_usd(opencost))
                if opencost
                else rows(Path(file), tag=None if all_rows else _tag(tag or f"atoll:stack={stack}"))
            )
    every = ranges(found)
    measured = fitting(every, read_file(project.checklist(stack)))
    if left := sorted(every.keys() - measured.keys()):
        note(f"left out, the checklist has no storage.cold: {', '.join(left)}")
    if not measured:
        raise InputError(_nothing(found), hint="export whole months, and check --tag")
    section = block(measured, source=", ".join(Path(file).name for file in files), months=found.whole)
    deliver(
        _form(stack, measured, found),
        as_json=as_json,
        output=output,
        parts=lambda: (*usage_parts(measured, found), section),
    )
    if write:
        _write(project, stack, section)
    return 0


def _form(stack: str, measured: "Mapping[str, Range]", found: MonthlyUsage) -> dict[str, object]:
    usage = {name: range_form(each) for name, each in measured.items()}
    return {"stack": stack, "months": [format_month(month) for month in found.whole], "usage": usage}


def _write(project: "Project", stack: str, section: str) -> None:
    """Put the section into the checklist, once that is a checklist with it.

    Raises:
        InputError: it would not be.
    """
    path = project.checklist(stack)
    text = with_block(read_text(path), section)
    read(text, file=display_path(path))
    write_all({path: text})
    note(f"written: {display_path(path)}; atoll quote {stack} uses it")


def _tag(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals and value):
        raise typer.BadParameter(f"{text!r} is not KEY=VALUE", param_hint="--tag")
    return key, value


def _usd(text: str) -> Decimal:
    try:
        return parse_number(text)
    except QuantityError as error:
        raise typer.BadParameter(str(error), param_hint="--opencost-usd-per-gb") from error


def _nothing(found: MonthlyUsage) -> str:
    if not found.days:
        return "no row is of this stack"
    if not found.whole:
        return f"no whole month: {', '.join(format_month(month) for month in found.partial)} are not complete"
    return "no row measures egress, logs, requests or storage"
