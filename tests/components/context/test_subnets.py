from __future__ import annotations

from ipaddress import IPv4Network
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.values.addresses import split

RANGES = st.builds(
    lambda start, prefix: IPv4Network((start, prefix), strict=False),
    start=st.integers(0, 2**32 - 1),
    prefix=st.integers(16, 22),
)


@given(RANGES, st.integers(1, 6))
def test_subnets_lie_inside_and_apart(cidr: IPv4Network, zones: int) -> None:
    found = split(cidr, zones=zones)
    whole = [subnet for each in found for subnet in (each.private, each.public)]
    assert len(found) == zones
    assert all(subnet.subnet_of(cidr) for subnet in whole)
    assert not any(one.overlaps(other) for one, other in combinations(whole, 2))


@given(RANGES, st.integers(1, 6))
def test_zones_are_alike_and_the_private_side_is_the_larger(cidr: IPv4Network, zones: int) -> None:
    found = split(cidr, zones=zones)
    assert len({each.private.prefixlen for each in found}) == 1
    assert len({each.public.prefixlen for each in found}) == 1
    assert all(each.private.num_addresses >= each.public.num_addresses for each in found)


def test_a_16_in_three_zones() -> None:
    found = split(IPv4Network("10.64.0.0/16"), zones=3)
    assert [str(each.private) for each in found] == ["10.64.0.0/18", "10.64.64.0/18", "10.64.128.0/18"]
    assert [str(each.public) for each in found] == ["10.64.192.0/20", "10.64.208.0/20", "10.64.224.0/20"]


@pytest.mark.parametrize(
    ("cidr", "zones", "said"),
    [
        ("10.0.0.0/8", 3, "too wide"),
        ("10.0.0.0/25", 3, "a /24 or wider"),
        ("10.0.0.0/16", 0, "1 to 6 zones"),
        ("10.0.0.0/16", 7, "1 to 6 zones"),
    ],
)
def test_what_cannot_be_split_is_refused_in_words(cidr: str, zones: int, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        split(IPv4Network(cidr), zones=zones)


def test_the_narrowest_range_that_is_promised_can_be_split() -> None:
    assert split(IPv4Network("10.0.0.0/24"), zones=3)[0].public.prefixlen == 28
