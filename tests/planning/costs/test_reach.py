"""What queues, namespaces and nodes let through, against the bill and the ceiling."""

from __future__ import annotations

import dataclasses
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Final

import pytest
import specs
from hypothesis import given, settings
from hypothesis import strategies as st

from planning.agents.spend_guard import DRAIN_HOURS, Stop, decide_stop
from planning.ceilings.spend_bounds import by_queue, faults, guard_plan, reaches
from planning.platform.queues import namespace_quotas
from planning.spec.cluster import ClusterSpec, Pool
from planning.spec.lock import Ceilings, Lock, LockedLine
from planning.spec.platform import Platform, PlatformComponent, Quota, TeamShare, Work
from planning.values.money import HOURS_PER_MONTH

CONTROL_PLANE: Final = Decimal(73)
GUARD: Final = PlatformComponent(
    name="spend_guard", title="guard", kind="objects", chart="", repository="", version="0", ref="", namespace=""
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sketch:
    """A pool in few words, what a node costs, and what teams are guaranteed of it."""

    name: str
    working: int
    spares: int
    least: int
    usd: Decimal
    nominal: tuple[int, ...]


def pool(sketch: Sketch) -> Pool:
    sample = next(each for each in specs.POOLS if each.workload == "train")
    most = sketch.working + sketch.spares
    hours = {"min": sketch.least * HOURS_PER_MONTH, "expected": most * HOURS_PER_MONTH, "max": most * HOURS_PER_MONTH}
    return sample.model_validate(
        {
            **sample.model_dump(),
            "name": sketch.name,
            "workload": sketch.name,
            "accelerator": "H100-80GB",
            "working": sketch.working,
            "spares": sketch.spares,
            "min_nodes": sketch.least,
            "max_nodes": most,
            "node_hours": hours,
            "purchase": "on_demand",
            "kind": "on_demand",
        }
    )


def spec_of(sketches: list[Sketch], *, guarded: bool) -> ClusterSpec:
    teams = tuple(
        TeamShare(
            name=f"team-{at}",
            workloads=tuple(sketch.name for sketch in sketches),
            quotas=tuple(Quota(pool=sketch.name, accelerators=sketch.nominal[at]) for sketch in sketches),
        )
        for at in range(2)
    )
    works = tuple(Work(name=sketch.name, kind="training", frameworks=()) for sketch in sketches)
    platform = Platform(release="test", size="small", parts=(GUARD,) if guarded else (), works=works, teams=teams)
    cluster = specs.aws_cluster(pools=(specs.system_pool(), *map(pool, sketches)))
    return cluster.model_copy(update={"platform": platform})


def line(key: str, quantity: Any, usd: Decimal, **changes: Any) -> LockedLine:
    amounts = tuple(each * usd for each in quantity)
    fields: dict[str, Any] = {
        "key": key,
        "label": key,
        "item": "item",
        "state": "priced",
        "unit": "hour",
        "quantity": quantity,
        "usd_per_unit": usd,
        "usd_per_month": amounts,
        "source": "test",
        "as_of": None,
    }
    return LockedLine.model_validate({**fields, **changes})


def lock_of(sketches: list[Sketch], *, ceiling: Decimal, binds: str = "max", guarded: bool = False) -> Lock:
    spec = spec_of(sketches, guarded=guarded)
    prices = {sketch.name: sketch.usd for sketch in sketches} | {"system": Decimal("0.2")}
    bill = [
        line(f"pool/{each.name}/machine", tuple(each.node_hours.model_dump().values()), prices[each.name])
        for each in spec.pools
    ]
    return Lock(
        schema_version=3,
        stack="sample",
        option="sample",
        views=(),
        checklist_digest="",
        prices="",
        prices_digest="",
        prices_as_of=None,
        priced_at=date(2026, 11, 21),
        valid_until=date(2026, 12, 5),
        ceiling=Ceilings(usd_per_month=ceiling, usd_per_contract=None, usd_per_gpu_hour=None, binds=binds),
        contract_months=12,
        placements=(spec,),
        joined=False,
        bill=(*bill, line("control_plane", (Decimal(1),) * 3, CONTROL_PLANE)),
    )


@st.composite
def sketches(draw: st.DrawFn) -> list[Sketch]:
    """One to four pools of 8 accelerators a node, two teams that are guaranteed a part of each."""
    found: list[Sketch] = []
    for at in range(draw(st.integers(1, 4))):
        working = draw(st.integers(1, 6))
        first = draw(st.integers(0, working * 8))
        found.append(
            Sketch(
                name=f"pool-{at}",
                working=working,
                spares=draw(st.integers(0, 2)),
                least=draw(st.integers(0, working)),
                usd=Decimal(draw(st.integers(1, 20_000))) / 100,
                nominal=(first, draw(st.integers(0, working * 8 - first))),
            )
        )
    return found


ONE = Sketch(name="one", working=2, spares=1, least=0, usd=Decimal(100), nominal=(10, 4))


@settings(max_examples=60)
@given(given_pools=sketches(), share=st.integers(0, 200))
def test_where_the_ceiling_binds_the_most_no_quota_reaches_beyond_it(given_pools: list[Sketch], share: int) -> None:
    loose = lock_of(given_pools, ceiling=Decimal(1))
    most = sum((each.usd_per_month[2] for each in loose.bill if each.usd_per_month), Decimal(0))
    ceiling = most * share / 100
    found = reaches(lock_of(given_pools, ceiling=ceiling))
    if most <= ceiling:  # else nobody accepts it: over the ceiling
        assert found.through_quotas <= ceiling


@settings(max_examples=60)
@given(given_pools=sketches())
def test_no_layer_lets_more_through_than_the_one_before_it(given_pools: list[Sketch]) -> None:
    there = lock_of(given_pools, ceiling=Decimal(1))
    found = reaches(there)
    nodes, *inner = found.layers
    assert nodes.usd_per_month == sum((each.usd_per_month[2] for each in there.bill if each.usd_per_month), Decimal(0))
    for layer in inner:
        assert all(layer.nodes[name] <= most for name, most in nodes.nodes.items())
        assert layer.usd_per_month <= nodes.usd_per_month
    assert faults(there.spec) == ()


@settings(max_examples=60)
@given(given_pools=sketches(), ceiling=st.integers(0, 400_000))
def test_where_it_binds_less_the_guard_holds_what_comes_and_goes(given_pools: list[Sketch], ceiling: int) -> None:
    there = lock_of(given_pools, ceiling=Decimal(ceiling), binds="expected", guarded=True)
    plan = guard_plan(there)
    assert plan is not None
    least = sum((each.usd_per_month[0] for each in there.bill if each.usd_per_month), Decimal(0))
    found = reaches(there)
    if least + plan.elastic_usd_per_hour * DRAIN_HOURS <= ceiling:
        assert found.usd_per_month <= ceiling
    else:
        assert decide_stop(plan, None, [], now=datetime(2026, 11, 1, tzinfo=UTC)).stop is not Stop.NONE


def test_what_a_cohort_lends_counts_once() -> None:
    assert by_queue(spec_of([ONE], guarded=False)) == {"one": 16}


def test_one_accelerator_keeps_a_node_busy() -> None:
    small = dataclasses.replace(ONE, working=2, spares=1, nominal=(1, 1))
    layers = {layer.layer: layer.nodes for layer in reaches(lock_of([small], ceiling=Decimal(1))).layers}
    assert layers["queues"]["one"] == 3


def test_a_ceiling_without_a_guard_is_held_by_quotas_alone() -> None:
    found = reaches(lock_of([ONE], ceiling=Decimal(1), binds="expected"))
    assert found.guarded_usd_per_month is None
    assert found.usd_per_month == found.through_quotas


def test_what_has_no_price_is_named() -> None:
    there = lock_of([ONE], ceiling=Decimal(1))
    unpriced = line("logs", (Decimal(1),) * 3, Decimal(1), state="unpriced", usd_per_unit=None, usd_per_month=None)
    assert reaches(there.model_copy(update={"bill": (*there.bill, unpriced)})).unpriced == ("logs",)


def test_queues_that_promise_more_than_the_nodes_have_are_a_fault() -> None:
    over = dataclasses.replace(ONE, nominal=(20, 5))
    assert "the queues admit 25 accelerators of pool one" in faults(spec_of([over], guarded=False))[0]


@pytest.mark.parametrize(
    ("sharing", "profile", "expected"),
    [
        ("none", "", {"nvidia.com/gpu": 16}),
        ("time_slicing", "", {"nvidia.com/gpu.shared": 64}),
        ("mig", "all-1g.10gb", {"nvidia.com/mig-1g.10gb": 112}),
    ],
)
def test_a_namespaces_quota_counts_what_its_pods_ask_for(sharing: str, profile: str, expected: dict[str, int]) -> None:
    spec = spec_of([ONE], guarded=False)
    assert spec.platform is not None
    works = (Work(name="one", kind="notebooks", frameworks=()),)
    platform = spec.platform.model_copy(update={"sharing": sharing, "mig_profile": profile, "works": works})
    assert namespace_quotas(spec.pools, platform)["one"] == expected
