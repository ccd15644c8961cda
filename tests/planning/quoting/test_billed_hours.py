"""Node hours as clouds bill them: the work, its starts and idle ends, and what spot interruptions undo."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizing_fakes import CPU_NODE, H100, NODE, NOTES, PREP, SERVE, SYSTEM, TRAIN

from catalogs.model import Offer, Price, PurchaseKind, Term
from catalogs.nodes import node_fact
from components.clouds.aws.nodepools.karpenter import EMPTY_FOR
from planning.checklist.model.workload import HardwareAsk
from planning.quoting.candidates.billed_hours import calculate_billed_hours, total_hours
from planning.quoting.candidates.candidate import build_single_offer, with_time_for_interruptions
from planning.quoting.explanation import list_hour_figures
from planning.sizing.demand import START_TOO_LONG, Demand, Fit
from planning.sizing.fit import fit
from planning.sizing.run_time import node_start
from planning.values.money import HOURS_PER_MONTH, Range

SHORT = replace(TRAIN, flops=Decimal("1e21"), checkpoint_hours=Decimal(1))
ASLEEP = replace(SERVE, always_on=False, busy_hours=Decimal(300))
KINDS = st.sampled_from([PurchaseKind.ON_DEMAND, PurchaseKind.SPOT, PurchaseKind.RESERVED])


def offer(kind: PurchaseKind = PurchaseKind.ON_DEMAND, *, provider: str = "aws") -> Offer:
    machine = replace(NODE, provider=provider)
    term = Term(purchase=kind.value, provider="*", kind=kind, months=0, upfront="none", note="",
                source="made up", holds="no", holds_source="made up")  # fmt: skip
    price = Price(
        provider=provider, item=machine.name, region="here", purchase=kind.value, unit="hour", usd=Decimal(10),
        above=Decimal(0), source="made up", as_of=date(2026, 11, 1),
    )  # fmt: skip
    return Offer(machine=machine, region="here", term=term, price=price, flags=())


def sits(demand: Demand) -> Fit:
    found = fit(demand, NODE, H100)
    assert isinstance(found, Fit)
    return found


def test_a_run_pays_for_its_start_and_its_idle_end() -> None:
    found = calculate_billed_hours(SHORT, sits(SHORT), offer(), H100)
    nodes = sits(SHORT).working + sits(SHORT).spares
    start = node_start("aws", "gpu")
    assert found.starts.expected == nodes
    assert found.total.expected == found.work.expected + nodes * start.total.expected
    assert start.idle.expected == Decimal(10) / 60
    assert start.image.expected == Decimal("0.275") * 15 / 60


def test_thirty_nights_of_idle_time_cost_what_the_checklist_does_not_say() -> None:
    nights = replace(SHORT, flops=Decimal("1e19"), runs_per_month=Decimal(30))
    found = calculate_billed_hours(nights, sits(nights), offer(), H100)
    assert found.starts.expected * found.start.idle.expected == 5 * (sits(nights).working + sits(nights).spares)


def test_the_idle_time_is_that_of_the_autoscaler_that_is_installed() -> None:
    assert f"{node_fact('idle_minutes', provider='aws', about='gpu').expected}m" == EMPTY_FOR


@pytest.mark.parametrize(
    ("provider", "seconds"),
    [("aws", 1), ("gcp", 1), ("coreweave", 60), ("lambda", 60), ("hyperstack", 60), ("oci", 60)],
)
def test_the_unit_of_billing_is_the_providers(provider: str, seconds: int) -> None:
    assert round(node_start(provider, "gpu").rounding.expected - Decimal(seconds) / 7200, 12) == 0


def test_an_interruption_costs_half_a_checkpoint_and_a_restart_on_all_nodes() -> None:
    calm, spot = (
        calculate_billed_hours(SHORT, sits(SHORT), offer(kind), H100)
        for kind in (PurchaseKind.ON_DEMAND, PurchaseKind.SPOT)
    )
    rate = Decimal("0.175") / 730
    again = spot.start.boot.expected + spot.start.image.expected
    lost = rate * spot.work.expected * (Decimal("0.5") + again) * sits(SHORT).working
    assert round(spot.lost.expected - lost, 12) == 0
    assert round(spot.total.expected - calm.total.expected - lost, 12) == 0
    rare = calculate_billed_hours(
        replace(SHORT, checkpoint_hours=Decimal(4)), sits(SHORT), offer(PurchaseKind.SPOT), H100
    )
    assert rare.lost.expected > spot.lost.expected


def test_where_no_rate_is_published_the_range_is_wide() -> None:
    fact = node_fact("spot_per_month", provider="nebius", about="H100")
    assert fact.source.startswith("atoll-")
    assert fact.high > 10 * fact.low


def test_idle_notebooks_keep_their_nodes_until_they_are_stopped() -> None:
    notes = replace(NOTES, idle_hours=Decimal(1))
    short, long = (calculate_billed_hours(each, sits(each), offer(), H100) for each in (NOTES, notes))
    assert round(long.total.expected - short.total.expected - long.starts.expected, 12) == 0


@pytest.mark.parametrize("demand", [SYSTEM, replace(PREP, always_on=True)])
def test_nodes_that_never_stop_pay_for_no_start(demand: Demand) -> None:
    found = fit(demand, CPU_NODE, None)
    assert isinstance(found, Fit)
    assert total_hours(demand, found, offer(), None) == found.node_hours


def test_what_is_reserved_is_paid_all_month_and_no_more() -> None:
    candidate = build_single_offer(SHORT, sits(SHORT), offer(PurchaseKind.RESERVED), H100)
    assert candidate.node_hours == Range.exactly(730 * (sits(SHORT).working + sits(SHORT).spares))
    assert [each.name for each in list_hour_figures(candidate)] == ["time of one run"]


@pytest.mark.parametrize("mfu", [None, Decimal("0.4")])
def test_a_run_whose_share_of_peak_is_not_stated_says_how_long_it_may_take(mfu: Decimal | None) -> None:
    demand = replace(SHORT, mfu=mfu)
    (found,) = list_hour_figures(build_single_offer(demand, sits(demand), offer(PurchaseKind.RESERVED), H100))
    ranges = [text.split(" to ") for name, text in found.inputs if "published runs" in name]
    assert bool(ranges) == (mfu is None)
    for fastest, slowest in ranges:
        assert Decimal(fastest) < sits(demand).work_hours < Decimal(slowest)


@settings(derandomize=True)
@given(
    st.sampled_from([SHORT, ASLEEP, NOTES, SERVE, replace(PREP, accelerators=5, memory_gib=Decimal(0), vcpus=0)]),
    KINDS,
    st.sampled_from(["aws", "gcp", "nebius", "lambda"]),
    st.decimals("0.01", 2000, places=2),
)
def test_hours_rise_and_stay_within_all_nodes(demand: Demand, kind: PurchaseKind, provider: str, runs: Decimal) -> None:
    more = replace(demand, runs_per_month=runs) if demand is SHORT else demand
    seated = sits(more)
    found = total_hours(more, seated, offer(kind, provider=provider), H100)
    assert seated.node_hours.min == found.min <= found.expected <= found.max
    assert found.max <= HOURS_PER_MONTH * (seated.working + seated.spares)
    assert found.expected >= seated.node_hours.expected
    assert found.max >= seated.node_hours.max


@settings(derandomize=True)
@given(KINDS, st.decimals("0.01", 2000, places=2), st.decimals("0.01", 2000, places=2))
def test_more_runs_are_never_billed_less(kind: PurchaseKind, one: Decimal, other: Decimal) -> None:
    few, many = (
        total_hours(each, sits(each), offer(kind), H100)
        for each in (replace(SHORT, runs_per_month=runs) for runs in sorted((one, other)))
    )
    assert few.expected <= many.expected
    assert few.max <= many.max


@pytest.mark.parametrize("demand", [SHORT, ASLEEP, replace(NOTES, idle_hours=Decimal(1)), SERVE])
@pytest.mark.parametrize("kind", [PurchaseKind.ON_DEMAND, PurchaseKind.SPOT])
def test_the_figures_add_up_to_what_is_billed(demand: Demand, kind: PurchaseKind) -> None:
    candidate = build_single_offer(demand, sits(demand), offer(kind), H100)
    figures = {each.name: each for each in list_hour_figures(candidate)}
    total = figures.pop("billed node hours").value
    parts = sum(
        (each.value or Decimal(0) for each in figures.values() if each.unit.startswith("node hours")), Decimal(0)
    )
    assert total is not None
    assert abs(total - parts) <= Decimal("0.05")
    assert all(each.source and each.formula for each in figures.values())


@settings(deadline=None, derandomize=True, max_examples=150)
@given(
    st.sampled_from(["aws", "gcp", "nebius"]),
    KINDS,
    st.decimals(min_value=20, max_value=30, places=2),
    st.decimals(min_value="0.05", max_value=24, places=2),
    st.integers(min_value=1, max_value=400),
)
def test_a_run_ends_in_time_with_its_start_and_its_interruptions(
    provider: str, kind: PurchaseKind, work: Decimal, between: Decimal, deadline: int
) -> None:
    demand = replace(
        TRAIN, flops=Decimal(10) ** work, checkpoint_hours=between, deadline_hours=Decimal(deadline), spot=True
    )
    machine = replace(NODE, provider=provider)
    least = fit(demand, machine, H100)
    if not isinstance(least, Fit):
        return
    found = with_time_for_interruptions(build_single_offer(demand, least, offer(kind, provider=provider), H100))
    if found is None:
        assert kind is PurchaseKind.SPOT
        return
    sits, start = found.fit, node_start(provider, "gpu").again.expected
    lost = calculate_billed_hours(demand, sits, offer(kind, provider=provider), H100).lost.expected / (
        sits.working + sits.spares
    )
    assert sits.hours_per_run is not None
    assert sits.hours_per_run <= deadline
    assert sits.is_least
    assert sits.working >= least.working
    if sits.work_hours <= HOURS_PER_MONTH:
        runs = demand.runs_per_month
        assert round(sits.hours_per_run - (sits.work_hours + start + lost / runs), 9) == 0


@pytest.mark.parametrize("asked", [None, HardwareAsk(count=8), HardwareAsk(nodes=64)])
@pytest.mark.parametrize("limit", ["deadline_hours", "most_hours_per_run"])
def test_a_time_shorter_than_the_start_of_a_node_is_met_by_none_and_not_by_more(
    asked: HardwareAsk | None, limit: str
) -> None:
    start = node_start(NODE.provider, "gpu").again.expected
    for hours in (Decimal("0.01"), start):
        assert fit(replace(TRAIN, hardware=asked, **{limit: hours}), NODE, H100) == START_TOO_LONG
    assert fit(replace(TRAIN, hardware=asked, **{limit: start + 10**6}), NODE, H100) != START_TOO_LONG


def test_spot_nodes_that_are_often_taken_away_need_more_of_them() -> None:
    hours = sits(SHORT).work_hours + node_start("gcp", "gpu").again.expected
    close = replace(SHORT, deadline_hours=hours, spot=True)
    found = with_time_for_interruptions(
        build_single_offer(close, sits(close), offer(PurchaseKind.SPOT, provider="gcp"), H100)
    )
    assert found is not None
    assert found.fit.working > sits(close).working
    figures = {each.name: each for each in list_hour_figures(found)}
    assert Decimal(dict(figures["time of one run"].inputs)["interruptions"]) > 0
