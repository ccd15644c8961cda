"""`atoll engine`: get Pulumi's CLI and plugins at the pinned versions, and see what is here."""

from typing import TYPE_CHECKING, Annotated

import typer

from cli.terminal.console import note, progress, show
from operations.project.workspace import find_project, known_stack

if TYPE_CHECKING:
    from operations.engine.plugins import Plugin

app = typer.Typer(no_args_is_help=True, help="Get the engine (Pulumi's CLI and plugins), and see what is here.")

MISSING = 1
OfStack = Annotated[
    str, typer.Argument(metavar="[STACK]", help="Only the plugins that this stack needs.", show_default=False)
]


@app.command("install")
def install(stack: OfStack = "") -> int:
    """Download the pinned CLI, and every plugin that is not here, the way the SDK does it."""
    from operations.engine import binary, plugins, session  # noqa: PLC0415 - Pulumi is imported once needed

    root = find_project().root
    wanted = _wanted(stack)
    with progress(f"getting the Pulumi CLI {binary.pinned()}"):
        command = binary.obtained(note)
    show(f"Pulumi CLI {binary.version_of(command)}: {command.command}")
    workspace = session.workspace(root)
    plugins.install(workspace, wanted=plugins.missing(workspace, wanted=wanted), say=note)
    show(f"plugins: {', '.join(map(str, wanted))}")
    return 0


@app.command("status")
def status(stack: OfStack = "") -> int:
    """CLI, plugins, backend and what encrypts secrets; exit code 1 where there is no CLI."""
    from cli.views.engine import facts_table  # noqa: PLC0415 - as above
    from operations.engine import environment, plugins, session  # noqa: PLC0415 - Pulumi is imported once needed
    from operations.engine.status import cli_facts, plugin_fact, surroundings_facts  # noqa: PLC0415 - as above

    root = find_project().root
    wanted = _wanted(stack)
    command, cli = cli_facts()
    absent = wanted if command is None else plugins.missing(session.workspace(root), wanted=wanted)
    chosen = environment.backend(root)
    listed = (plugin_fact(each, here=each not in absent) for each in wanted)
    show(facts_table([*cli, *listed, *surroundings_facts(chosen)]))
    if chosen.folder:
        note(f"for plain pulumi: export {chosen.prefix().strip()}")
    if absent or command is None:
        note("atoll engine install gets what is missing; atoll engine install STACK only what a stack needs")
    return MISSING if command is None else 0


def _wanted(stack: str) -> "tuple[Plugin, ...]":
    """The plugins of a stack's resources, as its program registers them; of every provider where no stack is named."""
    from operations.engine import plugins  # noqa: PLC0415 - Pulumi is imported once needed
    from operations.offline.program import run  # noqa: PLC0415 - as above

    if not stack:
        return plugins.pinned()
    root = known_stack(stack).root
    with progress(f"running the program of {stack}"):
        return plugins.needed(each.type for each in run(stack, root=root).resources)
