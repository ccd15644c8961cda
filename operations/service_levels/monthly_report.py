"""From a stack and its samples to the report of a month."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from catalogs.catalog import load
from operations.project.accepted_lock import read_stack_lock
from operations.project.workspace import display_path
from operations.service_levels.sample_files import EXCLUSIONS_NAME, exclusions_in
from planning.checklist.reading.checklist_file import read_file
from planning.documents.figures import source_text
from planning.service_levels.credits import table_of_agreement, table_of_promises
from planning.service_levels.month import refuse_untimely
from planning.service_levels.report import SlaTerms, report
from planning.service_levels.service_parts import parts_of

if TYPE_CHECKING:
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
        return exclusions_in(Path(path) if path else usual, components=[part.key for part in parts_of(self.lock)])

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
    """What was agreed; the catalog's table of credits where the agreement has none."""
    agreement = checklist.agreement
    promised, where = find_promised_share(lock, checklist)
    promises = load().promises
    usual = table_of_promises(promises["credit_below"], promises["credit"])
    return SlaTerms(
        starts=agreement.starts,
        table=table_of_agreement(agreement.credits) if agreement.credits else usual,
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
