from __future__ import annotations

from ipaddress import IPv4Network
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.clouds.gcp.account.names import build_gcp_name, label
from planning.spec.cluster import Placement
from planning.values.addresses import FABRIC_RANGES, NARROWEST, GkeRanges, fabric_ranges, ranges

cidrs = st.builds(
    lambda octets, prefix: IPv4Network((octets, prefix), strict=False),
    st.integers(min_value=0, max_value=2**32 - 1),
    st.integers(min_value=8, max_value=NARROWEST),
)


def parts(found: GkeRanges) -> tuple[IPv4Network, ...]:
    return (found.nodes, found.pods, found.kubernetes_services, found.services, found.control_plane)


@given(cidr=cidrs, nodes=st.integers(min_value=1, max_value=2000))
def test_parts_lie_inside_the_network_and_apart(cidr: IPv4Network, nodes: int) -> None:
    try:
        found = ranges(cidr, nodes=nodes)
    except ValueError as error:
        assert "too narrow" in str(error)  # noqa: PT017 - either answer is right, whichever fits
        return
    assert all(part.subnet_of(cidr) for part in parts(found))
    assert not any(one.overlaps(other) for one, other in combinations(parts(found), 2))
    assert found.control_plane.prefixlen == 28
    assert found.services.prefixlen <= 24


@given(cidr=cidrs, nodes=st.integers(min_value=1, max_value=2000))
def test_every_node_has_its_block_of_the_pods_range(cidr: IPv4Network, nodes: int) -> None:
    try:
        found = ranges(cidr, nodes=nodes)
    except ValueError:
        return
    block = {110: 256, 64: 128, 32: 64, 16: 32}[found.pods_per_node]
    assert nodes * block <= found.pods.num_addresses
    assert nodes <= found.nodes.num_addresses


def test_an_ordinary_network_is_cut_as_said() -> None:
    found = ranges(IPv4Network("10.64.0.0/16"), nodes=100)
    assert [str(part) for part in parts(found)] == [
        "10.64.128.0/18",
        "10.64.0.0/17",
        "10.64.192.0/19",
        "10.64.224.0/20",
        "10.64.240.0/28",
    ]
    assert found.pods_per_node == 110


@pytest.mark.parametrize("cidr", ["10.0.0.0/7", "10.64.0.0/21"])
def test_a_range_that_gke_cannot_use_is_refused(cidr: str) -> None:
    with pytest.raises(ValueError, match="between a /8 and a /20"):
        ranges(IPv4Network(cidr, strict=False), nodes=1)


@given(taken=st.lists(cidrs, max_size=3), count=st.integers(min_value=1, max_value=27))
def test_gpu_networks_lie_outside_everything_that_is_taken(taken: list[IPv4Network], count: int) -> None:
    try:
        found = fabric_ranges(count, taken=taken)
    except ValueError:
        assert all(any(whole.overlaps(each) for each in taken) for whole in FABRIC_RANGES)
        return
    assert len(set(found)) == count
    assert not any(one.overlaps(other) for one, other in combinations(found, 2))
    assert not any(one.overlaps(each) for one in found for each in taken)


@given(text=st.text(max_size=100))
def test_labels_are_as_google_takes_them(text: str) -> None:
    found = label(text)
    assert len(found) <= 63
    assert all(each in "abcdefghijklmnopqrstuvwxyz0123456789_-" for each in found)


def test_a_name_that_is_too_long_stays_distinct() -> None:
    placement = Placement(provider="gcp", region="us-central1", zones=(), target="gcp")
    one, other = (build_gcp_name(placement, f"{'part' * 20}-{which}", longest=30) for which in ("a", "b"))
    assert (len(one), len(other)) == (30, 30)
    assert one != other
