"""What a counter finds in a resource: charges, gaps where a price should be, or that it is free and by which rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from catalogs.model import Item
from planning.costs.bill import BillGroup
from planning.costs.charge import Charge
from planning.costs.resources.context import VOLUME_UNKNOWN
from planning.costs.resources.resource import Properties, UnreadableError
from planning.values.money import HOURS_PER_MONTH, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from decimal import Decimal

    from planning.costs.resources.context import CostingContext


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
        at_most: what it comes to at most, the dearest of each choice together; empty where nothing bounds it.
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


@dataclass(frozen=True, slots=True)
class PriceLocation:
    """Where a charge is priced."""

    provider: str
    region: str


Finding: TypeAlias = "Charge | AlternativeCharges | Gap | Free"
Counter: TypeAlias = "Callable[[CostingContext], Iterable[Finding]]"


def machines(case: CostingContext, reason: str, *, largest: Callable[[], Iterable[Finding]]) -> Gap:
    """The gap of a group of machines.

    Args:
        case: the group.
        reason: names the property that cannot be read.
        largest: counts the group at its largest size.
    """
    return Gap(
        key=case.pool_key("machine"),
        label=case.resource.name,
        group=BillGroup.COMPUTE,
        item=case.resource.type,
        reason=reason,
        at_most=find_bound(largest),
    )


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
    if not case.declared(items):
        raise UnreadableError(VOLUME_UNKNOWN)
    yield Free("paid by use, counted as its component declares")


def tier_key(case: CostingContext) -> str:
    """Key of a storage tier's line: the tier that the component above says, else the resource's own name.

    Raises:
        UnreadableError: the tier is not known, so that nobody can tell which limit its line is under.
    """
    tier = Properties(None if case.owner is None else case.owner.inputs.get("tier"), "tier")
    return f"storage/{tier.text(case.resource.name)}"
