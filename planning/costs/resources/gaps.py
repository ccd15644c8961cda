"""Gaps of machines whose hours cannot be read, with the most that they come to where their number is bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.costs.bill import Group
from planning.costs.charge import Charge
from planning.costs.resources.findings import Choice, Free, Gap
from planning.costs.resources.properties import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from planning.costs.resources.context import Case
    from planning.costs.resources.findings import Finding


def machines(case: Case, reason: str, *, largest: Callable[[], Iterable[Finding]]) -> Gap:
    """The gap of a group of machines.

    Args:
        case: the group.
        reason: names the property that cannot be read.
        largest: counts the group at its largest size.
    """
    return Gap(
        key=case.pool_key("machine"),
        label=case.resource.name,
        group=Group.COMPUTE,
        item=case.resource.type,
        reason=reason,
        at_most=bound(largest),
    )


def bound(largest: Callable[[], Iterable[Finding]]) -> tuple[Choice, ...]:
    """What is found at most; nothing where that cannot be read either."""
    try:
        return tuple(_choices(largest()))
    except UnreadableError:
        return ()


def _choices(findings: Iterable[Finding]) -> Iterator[Choice]:
    for found in findings:
        if isinstance(found, Gap):
            raise UnreadableError(found.reason)
        if isinstance(found, Charge):
            yield Choice(charges=(found,))
        elif not isinstance(found, Free):
            yield found
