"""What teams are guaranteed: never more than there is, whatever they ask for."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import TRAINING, checklist

from planning.quoting.assembly.teams import TeamClaim, divide_accelerators, people, team_shares
from planning.spec.cluster import Pool
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

POOLS = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 40), min_size=1)


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, int], list[TeamClaim]]:
    pools = draw(POOLS)
    claims = [
        TeamClaim(
            name=f"team-{at}",
            pools=tuple(draw(st.lists(st.sampled_from(sorted(pools)), unique=True))),
            accelerators=draw(st.none() | st.integers(0, 30)),
            usd_per_month=draw(st.none() | st.decimals(1, 9999, places=2)),
        )
        for at in range(draw(st.integers(1, 5)))
    ]
    return pools, claims


def total(held: Mapping[tuple[str, str], int], *, team: str = "", pool: str = "") -> int:
    return sum(
        count for (its_team, its_pool), count in held.items() if team in ("", its_team) and pool in ("", its_pool)
    )


@given(cases())
def test_quotas_are_whole_and_never_exceed_a_pool(case: tuple[dict[str, int], list[TeamClaim]]) -> None:
    pools, claims = case
    try:
        held = divide_accelerators(claims, pools)
    except InputError:
        return
    assert all(count >= 0 for count in held.values())
    assert all(total(held, pool=name) <= there for name, there in pools.items())
    for claim in claims:
        assert {pool for (team, pool), count in held.items() if team == claim.name and count} <= set(claim.pools)
        if claim.accelerators is not None:
            assert total(held, team=claim.name) == claim.accelerators


@given(cases())
def test_a_guarantee_is_refused_only_where_some_teams_ask_more_than_all_their_pools_have(
    case: tuple[dict[str, int], list[TeamClaim]],
) -> None:
    pools, claims = case
    asked = [claim for claim in claims if claim.accelerators]
    groups = [[asked[at] for at in range(len(asked)) if bits >> at & 1] for bits in range(1, 2 ** len(asked))]
    fits = all(
        sum(claim.accelerators or 0 for claim in group)
        <= sum(pools[name] for name in {name for claim in group for name in claim.pools})
        for group in groups
    )
    if fits:
        divide_accelerators(claims, pools)
    else:
        with pytest.raises(InputError, match="is guaranteed"):
            divide_accelerators(claims, pools)


def test_what_is_not_promised_is_divided_by_money() -> None:
    rich = TeamClaim(name="rich", pools=("a",), usd_per_month=Decimal(3000))
    poor = TeamClaim(name="poor", pools=("a",), usd_per_month=Decimal(1000))
    silent = TeamClaim(name="silent", pools=("a",))
    fixed = TeamClaim(name="fixed", pools=("a",), accelerators=8)
    held = divide_accelerators([rich, poor, silent, fixed], {"a": 24})
    assert {name: total(held, team=name) for name in ("rich", "poor", "silent", "fixed")} == {
        "rich": 12,
        "poor": 4,
        "silent": 0,
        "fixed": 8,
    }


def test_without_money_those_who_work_in_it_have_equal_parts() -> None:
    held = divide_accelerators(
        [TeamClaim(name="one", pools=("a", "b")), TeamClaim(name="two", pools=("a",))], {"a": 9, "b": 4}
    )
    assert (total(held, team="one"), total(held, team="two")) == (5 + 4, 4)


def test_a_team_moves_aside_to_the_pool_that_only_it_can_use() -> None:
    wide = TeamClaim(name="wide", pools=("a", "b"), accelerators=8)
    narrow = TeamClaim(name="narrow", pools=("a",), accelerators=8)
    assert divide_accelerators([wide, narrow], {"a": 8, "b": 8}) == {
        ("wide", "a"): 0,
        ("wide", "b"): 8,
        ("narrow", "a"): 8,
    }


def test_every_team_that_is_promised_too_much_is_named() -> None:
    claims = [TeamClaim(name="one", pools=("a",), accelerators=9), TeamClaim(name="two", pools=("b",), accelerators=5)]
    with pytest.raises(InputError) as caught:
        divide_accelerators(claims, {"a": 8, "b": 4})
    assert str(caught.value) == (
        "the team one is guaranteed 9 accelerators, but 8 are left for it of the 8 of its workloads' working nodes; "
        "the team two is guaranteed 5 accelerators, but 4 are left for it of the 4 of its workloads' working nodes"
    )


def test_simulators_beside_a_job_have_a_queue_and_the_rights_of_its_team() -> None:
    work = TRAINING | {"rollout_vcpus": 64, "domain": "reinforcement_learning"}
    name, beside = "train", "train-rollouts"
    asked = checklist(
        work,
        teams=[{"name": "sims", "workloads": [name]}],
        access={"users": [{"name": "ada", "email": "ada@acme.example", "team": "sims"}]},
    )
    pools = [
        Pool.model_construct(name=each, workload=each, accelerators=0, working=1, kind="on_demand")
        for each in (name, beside)
    ]
    assert team_shares(asked, pools)[0].workloads == (name, beside)
    assert team_shares(asked, pools[:1])[0].workloads == (name,)
    assert people(asked).users[0].workloads == (name, beside)
