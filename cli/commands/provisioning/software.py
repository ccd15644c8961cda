"""`atoll software`: what can be installed, from where, how far it is pinned, and what a mirror must hold."""

from typing import Annotated, cast

import typer

from catalogs.providers import FORBIDDABLE
from catalogs.software.reader import software
from catalogs.software.validation import flaws
from cli.terminal import options
from cli.terminal.console import json_text, note, progress
from cli.terminal.options import deliver, resolve_files, tell_written, write_documents
from cli.views.software import copies_lines, software_tables
from components.platform.building_blocks.artifact_mirror import ArtifactMirror, read_artifact_mirror
from operations.project.accepted_lock import read_stack_lock
from operations.project.atomic_files import write_all
from operations.project.workspace import display_path, find_project, require_stack
from planning.platform.base_layer_software import describe_untested_versions, list_base_layer_software
from planning.platform.digests import LOCK_NAME, Sourced, software_form
from planning.platform.mirror import copies_form
from planning.spec.lock import Lock
from planning.spec.platform import Platform
from planning.values.errors import InputError

app = typer.Typer(help="What is installed on clusters: list it, pin it by digest, copy it.")

FAULTY = 1
StackOrNothing = Annotated[str, options.make_argument("[STACK]", "Only what this stack's lock installs.")]


@app.callback(invoke_without_command=True)
def every_part(context: typer.Context) -> int:
    """Without a word behind it: the whole catalog."""
    return 0 if context.invoked_subcommand else list_parts()


@app.command("list")
def list_parts(stack: StackOrNothing = "", *, as_json: options.AsJson = False, output: options.Output = None) -> int:
    """Every part with version, source, digests, licence and footprint; exit code 1 where a version floats."""
    found = [str(flaw) for flaw in flaws(forbiddable=FORBIDDABLE)]
    decided = _platform(stack) if stack else None
    rows = software()
    chosen: list[Sourced] = (
        [*decided.parts, *list_base_layer_software(_read_stack_lock(stack).placements)] if decided else [*rows.values()]
    )
    if decided:
        found += [
            f"{stack}: {text}"
            for text in describe_untested_versions({part.name: part.version for part in decided.parts})
        ]
    form = software_form(
        [(part, rows[part.name]) for part in chosen if part.name in rows],
        skipped=decided.skipped if decided else (),
        lock=_shelf("").lock,
        stack=stack or None,
        faults=found,
    )
    deliver(cast("dict[str, object]", form), as_json=as_json, output=output, parts=lambda: software_tables(form))
    return FAULTY if found else 0


@app.command("images")
def images(
    stack: StackOrNothing = "",
    *,
    mirror: Annotated[str, options.make_option("--mirror", "FOLDER|oci://...", "As platform.mirror has it.")] = "",
    as_json: options.AsJson = False,
    output: options.Output = None,
) -> int:
    """What to copy for a cluster without a way out: charts, manifests and images, each with its place in the mirror."""
    decided = _platform(stack) if stack else None
    there = mirror or (decided.mirror if decided else "")
    found = _shelf(there)
    form = copies_form(
        (*decided.parts, *list_base_layer_software(_read_stack_lock(stack).placements))
        if decided
        else tuple(software().values()),
        lock=found.lock,
        mirror=there,
        registry=found.registry,
        stack=stack or None,
    )
    files = resolve_files(output, forms=("json",))
    write_documents(files, json=lambda: json_text(form))
    print(json_text(form) if as_json else "\n".join((*copies_lines(form), "")), end="")
    tell_written(files.values())
    return 0


@app.command("lock")
def lock(
    *,
    renew: Annotated[bool, typer.Option("--renew", help="Take new digests where old ones no longer hold.")] = False,
) -> int:
    """Ask registries and repositories for every digest, and write them to stacks/software.lock.json.

    Exit code: 0 where every digest is known and holds, else 1; what is known is written all the same.
    """
    from operations.software.lock import resolve  # noqa: PLC0415 - only here is the network asked
    from operations.software.registry import over_https  # noqa: PLC0415 - as above

    path = find_project().stacks / LOCK_NAME
    with progress("asking registries and repositories"):
        found = resolve(software().values(), _shelf("").lock, fetch=over_https, renew=renew)
    write_all({path: found.lock.model_dump_json(indent=2) + "\n"})
    for name, reason in found.failed.items():
        note(f"not resolved: {name}: {reason}")
    for name, digest in found.changed.items():
        kept = "taken" if renew else "the lock keeps the old one; --renew takes it"
        note(f"changed: {name} is now {digest}: {kept}")
    known = len(found.lock.charts) + len(found.lock.images)
    note(
        f"written: {display_path(path)}: {known} digests, "
        f"{len(found.failed)} not resolved, {len(found.changed)} changed"
    )
    return FAULTY if found.failed or (found.changed and not renew) else 0


def _platform(stack: str) -> Platform:
    """What a stack's lock installs.

    Raises:
        InputError: it installs nothing.
    """
    decided = _read_stack_lock(stack).spec.platform
    if decided is None:
        raise InputError(f"the lock of {stack} installs no platform", hint="quote and accept again")
    return decided


def _read_stack_lock(stack: str) -> Lock:
    return read_stack_lock(require_stack(stack), stack)


def _shelf(mirror: str) -> ArtifactMirror:
    try:
        project = find_project().root
    except InputError:
        return ArtifactMirror()
    return read_artifact_mirror(mirror, project=project)
