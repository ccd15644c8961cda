"""The steps that a stack needs, their owners and dates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil
from typing import TYPE_CHECKING, Final

from planning.documents.figures import (
    Figure,
    Origin,
    Sentence,
    derive_figure,
    of_catalog,
    of_checklist,
    of_promise,
    read_figure,
    say,
    source_text,
)
from planning.platform.accelerators import list_eligible_pools

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from catalogs.catalog import Catalog
    from catalogs.model import HandoverStep
    from planning.checklist.model.agreement import Contact
    from planning.checklist.model.checklist import Checklist
    from planning.spec.lock import Lock


FRIDAY: Final = 4
ONE_DAY: Final = timedelta(days=1)


def is_workday(day: date) -> bool:
    return day.weekday() <= FRIDAY


def find_workday(day: date) -> date:
    while not is_workday(day):
        day += ONE_DAY
    return day


def find_next_workday(day: date) -> date:
    return find_workday(day + ONE_DAY)


def last_of(first: date, working_days: int) -> date:
    """The last of a number of working days from `first`; `first` itself for zero."""
    day = first
    for _ in range(working_days - 1):
        day = find_next_workday(day)
    return day


BURN_IN: Final = "burn_in"
LOAD: Final = "load"
DELIVER: Final = "deliver"
HOURS_PER_DAY: Final = 24
ROLES: Final[Mapping[str, str]] = {
    "customer_lead": "the customer's lead",
    "customer_engineer": "the customer's engineer",
    "account": "the provider's account owner",
    "engineer_on_call": "the provider's engineer on call",
    "support": "the provider's support",
    "security": "the provider's security officer",
}
# Titles on an existing cluster, where no cluster is built.
EXISTING_TITLES: Final[Mapping[str, str]] = {
    "preflight": "Check that the cluster can be reached and has what was accepted",
    "build": "Install the platform on the existing cluster",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OnboardingStep:
    """One step of the plan.

    Args:
        title: as the catalog says it, or as EXISTING_TITLES does; `title_of` traces the digits in it.
        owner: a person where the agreement names one, else the role.
        takes: "two working days", "two days around the clock".
        first: None where the agreement has no start date.
        last: as `first`.
        day: working day by which it has ended, counted from the start; days around the clock count as working days.
        why_dates: the figures that its dates were calculated from.
    """

    id: str
    title: str
    owner: Sentence
    takes: Sentence
    first: date | None
    last: date | None
    day: int
    why_dates: tuple[Figure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    days: int
    through: bool
    figure: Figure


def steps(lock: Lock, checklist: Checklist, catalog: Catalog) -> tuple[OnboardingStep, ...]:
    return tuple(_schedule_steps(lock, checklist, catalog))


def _schedule_steps(lock: Lock, checklist: Checklist, catalog: Catalog) -> Iterator[OnboardingStep]:
    starts = checklist.agreement.starts
    used: list[Figure] = [of_checklist(starts, "agreement.starts")] if starts else []
    free, day = starts, 0
    spared = set(_list_needless_steps(lock, checklist))
    for row in (each for each in catalog.handover_steps.values() if each.step not in spared):
        length = length_of(row, checklist, catalog)
        used = [*used, length.figure]
        first = last = None
        if free is not None:
            first = free if length.through else find_workday(free)
            last = _last(first, length)
            free = last + ONE_DAY if length.days else first
        day += length.days
        yield OnboardingStep(
            id=row.step,
            title=_title(row, lock),
            owner=_owner(row.owner, checklist),
            takes=_takes(length),
            first=first,
            last=last,
            day=day,
            why_dates=tuple(used),
        )


def _title(row: HandoverStep, lock: Lock) -> str:
    return EXISTING_TITLES.get(row.step, row.title) if lock.spec.existing is not None else row.title


def _last(first: date, length: Length) -> date:
    """The last day; `first` where it takes no time. Machines work every day, people on working days."""
    if length.through:
        return first + timedelta(days=max(length.days, 1) - 1)
    return last_of(first, length.days)


def title_of(step: OnboardingStep, catalog: Catalog) -> Sentence:
    if not any(character.isdigit() for character in step.title):
        return say(step.title)
    row = catalog.handover_steps[step.id]
    return say(of_catalog(row.title, f"handover_steps.csv {row.step} title", source=source_text(catalog, row.source)))


def _list_needless_steps(lock: Lock, checklist: Checklist) -> Iterator[str]:
    if not any(list_eligible_pools(spec) for spec in lock.placements):
        yield BURN_IN
    if checklist.dataset is None:
        yield LOAD
    if not lock.spec.access.users:
        yield DELIVER


def length_of(row: HandoverStep, checklist: Checklist, catalog: Catalog) -> Length:
    """Duration of a step: as agreed, else as in the catalog; the burn-in is never shorter than it runs."""
    burning = _burn_in(checklist, catalog) if row.working_days is None else None
    for at, each in enumerate(checklist.agreement.steps):
        if each.step == row.step and (burning is None or each.working_days >= burning.days):
            figure = of_checklist(each.working_days, f"agreement.steps.{at}.working_days")
            return Length(days=each.working_days, through=False, figure=figure)
    if burning is not None or row.working_days is None:
        return burning or _burn_in(checklist, catalog)
    at = f"handover_steps.csv {row.step} working_days"
    figure = of_catalog(row.working_days, at, source=source_text(catalog, row.source))
    return Length(days=row.working_days, through=False, figure=figure)


def _burn_in(checklist: Checklist, catalog: Catalog) -> Length:
    """Whole days of the agreed hours, at least the promised minimum; of the promised maximum where none are agreed."""
    settled = checklist.agreement.burn_in_hours
    promise = catalog.promises[BURN_IN]
    known = promise.values[-1] if settled is None else promise.value
    if settled is not None and settled >= known:
        hours, source = settled, of_checklist(settled, "agreement.burn_in_hours")
    else:
        hours = known
        source = of_promise(promise, source=source_text(catalog, promise.source), text=f"{known:f}")
    whole = ceil(hours / HOURS_PER_DAY)
    return Length(days=whole, through=True, figure=derive_figure(whole, "burn-in hours in whole days", source))


def _takes(length: Length) -> Sentence:
    plural = "day" if length.days == 1 else "days"
    return say(length.figure, f" {plural} around the clock" if length.through else f" working {plural}")


def _owner(role: str, checklist: Checklist) -> Sentence:
    found = contact(role, checklist)
    if found is None:
        return say(ROLES[role])
    at, person = found
    return say(of_checklist(person.name, f"agreement.contacts.{at}.name"), f", {ROLES[role]}")


def contact(role: str, checklist: Checklist) -> tuple[int, Contact] | None:
    found = ((at, each) for at, each in enumerate(checklist.agreement.contacts) if each.role == role)
    return next(found, None)


def cite_contact(checklist: Checklist, at: int, silence: str) -> tuple[Sentence, ...]:
    """Name, e-mail and telephone of a contact; `silence` for a telephone that is not given."""
    name, email, phone = (f"agreement.contacts.{at}.{field}" for field in ("name", "email", "phone"))
    given = bool(checklist.agreement.contacts[at].phone)
    paths = (name, email, phone) if given else (name, email)
    cells = tuple(say(read_figure(checklist, path, origin=Origin.CHECKLIST)) for path in paths)
    return cells if given else (*cells, say(silence))
