"""What a cloud still has of a stack: what it costs by the catalog, what is kept on purpose, and what was forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from planning.costs.bill import LIST_PRICE, BillGroup, Charge, total
from planning.costs.pricing import price
from planning.spec.lock_content import State
from planning.values.json_format import SCHEMA_VERSION, fill_form, to_json
from planning.values.money import HOURS_PER_MONTH, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from planning.costs.pricing import PriceList


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """So many units a month of an item of the price list."""

    item: str
    quantity: Decimal = HOURS_PER_MONTH
    purchase: str = LIST_PRICE


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphan:
    """Something that a cloud, or a cluster, still has.

    Args:
        kind: in words, as in "EC2 instance".
        id: by which its owner finds it: an ARN, an id, or namespace/name.
        status: the cloud's own word for its state; "" where it has none.
        uses: what is paid for it.
        free: the rule by which it costs nothing; "" where it may cost.
        kept: why it is there on purpose; "" where it was forgotten.
        note: what a reader should know of its price.
    """

    kind: str
    id: str
    provider: str
    region: str
    placement: str = ""
    status: str = ""
    uses: tuple[Use, ...] = ()
    free: str = ""
    kept: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """A service that did not answer, so that resources in it may be left."""

    placement: str
    what: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedOrphan:
    """Something found, with what it costs.

    Args:
        usd_per_month: what is known of it; None where it is unpriced or free.
        note: the rule by which it is free, or why it has no price.
    """

    found: Orphan
    state: State
    usd_per_month: Decimal | None
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OrphanReport:
    """Everything that is left of a stack."""

    stack: str
    things: tuple[PricedOrphan, ...]
    unanswered: tuple[Unanswered, ...]

    @property
    def forgotten(self) -> tuple[PricedOrphan, ...]:
        """What costs money and is not kept on purpose, most expensive first, unpriced last."""
        return tuple(each for each in self.things if not each.found.kept and each.state is not State.FREE)

    @property
    def kept(self) -> tuple[PricedOrphan, ...]:
        """What stays on purpose: data and the keys to it."""
        return tuple(each for each in self.things if each.found.kept)

    @property
    def free(self) -> tuple[PricedOrphan, ...]:
        """What is left over and costs nothing."""
        return tuple(each for each in self.things if not each.found.kept and each.state is State.FREE)


def classify(
    stack: str, found: Iterable[Orphan], *, unanswered: Iterable[Unanswered] = (), catalog_prices: PriceList
) -> OrphanReport:
    """Price what was found; one thing that several searches found is there once."""
    # Two searches may find one thing, by its tag and by its network.
    distinct = {(each.kind, each.id): each for each in found}
    things = [price_orphan(each, catalog_prices=catalog_prices) for each in distinct.values()]
    return OrphanReport(stack=stack, things=tuple(sorted(things, key=_order)), unanswered=tuple(unanswered))


def _order(each: PricedOrphan) -> tuple[bool, Decimal, str, str]:
    usd = each.usd_per_month
    return usd is None, -(usd or ZERO), each.found.kind, each.found.id


def price_orphan(each: Orphan, *, catalog_prices: PriceList) -> PricedOrphan:
    """One thing with its price: free by a rule, the sum of its uses, or unpriced where one of them is."""
    if each.free:
        return PricedOrphan(found=each, state=State.FREE, usd_per_month=None, note=each.free)
    lines = [
        line
        for use in each.uses
        for line in price(
            # A charge belongs to a chapter of a bill; what is left over has none.
            Charge(
                each.id, each.kind, BillGroup.SERVICES, use.item, Range.exactly(use.quantity), purchase=use.purchase
            ),
            catalog_prices=catalog_prices,
            provider=each.provider,
            region=each.region,
        )
    ]
    open_ = [line.note for line in lines if line.state is State.UNPRICED]
    if not each.uses or open_:
        known = total(lines).expected or None
        reason = "; ".join(dict.fromkeys(filter(None, (each.note, *open_)))) or f"{each.kind} has no price here"
        return PricedOrphan(found=each, state=State.UNPRICED, usd_per_month=known, note=reason)
    return PricedOrphan(found=each, state=State.PRICED, usd_per_month=total(lines).expected, note=each.note)


_CLOSED: Final = ConfigDict(extra="forbid")


@with_config(_CLOSED)
class LeftoverForm(TypedDict):
    """Something that is still there."""

    placement: str
    provider: str
    region: str
    kind: str
    id: str
    status: str
    """The cloud's own word."""
    state: Literal["priced", "free", "estimated", "unpriced"]
    usd_per_month: str | None
    """What is known of it; a floor where it is unpriced."""
    kept: str
    """Why it is there on purpose; nothing where it was forgotten."""
    note: str


@with_config(_CLOSED)
class UnansweredForm(TypedDict):
    """Something that could not be asked."""

    placement: str
    what: str
    reason: str


@with_config(_CLOSED)
class LeftoversForm(TypedDict):
    """`atoll orphans --json`."""

    schema_version: int
    stack: str
    forgotten: list[LeftoverForm]
    """What costs money and is not kept on purpose."""
    kept: list[LeftoverForm]
    free: list[LeftoverForm]
    unanswered: list[UnansweredForm]


def leftovers_form(left: OrphanReport) -> LeftoversForm:
    return fill_form(
        LeftoversForm,
        left,
        schema_version=SCHEMA_VERSION,
        forgotten=[_leftover(orphan) for orphan in left.forgotten],
        kept=[_leftover(orphan) for orphan in left.kept],
        free=[_leftover(orphan) for orphan in left.free],
    )


def _leftover(orphan: PricedOrphan) -> LeftoverForm:
    usd = to_json(orphan.usd_per_month)
    return fill_form(LeftoverForm, orphan.found, state=orphan.state.value, usd_per_month=usd, note=orphan.note)
