"""The takeoff: every registered resource counted and priced, or named as what cannot be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol, final

from catalogs.model import UnpricedError
from planning.costs import pricing
from planning.costs.bill import LIST_PRICE, Bill, Charge, LineItem
from planning.costs.estimates import Estimates
from planning.costs.resources.counters import COMPONENT, counter_of, declares_share, free_by_rule, group_of
from planning.costs.resources.findings import CostingContext, Free, Gap
from planning.costs.resources.locations import ProviderRegion, place_of
from planning.costs.resources.resource import OWN_PREFIX, ResourceTree, UnreadableError
from planning.spec.lock_content import State
from planning.values.money import NOTHING, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from decimal import Decimal

    from catalogs.model import Price, Term
    from planning.costs.pricing import PriceList
    from planning.costs.resources.findings import Finding
    from planning.costs.resources.resource import Resource


CHOICE: Final = "one of "  # how the note of a line begins whose machine is one of several
_NOWHERE: Final = ProviderRegion("", "")  # where a price that the checklist states is looked up: nowhere


@final
class CachedPriceList:
    """A price list that remembers what it was asked.

    Args:
        estimated: whether services that it does not have are estimated where the rule allows it.
    """

    def __init__(self, prices: PriceList, *, estimated: bool) -> None:
        self._prices = prices
        self.list_prices, self.places = prices.list_prices, prices.places
        self.estimates = Estimates(prices) if estimated else None
        self._answers: dict[tuple[str, str, str, str], tuple[Price, ...] | str] = {}

    def tiers(self, *, provider: str, item: str, region: str, purchase: str = LIST_PRICE) -> tuple[Price, ...]:
        """As `Prices.tiers`."""
        asked = (provider, item, region, purchase)
        if asked not in self._answers:
            self._answers[asked] = self._look_up(*asked)
        answer = self._answers[asked]
        if isinstance(answer, str):
            raise UnpricedError(answer)
        return answer

    def _look_up(self, provider: str, item: str, region: str, purchase: str) -> tuple[Price, ...] | str:
        """The price, or why there is none."""
        try:
            return self._prices.tiers(provider=provider, item=item, region=region, purchase=purchase)
        except UnpricedError as error:
            return str(error)


def lines_of(
    found: Finding, case: CostingContext, prices: CachedPriceList, *, rest: Sequence[LineItem] | None
) -> tuple[LineItem, ...]:
    """The lines of one finding.

    Args:
        found: what a counter found.
        case: where it was found, which tells the place that prices hold for.
        prices: price list.
        rest: every other line of the bill, for charges that are a share of it; None while that is not known yet, and
            then such a charge has no line.
    """
    if isinstance(found, Free):
        return ()
    if isinstance(found, Gap):
        nothing = Charge(found.key, found.label, found.group, found.item, NOTHING)
        line = pricing.build_unpriced_line(nothing, found.reason)
        return (replace(line, unit="", at_most_usd_per_month=_at_most(found, case, prices)),)
    charges = (found,) if isinstance(found, Charge) else found.charges
    if charges[0].of_bill:
        charges = () if rest is None else (pricing.share_of_bill(charges[0], rest),)
    return _price_charges(charges, case, prices) if charges else ()


def _price_charges(charges: tuple[Charge, ...], case: CostingContext, prices: CachedPriceList) -> tuple[LineItem, ...]:
    """The lines of one charge, or of a choice of several."""
    try:
        place = _NOWHERE if charges[0].stated_usd is not None or charges[0].at else place_of(case)
    except UnreadableError as error:
        return (pricing.build_unpriced_line(charges[0], str(error)),)
    priced = tuple(
        pricing.price(
            each,
            catalog_prices=prices,
            provider=place.provider,
            region=place.region,
            estimates=prices.estimates,
        )
        for each in charges
    )
    return priced[0] if len(priced) == 1 else _either(charges, priced)


def _either(charges: Sequence[Charge], priced: Sequence[tuple[LineItem, ...]]) -> tuple[LineItem, ...]:
    """One line for a choice: the minimum is its cheapest, the maximum its most expensive, the first is expected."""
    names = ", ".join(charge.item for charge in charges)
    lines = [line for each in priced for line in each]
    missing = [line for line in lines if line.usd_per_month is None or line.state is State.ESTIMATED]
    if missing or not lines:
        return tuple(_build_unpriced_choice(missing[0], names) for _ in missing[:1])
    amounts = [line.usd_per_month for line in lines if line.usd_per_month is not None]
    spread = Range(min(each.min for each in amounts), amounts[0].expected, max(each.max for each in amounts))
    return (replace(lines[0], usd_per_month=spread, note=f"{CHOICE}{names}: from the cheapest to the most expensive"),)


def _build_unpriced_choice(line: LineItem, names: str) -> LineItem:
    """A choice of which one has no price, or an estimate, of which the range is not that of the choice."""
    return replace(
        line,
        state=State.UNPRICED,
        usd_per_unit=None,
        usd_per_month=None,
        source="",
        as_of=None,
        note=f"{CHOICE}{names}: {line.note}",
        usd_per_unit_range=None,
    )


def _at_most(gap: Gap, case: CostingContext, prices: CachedPriceList) -> Decimal | None:
    """USD a month that a gap comes to at most; None where nothing bounds it, or where the bound has no price."""
    lines = [line for choice in gap.at_most for line in _price_charges(choice.charges, case, prices)]
    amounts = [line.usd_per_month.max for line in lines if line.usd_per_month is not None]
    return sum(amounts, start=ZERO) if gap.at_most and len(amounts) == len(lines) else None


class CostingBook(Protocol):
    """What a takeoff needs of a catalog."""

    @property
    def prices(self) -> PriceList:
        """The price list."""
        ...

    @property
    def terms(self) -> Mapping[tuple[str, str], Term]:
        """Purchase words by (word, provider)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceCost:
    """One resource, counted.

    Args:
        state: unpriced as soon as one of its lines is, else estimated; free only by a rule.
        reason: the rule by which it is free; "" otherwise.
    """

    urn: str
    type: str
    state: State
    lines: tuple[LineItem, ...]
    reason: str = ""

    @property
    def usd_per_month(self) -> Range | None:
        """What is known of its price, a floor while it is unpriced; None where nothing is."""
        amounts = [line.usd_per_month for line in self.lines if line.usd_per_month is not None]
        if not amounts and self.state is State.UNPRICED:
            return None
        return sum(amounts, start=NOTHING)


@dataclass(frozen=True)
class StackCost:
    """Every resource of one stack, in the order given."""

    resources: tuple[ResourceCost, ...]

    @cached_property
    def bill(self) -> Bill:
        """One bill: equal lines of several resources are one line, as two NAT gateways are."""
        return Bill(tuple(_merge_lines(line for taken in self.resources for line in taken.lines)))


def price_resources(
    resources: Sequence[Resource],
    *,
    catalog: CostingBook,
    default_region: str | None = None,
    estimated: bool = True,
) -> StackCost:
    """Count and price the resources of one stack.

    Args:
        resources: every registration; a price may hang on another resource.
        catalog: prices and purchase words.
        default_region: stack config "aws:region"; None where nothing tells it.
        estimated: whether services without a price are estimated where the rule allows it.

    Raises:
        AmbiguousPriceError: the price list has more than one answer.
    """
    registered = ResourceTree(resources, default_region)
    prices = CachedPriceList(catalog.prices, estimated=estimated)
    terms = catalog.terms
    taken = [
        _apply_free_rule(each) or _price_resource(CostingContext(each, registered=registered, terms=terms), prices)
        for each in resources
    ]
    for index, resource in enumerate(resources):
        if declares_share(resource):
            here = registered.prefix(resource)
            near = [each for each, of in zip(taken, resources, strict=True) if registered.prefix(of) == here]
            case = CostingContext(resource, registered=registered, terms=terms)
            taken[index] = _price_resource(case, prices, rest=tuple(line for each in near for line in each.lines))
    return StackCost(tuple(taken))


def _apply_free_rule(resource: Resource) -> ResourceCost | None:
    """A resource that is free by its type alone, as most are."""
    rule = free_by_rule(resource.type)
    if rule is None and not resource.custom and not resource.type.startswith(OWN_PREFIX):
        rule = COMPONENT
    return None if rule is None else _free(resource, rule)


def _free(resource: Resource, rule: str) -> ResourceCost:
    return ResourceCost(urn=resource.urn, type=resource.type, state=State.FREE, lines=(), reason=rule)


def _price_resource(
    case: CostingContext, prices: CachedPriceList, *, rest: tuple[LineItem, ...] | None = None
) -> ResourceCost:
    """One resource with its lines and state; shares of the bill only where the `rest` of it is known."""
    resource = case.resource
    findings = tuple(_findings(case))
    rules = [found.reason for found in findings if isinstance(found, Free)]
    if rules and len(rules) == len(findings):
        return _free(resource, rules[0])
    lines = tuple(_at_place(line, case) for found in findings for line in lines_of(found, case, prices, rest=rest))
    return ResourceCost(urn=resource.urn, type=resource.type, state=_state(lines), lines=lines)


def _at_place(line: LineItem, case: CostingContext) -> LineItem:
    """The line under the name of its placement, as the bill has it; two clusters have resources of the same names."""
    place = case.registered.prefix(case.resource).removesuffix("/")
    said = not place or line.label.startswith(f"{place}: ")
    return line if said else replace(line, label=f"{place}: {line.label}")


def _findings(case: CostingContext) -> Iterator[Finding]:
    """What the resource's rule finds; a gap where there is no rule or where a property cannot be read."""
    counter = counter_of(case.resource.type)
    if counter is None:
        yield _gap(case, f"no rule for {case.resource.type}")
        return
    try:
        yield from counter(case)
    except UnreadableError as error:
        yield _gap(case, str(error))


def _gap(case: CostingContext, reason: str) -> Gap:
    resource = case.resource
    group = group_of(resource.type)
    return Gap(key=resource.name, label=resource.name, group=group, item=resource.type, reason=reason)


def _state(lines: Iterable[LineItem]) -> State:
    """Unpriced beats estimated beats priced beats free; what runs never at all is priced, at nothing."""
    states = {line.state for line in lines} or {State.PRICED}
    return next(state for state in (State.UNPRICED, State.ESTIMATED, State.PRICED, State.FREE) if state in states)


def _merge_lines(lines: Iterable[LineItem]) -> Iterator[LineItem]:
    """Lines that differ in quantity only as one; lines that share a key by chance told apart as "key~2"."""
    found: dict[tuple[object, ...], LineItem] = {}
    for line in lines:
        same = (line.key, line.item, line.state, line.unit, line.usd_per_unit, line.source, line.as_of, line.note)
        found[same] = _sum(found[same], line) if same in found else line
    taken: dict[str, int] = {}
    for line in found.values():
        number = taken[line.key] = taken.get(line.key, 0) + 1
        yield line if number == 1 else replace(line, key=f"{line.key}~{number}")


def _sum(one: LineItem, other: LineItem) -> LineItem:
    quantity = one.quantity + other.quantity
    if one.usd_per_month is None or other.usd_per_month is None:
        return replace(one, quantity=quantity, at_most_usd_per_month=_both(one, other))
    return replace(one, quantity=quantity, usd_per_month=one.usd_per_month + other.usd_per_month)


def _both(one: LineItem, other: LineItem) -> Decimal | None:
    """What two unpriced lines come to at most, where both are bounded."""
    if one.at_most_usd_per_month is None or other.at_most_usd_per_month is None:
        return None
    return one.at_most_usd_per_month + other.at_most_usd_per_month
