"""`atoll plan`: what the program of a stack would build and what that costs, without an engine or a cloud account."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from cli.terminal import options
from cli.terminal.amounts import describe_month
from cli.terminal.console import json_text, note, progress, screen_width, show, show_lines
from cli.terminal.options import resolve_files, tell_written, write_documents
from cli.views.plan import counts_line, differences_table, policy_parts, resource_tree
from cli.views.quote.derivations import lay_out_bill
from cli.views.software import software_parts
from components.platform.building_blocks.artifact_mirror import read_artifact_mirror, refuse
from operations.engine.stack_warnings import reminders
from operations.plans.plan import Planned, build_left_out_forms, plan_form, plan_stack, software_forms
from operations.plans.price_book import price_book
from operations.project.accepted_lock import read_accepted_lock
from operations.project.stack_config import allows_estimates, read_config
from operations.project.workspace import Project, display_path, require_stack
from planning.platform.base_layer_software import list_base_layer_software
from policies.settings_reader import read_law
from policies.table import RULES

if TYPE_CHECKING:
    from datetime import date

    from catalogs.catalog import Catalog
    from operations.plans.plan_form import ResourceForm
    from planning.costs.resources.resource import Resource
    from planning.platform.digests import SoftwareLock
    from planning.spec.lock import Lock


DISAGREE = 1
FORMAT_OPTION = "--format"


class Format(StrEnum):
    """What is written to stdout."""

    TABLE = "table"
    JSON = "json"
    TERRAFORM = "terraform"


def run_plan(
    stack: options.Stack,
    *,
    prices: options.Book = options.CURRENT_BOOK,
    own: options.OwnBook = "",
    as_json: options.AsJson = False,
    output: options.Output = None,
    focus: options.Focus = "",
    form: Annotated[
        Format, typer.Option(FORMAT_OPTION, help="Print tables, JSON, or a Terraform plan of the AWS resources.")
    ] = Format.TABLE,
    today: options.Today = "",
    allow_stale: options.AllowStale = False,
) -> int:
    """Show what the program would build, and its bill.

    Exit code: 0 where every rule is kept, 10 over a ceiling, 11 undetermined, 12 where a rule finds prices too old,
    1 where another rule is broken, or where bill and resources disagree.
    """
    if (as_json or output) and form is not Format.TABLE:
        given = "--json" if as_json else "--output"
        raise typer.BadParameter(f"it is Atoll's plan as JSON; leave out {FORMAT_OPTION} {form}", param_hint=given)
    files = resolve_files(output, forms=("json",), focus=focus)
    project, day = require_stack(stack), options.day(today)
    lock = read_accepted_lock(project, stack)
    for line in reminders(project, lock, today=day, own=own):
        note(f"warning: {line}")
    software = _software(project, lock)
    with progress(f"running the program of {stack}"):
        resources = _run_program(project, stack)
        catalog = price_book(prices, own=own, today=day)
        law = read_law(Path(display_path(project.law)), rules=RULES)
        settings = read_config(project.stack_config(stack)).values
        plan = plan_stack(
            lock,
            resources,
            catalog=catalog,
            today=day,
            law=law,
            software=software,
            estimated=allows_estimates(settings),
        )
    for line in plan.unmatched:
        note(f"warning: {line}")
    write_documents(files, json=lambda: _json(plan), focus=lambda: _focus(plan, catalog, today=day))
    tell_written(files.values())
    PRINTERS[Format.JSON if as_json else form](plan)
    report = plan.report.without_old_prices() if allow_stale else plan.report
    return report.exit_code or (DISAGREE if plan.differences else 0)


def _software(project: Project, lock: Lock) -> SoftwareLock:
    """Digests that are known.

    Raises:
        InputError: the platform cannot be installed from where it was decided, or not without more digests.
    """
    decided = lock.spec.platform
    found = read_artifact_mirror(decided.mirror if decided else "", project=project.root)
    if decided:
        wanted = (*decided.parts, *list_base_layer_software(lock.placements))
        refuse(wanted, found, required=decided.digests == "required")
    return found.lock


def _run_program(project: Project, stack: str) -> tuple[Resource, ...]:
    from operations.offline.program import run as run_offline  # noqa: PLC0415 - Pulumi is imported once it is needed

    return run_offline(stack, root=project.root).resources


def _print_json(plan: Planned) -> None:
    print(_json(plan), end="")


def _json(plan: Planned) -> str:
    from operations.offline.plan_json import to_json  # noqa: PLC0415 - Pulumi is imported once it is needed

    return json_text(plan_form(plan, resources=cast("list[ResourceForm]", to_json(plan.resources))))


def _focus(plan: Planned, catalog: Catalog, *, today: date) -> str:
    from planning.usage.focus_bill import PlannedMonth, focus_text  # noqa: PLC0415 - most plans are only shown

    month = PlannedMonth(
        stack=plan.lock.stack,
        option=plan.lock.option,
        bill=plan.bill,
        placements=plan.lock.placements,
        titles={name: each.title for name, each in catalog.providers.items()},
        today=today,
    )
    return focus_text((month,))


def _print_terraform(plan: Planned) -> None:
    from operations.terraform.plan import list_non_aws, terraform_plan  # noqa: PLC0415 - as above
    from operations.terraform.policy_documents import documents_of  # noqa: PLC0415 - as the run, only once it is needed

    documents = documents_of(plan.lock.stack, plan.resources, root=require_stack(plan.lock.stack).root)
    print(json_text(terraform_plan(plan.resources, documents=documents)), end="")
    others = Counter(resource.type.split(":")[0] for resource in list_non_aws(plan.resources))
    if others:
        counted = ", ".join(f"{count} of {package}" for package, count in sorted(others.items()))
        note(f"left out of the Terraform plan, which holds AWS resources only: {counted}")


def _show(plan: Planned) -> None:
    expected = describe_month(plan.bill)
    verdict = plan.judgement
    show(resource_tree(plan.lock.stack, plan.resources), counts_line(plan.resources))
    show(*software_parts(software_forms(plan), build_left_out_forms(plan)))
    show_lines(lay_out_bill(plan.bill, width=screen_width()))
    if plan.differences:
        show("The resources do not cost what was accepted:", differences_table(plan.differences))
    else:
        show("Resources and accepted cluster agree to the cent.")
    show(*policy_parts(plan.report, rules=len(RULES)))
    show(f"{plan.lock.option}: {expected}; {verdict.verdict}: {verdict.reason}")


PRINTERS = {Format.TABLE: _show, Format.JSON: _print_json, Format.TERRAFORM: _print_terraform}
