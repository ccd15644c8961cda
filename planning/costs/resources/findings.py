"""What a counter sees of a resource, and what it finds: charges, gaps where a price should be, or that it is free."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias, final

from catalogs.model import Item
from planning.costs.bill import CHARGES_INPUT, BillGroup, Charge
from planning.costs.resources.resource import Properties, UnreadableError
from planning.values.money import HOURS_PER_MONTH, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
    from decimal import Decimal

    from catalogs.model import PurchaseKind, Term
    from planning.costs.resources.resource import Resource, ResourceTree

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
            UnreadableError: the part's name is not known, and with it the owner of the line.
        """
        owner = self.owner
        part = "" if owner is None else Properties(owner.inputs, owner.name).at(PART).text("")
        return self.key(what, own=f"{part}/{what}" if part else own)

    def pool_key(self, what: str) -> str:
        """Key of a node pool's line: "pool/train/machine", or by the resource's name where there is no pool.

        Raises:
            UnreadableError: the pool's name is not known, and with it the owner of the line.
        """
        pool = self.registered.pool(self.resource)
        if pool is None:
            return f"{self.resource.name}/{what}"
        name = Properties(pool.inputs, pool.name).at("pool").text(pool.name)
        return f"{self.registered.prefix(pool)}pool/{name}/{what}"

    def charge(self, item: str, quantity: Range, *, group: BillGroup, own: str | None = None, note: str = "") -> Charge:
        label = f"{self.resource.name}: {item.replace('_', ' ')}"
        return Charge(self.key(item, own=own), label, group, str(item), quantity, note=note)

    def hourly(self, item: str, *, group: BillGroup, count: int = 1, own: str | None = None, note: str = "") -> Charge:
        """`count` of something that runs all month."""
        hours = Range.exactly(HOURS_PER_MONTH * count)
        return self.charge(item, hours, group=group, own=own, note=note)

    def in_part(self, charge: Charge, what: str, *, own: str | None = None) -> Charge:
        """The charge under the part that names itself, where a component of ours is above."""
        return charge if self.owner is None else replace(charge, key=self.part_key(what, own=own))

    def public_address(self) -> Charge:
        own = "network/public_ipv4"
        return self.in_part(self.hourly(Item.PUBLIC_IPV4, group=BillGroup.NETWORK, own=own), "address", own=own)

    def machine(self, item: str, hours: Range, *, purchase: str, fallback: str = "", title: str = "") -> Charge:
        """The nodes of a pool for so many hours.

        Args:
            title: what the provider calls the machine, where the catalog has another name.
        """
        key, label = self.pool_key("machine"), f"{self.resource.name}: {title or item}"
        return Charge(key, label, BillGroup.COMPUTE, item, hours, purchase=purchase, fallback=fallback)

    def read_declared_purchase(self, kinds: Container[PurchaseKind], *, provider: str, asked: str) -> str:
        """The purchase that the pool's component declares; "" where it declares none.

        Raises:
            UnreadableError: it contradicts what the provider is asked for, of which `kinds` are possible.
        """
        declared = "" if self.pool is None else self.pool.at("purchase").text("")
        if declared and self.term(declared, provider=provider).kind not in kinds:
            raise UnreadableError(f"purchase {declared!r} contradicts {asked}")
        return declared

    def term(self, purchase: str, *, provider: str) -> Term:
        """What a purchase word means.

        Raises:
            UnreadableError: the word is unknown.
        """
        term = self._terms.get((purchase, provider)) or self._terms.get((purchase, EVERY_PROVIDER))
        if term is None:
            raise UnreadableError(f"purchase {purchase!r} is not a word of terms.csv")
        return term

    def declares_any(self, items: Collection[str]) -> bool:
        """Whether a component of ours above declares a charge for one of the items."""
        owners = self.registered.owners(self.resource)
        return any(_declares(Properties(owner.inputs).at(CHARGES_INPUT), items) for owner in owners)


def _declares(charges: Properties, items: Collection[str]) -> bool:
    """Whether one of declared charges is for one of the items; an unreadable list declares nothing."""
    try:
        return any(charge.at("item").text("") in items for charge in charges.each())
    except UnreadableError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativeCharges:
    """One charge of several, as with a node group of several machine types: the first is the expected one."""

    charges: tuple[Charge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something that is paid for and cannot be counted.

    Args:
        item: word or machine that is missing, or the type token where not even that is known.
        reason: names the property or the missing rule.
        at_most: the maximum, the most expensive of each choice together; empty where nothing bounds it.
    """

    key: str
    label: str
    group: BillGroup
    item: str
    reason: str
    at_most: tuple[AlternativeCharges, ...] = ()


@dataclass(frozen=True, slots=True)
class Free:
    """Nothing is paid, and `reason` is the rule."""

    reason: str


Finding: TypeAlias = "Charge | AlternativeCharges | Gap | Free"
Counter: TypeAlias = "Callable[[CostingContext], Iterable[Finding]]"


def machines(case: CostingContext, reason: str, *, largest: Callable[[], Iterable[Finding]]) -> Gap:
    """The gap of a group of machines.

    Args:
        case: the group.
        reason: names the property that cannot be read.
        largest: counts the group at its largest size.
    """
    gap = node_gap(case, "machine", reason)
    return replace(gap, label=case.resource.name, item=case.resource.type, at_most=find_bound(largest))


def node_gap(case: CostingContext, what: str, reason: str) -> Gap:
    """The gap that a part of a node leaves: its machine, its disk, or what is attached to it."""
    group = BillGroup.STORAGE if what == "disk" else BillGroup.COMPUTE
    return replace(resource_gap(case, what, reason, group=group), key=case.pool_key(what))


def resource_gap(case: CostingContext, what: str, reason: str, *, group: BillGroup) -> Gap:
    label = f"{case.resource.name}: {what.replace('_', ' ')}"
    return Gap(key=case.key(what), label=label, group=group, item=str(what), reason=reason)


def catch_gap(case: CostingContext, what: str, count: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """What `count` finds, or the gap that it leaves, so that one unknown disk does not hide the machine's price."""
    try:
        yield from tuple(count())
    except UnreadableError as error:
        yield node_gap(case, what, str(error))


def find_bound(largest: Callable[[], Iterable[Finding]]) -> tuple[AlternativeCharges, ...]:
    """What is found at most; nothing where that cannot be read either."""
    try:
        return tuple(_choices(largest()))
    except UnreadableError:
        return ()


def _choices(findings: Iterable[Finding]) -> Iterator[AlternativeCharges]:
    for found in findings:
        if isinstance(found, Gap):
            raise UnreadableError(found.reason)
        if isinstance(found, Charge):
            yield AlternativeCharges(charges=(found,))
        elif not isinstance(found, Free):
            yield found


MAX_NODES: Final = "maxNodes"  # input of a pool's component: the nodes for which its hours are foreseen
WHOLE: Final = 1


def busiest_hours(pool: Properties, *, nodes: Decimal, share: Decimal | int = WHOLE) -> Decimal:
    """Node hours of the busiest month of the nodes that may start.

    Nodes that the pool does not foresee count all month, and so do all of them where it does not say how many it
    foresees: a raised limit is never free.

    Args:
        pool: inputs of the pool's component.
        nodes: most that may start.
        share: of the pool that these nodes are.

    Raises:
        UnreadableError: the pool's own hours cannot be read.
    """
    every = nodes * HOURS_PER_MONTH
    foreseen = pool.at(MAX_NODES)
    if not foreseen.said:
        return every
    beyond = max(nodes - foreseen.number() * share, ZERO)
    return min(every, pool.at("nodeHours").at("max").number() * share + beyond * HOURS_PER_MONTH)


def estimate_node_hours(pool: Properties, *, fewest: Decimal, most: Decimal) -> Range:
    """Node hours that a pool foresees for the one group of nodes that it has.

    Raises:
        UnreadableError: the pool's own hours cannot be read.
    """
    low, high = fewest * HOURS_PER_MONTH, most * HOURS_PER_MONTH
    expected = min(max(pool.at("nodeHours").at("expected").number(), low), high)
    return Range(low, expected, max(busiest_hours(pool, nodes=most), expected))


OBJECTS: Final = (Item.OBJECT, Item.OBJECT_INFREQUENT, Item.OBJECT_ARCHIVE)
LOGS: Final = (Item.LOG_INGEST, Item.LOG_STORAGE)


def by_use(case: CostingContext, *, items: Collection[str]) -> Iterator[Finding]:
    """Something paid for by use, which only a component above can foresee."""
    if not case.declares_any(items):
        raise UnreadableError(VOLUME_UNKNOWN)
    yield Free("paid by use, counted as its component declares")


def tier_key(case: CostingContext) -> str:
    """Key of a storage tier's line: the tier that the component above says, else the resource's own name.

    Raises:
        UnreadableError: the tier is not known, and with it the limit of its line.
    """
    tier = Properties(None if case.owner is None else case.owner.inputs.get("tier"), "tier")
    return f"storage/{tier.text(case.resource.name)}"
