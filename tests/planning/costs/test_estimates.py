from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogs.model import Item, Price, UnpricedError
from planning.costs.bill import LIST_PRICE, BillGroup, Charge, LineItem, lock_line
from planning.costs.estimates import COMMODITIES, ESTIMATE_SOURCE, Estimate, Estimates
from planning.costs.pricing import price
from planning.spec.lock_content import State
from planning.values.money import Range

HERE = "here"
DAY = date(2026, 9, 21)
DISK = str(Item.DISK)


def row(
    region: str,
    usd: str | Decimal,
    *,
    item: str = DISK,
    above: int = 0,
    provider: str = "aws",
    as_of: date = DAY,
    unit: str = "GB-month",
) -> Price:
    return Price(
        provider=provider,
        item=item,
        region=region,
        purchase=LIST_PRICE,
        unit=unit,
        usd=Decimal(usd),
        above=Decimal(above),
        source="a list",
        as_of=as_of,
    )


@dataclass(frozen=True)
class Rows:
    """A price list of these rows; machines are sold in `here` as well, so that it is a region of the provider."""

    rows: Sequence[Price]

    def tiers(self, *, provider: str, item: str, region: str, purchase: str = LIST_PRICE) -> tuple[Price, ...]:
        key = (provider, item, region, purchase)
        found = tuple(each for each in self.rows if (each.provider, each.item, each.region, each.purchase) == key)
        if not found:
            raise UnpricedError(f"no price of {item} in {region}")
        return found

    def list_prices(self, *, provider: str, item: str) -> tuple[Price, ...]:
        return tuple(each for each in self.rows if (each.provider, each.item) == (provider, item))

    def places(self) -> frozenset[tuple[str, str]]:
        return frozenset({*((each.provider, each.region) for each in self.rows), ("aws", HERE)})


def found(*rows: Price, item: str = DISK, region: str = HERE, provider: str = "aws") -> Estimate | None:
    return Estimates(Rows(rows)).find(provider=provider, item=item, region=region)


def estimated(*rows: Price, item: str = DISK) -> Estimate:
    estimate = found(*rows, item=item)
    assert estimate is not None
    return estimate


def charged(*rows: Price, item: str = DISK, allowed: bool = True, purchase: str = LIST_PRICE) -> tuple[LineItem, ...]:
    charge = Charge(
        "storage/x", "storage", BillGroup.STORAGE, item, Range(Decimal(0), Decimal(10), Decimal(20)), purchase=purchase
    )
    book = Rows(rows)
    estimates = Estimates(book) if allowed else None
    return price(charge, catalog_prices=book, provider="aws", region=HERE, estimates=estimates)


THREE = (row("a", "1"), row("b", "2"), row("c", "4"))


def test_the_range_is_that_of_the_known_regions_and_the_median_is_expected_where_nothing_else_is_known() -> None:
    estimate = estimated(*THREE)
    assert [tier.usd for tier in estimate.tiers] == [Range(Decimal(1), Decimal(2), Decimal(4))]
    assert (estimate.regions, estimate.references, estimate.as_of) == (3, (), DAY)
    assert "3 other regions have it at 1 to 4 USD per GB-month; their median" in estimate.basis(estimate.tiers[0])


def test_the_expected_price_follows_the_regions_whose_other_prices_are_most_alike() -> None:
    keys = [row(name, usd, item="encryption_key") for name, usd in (("a", "1"), ("b", "2"), ("c", "4"), (HERE, "4"))]
    estimate = estimated(*THREE, row("d", "100"), *keys)
    # "c" is priced like here; "b" and "a" follow, each times the ratio of what is priced here and there.
    assert estimate.references == ("c", "b", "a")
    assert estimate.tiers[0].usd == Range(Decimal(1), Decimal(4), Decimal(100))


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (THREE[:2], "two regions only"),
        ((), "none at all"),
        (tuple(row(each.region, "0") for each in THREE), "free elsewhere, by no rule that names this region"),
        ((row("a", "1"), row("b", "2"), row("c", "3", above=5)), "a region whose first units have no price"),
        ((row("a", "1"), row("b", "2"), row("c", "3", unit="hour")), "a region that counts another unit"),
        ((*THREE[:2], row("*", "3")), "one row for every region is no region"),
        (tuple(row(each.region, each.usd, provider="gcp") for each in THREE), "another provider"),
    ],
)
def test_no_estimate(rows: tuple[Price, ...], why: str) -> None:
    assert found(*rows) is None, why


def test_a_region_in_which_the_provider_sells_nothing_is_unknown() -> None:
    assert found(*THREE, region="atlantis") is None


@pytest.mark.parametrize("item", ["p5.48xlarge", "m7i.large", "cpu-node", Item.SUPPORT_24X7])
def test_machines_and_shares_of_the_bill_are_never_estimated(item: str) -> None:
    assert found(*(row(each.region, each.usd, item=item) for each in THREE), item=item) is None


def test_no_purchase_but_the_list_price_is_estimated() -> None:
    assert charged(*THREE, purchase="reserved")[0].state is State.UNPRICED


def test_one_region_that_asks_ten_times_as_much_widens_the_range_and_moves_the_expected_price_little() -> None:
    alike = [row(name, "1") for name in "abcd"]
    estimate = estimated(*alike, row("dear", "10"))
    assert estimate.tiers[0].usd == Range(Decimal(1), Decimal(1), Decimal(10))


def test_a_free_region_is_the_least_and_is_no_reference() -> None:
    free = [row(name, usd, item="encryption_key") for name, usd in (("a", "0"), ("b", "2"), ("c", "2"), (HERE, "2"))]
    estimate = estimated(row("a", "0"), row("b", "2"), row("c", "4"), *free)
    assert estimate.references == ("b", "c")
    assert estimate.tiers[0].usd == Range(Decimal(0), Decimal(3), Decimal(4))


def tiered(region: str, first: str, second: str, *, at: int = 10) -> tuple[Price, ...]:
    return row(region, first), row(region, second, above=at)


def test_tiers_are_estimated_one_by_one_from_the_regions_that_share_the_most_common_ones() -> None:
    rows = [*tiered("a", "3", "1"), *tiered("b", "4", "2"), *tiered("c", "5", "3")]
    others = [*tiered("d", "90", "80", at=50), row("e", "70")]
    estimate = estimated(*rows, *others)
    assert [(tier.above, tier.usd.min, tier.usd.max) for tier in estimate.tiers] == [(0, 3, 5), (10, 1, 3)]
    first, second = charged(*rows, *others)
    assert (first.key, second.key) == ("storage/x", "storage/x#2")
    assert (first.usd_per_month, second.usd_per_month) == (
        Range(Decimal(0), Decimal(40), Decimal(50)),
        Range(Decimal(0), Decimal(0), Decimal(30)),
    )


def test_fewer_than_three_regions_of_one_shape_are_too_few() -> None:
    assert found(*tiered("a", "3", "1"), *tiered("b", "4", "2"), row("c", "3"), row("d", "3")) is None


def test_an_estimated_line_says_what_it_is() -> None:
    (line,) = charged(*THREE)
    assert (line.state, line.source, line.as_of) == (State.ESTIMATED, ESTIMATE_SOURCE, DAY)
    assert (line.usd_per_unit, line.usd_per_unit_range) == (Decimal(2), Range(Decimal(1), Decimal(2), Decimal(4)))
    assert line.usd_per_month == Range(Decimal(0), Decimal(20), Decimal(80))
    locked = lock_line(line)
    assert (locked.state, locked.basis) == ("estimated", f"to be confirmed; {line.note}")


def test_where_no_estimate_is_allowed_the_line_is_unpriced_again() -> None:
    (line,) = charged(*THREE, allowed=False)
    assert (line.state, line.usd_per_month, line.at_most_usd_per_month) == (State.UNPRICED, None, None)


FIVE = ("azure", "gcp", "oci", "nebius", "crusoe")


@pytest.mark.parametrize("item", sorted(COMMODITIES))
def test_a_commodity_of_five_providers_is_unpriced_and_bounded_by_the_most_expensive(item: str) -> None:
    rows = [row("*", str(at), item=item, provider=name) for at, name in enumerate(FIVE)]
    (line,) = charged(*rows, item=item)
    assert (line.state, line.usd_per_month, line.at_most_usd_per_month) == (State.UNPRICED, None, Decimal(80))
    assert "at most 4 USD" in line.note
    assert charged(*rows[:4], item=item)[0].at_most_usd_per_month is None


def test_what_is_no_commodity_has_no_bound() -> None:
    rows = [row("*", str(at), provider=name) for at, name in enumerate(FIVE)]
    assert charged(*rows)[0].at_most_usd_per_month is None


USD = st.decimals(min_value=0, max_value=100, places=3)
REGIONS = st.sampled_from("abcdefgh")
BOOKS = st.dictionaries(
    st.sampled_from([DISK, "object", "nat_gateway", "load_balancer"]),
    st.dictionaries(st.one_of(REGIONS, st.just(HERE)), USD, max_size=9),
    max_size=4,
)


def rows_of(book: Mapping[str, Mapping[str, Decimal]]) -> tuple[Price, ...]:
    return tuple(
        row(region, usd, item=item)
        for item, prices in book.items()
        for region, usd in prices.items()
        if (item, region) != (DISK, HERE)
    )


@given(BOOKS)
def test_the_range_holds_every_known_price_and_the_expected_one(book: dict[str, dict[str, Decimal]]) -> None:
    known = [usd for region, usd in book.get(DISK, {}).items() if region != HERE]
    estimate = found(*rows_of(book))
    assert (estimate is not None) == (len(known) >= 3 and any(known))
    if estimate is not None:
        (tier,) = estimate.tiers
        assert (tier.usd.min, tier.usd.max) == (min(known), max(known))
        assert tier.usd.min <= tier.usd.expected <= tier.usd.max


@given(BOOKS, USD)
def test_one_more_known_region_never_narrows_the_range(book: dict[str, dict[str, Decimal]], usd: Decimal) -> None:
    before = found(*rows_of(book))
    after = found(*rows_of(book), row("new", usd))
    if before is not None:
        assert after is not None
        assert after.tiers[0].usd.min <= before.tiers[0].usd.min
        assert after.tiers[0].usd.max >= before.tiers[0].usd.max


@given(BOOKS, st.sampled_from([2, 3, 7]))
def test_prices_in_another_currency_unit_give_the_same_estimate(
    book: dict[str, dict[str, Decimal]], factor: int
) -> None:
    rows = rows_of(book)
    one, other = found(*rows), found(*(row(each.region, each.usd * factor, item=each.item) for each in rows))
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert one.references == other.references
        expected = one.tiers[0].usd.expected * factor
        assert abs(other.tiers[0].usd.expected - expected) <= expected * Decimal("1e-5")


@given(BOOKS, st.permutations(range(40)))
def test_the_order_of_rows_does_not_matter(book: dict[str, dict[str, Decimal]], order: list[int]) -> None:
    rows = rows_of(book)
    shuffled = [rows[at] for at in order if at < len(rows)]
    if len(shuffled) == len(rows):
        assert found(*shuffled) == found(*rows)
