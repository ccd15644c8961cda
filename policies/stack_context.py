"""The stack that the rules evaluate: its lock, its resources and their bill, read once for all rules."""

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
    """The part of the catalog that rules read."""

    @property
    def prices(self) -> PriceList: ...

    @property
    def terms(self) -> Mapping[tuple[str, str], Term]:
        """By (purchase, provider)."""
        ...

    @property
    def machines(self) -> Mapping[tuple[str, str], Machine]:
        """By (provider, name)."""
        ...

    @property
    def accelerators(self) -> Mapping[str, Accelerator]: ...

    @property
    def providers(self) -> Mapping[str, Provider]: ...

    @property
    def regions(self) -> Mapping[tuple[str, str], Region]:
        """By (provider, name)."""
        ...


@dataclass(frozen=True, kw_only=True)
class StackContext:
    """One stack to be evaluated.

    Args:
        lock: what was accepted.
        ceilings: limits that apply: the base branch's where a change is evaluated, else the lock's own.
        resources: every registration; inputs only.
        catalog: the base branch's where a change is evaluated.
        law: policy settings; the base branch's where a change is evaluated.
        before: the lock before the change, where it is known.
        software: digests that are known.
        tells_retention: whether `retain_on_delete` of the resources is known; Pulumi's policy protocol omits it.
        estimated: whether services without a price are estimated where the rule allows it.
        whole: bill of the accepted cluster, where the program registers only a part of it (`atoll:reach`).
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
    estimated: bool = True

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
        return price_resources(
            self.resources, catalog=self.catalog, default_region=self.default_region, estimated=self.estimated
        )

    @cached_property
    def bill(self) -> Bill:
        """The bill of the resources; where they are only a part, of the whole cluster and of what is outside it."""
        return self.taken.bill if self.whole is None else _merge_bills(self.whole, self.taken.bill)

    def of_types(self, tokens: Iterable[str]) -> Iterator[Resource]:
        """Resources of the given types, in the order of the types."""
        for token in tokens:
            yield from self.registered.by_type.get(token, ())


def _merge_bills(*bills: Bill) -> Bill:
    """Every line once, by its key: of two the more expensive, and an unpriced one before any other."""
    found: dict[str, LineItem] = {}
    for line in (line for bill in bills for line in bill.lines):
        if line.key not in found or _weight(line) > _weight(found[line.key]):
            found[line.key] = line
    return Bill(tuple(found.values()))


def _weight(line: LineItem) -> tuple[bool, Decimal, Decimal]:
    amount = line.usd_per_month or NOTHING
    return line.usd_per_month is None, amount.max, amount.expected
