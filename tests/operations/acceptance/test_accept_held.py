from __future__ import annotations

import pytest
from accept_scene import Hands, MindCluster

from operations.acceptance.run_lock import EVERY_SECONDS, LEASE, SECONDS_OF_SILENCE, Hold
from operations.clouds.kubernetes.objects import ClusterError
from planning.values.errors import InputError


def hold(cluster: MindCluster, hands: Hands, *, run: str = "first", said: list[str] | None = None) -> Hold:
    return Hold(cluster=cluster, clock=hands.clock(), run=run, say=([] if said is None else said).append)


def test_who_works_says_so_again_and_again_and_leaves_nothing() -> None:
    cluster, hands = MindCluster(), Hands()
    mine = hold(cluster, hands)
    mine.take()
    first = cluster.get(LEASE)
    mine.renew()
    assert cluster.get(LEASE) == first
    hands.passed += EVERY_SECONDS
    mine.renew()
    assert cluster.get(LEASE) != first
    assert mine.give_back()
    assert cluster.get(LEASE) is None


def test_two_at_once_do_not_take_each_others_jobs_away() -> None:
    cluster, hands = MindCluster(), Hands()
    other, mine = hold(cluster, hands, run="other"), hold(cluster, hands)
    other.take()

    def alive(_name: str) -> None:
        cluster.on_get = lambda _: None
        other.renew()
        cluster.on_get = alive

    cluster.on_get = alive
    with pytest.raises(InputError, match=r"another acceptance works in this cluster now: other/"):
        mine.take()
    cluster.on_get = lambda _: None
    assert not mine.give_back()
    assert cluster.get(LEASE) is not None


def test_what_was_killed_is_taken_over_once_it_was_silent_and_sees_it_if_it_was_not() -> None:
    cluster, hands, said = MindCluster(), Hands(), list[str]()
    killed, mine = hold(cluster, hands), hold(cluster, hands, said=said)
    killed.take()
    mine.take()
    assert hands.passed >= SECONDS_OF_SILENCE
    assert "worked here" in said[0]
    with pytest.raises(ClusterError, match="has taken over"):
        killed.renew()
    assert not killed.give_back()


def test_an_api_that_is_silent_for_a_moment_ends_nothing() -> None:
    cluster, hands = MindCluster(), Hands()
    mine = hold(cluster, hands)
    mine.take()
    hands.passed += EVERY_SECONDS

    def silent(_name: str) -> None:
        raise ClusterError("silent")

    cluster.on_get = silent
    mine.renew()
    cluster.on_get = lambda _: None
    mine.renew()
    assert mine.renewed == hands.passed
