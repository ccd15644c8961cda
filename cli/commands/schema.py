"""`atoll schema`: the published shapes of what Atoll reads and writes."""

from typing import Annotated

import typer

from cli.commands.schema_documents import NAMES, schema
from cli.terminal.console import show_json
from planning.values.errors import InputError


def run_schema(
    of: Annotated[str, typer.Option("--of", metavar="|".join(NAMES), help="Of which document.")] = "checklist",
) -> int:
    """Print the JSON schema of a file or of an output."""
    if of not in NAMES:
        raise InputError(f"there is no schema of {of!r}", hint=f"there are: {', '.join(NAMES)}")
    show_json(schema(of))
    return 0
