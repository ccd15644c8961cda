"""The search against the plainest thing that could be right: every combination, billed whole."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from small import LAB, SERVING, TRAINING, SmallCatalog, accelerator, checklist, machine, price, search_field

from catalogs.model import Form, Item
from planning.bill import State
from planning.checklist import Checklist
from planning.demand import Demand, Misfit
from planning.options.assemble import spec
from planning.options.candidate import Candidate, whole
from planning.options.field import Field, anything, ways
from planning.options.market import Place
from planning.options.search import all_month, cheapest, timed
from planning.options.views import anywhere
from planning.pricing import price_all
from planning.quantities import charges
from planning.sizing.fit import fit

MACHINES = (
    machine("big"),
    machine("small", gpu="L40S-PCIe-48GB", gpus=1, vcpus=16, memory_gib=Decimal(128)),
    machine("cpu-8", gpu=None),
    machine("cpu-32", gpu=None, vcpus=32, memory_gib=Decimal(64)),
    machine("far-big", provider="nebius"),
    machine("far-cpu", provider="nebius", gpu=None, vcpus=16, memory_gib=Decimal(64)),
)
ACCELERATORS = (accelerator(), accelerator("L40S-PCIe-48GB", form=Form.PCIE, gb=48, bf16=362))
REGIONS = {"aws": ("us-east-1", "eu-west-1"), "nebius": ("eu-north1",)}
PRICED_ITEMS = (Item.CONTROL_PLANE, Item.DISK, Item.NAT_GATEWAY, Item.OBJECT, Item.LOAD_BALANCER, Item.INTERNET_EGRESS)

usd = st.decimals(min_value="0.01", max_value="60", places=2)
maybe_usd = st.none() | usd


@st.composite
def catalogs(draw: st.DrawFn) -> SmallCatalog:
    """Prices at random, some missing."""
    rows = []
    for each in MACHINES:
        for region in REGIONS[each.provider]:
            for purchase in ("on_demand", "spot", "reserved_12m"):
                amount = draw(usd if purchase == "on_demand" and each.provider == "aws" else maybe_usd)
                if amount is not None:
                    rows.append(price(each.provider, each.name, region, str(amount), purchase=purchase))
    for provider, regions in REGIONS.items():
        for item, region in product(PRICED_ITEMS, regions):
            amount = draw(maybe_usd)
            if amount is not None:
                rows.append(price(provider, item, region, str(amount / 100), purchase="list", unit="unit"))
    return SmallCatalog(MACHINES, rows, accelerators_list=ACCELERATORS)


CHECKLISTS = (
    checklist(TRAINING | {"spot": True}, contract={"months": 12}),
    checklist(TRAINING | {"spot": True}, contract={"months": 12}, ceiling={"binds": "max"}),
    checklist(SERVING, LAB, engineers={"count": 4}, contract={"months": 12}),
    checklist(TRAINING | {"rollout_vcpus": 64, "domain": "reinforcement_learning"}, storage={"cold": {"size": "1TB"}}),
)


def every_pool(field: Field, demand: Demand, place: Place) -> list[Candidate]:
    """Every way to satisfy one demand at a place."""
    provider, region = place
    allows = field.permits[demand.workload].allows
    if not demand.accelerators:
        usable = [each.offer() for each in field.market.cpu_stock(place) if allows(each.offer())]
        fits = [(offer, fit(demand, offer.machine, None)) for offer in usable]
        return [
            whole(demand, sits, offer, None, fallback=field.fallback(demand, offer))
            for offer, sits in fits
            if not isinstance(sits, Misfit)
        ]
    found: list[Candidate] = []
    for stock in field.market.stocks:
        sits = fit(demand, stock.machine, stock.accelerator)
        offers = [offer for offer in stock.offers(region) if allows(offer)]
        if stock.machine.provider == provider and not isinstance(sits, Misfit):
            found.extend(ways(demand, sits, offers, stock, fallback=partial(field.fallback, demand)))
    return found


def every_cluster(field: Field, place: Place) -> Iterator[tuple[Candidate, ...]]:
    """Every combination of pools at a place."""
    leading = [demand for demand in field.demands if demand.accelerators]
    for leaders in product(*(every_pool(field, demand, place) for demand in leading)):
        named = {each.demand.workload: each for each in leaders}
        others = [timed(demand, named) for demand in field.demands if not demand.accelerators]
        for rest in product(*(every_pool(field, demand, place) for demand in others)):
            yield (*leaders, *rest)


def whole_bill(field: Field, place: Place, pools: tuple[Candidate, ...]) -> Decimal:
    """The month of the whole bill that the ceiling binds, the dearest known price in place of each unpriced line."""
    cluster = spec(field.checklist, place=place, candidates=pools, market=field.market)
    lines = price_all(charges(cluster), catalog_prices=field.market.catalog.prices, provider=place[0], region=place[1])
    return sum(
        (
            field.reading(line.quantity) * field.market.dearest(line.item)
            if line.usd_per_month is None
            else field.reading(line.usd_per_month)
            for line in lines
        ),
        start=Decimal(0),
    )


def brute_force(field: Field) -> Decimal | None:
    """The least whole bill of all clusters at all places that have CPU machines of their own."""
    bills = (
        whole_bill(field, place, pools)
        for place in field.market.catalog.regions
        if field.admits(place)
        for pools in every_cluster(field, place)
    )
    return min(bills, default=None)


@settings(max_examples=60)
@given(small=catalogs(), wanted=st.sampled_from(CHECKLISTS))
def test_the_cheapest_option_equals_brute_force(small: SmallCatalog, wanted: Checklist) -> None:
    field = search_field(small, wanted)
    system = field.demands[-1]
    found = cheapest(field, anything, only=lambda place: field.cpu(system, place, anything) is not None)
    expected = brute_force(field)
    assert (None if found is None else round(field.reading(found.rank), 6)) == (
        None if expected is None else round(expected, 6)
    )


def test_the_month_of_a_pool_beside_another_is_the_months_of_its_hours() -> None:
    field = search_field(SmallCatalog(MACHINES, [], accelerators_list=ACCELERATORS), CHECKLISTS[3])
    beside = next(each for each in field.demands if each.beside)
    assert all_month(beside).busy_hours == Decimal(730)


def test_places_without_any_offer_have_no_cluster() -> None:
    field = search_field(SmallCatalog(MACHINES, [], accelerators_list=ACCELERATORS), CHECKLISTS[0])
    assert cheapest(field, anything, only=anywhere) is None


def test_an_unpriced_line_is_billed_as_unpriced_and_never_as_zero() -> None:
    rows = [price("aws", each.name, "us-east-1", "1") for each in MACHINES if each.provider == "aws"]
    field = search_field(SmallCatalog(MACHINES, rows, accelerators_list=ACCELERATORS), CHECKLISTS[0])
    found = cheapest(field, anything, only=anywhere)
    assert found is not None
    cluster = spec(field.checklist, place=found.place, candidates=found.candidates, market=field.market)
    lines = price_all(charges(cluster), catalog_prices=field.market.catalog.prices, provider="aws", region="us-east-1")
    unpriced = [line for line in lines if line.state is State.UNPRICED]
    assert {line.item for line in unpriced} >= {"control_plane", "disk", "nat_gateway"}
    assert all(line.usd_per_month is None for line in unpriced)
