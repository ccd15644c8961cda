"""One resource in front of its counter, with its surroundings."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, final

from planning.costs.charge import CHARGES_INPUT, Charge
from planning.costs.resources.resource import Properties, UnreadableError
from planning.values.money import HOURS_PER_MONTH, Range

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from catalogs.model import Term
    from planning.costs.bill import BillGroup
    from planning.costs.resources.resource import Resource
    from planning.costs.resources.stack_resources import ResourceTree

EVERY_PROVIDER: Final = "*"
PART: Final = "part"  # input by which a component of ours names the lines of what is below it
VOLUME_UNKNOWN: Final = "volume unknown: no component above declares it"


@final
class CostingContext:
    """What a counter sees.

    Args:
        resource: to be counted.
        registered: every resource of its stack.
        terms: purchase words by (word, provider).
    """

    def __init__(self, resource: Resource, *, registered: ResourceTree, terms: Mapping[tuple[str, str], Term]) -> None:
        self.resource = resource
        self.registered = registered
        self.inputs = Properties(resource.inputs)
        self._terms = terms

    @cached_property
    def owner(self) -> Resource | None:
        """The nearest component of ours above; None for what others wrote."""
        return next(iter(self.registered.owners(self.resource)), None)

    @cached_property
    def pool(self) -> Properties | None:
        """Inputs of the node pool that the resource belongs to."""
        pool = self.registered.pool(self.resource)
        return None if pool is None else Properties(pool.inputs, pool.name)

    def key(self, what: str, *, own: str | None = None) -> str:
        """Key of a line: `own` below a component of ours, so that it meets the bill's; else by the resource's name."""
        if own is None or self.owner is None:
            return f"{self.resource.name}/{what}"
        return self.registered.prefix(self.resource) + own

    def part_key(self, what: str, *, own: str | None = None) -> str:
        """Key of a line of a part that names itself ("access/vpn" in its input `part`), else as `key`.

        Raises:
            UnreadableError: the part's name is not known, so that nobody can tell whose line it is.
        """
        owner = self.owner
        part = "" if owner is None else Properties(owner.inputs, owner.name).at(PART).text("")
        return self.key(what, own=f"{part}/{what}" if part else own)

    def pool_key(self, what: str) -> str:
        """Key of a node pool's line: "pool/train/machine", or by the resource's name where there is no pool.

        Raises:
            UnreadableError: the pool's name is not known, so that nobody can tell whose line it is.
        """
        pool = self.registered.pool(self.resource)
        if pool is None:
            return f"{self.resource.name}/{what}"
        name = Properties(pool.inputs, pool.name).at("pool").text(pool.name)
        return f"{self.registered.prefix(pool)}pool/{name}/{what}"

    def charge(self, item: str, quantity: Range, *, group: BillGroup, own: str | None = None, note: str = "") -> Charge:
        return Charge(
            key=self.key(item, own=own),
            label=f"{self.resource.name}: {item.replace('_', ' ')}",
            group=group,
            item=str(item),
            quantity=quantity,
            note=note,
        )

    def hourly(self, item: str, *, group: BillGroup, count: int = 1, own: str | None = None, note: str = "") -> Charge:
        """`count` of something that runs all month."""
        hours = Range.exactly(HOURS_PER_MONTH * count)
        return self.charge(item, hours, group=group, own=own, note=note)

    def term(self, purchase: str, *, provider: str) -> Term:
        """What a purchase word means.

        Raises:
            UnreadableError: nobody explains the word.
        """
        term = self._terms.get((purchase, provider)) or self._terms.get((purchase, EVERY_PROVIDER))
        if term is None:
            raise UnreadableError(f"purchase {purchase!r} is not a word of terms.csv")
        return term

    def declared(self, items: Collection[str]) -> bool:
        """Whether a component of ours above declares a charge for one of the items."""
        owners = self.registered.owners(self.resource)
        return any(_declares(Properties(owner.inputs).at(CHARGES_INPUT), items) for owner in owners)


def _declares(charges: Properties, items: Collection[str]) -> bool:
    """Whether one of declared charges is for one of the items; an unreadable list declares nothing."""
    try:
        return any(charge.at("item").text("") in items for charge in charges.each())
    except UnreadableError:
        return False
