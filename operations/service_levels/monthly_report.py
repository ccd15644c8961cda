"""From a stack and files of samples to the report of a month."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from catalogs.catalog import load
from operations.project.accepted_lock import read_stack_lock
from operations.project.workspace import display_path
from planning.checklist.reading.checklist_file import read_file
from planning.documents.figures import source_text
from planning.inputs.files import parse_json, read_text
from planning.service_levels.credits import CreditStep
from planning.service_levels.exclusions import read_exclusions
from planning.service_levels.month import refuse_untimely
from planning.service_levels.report import SlaTerms, report
from planning.service_levels.series import SampleError
from planning.service_levels.series_sources import read_answers, read_runs, together
from planning.service_levels.service_parts import list_parts
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date
    from decimal import Decimal

    from operations.project.workspace import Project
    from planning.checklist.model.agreement import Agreement
    from planning.checklist.model.checklist import Checklist
    from planning.service_levels.exclusions import Exclusion
    from planning.service_levels.form import PromisedFrom, SlaForm
    from planning.service_levels.month import Month
    from planning.service_levels.series import RecordedSeries
    from planning.spec.lock import Lock


LARGEST: Final = 32_000_000  # a week of answers for a hundred series is 21 MB
EXCLUSIONS_NAME: Final = "exclusions.yaml"


def read_samples(paths: Sequence[Path], *, stack: str, month: Month) -> RecordedSeries:
    """What several files recorded together.

    Raises:
        InputError: one cannot be read, is of another stack or month, or they contradict each other.
    """
    found = [_one(path, stack=stack, month=month) for path in paths]
    try:
        every = together(found)
    except SampleError as error:
        raise InputError(f"{', '.join(map(str, paths))}: {error}", hint="leave out the file that is wrong") from error
    if not any(run.start < month.end and run.end > month.start for runs in every.runs.values() for run in runs):
        raise InputError(f"{', '.join(map(str, paths))}: nothing in it is of {month}")
    return every


def exclusions_in(path: Path, *, components: Sequence[str]) -> tuple[Exclusion, ...]:
    """The exclusions of a file.

    Raises:
        InputError: it cannot be read, or with every fault in it.
    """
    return read_exclusions(_text(path), file=str(path), components=components)


def _one(path: Path, *, stack: str, month: Month) -> RecordedSeries:
    text = _text(path)
    if not text.strip():
        raise InputError(f"{path}: nothing is in it")
    if text.lstrip()[:1] in {"{", "["}:
        return read_answers(_answers(text, path), file=str(path))
    found = read_runs(text, file=str(path))
    if found.stack and found.stack != stack:
        raise InputError(f"{path}: is of the stack {found.stack}, not of {stack}")
    if found.month and found.month != str(month):
        raise InputError(f"{path}: is of {found.month}, not of {month}")
    return found.recorded


def _answers(text: str, path: Path) -> list[object]:
    found = parse_json(text, file=str(path))
    return cast("list[object]", found) if isinstance(found, list) else [found]


def _text(path: Path) -> str:
    text = read_text(path, most_bytes=LARGEST, hint="a file has at most 32 MB; name several, each with --from")
    if text.lstrip()[:1] == "<":
        raise InputError(f"{path}: a web page, not samples", hint="was it saved behind a page to sign in?")
    return text


class StackMonth:
    """A stack and a month of it."""

    def __init__(self, project: Project, stack: str, month: Month, *, today: date) -> None:
        """Read what the reckoning rests on.

        Raises:
            InputError: no lock, a faulty checklist, or a month of which nothing can be said.
        """
        self.project = project
        self.month = month
        self.today = today
        self.lock: Lock = read_stack_lock(project, stack)
        self.checklist: Checklist = read_file(Path(display_path(project.checklist(stack))))
        self.agreement: Agreement = self.checklist.agreement
        refuse_untimely(month, today=today, starts=self.agreement.starts)

    def exclusions(self, path: str) -> tuple[Exclusion, ...]:
        """Those of a file; of the one beside the checklist where none is named and there is one.

        Raises:
            InputError: it cannot be read, or with every fault in it.
        """
        usual = Path(display_path(self.project.checklist(self.lock.stack).with_name(EXCLUSIONS_NAME)))
        if not path and not usual.exists():
            return ()
        return exclusions_in(Path(path) if path else usual, components=[part.key for part in list_parts(self.lock)])

    def report(self, recorded: RecordedSeries, *, exclusions: tuple[Exclusion, ...], source: str) -> SlaForm:
        """The report.

        Raises:
            InputError: samples of another stack.
        """
        rests_on = resolve_terms(self.checklist, lock=self.lock, exclusions=exclusions, today=self.today, source=source)
        return report(self.lock, recorded, month=self.month, settled=rests_on)


def resolve_terms(
    checklist: Checklist, *, lock: Lock, exclusions: tuple[Exclusion, ...], today: date, source: str
) -> SlaTerms:
    """The agreement's terms, with the table of credits of promises.csv where the agreement has none."""
    agreement = checklist.agreement
    promised, where = find_promised_share(lock, checklist)
    promises = load().promises
    usual = zip(promises["credit_below"].values, promises["credit"].values, strict=True)
    agreed = [(each.below_percent, each.credit_percent) for each in agreement.credits]
    return SlaTerms(
        starts=agreement.starts,
        table=tuple(CreditStep(below, credit) for below, credit in agreed or usual),
        of_agreement=bool(agreement.credits),
        notice_hours=agreement.maintenance_notice_hours,
        exclusions=exclusions,
        today=today,
        source=source,
        promised=promised,
        promised_from=where,
    )


def find_promised_share(lock: Lock, checklist: Checklist) -> tuple[Decimal, PromisedFrom]:
    """Percent of the month that the annex promises of the control plane, and where that stands."""
    platform = lock.spec.platform
    if platform is not None and platform.slo_percent is not None:
        return platform.slo_percent, "lock"
    if checklist.slo_percent is not None:
        return checklist.slo_percent, "checklist"
    return load().promises["slo_uptime"].value, "promises"


def table_source() -> str:
    """What a footnote says of the table of promises.csv."""
    catalog = load()
    return source_text(catalog, catalog.promises["credit"].source)
