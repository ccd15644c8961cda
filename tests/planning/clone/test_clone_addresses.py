"""A range that nobody has; a range that somebody has is refused with its owner."""

from __future__ import annotations

from ipaddress import IPv4Network

import pytest
from clone_kit import example, moved
from hypothesis import given
from hypothesis import strategies as st

from planning.clone.addresses import ReservedNetwork, clashes, find_free_range, refuse_clash
from planning.values.addresses import RANGES
from planning.values.errors import InputError


def network(second: int, third: int, prefix: int) -> IPv4Network:
    return IPv4Network((f"10.{second}.{third}.0", prefix), strict=False)


networks = st.builds(network, st.integers(0, 255), st.integers(0, 255), st.integers(12, 24))


@given(taken=st.lists(networks, max_size=30), prefix=st.integers(16, 24))
def test_a_free_range_is_as_wide_and_overlaps_nothing(taken: list[IPv4Network], prefix: int) -> None:
    known = tuple(ReservedNetwork(f"network {at}", each) for at, each in enumerate(taken))
    found = find_free_range(IPv4Network(f"10.64.0.0/{prefix}"), known)
    assert found.prefixlen == prefix
    assert found.is_private
    assert clashes(found, known) == ()
    assert not any(found.overlaps(each) for each in RANGES)


def test_a_range_in_the_way_is_named_with_its_owner_and_another_that_is_free() -> None:
    taken = (
        ReservedNetwork("stack demo", IPv4Network("10.64.0.0/16")),
        ReservedNetwork("the main VPC of demo", IPv4Network("10.0.0.0/16")),
    )
    with pytest.raises(InputError, match=r"10\.64\.8\.0/21 overlaps 10\.64\.0\.0/16 of stack demo") as refused:
        refuse_clash(IPv4Network("10.64.8.0/21"), taken)
    assert refused.value.hint.endswith("--cidr 10.65.0.0/21")


def test_no_range_is_left_and_it_is_said() -> None:
    with pytest.raises(InputError, match="no private range of /9 is free"):
        find_free_range(IPv4Network("10.0.0.0/9"), (ReservedNetwork("everything", IPv4Network("10.0.0.0/8")),))


def test_every_cluster_of_a_spanning_stack_gets_a_range_of_its_own() -> None:
    source = example("spanning-two")
    taken = (ReservedNetwork("home", source.where.cidr), ReservedNetwork("training", source.where.elsewhere[0].cidr))
    clone = moved(source, "aws", "us-west-2", taken=taken)
    ranges = (clone.where.cidr, clone.where.elsewhere[0].cidr, *(each.network for each in taken))
    assert not any(one.overlaps(two) for at, one in enumerate(ranges) for two in ranges[at + 1 :])
