"""Ranges and zones that only a lock has: a clone's VPN is nobody else's, and a later accept moves neither."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from ipaddress import IPv4Network

from clone_kit import example, market
from hypothesis import given
from hypothesis import strategies as st

from planning.checklist.model.checklist import Checklist
from planning.clone.addresses import ReservedNetwork, separate_vpn_ranges
from planning.clone.carry_over import carry_over_lock
from planning.quoting.option import ceilings
from planning.quoting.quote import Option, Quote, lock
from planning.quoting.quote_builder import quote
from planning.spec.cluster import ClusterSpec
from planning.spec.lock import Lock
from planning.values.addresses import RANGES


@cache
def quoted(name: str = "demo") -> tuple[Checklist, Quote]:
    asked = example(name)
    newest = market().catalog.prices.newest
    assert newest is not None
    return asked, quote(asked, checklist_digest="", stack=name, market=market(), today=newest)


def locked(option: Option, asked: Checklist, found: Quote) -> Lock:
    return lock(found, option, ceiling=ceilings(asked), contract_months=asked.contract.months, residency="any")


def with_home(option: Option, spec: ClusterSpec) -> Option:
    return replace(option, placements=(spec, *option.placements[1:]))


def vpn_of(option: Option) -> list[IPv4Network]:
    return [spec.vpn.cidr for spec in option.placements if spec.vpn is not None]


def test_the_vpn_of_a_clone_has_no_address_of_the_sources() -> None:
    asked, found = quoted()
    option = found.options[0]
    moved = separate_vpn_ranges(
        option, checklist=asked, taken=[ReservedNetwork("the VPN of demo", each) for each in vpn_of(option)]
    )
    assert not vpn_of(moved)[0].overlaps(vpn_of(option)[0])
    assert vpn_of(moved)[0].prefixlen == 16
    assert moved.bill == option.bill


def test_clusters_of_one_stack_have_a_range_each() -> None:
    asked, found = quoted("spanning-two")
    first, second = vpn_of(separate_vpn_ranges(found.options[0], checklist=asked, taken=[]))
    assert not first.overlaps(second)


@given(taken=st.lists(st.sampled_from([*RANGES, IPv4Network("10.64.0.0/10"), IPv4Network("10.128.0.0/9")]), max_size=9))
def test_a_range_is_private_and_free_whatever_is_taken(taken: list[IPv4Network]) -> None:
    asked, found = quoted()
    (cidr,) = vpn_of(
        separate_vpn_ranges(
            found.options[0], checklist=asked, taken=[ReservedNetwork("another", each) for each in taken]
        )
    )
    assert cidr.is_private
    assert not any(cidr.overlaps(each) for each in taken)


def test_where_everything_is_taken_the_range_stays() -> None:
    asked, found = quoted()
    full = [ReservedNetwork("all", IPv4Network(each)) for each in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")]
    assert vpn_of(separate_vpn_ranges(found.options[0], checklist=asked, taken=full)) == vpn_of(found.options[0])


def test_a_later_accept_keeps_the_range_and_the_zones_of_the_lock() -> None:
    asked, found = quoted()
    option = found.options[0]
    zones = tuple(reversed(option.spec.placement.zones))
    place = option.spec.placement.model_copy(update={"zones": zones})
    there = separate_vpn_ranges(
        with_home(option, option.spec.model_copy(update={"placement": place})),
        checklist=asked,
        taken=[ReservedNetwork("the VPN of another", each) for each in vpn_of(option)],
    )
    again, notes = carry_over_lock(option, locked(there, asked, found), checklist=asked, market=market())
    assert again.spec.placement.zones == zones
    assert vpn_of(again) == vpn_of(there) != vpn_of(option)
    assert notes == (
        f"zones stay as they were accepted: {', '.join(zones)}",
        f"the VPN's range stays as it was accepted: {vpn_of(there)[0]}",
    )


def test_what_is_as_it_was_is_not_spoken_of() -> None:
    asked, found = quoted()
    assert carry_over_lock(
        found.options[0], locked(found.options[0], asked, found), checklist=asked, market=market()
    ) == (
        found.options[0],
        (),
    )


def test_zones_without_the_machine_are_left_and_said() -> None:
    asked, found = quoted()
    option = found.options[0]
    place = option.spec.placement.model_copy(update={"zones": ("use1-az2", "use1-az4")})
    before = locked(with_home(option, option.spec.model_copy(update={"placement": place})), asked, found)
    again, notes = carry_over_lock(option, before, checklist=asked, market=market())
    assert again.spec.placement.zones == option.spec.placement.zones
    assert notes[0].startswith("zones move from use1-az2, use1-az4 to use1-az6, use1-az1: p6-b200.48xlarge of pool")


def test_a_range_that_a_network_took_since_is_left_and_said() -> None:
    asked, found = quoted()
    option = found.options[0]
    assert option.spec.vpn is not None
    assert asked.main_cloud is not None
    assert asked.main_cloud.vpc_cidr is not None
    vpn = option.spec.vpn.model_copy(update={"cidr": asked.main_cloud.vpc_cidr})
    before = locked(with_home(option, option.spec.model_copy(update={"vpn": vpn})), asked, found)
    again, notes = carry_over_lock(option, before, checklist=asked, market=market())
    assert vpn_of(again) == vpn_of(option)
    assert notes == ("the VPN's range moves from 10.0.0.0/16 to 172.27.0.0/16: 10.0.0.0/16 takes its addresses now",)


def test_an_option_at_another_place_keeps_nothing() -> None:
    asked, found = quoted()
    option = found.options[0]
    place = option.spec.placement.model_copy(update={"region": "us-west-2", "zones": ("usw2-az1", "usw2-az2")})
    away = locked(with_home(option, option.spec.model_copy(update={"placement": place})), asked, found)
    assert carry_over_lock(option, away, checklist=asked, market=market()) == (option, ())
