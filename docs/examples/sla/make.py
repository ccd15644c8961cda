"""The worked example: a month with two outages, and the credit that a person computes by hand.

`.venv/bin/python docs/examples/sla/make.py` writes samples.csv, report.md and report.json, and a page where a folder is
named.
"""  # noqa: INP001 - a script beside what it makes

from __future__ import annotations

import sys
from datetime import UTC, date, datetime
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cli.pages.documents.rendering import render_markdown as markdown
from cli.pages.reports import sla_page as page
from cli.terminal.console import json_text
from operations.plans.quote import option_named, quote_subject
from operations.project.workspace import StackRef as Asked
from operations.service_levels.monthly_report import exclusions_in, read_samples, resolve_terms, table_source
from planning.checklist.reading.checklist_file import read_file
from planning.platform.alerts import availability
from planning.quoting.option import ceilings
from planning.quoting.quote import lock
from planning.service_levels.document import document
from planning.service_levels.month import Month
from planning.service_levels.report import report
from planning.service_levels.series import Name, RecordedSeries, SeriesSegment
from planning.service_levels.series_sources import to_text
from planning.service_levels.service_parts import list_parts

if TYPE_CHECKING:
    from planning.service_levels.form import SlaForm
    from planning.spec.lock import Lock

HERE: Final = Path(__file__).resolve().parent
TODAY: Final = date(2026, 11, 21)  # the prices are of this autumn
STACK: Final = "coral-answers"
OCTOBER: Final = Month(2026, 10)
SAMPLES: Final = "samples.csv"
BUSY: Final = (8, 18)  # hours of a day in which four more nodes are asked for
SILENT: Final = ("2026-10-03T10:00Z", "2026-10-03T10:30Z")  # Prometheus itself was down


def locked() -> Lock:
    """What `atoll accept` would write for the checklist of this folder."""
    answer = quote_subject(
        Asked(stack=STACK, checklist=HERE / "checklist.yaml"), book="current", own="", today=TODAY, allow_stale=True
    )
    return lock(
        answer.quote,
        option_named(answer.quote, "committed"),
        ceiling=ceilings(answer.checklist),
        contract_months=answer.checklist.contract.months,
        residency=answer.checklist.where.residency,
    )


def samples() -> RecordedSeries:
    """What Prometheus recorded: two outages, a maintenance, and half an hour of which it knows nothing."""
    days = [(OCTOBER.start + 86_400 * day, OCTOBER.start + 86_400 * (day + 1)) for day in range(31)]
    burst = [
        (at, value)
        for start, _ in days
        for at, value in ((start, 0), (start + 3600 * BUSY[0], 4), (start + 3600 * BUSY[1], 0))
    ]
    changes: dict[Name, list[tuple[int, int]]] = {
        Name(availability.HEALTHY, "assistant"): _dip(3, 2, "2026-10-07T02:00Z", "2026-10-07T14:00Z"),
        Name(availability.OWED, "assistant"): [(OCTOBER.start, 3)],
        Name(availability.HEALTHY, "assistant-burst"): burst,
        Name(availability.OWED, "assistant-burst"): burst,
        Name(availability.HEALTHY, "system"): [(OCTOBER.start, 5)],
        Name(availability.OWED, "system"): [(OCTOBER.start, 5)],
        Name(availability.STORAGE, "warm"): _dip(1, 0, "2026-10-19T21:00Z", "2026-10-20T06:00Z"),
        Name(availability.STORAGE, availability.OBJECT_STORE): [(OCTOBER.start, 1)],
        Name(availability.CONTROL_PLANE): _dip(1, 0, "2026-10-25T01:00Z", "2026-10-25T03:00Z"),
    }
    return RecordedSeries({name: tuple(_runs(found)) for name, found in changes.items()}, step_seconds=60)


def _dip(usual: int, least: int, start: str, end: str) -> list[tuple[int, int]]:
    return [(OCTOBER.start, usual), (_second(start), least), (_second(end), usual)]


def _runs(changes: list[tuple[int, int]]) -> list[SeriesSegment]:
    """From each change to the next, without the time in which nobody measured."""
    ends = [*(start for start, _ in changes[1:]), OCTOBER.end]
    gap = [_second(text) for text in SILENT]
    found: list[SeriesSegment] = []
    for (start, value), end in zip(changes, ends, strict=True):
        pieces = ((start, min(end, gap[0])), (max(start, gap[1]), end))
        found += [SeriesSegment(first, last, Fraction(value)) for first, last in pieces if first < last]
    return found


def _second(text: str) -> int:
    return int(datetime.fromisoformat(text).astimezone(UTC).timestamp())


def reported() -> tuple[Lock, SlaForm]:
    """The lock, and what `atoll sla coral-answers --month 2026-10 --from samples.csv` says of it."""
    accepted = locked()
    recorded = read_samples([HERE / SAMPLES], stack=STACK, month=OCTOBER)
    components = [part.key for part in list_parts(accepted)]
    rests_on = resolve_terms(
        read_file(HERE / "checklist.yaml"),
        lock=accepted,
        exclusions=exclusions_in(HERE / "exclusions.yaml", components=components),
        today=TODAY,
        source=SAMPLES,
    )
    return accepted, report(accepted, recorded, month=OCTOBER, settled=rests_on)


def samples_text() -> str:
    """The file of samples."""
    return to_text(samples(), stack=STACK, month=str(OCTOBER), asked="nobody: made up for the example")


def texts() -> dict[str, str]:
    """File name to what it must hold; the reports are of the samples beside them."""
    _, form = reported()
    return {
        SAMPLES: samples_text(),
        "report.md": markdown(document(form, table_source=table_source())),
        "report.json": json_text(form),
    }


def main() -> None:
    """Write what the guide shows; a page too, into a folder that is named."""
    (HERE / SAMPLES).write_text(samples_text(), encoding="utf-8")
    for name, found in texts().items():
        (HERE / name).write_text(found, encoding="utf-8")
    for folder in sys.argv[1:]:
        _, form = reported()
        Path(folder).mkdir(parents=True, exist_ok=True)
        made = page(form, document(form, table_source=table_source()))
        (Path(folder) / "october.html").write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
