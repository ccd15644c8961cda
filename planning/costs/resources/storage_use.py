"""What every cloud's storage has in common: the item kinds of objects and logs, and volumes that only use tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.costs.resources.context import VOLUME_UNKNOWN
from planning.costs.resources.findings import Free
from planning.costs.resources.properties import Properties, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from planning.costs.resources.context import Case
    from planning.costs.resources.findings import Finding

OBJECTS: Final = (Item.OBJECT, Item.OBJECT_INFREQUENT, Item.OBJECT_ARCHIVE)
LOGS: Final = (Item.LOG_INGEST, Item.LOG_STORAGE)


def by_use(case: Case, *, items: Collection[str]) -> Iterator[Finding]:
    """Something paid for by use, which only a component above can foresee."""
    if not case.declared(items):
        raise UnreadableError(VOLUME_UNKNOWN)
    yield Free("paid by use, counted as its component declares")


def tier_key(case: Case) -> str:
    """Key of a storage tier's line: the tier that the component above says, else the resource's own name.

    Raises:
        UnreadableError: the tier is not known, so that nobody can tell which limit its line is under.
    """
    tier = Properties(None if case.owner is None else case.owner.inputs.get("tier"), "tier")
    return f"storage/{tier.text(case.resource.name)}"
