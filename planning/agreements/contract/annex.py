"""The annex of the contract, whole: only what this stack has, every figure from lock, checklist or catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.agreements.contract.compute import compute, describe_scaling, fabric
from planning.agreements.contract.context import AgreementContext
from planning.agreements.contract.node_lifecycle import allocation, burn_in, spares
from planning.agreements.contract.parties import describe_accepted_option, parties
from planning.agreements.contract.price import onboarding, price
from planning.agreements.contract.remedies import describe_deliverables, shortfall
from planning.agreements.contract.storage import control, storage
from planning.agreements.contract.support import describe_customer_duties, generation, migration, support
from planning.agreements.onboarding.plan import steps, title_of
from planning.checklist.model.checklist import checklist_digest
from planning.documents.blocks import Blank, Document, Heading, Notice, Paragraph, Table
from planning.documents.figures import of_lock, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from catalogs.catalog import Catalog
    from planning.agreements.onboarding.plan import OnboardingStep
    from planning.checklist.model.checklist import Checklist
    from planning.documents.blocks import Block
    from planning.spec.lock import Lock


SIGNERS: Final = ("customer", "provider")


def timeline(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(2, say("Timeline"))
    yield Table(
        caption=say("Each step waits for the one above."),
        head=(say("step"), say("who answers for it"), say("takes")),
        rows=tuple((title_of(each, sides.catalog), each.owner, each.takes) for each in _steps(sides)),
    )
    yield Paragraph(say("The command atoll onboard ", sides.stack, " makes days of a calendar of it."))


def _steps(sides: AgreementContext) -> tuple[OnboardingStep, ...]:
    return steps(sides.lock, sides.checklist, sides.catalog)


def signatures(sides: AgreementContext) -> Iterator[Block]:
    yield Heading(2, say("Signatures"))
    signers = [say("customer"), *(say("provider of ", place.name) for place in sides.places)]
    for who in signers if len(sides.places) > 1 else map(say, SIGNERS):
        yield Paragraph(say("For the ", who, ":"))
        yield from (Blank(say(each)) for each in ("Name", "Date", "Signature"))


LAWYER: Final = "This is no legal advice. Have a lawyer review it before anyone signs."
SECTIONS: Final[tuple[Callable[[AgreementContext], Iterator[Block]], ...]] = (
    parties,
    describe_accepted_option,
    price,
    describe_deliverables,
    compute,
    fabric,
    storage,
    control,
    shortfall,
    burn_in,
    spares,
    allocation,
    describe_scaling,
    support,
    generation,
    migration,
    onboarding,
    timeline,
    describe_customer_duties,
    signatures,
)


def annex(lock: Lock, *, checklist: Checklist, catalog: Catalog) -> Document:
    """The annex for the stack of a lock.

    Args:
        checklist: as it is now; its agreement holds what was settled.
        catalog: of today's promises, sources and hardware.

    Raises:
        KeyError: the catalog lacks a promise or a source that a figure is from; a fault of ours.
    """
    changed = checklist_digest(checklist) != lock.checklist_digest
    sides = AgreementContext(lock=lock, checklist=checklist, catalog=catalog, changed=changed)
    return Document(
        title=say("Annex to the contract of ", of_lock(lock.spec.customer.name, "placements.0.customer.name")),
        subtitle=say("For the stack ", sides.stack, ", at prices of ", of_lock(lock.priced_at, "priced_at")),
        blocks=(
            Notice(say(LAWYER)),
            Paragraph(
                say(
                    "Figures are those of the accepted option, of what was settled since, and of the catalog, whose"
                    " sources stand at the end. A line to be filled in is something that nobody has settled yet."
                )
            ),
            *(block for section in SECTIONS for block in section(sides)),
            Notice(say(LAWYER)),
        ),
    )
