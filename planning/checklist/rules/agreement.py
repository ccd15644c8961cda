"""Rules about what was settled beyond the option: terms that agree with each other and with the contract."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from catalogs.providers import promises
from planning.checklist.model.vocabulary import HOME
from planning.checklist.rules.rule_violation import RuleViolation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist

FIRST_YEAR: Final = 2020  # before it there was nothing of what the catalog knows
LAST_YEAR: Final = 2099
BY_URGENCY: Final = ("urgent", "high", "normal")


def starts_in_our_time(checklist: Checklist) -> Iterator[RuleViolation]:
    """The work begins in a year in which somebody can do it."""
    starts = checklist.agreement.starts
    if starts is not None and not FIRST_YEAR <= starts.year <= LAST_YEAR:
        message = f"the work begins in the year {starts.year}"
        yield RuleViolation(("agreement", "starts"), message, f"write a day from {FIRST_YEAR} to {LAST_YEAR}")


def credits_rise(checklist: Checklist) -> Iterator[RuleViolation]:
    """The worse the month, the more is paid back: availability falls from credit to credit, and what is paid rises."""
    for at, (milder, worse) in enumerate(pairwise(checklist.agreement.credits), start=1):
        where = ("agreement", "credits", at)
        if worse.below_percent >= milder.below_percent:
            message = f"below {worse.below_percent}% comes after below {milder.below_percent}%"
            yield RuleViolation(
                (*where, "below_percent"), message, "write credits from the best month to the worst, each once"
            )
        elif worse.credit_percent <= milder.credit_percent:
            message = f"below {worse.below_percent}% no more is paid back than below {milder.below_percent}%"
            hint = f"write more than {milder.credit_percent}, or delete this credit"
            yield RuleViolation((*where, "credit_percent"), message, hint)


def entries_once(checklist: Checklist) -> Iterator[RuleViolation]:
    """One time to answer for each sort, one person for each role, one time for each step of the handover."""
    for field, key in (("responses", "sort"), ("contacts", "role"), ("steps", "step")):
        words = [str(getattr(each, key)) for each in getattr(checklist.agreement, field)]
        for at, word in enumerate(words):
            if word in words[:at]:
                message = f'"{word}" stands there twice'
                yield RuleViolation(("agreement", field, at, key), message, "keep one of the two")


def responses_by_urgency(checklist: Checklist) -> Iterator[RuleViolation]:
    """What is more urgent is not answered later."""
    first = {each.sort: (at, each.within_minutes) for at, each in reversed([*enumerate(checklist.agreement.responses)])}
    known = [(sort, *first[sort]) for sort in BY_URGENCY if sort in first]
    for (urgent, at, minutes), (calm, _, later) in pairwise(known):
        if minutes > later:
            message = f'"{urgent}" is answered within {minutes} minutes, "{calm}" within {later}'
            path = ("agreement", "responses", at, "within_minutes")
            yield RuleViolation(path, message, f"write at most {later}")


def exit_after_fix(checklist: Checklist) -> Iterator[RuleViolation]:
    """The exit for a fault comes after the time to fix it."""
    fix, leave = checklist.agreement.fix_within_days, checklist.agreement.exit_after_days
    if fix is not None and leave is not None and leave < fix:
        message = f"the customer may leave after {leave} days, while there are {fix} to fix the fault"
        yield RuleViolation(("agreement", "exit_after_days"), message, f"write {fix} or more")


def upgrade_before_the_end(checklist: Checklist) -> Iterator[RuleViolation]:
    """Moving to the next generation early is earlier than the end of the term."""
    months, after = checklist.contract.months, checklist.agreement.upgrade_after_months
    if after is None or after < months:
        return
    path = ("agreement", "upgrade_after_months")
    if months == 0:
        hint = 'write contract.months, or delete "upgrade_after_months"'
        yield RuleViolation(path, "there is no term before whose end one could move", hint)
    else:
        message = f"after {after} months a term of {months} is over"
        yield RuleViolation(path, message, f"write less than {months}")


def burn_in_wanted(checklist: Checklist) -> Iterator[RuleViolation]:
    """A burn-in with a length is one that is wanted, and no shorter than the least that runs."""
    hours, least = checklist.agreement.burn_in_hours, promises()["burn_in"].value
    if hours is None:
        return
    path = ("agreement", "burn_in_hours")
    if not checklist.burn_in:
        message = "a length of the burn-in, and no burn-in is wanted"
        yield RuleViolation(path, message, 'write "burn_in: true", or delete "burn_in_hours"')
    elif hours < least:
        message = f"a burn-in of {hours} hours, and none is shorter than {least}"
        yield RuleViolation(path, message, f'write {least} or more, or delete "burn_in_hours"')


def speeds_of_tiers(checklist: Checklist) -> Iterator[RuleViolation]:
    """A throughput is agreed of a tier that is asked for, at a place that there is."""
    asked = {HOME: checklist.storage, **{each.name: each.storage for each in checklist.where.elsewhere}}
    for at, each in enumerate(checklist.agreement.tier_speeds):
        where = ("agreement", "tier_speeds", at)
        if each.placement not in asked:
            message = f'no placement is called "{each.placement}"'
            yield RuleViolation((*where, "placement"), message, f"placements are {', '.join(asked)}")
        elif getattr(asked[each.placement], each.tier) is None:
            section = "storage" if each.placement == HOME else f"storage of where.elsewhere, {each.placement}"
            message = f'no "{each.tier}" storage is asked for at {each.placement}'
            yield RuleViolation((*where, "tier"), message, f'write "{each.tier}" into {section}, or delete this entry')


def speeds_said(checklist: Checklist) -> Iterator[RuleViolation]:
    """An agreed throughput names a figure."""
    for at, each in enumerate(checklist.agreement.tier_speeds):
        if each.read_mb_per_s is None and each.write_mb_per_s is None:
            message = f'no throughput is named of "{each.tier}"'
            hint = 'write "read_mb_per_s", "write_mb_per_s" or both, or delete this entry'
            yield RuleViolation(("agreement", "tier_speeds", at), message, hint)


def speeds_once(checklist: Checklist) -> Iterator[RuleViolation]:
    """One throughput for each tier of a placement."""
    named = [(each.placement, each.tier) for each in checklist.agreement.tier_speeds]
    for at, (placement, tier) in enumerate(named):
        if (placement, tier) in named[:at]:
            message = f'"{tier}" at {placement} stands there twice'
            yield RuleViolation(("agreement", "tier_speeds", at, "tier"), message, "keep one of the two")
