"""`atoll contract`: the annex of the contract, to be filled in, reviewed and signed."""

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cli.terminal import options
from cli.terminal.console import note
from cli.terminal.output import chosen_files, tell_written
from operations.project.accepted_lock import accepted_lock
from operations.project.atomic_files import write_all
from operations.project.workspace import known_stack
from planning.checklist.reading.checklist_file import read_file
from planning.documents.blocks import Blank

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from planning.documents.blocks import Document

WRAPPED: Final = """p, li, td:nth-child(2):last-child { overflow-wrap: anywhere; } .blank span { max-width: 60%; }
@media (max-width: 40rem) { .wide > table { min-width: 0; } td:first-child { min-width: 4.5rem; } }
"""


def run_contract(
    stack: options.Stack,
    *,
    html: Annotated[
        str,
        typer.Option("--html", metavar="FILE", help="Write it as one HTML page, to print.", show_default=False),
    ] = "",
    markdown: Annotated[
        str, typer.Option("--markdown", metavar="FILE", help="Write it as Markdown.", show_default=False)
    ] = "",
    output: Annotated[list[str] | None, options.output_of(".html, .md")] = None,
) -> int:
    """Write the annex of a contract: what was accepted and settled, as figures that can be measured.

    Without a file, Markdown goes to stdout. What nobody has settled in the checklist's agreement is a line to be filled
    in. No legal advice: have a lawyer review it.
    """
    files = chosen_files(output, forms=("html", "markdown"), html=html, markdown=markdown)
    project = known_stack(stack)
    lock = accepted_lock(project, stack)
    checklist = read_file(project.checklist(stack))
    from catalogs.catalog import load  # noqa: PLC0415 - once lock and checklist are there
    from planning.agreements.contract.annex import annex  # noqa: PLC0415 - as above

    document = annex(lock, checklist=checklist, catalog=load())
    _write(document, files)
    return 0


def _write(document: "Document", files: "Mapping[str, Path]") -> None:
    from cli.pages.documents.html import document_page  # noqa: PLC0415 - as above
    from cli.pages.documents.markdown import markdown as as_markdown  # noqa: PLC0415 - as above

    if not files:
        sys.stdout.write(as_markdown(document))
        return
    texts = {"html": lambda: document_page(document, style=WRAPPED), "markdown": lambda: as_markdown(document)}
    write_all({path: texts[kind]() for kind, path in files.items()})
    tell_written(files.values())
    blanks = sum(isinstance(block, Blank) for block in document.blocks)
    note(f"{blanks} lines are to be filled in; `agreement` in the checklist settles terms and contacts")
