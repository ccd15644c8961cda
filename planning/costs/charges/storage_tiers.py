"""The charges of a storage tier: what lies in it, and the requests to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.costs.bill import Group
from planning.costs.charge import Charge
from planning.values.money import NOTHING, Range

if TYPE_CHECKING:
    from planning.spec.cluster import Tier

OBJECT_ITEMS: Final = frozenset({Item.OBJECT, Item.OBJECT_INFREQUENT, Item.OBJECT_ARCHIVE})


def lying(tier: Tier) -> Charge:
    """What lies in a tier, as it lies there over the contract."""
    return Charge(
        key=f"storage/{tier.tier}",
        label=f"{tier.tier} storage: {tier.engine}",
        group=Group.STORAGE,
        item=tier.item,
        quantity=Range.exactly(tier.provisioned_gb) + (tier.grown_gb.as_range() if tier.grown_gb else NOTHING),
    )


def requests(tier: Tier) -> tuple[Charge, ...]:
    """Requests to an object tier, where the checklist foresees them."""
    kinds = (
        ("writes", "that write or list", Item.OBJECT_PUT, tier.writes_thousands),
        ("reads", "that read", Item.OBJECT_GET, tier.reads_thousands),
    )
    return tuple(
        Charge(
            key=f"storage/{tier.tier}/{name}",
            label=f"{tier.tier} storage: requests {words}",
            group=Group.STORAGE,
            item=item,
            quantity=thousands.as_range(),
        )
        for name, words, item, thousands in kinds
        if thousands is not None
    )
