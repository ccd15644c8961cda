"""`atoll contract` and `atoll sla`: the annex of a contract, and a month's availability with its service credit."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cli.terminal import options
from cli.terminal.console import note, progress
from cli.terminal.options import publish, resolve_files, tell_written, write_documents
from operations.project.accepted_lock import read_accepted_lock
from operations.project.workspace import require_stack
from planning.checklist.reading.checklist_file import read_file
from planning.documents.blocks import Blank
from planning.values.errors import InputError, OverCeilingError, UndeterminedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.service_levels.monthly_report import StackMonth
    from planning.documents.blocks import Document
    from planning.service_levels.series import RecordedSeries


def run_contract(
    stack: options.Stack,
    *,
    html: Annotated[str, options.make_option("--html", "FILE", "Write it as one HTML page, to print.")] = "",
    markdown: Annotated[str, options.make_option("--markdown", "FILE", "Write it as Markdown.")] = "",
    output: Annotated[list[str] | None, options.output_of(".html, .md")] = None,
) -> int:
    """Write the annex of a contract: the accepted option and the agreed terms in measurable figures.

    Without a file, Markdown goes to stdout. An open term of the checklist's agreement is a blank line. This is not
    legal advice: have a lawyer review it.
    """
    files = resolve_files(output, forms=("html", "markdown"), html=html, markdown=markdown)
    project = require_stack(stack)
    lock = read_accepted_lock(project, stack)
    checklist = read_file(project.checklist(stack))
    from catalogs.catalog import load  # noqa: PLC0415 - once lock and checklist are there
    from planning.agreements.contract.annex import annex  # noqa: PLC0415 - as above

    document = annex(lock, checklist=checklist, catalog=load())
    _write(document, files)
    return 0


def _write(document: Document, files: Mapping[str, Path]) -> None:
    from cli.pages.documents.rendering import render_html, render_markdown  # noqa: PLC0415 - as above

    if not files:
        sys.stdout.write(render_markdown(document))
        return
    write_documents(
        files,
        html=lambda: render_html(document, styles=("document", "contract")),
        markdown=lambda: render_markdown(document),
    )
    tell_written(files.values())
    blanks = sum(isinstance(block, Blank) for block in document.blocks)
    note(f"{blanks} open terms are blank lines; set terms and contacts in `agreement` of the checklist")


MISSED = OverCeilingError.exit_code
EXITS = {"met": 0, "below": MISSED, "short": MISSED, "undetermined": UndeterminedError.exit_code}

From = Annotated[
    list[str] | None,
    options.make_option(
        "--from", "FILE", "Samples: what --export saved, or answers of /api/v1/query_range. May be named several times."
    ),
]
Prometheus = Annotated[
    str, options.make_option("--prometheus", "URL", "Ask Prometheus; a token is read from ATOLL_PROMETHEUS_TOKEN.")
]
Exclusions = Annotated[
    str,
    options.make_option(
        "--exclusions", "FILE", "Announced maintenance and the like.", default="stacks/STACK/exclusions.yaml"
    ),
]
Markdown = Annotated[str, options.make_option("--markdown", "FILE", "Write the report as Markdown.")]


def run_sla(
    stack: options.Stack,
    *,
    month: Annotated[str, options.make_option("--month", "YYYY-MM", "Month of the calendar, in UTC.")],
    from_files: From = None,
    prometheus: Prometheus = "",
    exclusions: Exclusions = "",
    export: Annotated[str, options.make_option("--export", "FILE", "Save the samples, to calculate again.")] = "",
    html: Annotated[str, options.make_option("--html", "FILE", "Write the report as one page.")] = "",
    markdown: Markdown = "",
    as_json: options.AsJson = False,
    output: Annotated[list[str] | None, options.output_of(".html, .md, .json")] = None,
    today: options.Today = "",
) -> int:
    """Show the availability of a month and the service credit.

    Exit code: 0 where every part met its SLA, 10 where one missed it, 11 where that is undetermined.
    """
    files = resolve_files(output, forms=("html", "markdown", "json"), html=html, markdown=markdown)
    from operations.service_levels.monthly_report import StackMonth  # noqa: PLC0415 - what only this command needs
    from planning.service_levels.month import parse_month  # noqa: PLC0415 - as above

    if bool(from_files) == bool(prometheus):
        raise InputError("name where the samples are", hint="either --from FILE, or --prometheus URL")
    about = StackMonth(require_stack(stack), stack, parse_month(month), today=options.day(today))
    named = about.exclusions(exclusions)
    recorded, source = _query_samples(about, prometheus) if prometheus else _read(about, from_files or [])
    form = about.report(recorded, exclusions=named, source=source)
    files |= {"export": Path(export)} if export else {}
    from cli.pages.documents.rendering import render_markdown  # noqa: PLC0415 - as above
    from cli.pages.reports import sla_page as page  # noqa: PLC0415 - as above
    from cli.views.handover import parts  # noqa: PLC0415 - as above
    from operations.service_levels.monthly_report import table_source  # noqa: PLC0415 - as above
    from planning.service_levels.document import document  # noqa: PLC0415 - as above
    from planning.service_levels.series_sources import to_text  # noqa: PLC0415 - as above

    made = document(form, table_source=table_source())
    publish(
        form,
        files,
        as_json=as_json,
        parts=lambda: parts(form),
        html=lambda: page(form, made),
        markdown=lambda: render_markdown(made),
        export=lambda: to_text(recorded, stack=stack, month=form["month"], asked=f"{source}, {about.today}"),
    )
    return EXITS[form["verdict"]]


def _read(about: StackMonth, names: list[str]) -> tuple[RecordedSeries, str]:
    from operations.service_levels.monthly_report import read_samples  # noqa: PLC0415 - as above

    paths = [Path(name) for name in names]
    found = read_samples(paths, stack=about.lock.stack, month=about.month)
    return found, ", ".join(path.name for path in paths)


def _query_samples(about: StackMonth, url: str) -> tuple[RecordedSeries, str]:
    from operations.service_levels.prometheus import TOKEN, check_address, open_session, query_month  # noqa: PLC0415 - as above

    root = check_address(url)
    session = open_session(os.environ.get(TOKEN, ""))
    with session, progress(f"asking {root} for {about.month}"):
        return query_month(root, about.month, until=int(datetime.now(tz=UTC).timestamp()), session=session), root
