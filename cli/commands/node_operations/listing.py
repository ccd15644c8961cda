"""`atoll nodes list` and `atoll nodes incidents`: how nodes are doing, and what became of those that failed."""

import sys
from pathlib import Path
from typing import Annotated, cast

import typer

from cli.commands.node_operations import options
from cli.terminal import options as arguments
from cli.terminal.console import json_text, progress, show, show_json
from cli.terminal.output import chosen_files, deliver, tell_written
from operations.project.atomic_files import write_all
from operations.project.workspace import known_stack, shown
from planning.incidents.form import incidents_form, nodes_form

Markdown = Annotated[
    str, typer.Option("--markdown", metavar="FILE", help='Write a Markdown table; "-": print it.', show_default=False)
]
Output = Annotated[list[str] | None, arguments.output_of(".json, .md")]


def nodes(
    stack: arguments.Stack,
    *,
    placement: options.Placement = "",
    as_json: arguments.AsJson = False,
    output: arguments.Output = None,
) -> int:
    """Show each node of the stack: its pool, how it is doing, whether it is a spare, and what is wrong with it.

    Nothing is changed. The kubeconfig is the one that ATOLL_KUBECONFIG, or the checklist's own variable, names.
    """
    from cli.views.nodes import nodes_parts  # noqa: PLC0415 - as above
    from operations.nodes import health  # noqa: PLC0415 - where it is asked for
    from operations.nodes.kubernetes_cluster import opened  # noqa: PLC0415 - an SDK, as above

    scene = health.scene_of(stack, placement=placement)
    at = options.now()
    with progress(f"asking the cluster of {stack}"):
        looked = health.look(scene, opened(scene.spec), now=at)
    form = nodes_form(
        stack,
        looked.nodes,
        verdicts=looked.verdicts,
        pools=scene.pools,
        strangers=looked.strangers,
        silence=looked.silence,
        at=at,
    )
    deliver(cast("dict[str, object]", form), as_json=as_json, output=output, parts=lambda: nodes_parts(form))
    return 0


def incidents(
    stack: arguments.Stack, *, as_json: arguments.AsJson = False, output: Output = None, markdown: Markdown = ""
) -> int:
    """Show every node that failed, when what was done about it, and how it ended; from the log, in UTC."""
    from cli.views.nodes import incidents_markdown, incidents_parts  # noqa: PLC0415 - as above
    from operations.nodes.incident_log import logged  # noqa: PLC0415 - where it is asked for

    folder = Path(shown(known_stack(stack).stacks / stack))
    form = incidents_form(stack, logged(folder))
    printed = markdown == "-"
    if printed and as_json:
        raise typer.BadParameter("only one of --json and --markdown - prints", param_hint="--markdown")
    files = chosen_files(output, forms=("json", "markdown"), markdown="" if printed else markdown)
    texts = {"json": json_text, "markdown": incidents_markdown}
    write_all({path: texts[kind](form) for kind, path in files.items()})
    if printed:
        sys.stdout.write(incidents_markdown(form))
    elif as_json:
        show_json(cast("dict[str, object]", form))
    else:
        show(*incidents_parts(form))
    tell_written(files.values())
    return 0
