"""A quote offers only what a plan takes: no object store without its bucket, no more nodes than have addresses."""

from __future__ import annotations

from decimal import Decimal
from ipaddress import IPv4Network
from typing import Any

import pytest
from any_market import DAY, market_now
from hypothesis import given
from hypothesis import strategies as st
from small import SERVING, SmallCatalog, candidate_set, checklist, machine, price, services

from catalogs.providers import profile, provider_traits
from planning.checklist.rules.table import find_broken_rules
from planning.quoting.option import ceilings
from planning.quoting.quote import Quote, lock
from planning.quoting.quote_builder import quote
from planning.quoting.search.least_cost import ClusterPick, count_nodes, find_cheapest
from planning.quoting.search.views import VIEWS
from planning.spec.lock import parse, to_text
from planning.values.addresses import LUSTRE_PREFIX, count_room, ranges
from planning.values.errors import NothingFitsError

H100 = {"accelerator": "H100", "count": 16}
JOB: dict[str, Any] = {"kind": "training", "name": "tune", "model": {"parameters": "7B"}, "tokens": "1B"}
HOME = {"wanted": ["gcp", "aws"]}

WITH_BUCKET = {name for name, traits in provider_traits().items() if traits.bucket}


def quoted(*, hardware: dict[str, Any] = H100, **sections: Any) -> Quote:
    found = checklist(JOB | {"hardware": hardware}, **sections)
    assert list(find_broken_rules(found)) == []
    return quote(found, checklist_digest="", stack="any", market=market_now(), today=DAY)


def test_the_providers_object_store_is_offered_only_where_its_bucket_is_made() -> None:
    found = quoted(platform={"object_store": "provider"})
    assert {each.spec.placement.target for each in found.options} <= WITH_BUCKET
    assert any("no bucket is made" in reason for reason, _ in found.refusals)
    with_engine = quoted(platform={"object_store": "minio"})
    assert not {each.spec.placement.target for each in with_engine.options} <= WITH_BUCKET


def test_no_cluster_is_offered_where_accelerators_would_wait_for_a_device_plugin_left_out() -> None:
    found = quoted(platform={"without": ["device_plugin"]})
    offered = {each.spec.placement.provider for each in found.options}
    assert offered
    assert {profile(each).device_plugin for each in offered} == {"provider"}  # which AWS leaves to Atoll
    assert any("device plugin out" in reason for reason, _ in found.refusals)


def test_oracle_is_quoted_in_full() -> None:
    """Its GPU prices of 2026-01 were past their limit from 2026-07 on, and no CPU machine of it had a price."""
    found = quoted(where={"wanted": ["oci"]}, storage={"cold": {"size": "10TB"}})
    assert {each.spec.placement.provider for each in found.options} == {"oci"}
    assert [line.name for line in found.options[0].bill.unpriced] == []


def test_only_the_placement_with_the_platform_needs_the_bucket() -> None:
    away = {"name": "away", "workloads": ["score"], "wanted": ["nebius"], "cidr": "10.80.0.0/16"}
    found = quote(
        checklist(
            JOB | {"hardware": H100},
            JOB | {"name": "score", "hardware": H100},
            where={"wanted": ["aws"], "elsewhere": [away]},
            platform={"object_store": "provider"},
        ),
        checklist_digest="",
        stack="any",
        market=market_now(),
        today=DAY,
    )
    assert {each.placements[1].placement.provider for each in found.options} == {"nebius"}


@pytest.mark.parametrize(
    ("hardware", "sections", "reason"),
    [
        (H100, {"where": HOME | {"cidr": "10.120.8.0/24"}}, "10.120.8.0/24 is too narrow for a cluster there"),
        (H100, {"where": HOME | {"cidr": "10.64.0.0/20"}, "storage": {"warm": {"size": "1TB"}}}, "is too narrow"),
        (H100 | {"count": 2048}, {"where": HOME | {"cidr": "10.64.0.0/19"}}, "10.64.0.0/19 has room for 128 nodes"),
        (H100 | {"count": 128 * 8}, {"where": HOME | {"cidr": "10.64.0.0/19"}}, "10.64.0.0/19 has room for 128 nodes"),
    ],
)
def test_a_range_without_room_for_the_nodes_closes_the_provider_and_says_so(
    hardware: dict[str, Any], sections: dict[str, Any], reason: str
) -> None:
    found = quoted(hardware=hardware, **sections)
    assert {each.spec.placement.provider for each in found.options} == {"aws"}
    assert dict(found.unmet_providers)["gcp"].startswith("10.")
    assert reason in dict(found.unmet_providers)["gcp"]


def test_where_no_other_provider_is_left_the_refusal_names_the_range() -> None:
    with pytest.raises(NothingFitsError) as refused:
        quoted(hardware=H100 | {"count": 2048}, where={"wanted": ["gcp"], "cidr": "10.64.0.0/19"})
    assert "10.64.0.0/19 has room for 128 nodes at gcp" in refused.value.hint


def test_a_cluster_on_coreweave_is_offered_only_in_a_range_that_it_can_be_cut_from() -> None:
    wanted = {"wanted": ["coreweave", "aws"]}
    assert "coreweave" in {each.spec.placement.provider for each in quoted(where=wanted).options}
    narrow = quoted(where=wanted | {"cidr": "10.64.0.0/17"})
    assert {each.spec.placement.provider for each in narrow.options} == {"aws"}
    assert dict(narrow.unmet_providers)["coreweave"] == "10.64.0.0/17 is too narrow for a cluster there"


def test_the_longest_names_of_a_checklist_make_a_lock_that_can_be_read() -> None:
    """Whoever works in a workload works in its rollouts, whose name is longer than a workload's may be."""
    longest = "x" * 31
    wanted = checklist(
        JOB | {"name": longest, "domain": "reinforcement_learning", "rollout_vcpus": 8, "hardware": H100},
        access={"users": [{"name": longest, "email": "a@acme.example", "workloads": [longest], "team": longest}]},
        teams=[{"name": longest, "workloads": [longest]}],
    )
    found = quote(wanted, checklist_digest="a" * 64, stack="any", market=market_now(), today=DAY)
    for each in found.options:
        text = to_text(lock(found, each, ceiling=ceilings(wanted), contract_months=0))
        assert f"{longest}-rollouts" in text
        assert to_text(parse(text, file="quote.lock.json")) == text


def test_two_workloads_share_the_room_with_the_machines_that_fit_into_it_together() -> None:
    """The cheapest machines of both are too many nodes: the one that costs least beside it has larger ones."""
    rows = [
        price("gcp", "big", "us-central1", "40"),
        price("gcp", "small", "us-central1", "1"),
        price("gcp", "cpu", "us-central1", "0.4"),
        *services("gcp"),
    ]
    machines = (
        machine("big", provider="gcp"),
        machine("small", provider="gcp", gpus=1, cluster=True),
        machine("cpu", provider="gcp", gpu=None),
    )
    wanted = [SERVING | {"name": name, "replicas": 40, "max_replicas": 40} for name in ("serve", "chat")]
    wide, narrow = (
        find_cheapest(candidate_set(SmallCatalog(machines, rows), checklist(*wanted, where={"cidr": cidr})))
        for cidr in ("10.64.0.0/16", "10.64.0.0/20")
    )
    assert wide is not None
    assert narrow is not None
    named = [[each.machine.name for each in pick.candidates if each.accelerator] for pick in (wide, narrow)]
    assert named[0] == ["small", "small"]
    assert sorted(named[1]) == ["big", "small"]
    assert count_nodes(narrow.candidates) <= count_room(IPv4Network("10.64.0.0/20"))


@pytest.mark.parametrize("view", ["cheapest", "recommended", "fastest", "no_spot"])
@pytest.mark.parametrize("ceiling", [{}, {"ceiling": {"usd_per_month": 10**6}}])
def test_cpu_machines_are_larger_where_the_cheapest_make_too_many_nodes(view: str, ceiling: dict[str, Any]) -> None:
    usd = {"big": "40", "cpu-8": "0.1", "cpu-64": "1.6"}
    rows = [*services("gcp"), *(price("gcp", name, "us-central1", each) for name, each in usd.items())]
    machines = (
        machine("big", provider="gcp"),
        machine("cpu-8", provider="gcp", gpu=None),
        machine("cpu-64", provider="gcp", gpu=None, vcpus=64, memory_gib=Decimal(256)),
    )
    for cidr, name in (("10.64.0.0/16", "cpu-8"), ("10.64.0.0/20", "cpu-64")):
        wanted = checklist(JOB | {"rollout_vcpus": 2048}, where={"cidr": cidr}, **ceiling)
        found = VIEWS[view].find(candidate_set(SmallCatalog(machines, rows), wanted))
        assert isinstance(found, ClusterPick), found
        (rollouts,) = [each for each in found.candidates if each.demand.beside]
        assert rollouts.machine.name == name


@given(prefix=st.integers(16, 28), nodes=st.integers(1, 4000))
def test_what_has_room_is_cut_and_what_has_none_is_not(prefix: int, nodes: int) -> None:
    cidr = IPv4Network((10 << 24, prefix))
    if nodes > count_room(cidr):
        with pytest.raises(ValueError, match=r"too narrow|must be between"):
            ranges(cidr, nodes=nodes)
        return
    found = ranges(cidr, nodes=nodes)
    assert (found.services.prefixlen <= LUSTRE_PREFIX) is (count_room(cidr, lustre=True) > 0)
