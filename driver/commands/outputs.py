"""`atoll outputs`: how to reach what was built: endpoints, kubeconfigs, VPN profiles."""

from pathlib import Path
from typing import Annotated

import typer

from driver import arguments
from driver.output_files import chosen_folder
from driver.project import known_stack, shown
from driver.prompt import ask_passphrase
from driver.render.engine import outputs_table
from driver.screen import note, show, show_json
from planning.errors import InputError


def run_outputs(
    stack: arguments.Stack,
    *,
    show_secrets: Annotated[bool, typer.Option("--show-secrets", help="Print secrets, too.")] = False,
    as_json: arguments.AsJson = False,
    output: Annotated[
        str, arguments.folder_option("Write kubeconfigs and VPN profiles into a folder, readable by you alone.")
    ] = "",
    write: Annotated[str, arguments.old_option("--write", metavar="DIR")] = "",
) -> int:
    """Show the outputs of a stack; secrets are masked unless you ask for them."""
    write = chosen_folder(output, old=write, option="--write")
    if write and (as_json or show_secrets):
        unused = "--json" if as_json else "--show-secrets"
        raise typer.BadParameter("-o DIR writes files and prints nothing; leave one of them out", param_hint=unused)
    from driver.engine import handover, session  # noqa: PLC0415 - Pulumi is imported once needed

    opened = session.opened(known_stack(stack), stack, ask_passphrase=ask_passphrase)
    found = handover.read_outputs(opened, secrets=show_secrets or bool(write))
    if write:
        texts = handover.files(found.plain)
        if not texts:
            raise InputError(f"{stack} hands over no kubeconfig and no VPN profile; nothing was written")
        for path in handover.write_private(Path(write), texts):
            note(f"written: {shown(path)}")
        return 0
    values = found.shown(secrets=show_secrets)
    if as_json:
        show_json(values)
    elif values:
        show(outputs_table(handover.rows(values), whole=show_secrets))
    else:
        show(f"{stack} has no outputs: nothing is built")
    return 0
