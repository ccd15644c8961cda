from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogs.model import AmbiguousPriceError, Item, Price, UnpricedError
from catalogs.parsing import unit_of
from planning.costs.bill import LIST_PRICE, BillGroup, Charge, total
from planning.costs.pricing import price, price_all
from planning.spec.lock_content import State
from planning.values.money import Range
from tests.kits.regional_prices import NoOtherRegions

EGRESS = (("0", "0.09"), ("10240", "0.085"), ("51200", "0.07"), ("153600", "0.05"))
TIB = 1024


class Tiers(NoOtherRegions):
    """A price list with one entry: its tiers hold for every key, and say which key was asked."""

    def __init__(self, *tiers: tuple[str, str], as_of: date | None = date(2026, 9, 1)) -> None:
        self._tiers = tiers
        self._as_of = as_of
        self.asked: tuple[str, str, str, str] | None = None

    def tiers(self, *, provider: str, item: str, region: str, purchase: str = LIST_PRICE) -> tuple[Price, ...]:
        self.asked = (provider, item, region, purchase)
        return tuple(
            Price(
                provider=provider,
                item=item,
                region=region,
                purchase=purchase,
                unit="GB",
                usd=Decimal(usd),
                above=Decimal(above),
                source="a price list",
                as_of=self._as_of,
            )
            for above, usd in self._tiers
        )


class Refusing(NoOtherRegions):
    def __init__(self, error: Exception) -> None:
        self._error = error

    def tiers(self, **_: str) -> tuple[Price, ...]:
        raise self._error


def charge(quantity: Range, **changes: object) -> Charge:
    fields = {"key": "network/egress", "label": "egress", "group": BillGroup.NETWORK, "item": "internet_egress"}
    return Charge(quantity=quantity, **{**fields, **changes})  # pyright: ignore[reportArgumentType]


def usd(quantity: Range, *tiers: tuple[str, str]) -> Range:
    return total(price(charge(quantity), catalog_prices=Tiers(*tiers), provider="aws", region="us-east-1"))


@pytest.mark.parametrize(
    ("tib", "expected"),
    [(0, "0"), (1, "92.16"), (10, "921.60"), (15, "1356.80"), (60, "5120.00"), (150, "11571.20"), (151, "11622.40")],
)
def test_egress_of_aws_is_right_at_and_between_its_boundaries(tib: int, expected: str) -> None:
    assert usd(Range.exactly(tib * TIB), *EGRESS) == Range.exactly(Decimal(expected))


def test_each_tier_reached_is_a_line_and_each_reading_is_split_by_itself() -> None:
    quantity = Range(Decimal(0), Decimal(10240), Decimal(61440))
    lines = price(charge(quantity), catalog_prices=Tiers(*EGRESS), provider="aws", region="us-east-1")
    assert [line.key for line in lines] == ["network/egress", "network/egress#2", "network/egress#3"]
    assert [line.quantity for line in lines] == [
        Range(Decimal(0), Decimal(10240), Decimal(10240)),
        Range(Decimal(0), Decimal(0), Decimal(40960)),
        Range(Decimal(0), Decimal(0), Decimal(10240)),
    ]
    assert total(lines) == Range(Decimal(0), Decimal("921.60"), Decimal("5120.00"))


def test_a_line_carries_unit_price_source_and_date_of_its_row() -> None:
    prices = Tiers(("0", "6.88"))
    wanted = charge(Range.exactly(730), item="p5.48xlarge", purchase="spot", note="one of two")
    (line,) = price(wanted, catalog_prices=prices, provider="aws", region="eu-west-1")
    assert prices.asked == ("aws", "p5.48xlarge", "eu-west-1", "spot")
    assert (line.state, line.usd_per_unit, line.unit) == (State.PRICED, Decimal("6.88"), "GB")
    assert (line.source, line.as_of, line.note) == ("a price list", date(2026, 9, 1), "one of two")


def test_a_price_without_a_date_says_so() -> None:
    undated = Tiers(("0", "1"), as_of=None)
    (line,) = price(charge(Range.exactly(1)), catalog_prices=undated, provider="aws", region="x")
    assert line.note == "undated"


def test_a_price_of_nothing_is_free_and_keeps_its_source() -> None:
    (line,) = price(charge(Range.exactly(9)), catalog_prices=Tiers(("0", "0")), provider="coreweave", region="x")
    assert (line.state, line.usd_per_unit, line.usd_per_month) == (State.FREE, None, Range.exactly(0))
    assert line.source == "a price list"


def test_a_free_first_tier_does_not_make_the_rest_free() -> None:
    quantity = Range.exactly(150)
    lines = price(charge(quantity), catalog_prices=Tiers(("0", "0"), ("100", "2")), provider="aws", region="x")
    assert [line.state for line in lines] == [State.FREE, State.PRICED]
    assert total(lines) == Range.exactly(100)


def test_what_has_no_price_is_unpriced_and_says_why() -> None:
    nobody_knows = Refusing(UnpricedError("no price for aws p9 in us-east-1 (spot)"))
    wanted = charge(Range.exactly(1), item="p9", purchase="spot", note="asked for")
    (line,) = price(wanted, catalog_prices=nobody_knows, provider="aws", region="us-east-1")
    assert (line.state, line.usd_per_month, line.usd_per_unit) == (State.UNPRICED, None, None)
    assert line.note == "asked for; no price for aws p9 in us-east-1 (spot)"
    assert line.unit == "hour"


@pytest.mark.parametrize("tiers", [(), (("100", "1"),)])
def test_a_price_list_that_leaves_out_the_first_units_prices_nothing(tiers: tuple[tuple[str, str], ...]) -> None:
    (line,) = price(charge(Range.exactly(500)), catalog_prices=Tiers(*tiers), provider="aws", region="x")
    assert (line.state, line.usd_per_month) == (State.UNPRICED, None)


def test_two_answers_are_an_error_not_a_choice() -> None:
    with pytest.raises(AmbiguousPriceError):
        price(
            charge(Range.exactly(1)),
            catalog_prices=Refusing(AmbiguousPriceError("two rows")),
            provider="aws",
            region="x",
        )


def test_what_is_never_used_has_no_line_and_what_may_be_used_has_one() -> None:
    assert price(charge(Range.exactly(0)), catalog_prices=Tiers(*EGRESS), provider="aws", region="x") == ()
    (line,) = price(
        charge(Range(Decimal(0), Decimal(0), Decimal(1))), catalog_prices=Tiers(*EGRESS), provider="aws", region="x"
    )
    assert line.usd_per_month == Range(Decimal(0), Decimal(0), Decimal("0.09"))


def test_a_price_that_the_checklist_states_needs_no_price_list() -> None:
    stated = charge(Range.exactly(1), item="onboarding", stated_usd=Decimal("166.67"))
    (line,) = price(stated, catalog_prices=Refusing(AssertionError()), provider="", region="")
    assert (line.usd_per_month, line.source, line.unit) == (Range.exactly(Decimal("166.67")), "checklist", "month")


def test_several_charges_keep_their_order() -> None:
    charges = [charge(Range.exactly(1), key=key) for key in ("b", "a")]
    lines = price_all(charges, catalog_prices=Tiers(*EGRESS), provider="aws", region="x")
    assert [line.key for line in lines] == ["b", "a"]


def test_every_word_of_the_catalog_has_a_unit() -> None:
    hourly = {item for item in Item if unit_of(item) == "hour"}
    assert hourly == {
        Item.CONTROL_PLANE,
        Item.NAT_GATEWAY,
        Item.LOAD_BALANCER,
        Item.LOAD_BALANCER_UNIT,
        Item.PUBLIC_IPV4,
        Item.INTERFACE_ENDPOINT,
        Item.VPN_CONNECTION,
        Item.TRANSIT_ATTACHMENT,
    }


amounts = st.decimals(min_value=0, max_value=1_000_000, places=3)
steps = st.lists(st.tuples(st.integers(1, 50_000), st.decimals(min_value=0, max_value=9, places=4)), max_size=4)


def ladder(first: Decimal, rest: list[tuple[int, Decimal]]) -> list[tuple[str, str]]:
    """Tiers of any width and price, rising from 0."""
    tiers, above = [("0", str(first))], 0
    for width, rate in rest:
        above += width
        tiers.append((str(above), str(rate)))
    return tiers


@given(amounts, amounts, amounts, steps)
def test_more_never_costs_less(one: Decimal, other: Decimal, first: Decimal, rest: list[tuple[int, Decimal]]) -> None:
    low, high = sorted((one, other))
    tiers = ladder(first, rest)
    assert usd(Range.exactly(low), *tiers).max <= usd(Range.exactly(high), *tiers).max


@given(amounts, steps)
def test_the_total_does_not_jump_where_a_tier_begins(first: Decimal, rest: list[tuple[int, Decimal]]) -> None:
    tiers = ladder(first, rest)
    dearest = max(Decimal(rate) for _, rate in tiers)
    little = Decimal("0.001")
    for above, _ in tiers[1:]:
        before = usd(Range.exactly(Decimal(above) - little), *tiers).max
        after = usd(Range.exactly(Decimal(above) + little), *tiers).max
        assert after - before <= 2 * little * dearest


@given(amounts, amounts, amounts, steps)
def test_the_parts_of_a_quantity_add_up(
    one: Decimal, other: Decimal, third: Decimal, rest: list[tuple[int, Decimal]]
) -> None:
    quantity = Range(*sorted((one, other, third)))
    tiers = Tiers(*ladder(Decimal(1), rest))
    lines = price(charge(quantity), catalog_prices=tiers, provider="aws", region="x")
    assert sum((line.quantity.max for line in lines), start=Decimal(0)) == quantity.max
    assert sum((line.quantity.min for line in lines), start=Decimal(0)) == quantity.min
