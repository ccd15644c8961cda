"""`atoll handbook`: the handbook of the customer's engineers, as a site that opens from a folder."""

from pathlib import Path
from typing import Annotated

import typer

from cli.terminal import options
from cli.terminal.console import note, progress, show
from cli.terminal.output import needed_folder
from operations.project.workspace import known_stack, shown


def run_handbook(
    stack: options.Stack,
    *,
    output: Annotated[str, options.folder_option("Folder for source and site.")] = "",
    to: Annotated[str, options.old_option("--to", metavar="DIR")] = "",
    outputs: Annotated[
        str,
        typer.Option(
            "--outputs",
            metavar="FILE",
            help="What `atoll outputs STACK --json` printed, for the addresses that only a running cluster knows.",
            show_default=False,
        ),
    ] = "",
) -> int:
    """Write the handbook of the customer's engineers, from the lock, the checklist and the outputs."""
    to = needed_folder(output, old=to, option="--to")
    project = known_stack(stack)
    with progress(f"building the handbook of {stack}"):
        from operations.handbook.folder import refuse_foreign, write  # noqa: PLC0415 - as above
        from operations.handbook.inputs import facts_of  # noqa: PLC0415 - the program's rooms are imported once needed

        folder = Path(to)
        refuse_foreign(folder.resolve(), stack=stack, shown=folder)
        facts = facts_of(project, stack, outputs=Path(outputs) if outputs else None)
        index = write(facts, folder)
    show(f"written: {shown(index)}", f"source: {shown(folder)}/docs, {shown(folder)}/mkdocs.yml")
    if not facts.outputs.is_known:
        note(f"addresses that only a running cluster knows are left open: atoll outputs {stack} --json > outputs.json")
    if not facts.contacts:
        note("nobody is named to call: agreement.contacts in the checklist")
    return 0
