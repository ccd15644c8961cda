"""`atoll relocate plan`: what moves from one stack to another, by what, what it loses, takes and costs."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cli.commands.relocation import options  # noqa: TC001 - Typer reads the annotations
from cli.commands.relocation.options import Through
from cli.terminal import options as arguments
from cli.terminal.console import note, progress, show
from cli.terminal.options import resolve_files, tell_written, write_documents
from operations.plans.price_book import price_book
from operations.project.accepted_lock import read_accepted_lock
from operations.project.atomic_files import write_all
from operations.project.workspace import Project, display_path, require_stack
from planning.checklist.model.units import QuantityError, parse_gigabits_per_s, parse_number
from planning.inputs.files import read_content
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date
    from decimal import Decimal

    from operations.relocation.config.endpoints import Places
    from operations.relocation.config.plan_inputs import MeasuredFile, PlacesSummary
    from planning.relocation.costs.route import Exit
    from planning.relocation.durations import Rates
    from planning.relocation.inventory.assets import StatefulAsset
    from planning.relocation.inventory.stack_inventory import Inventory
    from planning.relocation.plan_form import RelocationPlanForm
    from planning.spec.lock import Lock


BY_HAND = "by hand"


def places_of(file: str, old: Lock, new: Lock) -> Places | None:
    """relocation.yaml, once it is about these two stacks.

    Raises:
        InputError: it is about others.
    """
    if not file:
        return None
    from operations.relocation.config.reader import ALL_SET, read_file  # noqa: PLC0415 - where it is named

    places = read_file(Path(file), environment=ALL_SET).places
    named = (places.source.stack, places.target.stack)
    if named != (old.stack, new.stack):
        raise InputError(f"{file}: is about {named[0]} and {named[1]}, not {old.stack} and {new.stack}")
    return places


def digest_of(file: str) -> str | None:
    return "sha256:" + sha256(read_content(Path(file))).hexdigest() if file else None


def relocations(old: Lock, new: Lock, *, places: Places | None, file: str) -> Sequence[tuple[Places, Path]]:
    """Places of each relocation between the two, with its folder; those that were named are of theirs, or of the first.

    Raises:
        InputError: a journal is broken.
    """
    from operations.relocation.config.reader import places_in  # noqa: PLC0415 - once locks are there
    from operations.relocation.workspace import folders_of  # noqa: PLC0415 - as above

    folders = folders_of(old.stack, new.stack)
    own = next((each for each in folders if file and each.resolve() == Path(file).resolve().parent), folders[0])
    found = [(folder, places if places and folder == own else places_in(folder)) for folder in folders]
    return [(each, folder) for folder, each in found if each is not None]


def scan_stores(known: Sequence[tuple[Places, Path]]) -> None:
    """Ask the stores of every relocation what they hold.

    Raises:
        InputError: no store is known, or one refused.
    """
    import os  # noqa: PLC0415 - where stores are asked

    from operations.relocation.copies.bucket_usage import look_now  # noqa: PLC0415 - as above
    from operations.relocation.workspace import make  # noqa: PLC0415 - as above

    if not known:
        hint = "give --places FILE, and export the keys that it names"
        raise InputError("--look asks the source's store, and nothing names it", hint=hint)
    for places, folder in known:
        make(folder)
        look_now(places, folder, environment=os.environ, say=note)


def summarize_places(
    inventory: Inventory, known: Sequence[tuple[Places, Path]]
) -> tuple[PlacesSummary, Iterable[tuple[str, str]]]:
    """What every relocation names and what was counted for it; and what cannot be believed, with the reason."""
    from operations.relocation.config.plan_inputs import PlacesSummary  # noqa: PLC0415 - as above
    from operations.relocation.config.reader import bucket_of, find_covered_keys  # noqa: PLC0415 - once there is an inventory
    from operations.relocation.copies.bucket_usage import read_usage  # noqa: PLC0415 - as above

    if not known:
        return PlacesSummary(), ()
    buckets = [bucket for places, _ in known for bucket in places.buckets]

    def mover(thing: StatefulAsset) -> str:
        found = bucket_of(thing.key, thing.locator, buckets) if thing.key.startswith(("bucket/", "store/")) else None
        return found.mover if found else ""

    used = read_usage(inventory.things, known)
    said = PlacesSummary(
        counted=used.things,
        movers={thing.key: word for thing in inventory.moved if (word := mover(thing))},
        covered=find_covered_keys(
            [(each.key, each.locator) for each in inventory.things], [places for places, _ in known]
        ),
    )
    return said, used.doubts


def draft_paths(old: Lock, new: Lock, path: Path) -> dict[str, Path]:
    """Where drafts go, by the name of their relocation; "by hand" for the marks of people, beside the first.

    Raises:
        InputError: one is there: drafts are never written over anything.
    """
    from operations.relocation.config.draft import drafts  # noqa: PLC0415 - as above
    from operations.relocation.config.manual_confirmations import BY_HAND_NAME  # noqa: PLC0415 - where a draft is asked for
    from operations.relocation.workspace import folder_of  # noqa: PLC0415 - as above

    def place(name: str) -> Path:
        if not name:
            return path
        if path.resolve().parent == folder_of(old.stack, new.stack).resolve():
            return Path(display_path(folder_of(old.stack, new.stack, name=name) / path.name))
        return path.with_name(f"{path.stem}-{name}{path.suffix}")

    found = {name: place(name) for name in drafts(old, new)} | {BY_HAND: path.with_name(BY_HAND_NAME)}
    # A draft that was edited is work of a person: nothing is written over it.
    there = [each for each in found.values() if each.exists()]
    if there:
        faults = [Fault(message=f"{each} is already there", file=str(each)) for each in there]
        raise InputError(
            f"{', '.join(map(str, there))} already there", faults=faults, hint="edit it, or name another file"
        )
    return found


def write_drafts(old: Lock, new: Lock, paths: dict[str, Path], form: RelocationPlanForm) -> None:
    from operations.relocation.config import manual_confirmations  # noqa: PLC0415 - where a draft is asked for
    from operations.relocation.config.draft import drafts  # noqa: PLC0415 - as above

    texts = {paths[name]: text for name, text in drafts(old, new).items()}
    marks = [(each["key"], each["title"], each["why"]) for each in form["by_hand"]]
    write_all(texts | {paths[BY_HAND]: manual_confirmations.draft(marks)})
    for path in texts:
        note(f"written: {path}: fill in what it marks, and export the variables that it names")
    note(f"written: {paths[BY_HAND]}: what people move and confirm, for Atoll does not")


EXITS: dict[Through, Exit] = {
    Through.ENDPOINT: "gateway_endpoint",
    Through.NAT: "nat",
    Through.DIRECT: "direct",
}


def run_plan(
    source: options.Source,
    target: options.Target,
    *,
    places_file: options.Places = "",
    volumes_file: options.Volumes = "",
    bandwidth: options.Bandwidth = "",
    objects_per_s: options.ObjectsPerS = "",
    through: options.Way = None,
    look: options.Look = False,
    prices: arguments.Book = arguments.CURRENT_BOOK,
    own: arguments.OwnBook = "",
    as_json: arguments.AsJson = False,
    output: options.Output = None,
    html_file: options.HtmlFile = "",
    markdown_file: options.MarkdownFile = "",
    draft_file: options.Draft = "",
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
    drafts = draft_paths(old, new, Path(draft_file)) if draft_file else {}
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
        write_drafts(old, new, drafts, form)
    _write(form, files, as_json=as_json)
    return 0


def _write(form: RelocationPlanForm, files: Mapping[str, Path], *, as_json: bool) -> None:
    from cli.pages import relocation as pages  # noqa: PLC0415 - once there is a plan
    from cli.views.relocation import relocation_parts  # noqa: PLC0415 - as above
    from planning.relocation.plan_form import to_text  # noqa: PLC0415 - as above

    write_documents(files, json=lambda: to_text(form), html=lambda: pages.page(form), markdown=lambda: pages.text(form))
    tell_written(files.values())
    if as_json:
        print(to_text(form), end="")
    else:
        show(*relocation_parts(form))


def _locks(project: Project, source: str, target: str) -> tuple[Lock, Lock]:
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
    old: Lock,
    new: Lock,
    *,
    places_file: str,
    volumes_file: str,
    speed: Decimal | None,
    objects_per_s: Decimal | None,
    through: Through | None,
    look: bool,
    prices: str,
    own: str,
    today: date,
) -> RelocationPlanForm:
    from operations.relocation.config.plan_inputs import MeasuredFile, build_plan_inputs, rates, read_measured  # noqa: PLC0415 - as above  # noqa: PLC0415 - what a plan is made of, once locks are there
    from planning.relocation.plan import plan  # noqa: PLC0415 - as above
    from planning.relocation.plan_form import plan_form  # noqa: PLC0415 - as above

    places = places_of(places_file, old, new)
    known = relocations(old, new, places=places, file=places_file)
    if look:
        scan_stores(known)
    file = read_measured(Path(volumes_file)) if volumes_file else MeasuredFile()
    speeds: Rates = rates(file.rates, bandwidth_gbps=speed, objects_per_s=objects_per_s)
    catalog = price_book(prices, own=own, today=today)
    inventory, found = _inventory(project, old, places=places, file=file, volumes_file=volumes_file, known=known)
    leaves_by = EXITS[through] if through else None
    decided = build_plan_inputs(
        file, places=places, inventory=inventory, speeds=speeds, leaves_by=leaves_by, today=today, found=found
    )
    made = plan(old, new, inventory=inventory, given=decided, catalog=catalog, prices=prices, today=today)
    return plan_form(made, places_digest=digest_of(places_file))


def _inventory(
    project: Project,
    lock: Lock,
    *,
    places: Places | None,
    file: MeasuredFile,
    volumes_file: str,
    known: Sequence[tuple[Places, Path]],
) -> tuple[Inventory, PlacesSummary]:
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
    named, doubts = summarize_places(found, known)
    found = replace(found, unlooked=(*found.unlooked, *doubts))
    return with_measured(
        made.leave_behind(found, file.leave_out), merge_measurements(read_measurements(file), named.counted)
    ), named


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
