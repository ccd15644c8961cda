"""`atoll engine`: get Pulumi's CLI and plugins at the pinned versions, and see what is here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.terminal import options
from cli.terminal.console import note, progress, show, show_json
from cli.terminal.options import resolve_folder
from cli.terminal.prompts import ask_passphrase, confirm, confirm_by_name
from cli.views.engine import (
    facts_table,
    outputs_table,
    retention_table,
    tell_opened,
    tell_plan,
    tell_report,
    terminal_progress,
)
from operations.project.workspace import display_path, find_project, require_stack
from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from operations.engine.environment import Plugin
    from operations.engine.session import StackSession
    from operations.engine.teardown import StackState


app = typer.Typer(no_args_is_help=True, help="Get the engine (Pulumi's CLI and plugins), and see what is here.")

MISSING = 1
OfStack = Annotated[str, options.make_argument("[STACK]", "Only the plugins that this stack needs.")]


@app.command("install")
def install(stack: OfStack = "") -> int:
    """Download the pinned CLI, and every plugin that is not here, the way the SDK does it."""
    from operations.engine import binary, environment, session  # noqa: PLC0415 - Pulumi is imported once needed

    root = find_project().root
    wanted = _list_plugins(stack)
    with progress(f"getting the Pulumi CLI {binary.read_pinned_version()}"):
        command = binary.find_or_install(note)
    show(f"Pulumi CLI {binary.version_of(command)}: {command.command}")
    workspace = session.workspace(root)
    environment.install_plugins(workspace, wanted=environment.find_missing_plugins(workspace, wanted=wanted), say=note)
    show(f"plugins: {', '.join(map(str, wanted))}")
    return 0


@app.command("status")
def status(stack: OfStack = "") -> int:
    """CLI, plugins, backend and what encrypts secrets; exit code 1 where there is no CLI."""
    from operations.engine import environment, session  # noqa: PLC0415 - Pulumi is imported once needed
    from operations.engine.environment import cli_facts, plugin_fact, surroundings_facts  # noqa: PLC0415 - as above

    root = find_project().root
    wanted = _list_plugins(stack)
    command, cli = cli_facts()
    absent = wanted if command is None else environment.find_missing_plugins(session.workspace(root), wanted=wanted)
    chosen = environment.backend(root)
    listed = (plugin_fact(each, here=each not in absent) for each in wanted)
    show(facts_table([*cli, *listed, *surroundings_facts(chosen)]))
    if chosen.folder:
        note(f"for plain pulumi: export {chosen.prefix().strip()}")
    if absent or command is None:
        note("atoll engine install gets what is missing; atoll engine install STACK only what a stack needs")
    return MISSING if command is None else 0


def _list_plugins(stack: str) -> tuple[Plugin, ...]:
    """The plugins of a stack's resources, as its program registers them; of every provider where no stack is named."""
    from operations.engine import environment  # noqa: PLC0415 - Pulumi is imported once needed
    from operations.offline.program import run  # noqa: PLC0415 - as above

    if not stack:
        return environment.list_pinned_plugins()
    root = require_stack(stack).root
    with progress(f"running the program of {stack}"):
        return environment.select_plugins(each.type for each in run(stack, root=root).resources)


Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]
AcceptUnknown = Annotated[
    bool, typer.Option("--accept-unknown", help="Go on where it is undetermined whether it stays under the ceiling.")
]
SecretsProvider = Annotated[
    str,
    options.make_option(
        "--secrets-provider",
        "KEY",
        "What encrypts the secrets of a new stack: passphrase, or awskms://, gcpkms://, azurekeyvault://, "
        "hashivault:// and the key. Default: ATOLL_SECRETS_PROVIDER, else a passphrase.",
    ),
]


def run_preview(
    stack: options.Stack,
    *,
    accept_unknown: AcceptUnknown = False,
    expect_no_changes: Annotated[
        bool, typer.Option("--expect-no-changes", help="Fail where anything would change.")
    ] = False,
    secrets_provider: SecretsProvider = "",
    prices: options.Book = options.CURRENT_BOOK,
    own: options.OwnBook = "",
    today: options.Today = "",
) -> int:
    """Show what the engine would change.

    Exit code: 0 within the ceiling, 10 over it, 11 undetermined, 1 where the engine fails.
    """
    from operations.engine import operation, session  # noqa: PLC0415 - as above
    from operations.plans import verdict  # noqa: PLC0415 - as above

    project = require_stack(stack)
    with progress(f"judging {stack}"):
        plan = verdict.judge_stack(project, stack, prices=prices, own=own, today=options.day(today))
    tell_plan(project, plan, today=options.day(today), own=own)
    opened = session.open_stack(
        project, stack, create=True, asked_provider=secrets_provider, ask_passphrase=ask_passphrase
    )
    tell_opened(opened)
    report = operation.preview(opened, total=verdict.count_steps(plan), progress=terminal_progress())
    tell_report(report, ahead=True)
    verdict.refuse(plan, accept_unknown=accept_unknown)
    if expect_no_changes and not report.is_empty:
        raise AtollError(f"{stack} differs from what was built", hint=f"atoll up {stack} builds it as accepted")
    return 0


def run_up(
    stack: options.Stack,
    *,
    yes: Yes = False,
    accept_unknown: AcceptUnknown = False,
    secrets_provider: SecretsProvider = "",
    prices: options.Book = options.CURRENT_BOOK,
    own: options.OwnBook = "",
    today: options.Today = "",
) -> int:
    """Create or update the cluster.

    Over the ceiling nothing is changed (exit code 10); where that is undetermined (11), only with --accept-unknown.
    """
    from operations.engine import operation, session  # noqa: PLC0415 - as above
    from operations.plans import verdict  # noqa: PLC0415 - as above

    project = require_stack(stack)
    with progress(f"judging {stack}"):
        plan = verdict.judge_stack(project, stack, prices=prices, own=own, today=options.day(today))
    tell_plan(project, plan, today=options.day(today), own=own)
    verdict.refuse(plan, accept_unknown=accept_unknown)
    opened = session.open_stack(
        project, stack, create=True, asked_provider=secrets_provider, ask_passphrase=ask_passphrase
    )
    tell_opened(opened)
    total, following = verdict.count_steps(plan), terminal_progress()
    if not yes:
        ahead = operation.preview(opened, total=total, progress=following)
        tell_report(ahead, ahead=True)
        if ahead.is_empty:
            return 0
        confirm(f"Build {stack} so?", yes=False)
    tell_report(operation.up(opened, total=total, progress=following))
    note(f"atoll outputs {stack} shows how to reach it")
    return 0


def run_refresh(stack: options.Stack, *, yes: Yes = False) -> int:
    """Take what is live into the state; nothing in the cloud is changed.

    What is live and differs from the state is shown first: a wrong kubeconfig or account makes everything look gone.
    """
    from operations.engine import operation, session  # noqa: PLC0415 - as above
    from operations.engine.teardown import read_state  # noqa: PLC0415 - as above

    opened = session.open_stack(require_stack(stack), stack, ask_passphrase=ask_passphrase)
    total, following = len(read_state(opened).held) + 1, terminal_progress()
    if not yes:
        ahead = operation.preview_refresh(opened, total=total, progress=following)
        tell_report(ahead, ahead=True)
        if ahead.is_empty:
            return 0
        confirm(f"Write this into the state of {stack}?", yes=False)
    report = operation.refresh(opened, total=total, progress=following)
    tell_report(report)
    if not report.is_empty:
        note(f"atoll preview {stack} shows what an update would change back")
    return 0


def run_destroy(stack: options.Stack, *, yes: Yes = False) -> int:
    """Delete everything that is not protected.

    A cluster with deletion protection of its own loses that first, by an update of the cluster alone.
    """
    from operations.engine import session, teardown  # noqa: PLC0415 - as above
    from operations.engine.teardown import read_state  # noqa: PLC0415 - as above

    opened = session.open_stack(require_stack(stack), stack, ask_passphrase=ask_passphrase)
    before = read_state(opened)
    if not before.has_work:
        show(f"{stack} holds nothing that a destroy deletes")
        _tell_kept(opened, before, was=before)
        return 0
    _tell_ahead(stack, before)
    confirm_by_name(f"Delete {stack}?", name=stack, yes=yes)
    following = terminal_progress()
    if before.guarded:
        tell_report(teardown.lift_guard(opened, before, progress=following))
    tell_report(teardown.destroy(opened, before, progress=following))
    _tell_kept(opened, read_state(opened), was=before)
    return 0


def _tell_ahead(stack: str, state: StackState) -> None:
    kept = len(state.protected) + len(state.forgotten)
    show(f"{stack}: {len(state.going)} resources are deleted, {kept} are kept")
    if state.guarded:
        names = ", ".join(each.name for each in state.guarded)
        show(
            f"step 1: {names} is protected against deletion by its cloud; an update with atoll:allowDestroy lifts that",
            "step 2: everything that is not protected is deleted, what depends on others first",
        )


def _tell_kept(opened: StackSession, after: StackState, *, was: StackState) -> None:
    from operations.engine.teardown import list_remaining  # noqa: PLC0415 - Pulumi is imported once needed

    kept = list(list_remaining(was=was, after=after))
    if kept:
        show("Kept, and billed where it costs something:", retention_table(kept))
    if after.protected:
        prefix = opened.backend.prefix()
        note(
            f"to let go of protected data: {prefix}pulumi state unprotect --all --stack {opened.name}, "
            "then destroy again; the engine forgets it, and you delete it in the cloud by hand"
        )
    note(f"atoll orphans {opened.name} asks the cloud what is still there and costs money")


def run_outputs(
    stack: options.Stack,
    *,
    show_secrets: Annotated[bool, typer.Option("--show-secrets", help="Print secrets, too.")] = False,
    as_json: options.AsJson = False,
    output: Annotated[
        str, options.folder_option("Write kubeconfigs and VPN profiles into a folder, readable by you alone.")
    ] = "",
    write: Annotated[str, options.old_option("--write", metavar="DIR")] = "",
) -> int:
    """Show the outputs of a stack; secrets are masked unless you ask for them."""
    write = resolve_folder(output, old=write, option="--write")
    if write and (as_json or show_secrets):
        unused = "--json" if as_json else "--show-secrets"
        raise typer.BadParameter("-o DIR writes files and prints nothing; leave one of them out", param_hint=unused)
    from operations.engine import session  # noqa: PLC0415 - Pulumi is imported once needed

    opened = session.open_stack(require_stack(stack), stack, ask_passphrase=ask_passphrase)
    found = session.read_outputs(opened, secrets=show_secrets or bool(write))
    if write:
        texts = session.build_output_files(found.plain)
        if not texts:
            raise InputError(f"{stack} hands over no kubeconfig and no VPN profile; nothing was written")
        for path in session.write_private(Path(write), texts):
            note(f"written: {display_path(path)}")
        return 0
    values = found.show(secrets=show_secrets)
    if as_json:
        show_json(values)
    elif values:
        show(outputs_table(session.list_output_rows(values), whole=show_secrets))
    else:
        show(f"{stack} has no outputs: nothing is built")
    return 0
