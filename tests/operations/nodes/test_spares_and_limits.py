from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from fake_cluster import LEAF, SPINE, START, XID_79, node, node_pool, spare, systems
from hypothesis import given
from hypothesis import strategies as st

from catalogs.providers import find_traits
from planning.incidents.findings import NodeHealth, diagnose_node
from planning.incidents.node import Condition, Node
from planning.incidents.spares import SpareChoice, cordons, last_system, spare_for


def verdicts(nodes: Sequence[Node]) -> dict[str, Any]:
    return {each.name: diagnose_node(each, now=START) for each in nodes}


def chosen(*others: Node) -> SpareChoice:
    nodes = [node("bad", XID_79), *others]
    return spare_for(
        nodes[0], nodes, verdicts=verdicts(nodes), levels=find_traits("aws").topology_labels, pool=node_pool()
    )


def test_the_nearest_spare_of_the_same_pool_is_taken() -> None:
    found = chosen(spare("far", labels={LEAF: "nn-99"}), spare("near"), spare("other", pool="tune"), node("works"))
    assert found.node is not None
    assert (found.node.name, found.refused) == ("near", ())
    assert SPINE in found.shared


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (spare("s", labels={SPINE: "nn-2"}), "another spine"),
        (spare("s", taints={"atoll/burn-in": "pending"}), "not passed its burn-in"),
        (spare("s", labels={"atoll/burn-in": ""}), "atoll/burn-in: no label"),
        (node("s", labels={"atoll/burn-in": "failed"}), "atoll/burn-in: failed"),
        (spare("s", annotations={"atoll/incident": "20261101-1"}), "repaired itself, under incident 20261101-1"),
    ],
)
def test_a_spare_that_may_not_work_is_refused_with_the_reason(other: Node, reason: str) -> None:
    found = chosen(other)
    assert found.node is None
    assert [name for name, _ in found.refused] == ["s"]
    assert reason in found.refused[0][1]


def test_a_spare_that_failed_itself_is_refused() -> None:
    sick = node("s", XID_79, cordoned=True, labels={"atoll/spare": "true"})
    assert "it is failed" in chosen(sick).refused[0][1]


def test_the_zone_decides_where_nobody_tells_the_fabric() -> None:
    bad = node("bad", XID_79)
    plain = {name: text for name, text in bad.labels.items() if "layer" not in name}
    here = Node(name="here", labels={**plain, "atoll/spare": "true"}, cordoned=True, conditions=node("x").conditions)
    away = Node(
        name="away",
        labels={**here.labels, "topology.kubernetes.io/zone": "us-east-1b"},
        cordoned=True,
        conditions=here.conditions,
    )
    bare = Node(name="bad", labels=plain, conditions=bad.conditions)
    nodes = [bare, away, here]
    found = spare_for(
        bare, nodes, verdicts=verdicts(nodes), levels=find_traits("aws").topology_labels, pool=node_pool()
    )
    assert found.node is here
    assert found.refused == (
        ("away", "it is on another zone (topology.kubernetes.io/zone: us-east-1b, not us-east-1a)"),
    )
    anywhere = spare_for(bare, [bare, away], verdicts=verdicts(nodes), levels=(), pool=node_pool(fabric="ethernet"))
    assert anywhere.node is away


def limited(nodes: Sequence[Node], *, at_most: int = 10, share: int = 20) -> Any:
    return cordons(nodes, verdicts=verdicts(nodes), at_most=at_most, share_percent=share, pools=("system", "train"))


def test_a_false_alarm_about_every_node_takes_only_the_share() -> None:
    nodes = [*systems(), *(node(f"t-{number}", XID_79) for number in range(10))]
    found = limited(nodes)
    assert len(found.nodes) == 2
    assert len(found.left) == 8
    assert "inspect them" in found.left[0][1]


def test_nodes_that_are_away_already_count_and_held_spares_do_not() -> None:
    away = [node("t-0", XID_79, cordoned=True), node("t-1", XID_79)]
    assert limited([*systems(), *away]).nodes == ()
    held = [spare("t-0"), node("t-1", XID_79)]
    assert [each.name for each in limited([*systems(), *held]).nodes] == ["t-1"]


def test_a_silent_node_is_never_cordoned() -> None:
    quiet = node("t-0", Condition(type="Ready", status="Unknown", since=START - timedelta(days=1)))
    assert verdicts([quiet])["t-0"].standing is NodeHealth.UNKNOWN
    assert limited([*systems(), quiet]).nodes == ()


def test_the_last_system_node_stays() -> None:
    bad = [node(f"sys-{number}", XID_79, pool="system", role="system") for number in range(2)]
    assert limited(bad).nodes == ()
    assert {reason for _, reason in limited(bad).left} == {"it is the last system node, and the platform runs on it"}
    pair = [bad[0], systems()[1]]
    assert last_system(bad[0], pair, verdicts=verdicts(pair)) == ""
    assert last_system(pair[1], pair, verdicts=verdicts(pair)) != ""


@given(
    failing=st.lists(st.booleans(), min_size=1, max_size=40),
    at_most=st.integers(min_value=1, max_value=50),
    share=st.integers(min_value=1, max_value=100),
)
def test_never_more_than_asked_and_one_at_least(failing: list[bool], at_most: int, share: int) -> None:
    nodes = [node(f"t-{number}", *((XID_79,) if bad else ())) for number, bad in enumerate(failing)]
    found = limited(nodes, at_most=at_most, share=share)
    most = min(at_most, max(1, len(nodes) * share // 100), sum(failing))
    assert len(found.nodes) == most
    assert len(found.nodes) + len(found.left) == sum(failing)
