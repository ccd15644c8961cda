"""Which items of an option have no firm price: unknown, estimated, old, or published as a maximum discount only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from catalogs.ages import Freshness, judge_age, judge_day
from catalogs.catalog import SERVICES
from catalogs.model import PurchaseKind
from planning.agreements.quotation.item_words import ITEM_WORDS
from planning.checklist.model.vocabulary import HOME
from planning.costs.bill import placement_of
from planning.costs.charges import charges
from planning.costs.pricing import place_of
from planning.quoting.option import UNPRICED_TERM
from planning.spec.lock_content import State
from planning.values.money import HOURS_PER_MONTH, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date
    from decimal import Decimal

    from catalogs.catalog import Catalog
    from catalogs.model import Price, Term
    from planning.costs.bill import Charge
    from planning.spec.cluster import ClusterSpec, Pool
    from planning.spec.lock_content import LockedLine

TIER: Final = "#"  # behind the key of a line, before the number of its price tier


class Reason(StrEnum):
    """Why an item is asked for, gravest first."""

    UNPRICED = "no price known"
    ESTIMATED = "only an estimate known"
    STALE = "the known price is old"
    DISCOUNT = "only a maximum discount is published"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedOption:
    """An option whose items are asked for.

    Args:
        lines: of its bill, as a lock keeps them.
        contract_months: of the contract that the checklist asks for; 0 for none.
    """

    stack: str
    option: str
    placements: Sequence[ClusterSpec]
    lines: Sequence[LockedLine]
    contract_months: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedItem:
    """One row of a request: what a provider is asked to price.

    Args:
        purchase: word of terms.csv; "list" for services.
        months: term of the purchase, of a service the contract's; 0 for none.
        quantity: units a month.
        needs: of a machine, what it must have.
        uses: what it is for, as the lines of the bill say it.
        known: the price that the provider publishes, where there is one, and its source and day.
    """

    provider: str
    region: str
    item: str
    purchase: str
    unit: str
    months: int
    quantity: Range
    reason: Reason
    needs: str
    uses: tuple[str, ...]
    known_usd: Decimal | None = None
    known_source: str = ""
    known_as_of: date | None = None
    note: str = ""

    @property
    def what(self) -> str:
        return f"{ITEM_WORDS[self.item]} ({self.needs})" if self.item in ITEM_WORDS and self.needs else self.title

    @property
    def title(self) -> str:
        return ITEM_WORDS.get(self.item, self.needs or self.item)


def list_requested_items(option: QuotedOption, *, catalog: Catalog, today: date) -> tuple[RequestedItem, ...]:
    """Exactly the items of an option without a firm price, each once, with the quantity of all its lines.

    Args:
        catalog: what it prices by now is not asked for, even where the bill is an older one.
        today: the day on which prices are too old.
    """
    asked = _OptionItems(option, catalog=catalog, today=today)
    found: dict[tuple[str, str, str, str], RequestedItem] = {}
    for each in (*asked.lines(), *asked.discounts()):
        key = (each.provider, each.region, each.item, each.purchase)
        found[key] = _add(found[key], each) if key in found else each
    return tuple(found.values())


def _add(one: RequestedItem, other: RequestedItem) -> RequestedItem:
    """Two lines of one price: their quantities together, and the graver reason."""
    graver = min(one, other, key=lambda each: list(Reason).index(each.reason))
    uses = tuple(dict.fromkeys((*one.uses, *other.uses)))
    return replace(graver, quantity=one.quantity + other.quantity, uses=uses)


class _OptionItems:
    """The items of one option, and what its catalog knows of them."""

    def __init__(self, option: QuotedOption, *, catalog: Catalog, today: date) -> None:
        self._option = option
        self._catalog = catalog
        self._today = today
        self._charges: Mapping[str, tuple[Charge, ClusterSpec]] = {
            charge.key: (charge, cluster) for cluster in option.placements for charge in charges(cluster)
        }

    def lines(self) -> Iterator[RequestedItem]:
        for line in self._option.lines:
            reason = self._judge(line)
            charge, cluster = self._charges.get(line.key.split(TIER)[0], (None, None))
            if reason is None or charge is None or cluster is None or charge.stated_usd is not None:
                continue
            for purchase in self._open_purchases(charge, cluster, reason):
                yield self._item(line, charge, cluster, purchase=purchase, reason=reason)

    def _judge(self, line: LockedLine) -> Reason | None:
        if line.state == State.UNPRICED:
            return Reason.UNPRICED
        if line.state == State.ESTIMATED:
            return Reason.ESTIMATED
        if line.as_of is None:  # an undated price ages from its entry into the catalog, which its tiers tell
            return Reason.STALE if line.source else None
        age = judge_day(line.as_of, today=self._today, machine=line.item not in SERVICES)
        return None if age is Freshness.FRESH else Reason.STALE

    def _open_purchases(self, charge: Charge, cluster: ClusterSpec, reason: Reason) -> tuple[str, ...]:
        """What of a charge has no firm price by now: its own purchase, and the one that may take its place."""
        if reason is Reason.STALE:
            return (charge.purchase,) if self._is_stale(charge, cluster) else ()
        words = (charge.purchase, charge.fallback) if charge.fallback else (charge.purchase,)
        return tuple(word for word in words if not self._has_price(charge, cluster, word))

    def _has_price(self, charge: Charge, cluster: ClusterSpec, purchase: str) -> bool:
        tiers = self._find_tiers(charge, cluster, purchase)
        return bool(tiers) and tiers[0].above == ZERO

    def _is_stale(self, charge: Charge, cluster: ClusterSpec) -> bool:
        tiers = self._find_tiers(charge, cluster, charge.purchase)
        is_machine = charge.item not in SERVICES
        ages = {judge_age(each, today=self._today, machine=is_machine) for each in tiers}
        return ages != {Freshness.FRESH}

    def _find_tiers(self, charge: Charge, cluster: ClusterSpec, purchase: str) -> tuple[Price, ...]:
        provider, region = self._place(charge, cluster)
        return self._catalog.prices.find_tiers(provider=provider, item=charge.item, region=region, purchase=purchase)

    def _place(self, charge: Charge, cluster: ClusterSpec) -> tuple[str, str]:
        return place_of(charge, provider=cluster.placement.provider, region=cluster.placement.region)

    def _item(
        self, line: LockedLine, charge: Charge, cluster: ClusterSpec, *, purchase: str, reason: Reason
    ) -> RequestedItem:
        provider, region = self._place(charge, cluster)
        is_machine = charge.item not in SERVICES
        term = self._catalog.find_term(provider=provider, purchase=purchase) if is_machine else None
        pool = next((pool for pool in cluster.pools if charge.key.endswith(f"pool/{pool.name}/machine")), None)
        return RequestedItem(
            provider=provider,
            region=region,
            item=str(charge.item),
            purchase=purchase,
            unit=line.unit,
            months=term.months if term else 0 if is_machine else self._option.contract_months,
            quantity=Range(*line.quantity),
            reason=reason,
            needs="" if pool is None else _describe_machine(pool),
            uses=(_name_use(line, placement_of(line.key)) if pool is None else _name_pool(pool),),
            known_usd=_find_known(line) if reason is Reason.STALE else None,
            known_source=line.source if reason is Reason.STALE else "",
            known_as_of=line.as_of if reason is Reason.STALE else None,
        )

    def discounts(self) -> Iterator[RequestedItem]:
        """Accelerators that are not bought for a term, where a provider says of its term prices only "up to 60%"."""
        lines = {line.key.split(TIER)[0]: line for line in self._option.lines}
        for cluster in self._option.placements:
            name = cluster.placement.name
            prefix = "" if name == HOME else f"{name}/"
            published = self._catalog.terms.get((UNPRICED_TERM, cluster.placement.provider))
            for pool in cluster.pools if published else ():
                line = lines.get(f"{prefix}pool/{pool.name}/machine")
                if published and line and pool.accelerators and pool.kind != PurchaseKind.RESERVED:
                    yield from self._discount(line, pool, cluster, published)

    def _discount(self, line: LockedLine, pool: Pool, cluster: ClusterSpec, published: Term) -> Iterator[RequestedItem]:
        provider, region = cluster.placement.provider, cluster.placement.region
        term = self._choose_term(published)
        prices = self._catalog.prices
        if prices.find_tiers(provider=provider, item=pool.machine, region=region, purchase=term.purchase):
            return
        known = prices.find_tiers(provider=provider, item=pool.machine, region=region, purchase=PurchaseKind.ON_DEMAND)
        yield RequestedItem(
            provider=provider,
            region=region,
            item=pool.machine,
            purchase=term.purchase,
            unit=line.unit,
            months=term.months,
            quantity=Range.exactly(HOURS_PER_MONTH * pool.max_nodes),
            reason=Reason.DISCOUNT,
            needs=_describe_machine(pool),
            uses=(f"{_name_pool(pool)}, reserved for the whole term",),
            known_usd=known[0].usd if known else None,
            known_source=known[0].source if known else "",
            known_as_of=known[0].as_of if known else None,
            note=published.note,
        )

    def _choose_term(self, published: Term) -> Term:
        """The term as long as the contract; the one that is published where there is no contract, or none of it."""
        wanted = self._option.contract_months or published.months
        if published.months == wanted:
            return published
        fitting = (
            term
            for term in self._catalog.terms.values()
            if term.kind is PurchaseKind.RESERVED
            and term.months == wanted
            and term.provider in (published.provider, "*")
        )
        return next(fitting, published)


def _find_known(line: LockedLine) -> Decimal | None:
    return ZERO if line.state == State.FREE else line.usd_per_unit


def _name_pool(pool: Pool) -> str:
    return f"pool {pool.name}, {pool.max_nodes} node{'' if pool.max_nodes == 1 else 's'} at most"


def _describe_machine(pool: Pool) -> str:
    facts = (
        f"{pool.accelerators} x {pool.accelerator}" if pool.accelerator else "",
        f"{pool.vcpus} vCPUs" if pool.vcpus else "",
        f"{pool.memory_gib.normalize():f} GiB of memory" if pool.memory_gib else "",
        pool.architecture if not pool.accelerator else "",
    )
    return ", ".join(fact for fact in facts if fact)


def _name_use(line: LockedLine, placement: str) -> str:
    """What a line is for; how the provider sells it, where nobody knows, is what is asked."""
    said = line.label.partition(": how ")[0]
    return said.removeprefix(f"{placement}: ") if placement else said


def group_by_provider(items: Iterable[RequestedItem]) -> Mapping[str, tuple[RequestedItem, ...]]:
    found: dict[str, list[RequestedItem]] = {}
    for each in items:
        found.setdefault(each.provider, []).append(each)
    return {provider: tuple(its) for provider, its in found.items()}
