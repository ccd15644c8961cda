"""The dated steps as an iCalendar (RFC 5545): whole days under lasting identifiers, so that a new one replaces it."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from icalendar import TRANSP, Calendar, Event

from planning.values.printable import printable, printable_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from planning.agreements.onboarding.plan import OnboardingStep

PRODUCT: Final = "-//Atoll//onboarding//EN"


def calendar(steps: Sequence[OnboardingStep], *, stack: str, today: date) -> str:
    """The calendar; without events where no step has a date."""
    events = list(_events(steps, stack=stack, today=today))
    name, uid = f"Onboarding of {stack}", f"onboarding.{stack}@atoll"
    # No METHOD: it would make this a message between calendars, which names an organiser (RFC 5546, 3.2.1).
    whole = Calendar.new(prodid=PRODUCT, name=name, uid=uid, subcomponents=events)
    return whole.to_ical().decode()


def _events(steps: Sequence[OnboardingStep], *, stack: str, today: date) -> Iterator[Event]:
    for step in steps:
        if step.first is None or step.last is None:
            continue
        yield Event.new(
            uid=f"{step.id}.{stack}@atoll",
            stamp=datetime.combine(today, time(), UTC),
            start=step.first,
            end=step.last + timedelta(days=1),  # the first day that is no longer of it
            summary=printable_line(f"{stack}: {step.title}"),
            description=printable(f"Answers for it: {step.owner.text}. Takes {step.takes.text}."),
            transparency=TRANSP.TRANSPARENT,
        )
