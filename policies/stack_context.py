"""What the rules judge: one stack with its lock, its resources and their bill, read once for all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from catalogs.providers import find_traits
from planning.costs.bill import Bill
from planning.costs.resources.resource import ResourceTree
from planning.costs.resources.stack_cost import price_resources
from planning.values.money import NOTHING
from policies.settings import PolicySettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date
    from decimal import Decimal

    from catalogs.model import Accelerator, Machine, Provider, Region, Term
    from planning.costs.bill import LineItem
    from planning.costs.pricing import PriceList
    from planning.costs.resources.resource import Resource
    from planning.costs.resources.stack_cost import StackCost
    from planning.platform.digests import SoftwareLock
    from planning.spec.lock import Ceilings, Lock


class RuleCatalog(Protocol):
    """What rules need of a catalog."""

    @property
    def prices(self) -> PriceList:
        """The price list."""
        ...

    @property
    def terms(self) -> Mapping[tuple[str, str], Term]:
        """Purchase words by (word, provider)."""
        ...

    @property
    def machines(self) -> Mapping[tuple[str, str], Machine]:
        """Machines by (provider, name)."""
        ...

    @property
    def accelerators(self) -> Mapping[str, Accelerator]:
        """Accelerators by name."""
        ...

    @property
    def providers(self) -> Mapping[str, Provider]:
        """Providers by name."""
        ...

    @property
    def regions(self) -> Mapping[tuple[str, str], Region]:
        """Regions by (provider, name)."""
        ...


@dataclass(frozen=True, kw_only=True)
class StackContext:
    """A stack in front of the rules.

    Args:
        lock: what was accepted.
        ceilings: the limits that bind; of the base where a change is judged, else the lock's own.
        resources: every registration; inputs only.
        today: the day on which it is judged.
        catalog: prices and facts; of the base where a change is judged.
        law: what the project set of the rules, and its exemptions; of the base where a change is judged.
        before: the lock as it was before the change; None where nothing tells it.
        software: digests that are known.
        tells_retention: whether `retain_on_delete` of the resources is told; Pulumi's policy protocol does not.
        whole: bill of the accepted cluster, where the program is told to stop short of it; None where it is not.
    """

    lock: Lock
    ceilings: Ceilings
    resources: tuple[Resource, ...]
    today: date
    catalog: RuleCatalog
    law: PolicySettings = field(default_factory=PolicySettings)
    before: Lock | None = None
    software: SoftwareLock | None = None
    tells_retention: bool = True
    whole: Bill | None = None

    @property
    def default_region(self) -> str | None:
        """Region of resources whose provider names none."""
        placement = self.lock.spec.placement
        return placement.region if find_traits(placement.target).regional_default else None

    @cached_property
    def registered(self) -> ResourceTree:
        return ResourceTree(self.resources, self.default_region)

    @cached_property
    def taken(self) -> StackCost:
        """Every resource counted and priced."""
        return price_resources(self.resources, catalog=self.catalog, default_region=self.default_region)

    @cached_property
    def bill(self) -> Bill:
        """The bill of the resources; where they are a part of the cluster, of all of it and what stands beside it."""
        return self.taken.bill if self.whole is None else _dearest(self.whole, self.taken.bill)

    def of_types(self, tokens: Iterable[str]) -> Iterator[Resource]:
        """Resources of the given types, in the order of the types."""
        for token in tokens:
            yield from self.registered.by_type.get(token, ())


def _dearest(*bills: Bill) -> Bill:
    """Every line of the bills once, by its key; of two the dearer, and one that nobody can price before any other."""
    found: dict[str, LineItem] = {}
    for line in (line for bill in bills for line in bill.lines):
        if line.key not in found or _weight(line) > _weight(found[line.key]):
            found[line.key] = line
    return Bill(tuple(found.values()))


def _weight(line: LineItem) -> tuple[bool, Decimal, Decimal]:
    amount = line.usd_per_month or NOTHING
    return line.usd_per_month is None, amount.max, amount.expected
