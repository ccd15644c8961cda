"""The annex of the contract, whole: only what this stack has, every figure from lock, checklist or catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.agreements.contract.compute import compute
from planning.agreements.contract.context import Sides
from planning.agreements.contract.fabric import fabric
from planning.agreements.contract.node_lifecycle import allocation, burn_in, spares
from planning.agreements.contract.parties import accepted, parties
from planning.agreements.contract.price import onboarding, price
from planning.agreements.contract.remedies import delivered, shortfall
from planning.agreements.contract.scaling import scaled
from planning.agreements.contract.signatures import signatures, timeline
from planning.agreements.contract.storage import control, storage
from planning.agreements.contract.support import brought, generation, migration, support
from planning.checklist.model.checklist import checklist_digest
from planning.documents.blocks import Document, Notice, Paragraph
from planning.documents.figures import say
from planning.documents.sources import of_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from catalogs.catalog import Catalog
    from planning.checklist.model.checklist import Checklist
    from planning.documents.blocks import Block
    from planning.spec.lock import Lock

LAWYER: Final = "This is no legal advice. Have a lawyer review it before anyone signs."
SECTIONS: Final[tuple[Callable[[Sides], Iterator[Block]], ...]] = (
    parties,
    accepted,
    price,
    delivered,
    compute,
    fabric,
    storage,
    control,
    shortfall,
    burn_in,
    spares,
    allocation,
    scaled,
    support,
    generation,
    migration,
    onboarding,
    timeline,
    brought,
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
    sides = Sides(lock=lock, checklist=checklist, catalog=catalog, changed=changed)
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
