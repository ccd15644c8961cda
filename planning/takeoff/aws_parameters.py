"""Parameters of AWS Systems Manager (aws.amazon.com/systems-manager/pricing: standard ones are free)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.takeoff.findings import Free
from planning.takeoff.properties import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.takeoff.case import Case
    from planning.takeoff.findings import Counter, Finding

STANDARD: Final = "Standard"


def parameter(case: Case) -> Iterator[Finding]:
    """One parameter."""
    tier = case.inputs.at("tier").text(STANDARD)
    if tier != STANDARD:
        raise UnreadableError(f"tier {tier!r} has no price here")
    yield Free("standard parameters are not charged")


COUNTERS: Final[dict[str, Counter]] = {"aws:ssm/parameter:Parameter": parameter}
