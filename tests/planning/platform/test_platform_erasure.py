from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.platform.erasure_coding import LARGEST_SET, MOST_NODES, default_parity, erasure_set

NODES = st.integers(1, 64)
DRIVES = st.integers(1, 32)


@given(NODES, DRIVES)
def test_a_set_has_a_size_that_the_engine_knows(nodes: int, drives: int) -> None:
    found = erasure_set(nodes, drives_per_node=drives)
    assert 1 <= found.drives <= LARGEST_SET
    assert found.nodes <= min(nodes, MOST_NODES)
    assert 0 <= found.parity <= found.drives // 2


@given(NODES, DRIVES)
def test_parity_is_never_more_than_the_engine_would_take_unless_a_node_needs_it(nodes: int, drives: int) -> None:
    found = erasure_set(nodes, drives_per_node=drives)
    assert found.parity <= max(default_parity(found.drives), found.drives_per_node)


@given(st.integers(3, 64), DRIVES)
def test_from_three_nodes_on_one_may_be_away(nodes: int, drives: int) -> None:
    found = erasure_set(nodes, drives_per_node=drives)
    assert found.survives
    assert found.parity >= found.drives_per_node


@given(NODES, DRIVES)
def test_what_is_kept_and_what_is_lost_to_parity_is_the_whole(nodes: int, drives: int) -> None:
    found = erasure_set(nodes, drives_per_node=drives)
    assert found.usable_share * found.drives + found.parity == pytest.approx(found.drives)


@given(NODES, DRIVES, st.integers(16, 10_000))
def test_the_drives_take_no_more_than_what_is_paid_for(nodes: int, drives: int, disk_gb: int) -> None:
    found = erasure_set(nodes, drives_per_node=drives)
    assert found.drives * found.compute_drive_gb(disk_gb) <= disk_gb


@pytest.mark.parametrize(("nodes", "share"), [(1, "1"), (2, "0.5"), (4, "0.75")])
def test_the_usable_share_by_nodes(nodes: int, share: str) -> None:
    assert str(erasure_set(nodes).usable_share) == share


@pytest.mark.parametrize(
    ("drives", "parity"), [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 3), (8, 4), (16, 4)]
)
def test_the_engines_own_parity(drives: int, parity: int) -> None:
    assert default_parity(drives) == parity


def test_one_node_is_a_store_that_stops_with_it() -> None:
    found = erasure_set(1)
    assert not found.distributed
    assert not found.survives
