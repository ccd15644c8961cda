"""`atoll relocate plan`: what moves from one stack to another, by what, what it loses, takes and costs."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cli.commands.relocation import options, plan_files
from cli.commands.relocation import options as plan_options
from cli.commands.relocation.options import Through
from cli.terminal import options as arguments
from cli.terminal.console import progress, show
from cli.terminal.output import resolve_files, tell_written
from operations.plans.price_book import price_book
from operations.project.accepted_lock import read_accepted_lock
from operations.project.atomic_files import write_all
from operations.project.workspace import Project, display_path, require_stack
from planning.checklist.model.units import QuantityError, parse_gigabits_per_s, parse_number
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from operations.relocation.config.endpoints import Places
    from operations.relocation.config.plan_inputs import MeasuredFile, PlacesSummary
    from planning.relocation.costs.route import Exit
    from planning.relocation.durations import Rates
    from planning.relocation.form import RelocationPlanForm
    from planning.relocation.inventory.stack_inventory import Inventory
    from planning.spec.lock import Lock

EXITS: "dict[Through, Exit]" = {
    Through.ENDPOINT: "gateway_endpoint",
    Through.NAT: "nat",
    Through.DIRECT: "direct",
}


def run_plan(
    source: options.Source,
    target: options.Target,
    *,
    places_file: plan_options.Places = "",
    volumes_file: plan_options.Volumes = "",
    bandwidth: plan_options.Bandwidth = "",
    objects_per_s: plan_options.ObjectsPerS = "",
    through: plan_options.Way = None,
    look: plan_options.Look = False,
    prices: arguments.Book = arguments.CURRENT_BOOK,
    own: arguments.OwnBook = "",
    as_json: arguments.AsJson = False,
    output: plan_options.Output = None,
    html_file: plan_options.HtmlFile = "",
    markdown_file: plan_options.MarkdownFile = "",
    draft_file: plan_options.Draft = "",
    today: arguments.Today = "",
) -> int:
    """Plan a relocation: inventory, movers and what they lose, time, money, questions and steps.

    The source's program is run without an engine, and its cluster is asked where a kubeconfig is named. What buckets
    use is known from manifests of a first copy, from --look, or from --volumes. Exit code: 0, or 1 where the relocation
    cannot be: every reason at once.
    """
    files = resolve_files(output, forms=("json", "html", "markdown"), html=html_file, markdown=markdown_file)
    speed, rate = _gbps(bandwidth), _number(objects_per_s)
    project = require_stack(source)
    require_stack(target)
    old, new = _locks(project, source, target)
    drafts = plan_files.draft_paths(old, new, Path(draft_file)) if draft_file else {}
    form = _build_plan_form(
        project,
        old,
        new,
        places_file=places_file,
        volumes_file=volumes_file,
        speed=speed,
        objects_per_s=rate,
        through=through,
        look=look,
        prices=prices,
        own=own,
        today=arguments.day(today),
    )
    if drafts:
        plan_files.write_drafts(old, new, drafts, form)
    _write(form, files, as_json=as_json)
    return 0


def _locks(project: Project, source: str, target: str) -> "tuple[Lock, Lock]":
    """Both locks.

    Raises:
        InputError: one is missing or unreadable, or both; every reason at once.
    """
    found: list[Lock] = []
    faults: list[Fault] = []
    for stack in (source, target):
        file = display_path(project.lock(stack))
        try:
            found.append(read_accepted_lock(project, stack))
        except InputError as error:
            faults += error.faults or (Fault(message=str(error), file=file, hint=error.hint),)
    if faults:
        raise InputError(f"{source} cannot be relocated to {target}: not accepted", faults=faults)
    return found[0], found[1]


def _build_plan_form(
    project: Project,
    old: "Lock",
    new: "Lock",
    *,
    places_file: str,
    volumes_file: str,
    speed: Decimal | None,
    objects_per_s: Decimal | None,
    through: Through | None,
    look: bool,
    prices: str,
    own: str,
    today: "date",
) -> "RelocationPlanForm":
    from operations.relocation.config.plan_inputs import MeasuredFile, build_plan_inputs, rates, read_measured  # noqa: PLC0415 - as above  # noqa: PLC0415 - what a plan is made of, once locks are there
    from planning.relocation.plan import plan  # noqa: PLC0415 - as above
    from planning.relocation.plan_form import plan_form  # noqa: PLC0415 - as above

    places = plan_files.places_of(places_file, old, new)
    known = plan_files.relocations(old, new, places=places, file=places_file)
    if look:
        plan_files.scan_stores(known)
    file = read_measured(Path(volumes_file)) if volumes_file else MeasuredFile()
    speeds: Rates = rates(file.rates, bandwidth_gbps=speed, objects_per_s=objects_per_s)
    catalog = price_book(prices, own=own, today=today)
    inventory, found = _inventory(project, old, places=places, file=file, volumes_file=volumes_file, known=known)
    leaves_by = EXITS[through] if through else None
    decided = build_plan_inputs(
        file, places=places, inventory=inventory, speeds=speeds, leaves_by=leaves_by, today=today, found=found
    )
    made = plan(old, new, inventory=inventory, given=decided, catalog=catalog, prices=prices, today=today)
    return plan_form(made, places_digest=plan_files.digest_of(places_file))


def _inventory(
    project: Project,
    lock: "Lock",
    *,
    places: "Places | None",
    file: "MeasuredFile",
    volumes_file: str,
    known: "Sequence[tuple[Places, Path]]",
) -> "tuple[Inventory, PlacesSummary]":
    """From lock, program and cluster, with what was counted; and what every relocation between the two names.

    Raises:
        InputError: the file names something that is not there.
    """
    from operations.offline.program import run as run_offline  # noqa: PLC0415 - Pulumi is imported once it is needed
    from operations.relocation.cluster.inventory import INSTEAD, query_cluster  # noqa: PLC0415 - as above
    from operations.relocation.config.plan_inputs import merge_measurements, read_measurements  # noqa: PLC0415 - as above
    from planning.relocation.inventory import stack_inventory as made  # noqa: PLC0415 - as above
    from planning.relocation.inventory.expected_assets import from_lock  # noqa: PLC0415 - as above
    from planning.relocation.inventory.stack_inventory import with_measured  # noqa: PLC0415 - as above

    with progress(f"looking at {lock.stack}"):
        found = made.with_resources(from_lock(lock), run_offline(lock.stack, root=project.root).resources)
        said = query_cluster(lock.spec, places.source if places else None)
    found = made.with_cluster(found, said.things, silence=said.silence, instead=() if said.silence else INSTEAD)
    strangers = sorted({*file.things, *file.leave_out} - {each.key for each in found.things})
    if strangers:
        keys = ", ".join(each.key for each in found.moved)
        faults = [Fault(message=f"{each}: the inventory has no such thing", file=volumes_file) for each in strangers]
        raise InputError(f"{volumes_file}: names what is not there", faults=faults, hint=f"there are: {keys}")
    named, doubts = plan_files.summarize_places(found, known)
    found = replace(found, unlooked=(*found.unlooked, *doubts))
    return with_measured(
        made.leave_behind(found, file.leave_out), merge_measurements(read_measurements(file), named.counted)
    ), named


def _write(form: "RelocationPlanForm", files: "Mapping[str, Path]", *, as_json: bool) -> None:
    from planning.relocation.plan_form import to_text  # noqa: PLC0415 - once there is a plan

    texts: dict[Path, str] = {}
    if path := files.get("json"):
        texts[path] = to_text(form)
    if path := files.get("html"):
        from cli.pages.relocation.html import page  # noqa: PLC0415 - where it is asked for

        texts[path] = page(form)
    if path := files.get("markdown"):
        from cli.pages.relocation.markdown import text  # noqa: PLC0415 - as above

        texts[path] = text(form)
    write_all(texts)
    tell_written(texts)
    if as_json:
        print(to_text(form), end="")
        return
    from cli.views.relocation.plan import relocation_parts  # noqa: PLC0415 - where it is shown

    show(*relocation_parts(form))


def _gbps(text: str) -> Decimal | None:
    try:
        return parse_gigabits_per_s(text) if text else None
    except QuantityError as error:
        raise typer.BadParameter(f"{error}; {error.hint}", param_hint="--bandwidth") from error


def _number(text: str) -> Decimal | None:
    try:
        found = parse_number(text) if text else None
    except QuantityError as error:
        raise typer.BadParameter(f"{error}; {error.hint}", param_hint="--objects-per-s") from error
    if found is not None and found <= 0:
        raise typer.BadParameter("must be more than nothing", param_hint="--objects-per-s")
    return found
