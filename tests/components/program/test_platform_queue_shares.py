"""Teams of a whole checklist: shares, workloads of people, and the queues that follow from both."""

from __future__ import annotations

from decimal import Decimal

import pytest
import specs
from platform_samples import checklist, spec_with

from operations.handbook.user_kubeconfig import find_user, groups
from planning.platform.queues import lines
from planning.quoting.assembly.teams import people, team_shares
from planning.values.errors import InputError

TEAMS = {
    "workloads": [
        {"kind": "training", "name": name, "model": {"parameters": "7B"}, "tokens": "2B"} for name in ("train", "burst")
    ],
    "teams": [
        {"name": "vision", "workloads": ["train"], "accelerators": 12},
        {"name": "speech", "usd_per_month": 9000},
        {"name": "robots", "usd_per_month": 3000},
    ],
}


def test_quotas_of_working_nodes_are_shared_and_the_reserved_ones_first() -> None:
    asked = checklist(**TEAMS)
    shares = team_shares(asked, specs.POOLS)
    found = {share.name: {each.pool: each.accelerators for each in share.quotas} for share in shares}
    assert found == {
        "vision": {"train": 12},
        "speech": {"train": 3, "burst": 12, "block": 12},
        "robots": {"train": 1, "burst": 4, "block": 4},
    }


def test_workloads_that_no_team_has_belong_to_everybody() -> None:
    asked = checklist(**{**TEAMS, "teams": [{"name": "vision", "workloads": ["train"]}]})
    shares = team_shares(asked, specs.POOLS)
    assert [(share.name, share.workloads) for share in shares] == [("vision", ("train",)), ("everybody", ("burst",))]


def test_too_much_is_refused_with_team_given_and_available() -> None:
    asked = checklist(**{**TEAMS, "teams": [{"name": "vision", "workloads": ["burst"], "accelerators": 17}]})
    with pytest.raises(InputError, match="the team vision is guaranteed 17 accelerators, but 16"):
        team_shares(asked, specs.POOLS)


def test_queues_of_a_workload_never_promise_more_than_its_pools_have() -> None:
    spec = spec_with(specs.aws_cluster(), **TEAMS)
    assert spec.platform is not None
    found = {line.workload: line for line in lines(spec.platform, spec.pools)}
    assert [flavor.pool.name for flavor in found["train"].flavors] == ["train", "block"]
    assert found["train"].lent == {"train": 0, "block": 0}
    assert [queue.name for queue in found["burst"].queues] == ["speech.burst", "robots.burst", "default.burst"]
    for line in found.values():
        for flavor in line.flavors:
            promised = sum(queue.nominal[flavor.pool.name] for queue in line.queues)
            assert promised + line.lent[flavor.pool.name] == flavor.total


def test_a_user_works_where_the_team_works() -> None:
    users = [
        {"name": "ada", "email": "ada@lagoon-labs.example", "team": "vision"},
        {"name": "grace", "email": "grace@lagoon-labs.example"},
        {"name": "alan", "email": "alan@lagoon-labs.example", "team": "vision", "workloads": ["burst"]},
    ]
    asked = checklist(**TEAMS, access={"vpn": False, "users": users})
    assert [user.workloads for user in people(asked).users] == [("train",), (), ("burst",)]
    spec = specs.aws_cluster(access=people(asked))
    assert groups(find_user(spec, "ada"), spec) == ("atoll:train:engineer",)


def test_a_share_of_money_is_in_the_lock() -> None:
    spec = spec_with(specs.aws_cluster(), **TEAMS)
    assert spec.platform is not None
    assert [team.usd_per_month for team in spec.platform.teams] == [None, Decimal(9000), Decimal(3000)]
