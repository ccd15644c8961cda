"""How it begins and how it is signed: steps with owners, and places for signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.agreements.onboarding.plan import steps, title_of
from planning.documents.blocks import Blank, Heading, Paragraph, Table
from planning.documents.figures import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.agreements.contract.context import Sides
    from planning.agreements.onboarding.plan import Step
    from planning.documents.blocks import Block

SIGNERS: Final = ("customer", "provider")


def timeline(sides: Sides) -> Iterator[Block]:
    """The steps from signing to the first job, who answers for each, and how long it takes."""
    yield Heading(2, say("Timeline"))
    yield Table(
        caption=say("Each step waits for the one above."),
        head=(say("step"), say("who answers for it"), say("takes")),
        rows=tuple((title_of(each, sides.catalog), each.owner, each.takes) for each in _steps(sides)),
    )
    yield Paragraph(say("The command atoll onboard ", sides.stack, " makes days of a calendar of it."))


def _steps(sides: Sides) -> tuple[Step, ...]:
    return steps(sides.lock, sides.checklist, sides.catalog)


def signatures(sides: Sides) -> Iterator[Block]:
    """Two places to sign; a provider each where there are several."""
    yield Heading(2, say("Signatures"))
    signers = [say("customer"), *(say("provider of ", place.name) for place in sides.places)]
    for who in signers if len(sides.places) > 1 else map(say, SIGNERS):
        yield Paragraph(say("For the ", who, ":"))
        yield from (Blank(say(each)) for each in ("Name", "Date", "Signature"))
