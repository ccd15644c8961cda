"""`atoll usage`: what a stack really used and cost, by its bill: for its checklist, and beside its plan."""

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typing_extensions import TypedDict

from catalogs.model import CatalogError
from cli.terminal import options
from cli.terminal.console import note, progress
from cli.terminal.options import deliver
from cli.views.cluster_operations.usage import comparison_parts, doubts, usage_parts
from operations.plans.price_book import price_book
from operations.project.accepted_lock import read_stack_lock
from operations.project.atomic_files import write_all
from operations.project.workspace import display_path, require_stack
from operations.usage.bill_files import opencost_rows
from operations.usage.bill_files import rows as read_bill
from planning.checklist.model.units import QuantityError, parse_number
from planning.checklist.reading.checklist_file import read, read_file
from planning.costs.json_shapes import RangeForm, range_form
from planning.inputs.files import read_text
from planning.usage.actual_costs import ActualCosts, pick_month, refuse_foreign
from planning.usage.checklist_section import block, fitting, with_block
from planning.usage.comparison import UnratedForm, compare, list_unrated
from planning.usage.meters import MonthlyUsage, format_month, ranges, read_month
from planning.usage.rates import LockedRates
from planning.values.errors import InputError
from planning.values.money import to_cents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.project.workspace import Project
    from planning.usage.meters import Month
    from planning.values.money import Range

app = typer.Typer(help="What a stack really used and cost.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """What a stack really used and cost."""


Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="FOCUS, CUR 2.0 or BigQuery export; CSV or NDJSON, also gzipped."),
]
Tag = Annotated[str, options.make_option("--tag", "KEY=VALUE", "Rows of this stack.", default="atoll:stack=STACK")]
AllRows = Annotated[bool, typer.Option("--all-rows", help="The bill is this stack's alone.")]


@app.command("import")
def run_usage(
    stack: options.Stack,
    files: Files,
    *,
    tag: Tag = "",
    all_rows: AllRows = False,
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
    checklist = read_file(project.checklist(stack))
    found, costs = MonthlyUsage(), ActualCosts(rates=_rates(project, stack))
    with progress("reading the bill"):
        for file in files:
            rows = (
                opencost_rows(Path(file), usd_per_gb=_usd(opencost))
                if opencost
                else costs.watch(read_bill(Path(file), tag=_choose_tag(stack, tag, all_rows=all_rows)))
            )
            found.take(rows)
    every = ranges(found)
    measured = fitting(every, checklist)
    if left := sorted(every.keys() - measured.keys()):
        note(f"left out, the checklist has no storage.cold: {', '.join(left)}")
    if not measured and (write or not any(spent.usd or spent.unrated for spent in costs.months.values())):
        raise InputError(_nothing(found), hint="export whole months, and check --tag")
    source = ", ".join(Path(file).name for file in files)
    section = block(measured, source=source, months=found.whole) if measured else ""
    form = _form(stack, measured, found, costs)
    deliver(
        form,
        as_json=as_json,
        output=output,
        parts=lambda: (*usage_parts(measured, found, costs, form["unrated"]), section or f"{_nothing(found)}"),
    )
    if write:
        _write(project, stack, section)
    return 0


@app.command("compare")
def run_compare(
    stack: options.Stack,
    files: Files,
    *,
    month: Annotated[
        str, options.make_option("--month", "YYYY-MM", "The month.", default="the newest that the bill has")
    ] = "",
    tag: Tag = "",
    all_rows: AllRows = False,
    as_json: options.AsJson = False,
    output: options.Output = None,
) -> int:
    """Show planned against actual in a month: each part of the accepted bill beside what the bill has for it."""
    project = require_stack(stack)
    asked = _month(month) if month else None
    rates = _read_rates(project, stack)
    costs = ActualCosts(rates=rates)
    with progress("reading the bill"):
        for file in files:
            costs.take(read_bill(Path(file), tag=_choose_tag(stack, tag, all_rows=all_rows)))
    refuse_foreign(costs)
    form = compare(rates.lock, costs, month=pick_month(costs, asked))
    deliver(
        form,
        as_json=as_json,
        output=output,
        parts=lambda: (*comparison_parts(form), *doubts(costs)),
    )
    return 0


def _rates(project: "Project", stack: str) -> LockedRates | None:
    """What prices quantities; None before an option is accepted, and where the lock cannot be read."""
    if not project.lock(stack).exists():
        return None
    try:
        return _read_rates(project, stack)
    except (InputError, CatalogError) as error:
        note(f"rows without a cost are not priced: {error}")
        return None


def _read_rates(project: "Project", stack: str) -> LockedRates:
    lock = read_stack_lock(project, stack)
    return LockedRates(lock, price_book(lock.prices))


def _choose_tag(stack: str, tag: str, *, all_rows: bool) -> tuple[str, str] | None:
    return None if all_rows else _tag(tag or f"atoll:stack={stack}")


class _UsageForm(TypedDict):
    """What was measured and paid."""

    stack: str
    months: list[str]
    usage: dict[str, RangeForm]
    costs: list[dict[str, str | int]]
    unrated: list[UnratedForm]


def _form(stack: str, measured: "Mapping[str, Range]", found: MonthlyUsage, costs: ActualCosts) -> _UsageForm:
    return {
        "stack": stack,
        "months": [format_month(month) for month in found.whole],
        "usage": {name: range_form(each) for name, each in measured.items()},
        "costs": [
            {
                "month": format_month(month),
                "days": len(spent.days),
                "usd": str(to_cents(spent.usd)),
                "rated_usd": str(to_cents(spent.rated_usd)),
            }
            for month, spent in sorted(costs.months.items())
        ],
        "unrated": list_unrated(costs.months.values()),
    }


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


def _month(text: str) -> "Month":
    try:
        return read_month(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not a month; write it as 2026-10", param_hint="--month") from error


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
