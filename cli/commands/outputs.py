"""`atoll outputs`: how to reach what was built: endpoints, kubeconfigs, VPN profiles."""

from pathlib import Path
from typing import Annotated

import typer

from cli.terminal import options
from cli.terminal.console import note, show, show_json
from cli.terminal.output import chosen_folder
from cli.terminal.prompts import ask_passphrase
from cli.views.engine import outputs_table
from operations.project.workspace import known_stack, shown
from planning.values.errors import InputError


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
    write = chosen_folder(output, old=write, option="--write")
    if write and (as_json or show_secrets):
        unused = "--json" if as_json else "--show-secrets"
        raise typer.BadParameter("-o DIR writes files and prints nothing; leave one of them out", param_hint=unused)
    from operations.engine import outputs, session  # noqa: PLC0415 - Pulumi is imported once needed

    opened = session.opened(known_stack(stack), stack, ask_passphrase=ask_passphrase)
    found = outputs.read_outputs(opened, secrets=show_secrets or bool(write))
    if write:
        texts = outputs.files(found.plain)
        if not texts:
            raise InputError(f"{stack} hands over no kubeconfig and no VPN profile; nothing was written")
        for path in outputs.write_private(Path(write), texts):
            note(f"written: {shown(path)}")
        return 0
    values = found.shown(secrets=show_secrets)
    if as_json:
        show_json(values)
    elif values:
        show(outputs_table(outputs.rows(values), whole=show_secrets))
    else:
        show(f"{stack} has no outputs: nothing is built")
    return 0
