"""`atoll onboard`, `access` and `handbook`: plan, credentials and documentation for the people of a new cluster."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.terminal import options
from cli.terminal.console import note, progress, show
from cli.terminal.options import require_folder, resolve_folder
from cli.terminal.prompts import ask_passphrase
from operations.project.accepted_lock import read_accepted_lock, read_stack_lock
from operations.project.atomic_files import write_all
from operations.project.workspace import Project, display_path, require_stack
from planning.checklist.model.vocabulary import HOME
from planning.inputs.files import as_object, parse_json, read_object
from planning.values.errors import InputError

if TYPE_CHECKING:
    from datetime import date

    from planning.spec.lock import Lock


NAME = "onboarding"
LARGEST_BYTES = 4_000_000


def run_onboard(
    stack: options.Stack,
    *,
    output: Annotated[str, options.folder_option("Write the plan as Markdown, HTML and iCalendar.")] = "",
    to: Annotated[str, options.old_option("--to", metavar="DIR")] = "",
    credentials: Annotated[
        str,
        options.make_option(
            "--credentials",
            "DIR",
            "Write a folder for each person with what is theirs alone; never inside a repository.",
        ),
    ] = "",
    outputs: Annotated[
        str,
        options.make_option(
            "--outputs", "FILE|-", "Outputs of the stack as JSON, secrets included; without it the engine is asked."
        ),
    ] = "",
    today: options.Today = "",
) -> int:
    """Show the way from acceptance to the first job, or hand out what each person needs for it."""
    if outputs and not credentials:
        raise typer.BadParameter("it is read for --credentials only", param_hint="--outputs")
    to = resolve_folder(output, old=to, option="--to")
    if today and not to:
        raise typer.BadParameter("it dates the calendar, which only -o DIR writes", param_hint="--today")
    day = options.day(today)
    project = require_stack(stack)
    lock = read_accepted_lock(project, stack)
    if credentials:
        _deliver(lock, Path(credentials), outputs)
    if to or not credentials:
        _plan(project, lock, to=to, today=day)
    return 0


def _plan(project: Project, lock: Lock, *, to: str, today: date) -> None:
    from catalogs.catalog import load  # noqa: PLC0415 - imported once needed
    from cli.pages.calendar import calendar  # noqa: PLC0415 - as above
    from cli.pages.documents.rendering import render_html, render_markdown  # noqa: PLC0415 - as above
    from planning.agreements.onboarding.document import document  # noqa: PLC0415 - as above
    from planning.agreements.onboarding.plan import steps  # noqa: PLC0415 - as above
    from planning.checklist.reading.checklist_file import read_file  # noqa: PLC0415 - as above

    checklist, catalog = read_file(project.checklist(lock.stack)), load()
    whole = document(lock, checklist, catalog)
    if not to:
        sys.stdout.write(render_markdown(whole))
        return
    texts = {".md": render_markdown(whole), ".html": render_html(whole, styles=("document", "onboarding"))}
    if checklist.agreement.starts is not None:
        found = steps(lock, checklist, catalog)
        texts[".ics"] = calendar(found, stack=lock.stack, today=today)
    else:
        note("no calendar: agreement.starts names no day to start on")
    paths = {Path(to) / f"{NAME}{suffix}": text for suffix, text in texts.items()}
    write_all(paths)
    for path in paths:
        note(f"written: {display_path(path)}")


def _deliver(lock: Lock, folder: Path, outputs: str) -> None:
    from operations.engine import session  # noqa: PLC0415 - imported once needed
    from operations.handbook.credentials import check_place, folders  # noqa: PLC0415 - as above

    check_place(folder, [])  # before anybody is asked for a secret
    texts = folders(lock, _outputs(lock, outputs))
    check_place(folder, texts)
    for path in session.write_private(folder, texts):
        note(f"written: {path}")


def _outputs(lock: Lock, file: str) -> dict[str, object]:
    if not file:
        from operations.engine import session  # noqa: PLC0415 - Pulumi is imported once needed

        opened = session.open_stack(require_stack(lock.stack), lock.stack, ask_passphrase=ask_passphrase)
        return dict(session.read_outputs(opened, secrets=True).plain)
    hint = "atoll outputs STACK --json --show-secrets writes it"
    if file != "-":
        return read_object(Path(file), most_bytes=LARGEST_BYTES, hint=hint)
    return as_object(parse_json(sys.stdin.read(LARGEST_BYTES), file="stdin", hint=hint), file="stdin", hint=hint)


LONGEST_HOURS = 24


def run_access(
    stack: options.Stack,
    *,
    user: Annotated[str, options.make_option("--user", "NAME", "One of access.users.")],
    hours: Annotated[int, typer.Option("--hours", min=1, max=LONGEST_HOURS, help="How long it works.")] = 8,
    placement: Annotated[str, typer.Option("--placement", metavar="NAME", help="Which cluster of the stack.")] = HOME,
) -> int:
    """Print a kubeconfig that lets one person in for some hours."""
    from operations.clouds.kubernetes.certificates import ClusterSigner  # noqa: PLC0415 - as above
    from operations.handbook.user_kubeconfig import find_user, issue_kubeconfig  # noqa: PLC0415 - imported once needed

    found = {each.placement.name: each for each in read_stack_lock(require_stack(stack), stack).placements}
    if placement not in found:
        raise InputError(f"{stack} has no placement {placement!r}; it has: {', '.join(found)}")
    spec = found[placement]
    who = find_user(spec, user)
    if spec.existing is None:
        raise InputError(
            f"people sign in to {spec.placement.provider} itself, so that nothing has to be handed out",
            hint=f"atoll outputs {stack} -o DIR writes a kubeconfig for each role",
        )
    sys.stdout.write(issue_kubeconfig(who, spec, hours=hours, signer=ClusterSigner(spec.existing)))
    note(f"{who.name} is in for {hours} hours; the key is in this kubeconfig and nowhere else")
    return 0


def run_handbook(
    stack: options.Stack,
    *,
    output: Annotated[str, options.folder_option("Folder for source and site.")] = "",
    to: Annotated[str, options.old_option("--to", metavar="DIR")] = "",
    outputs: Annotated[
        str,
        options.make_option(
            "--outputs",
            "FILE",
            "What `atoll outputs STACK --json` printed, for the addresses that only a running cluster knows.",
        ),
    ] = "",
) -> int:
    """Write the handbook of the customer's engineers, from the lock, the checklist and the outputs."""
    to = require_folder(output, old=to, option="--to")
    project = require_stack(stack)
    with progress(f"building the handbook of {stack}"):
        from operations.handbook.facts import facts_of  # noqa: PLC0415 - the program's rooms are imported once needed
        from operations.handbook.site import refuse_foreign, write  # noqa: PLC0415 - as above

        folder = Path(to)
        refuse_foreign(folder.resolve(), stack=stack, shown=folder)
        facts = facts_of(project, stack, outputs=Path(outputs) if outputs else None)
        index = write(facts, folder)
    show(f"written: {display_path(index)}", f"source: {display_path(folder)}/docs, {display_path(folder)}/mkdocs.yml")
    if not facts.outputs.is_known:
        note(f"addresses that only a running cluster knows are left open: atoll outputs {stack} --json > outputs.json")
    if not facts.checklist.agreement.contacts:
        note("no support contacts: add them to agreement.contacts in the checklist")
    return 0
