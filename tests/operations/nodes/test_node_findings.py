from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from fake_cluster import READY, START, XID_79, node
from hypothesis import given
from hypothesis import strategies as st

import catalogs
from catalogs.catalog import load
from catalogs.nodes import Action, Failure, FailureSignal, failures
from catalogs.parsing import build_fact
from catalogs.validation import faults
from planning.incidents.findings import NodeHealth, diagnose_node, gpus_in, xids_in
from planning.incidents.node import Condition, node_of


def test_every_row_has_a_source_that_is_listed_and_no_two_rows_are_one() -> None:
    sources = load().sources
    assert [each.source for each in failures().values() if each.source not in sources] == []
    assert [str(each) for each in faults() if "failures" in str(each)] == []


def test_no_xid_that_a_program_causes_takes_a_node_away() -> None:
    rules = (Path(catalogs.__file__).parent / "platform" / "rules.yaml").read_text()
    numbers = re.findall(r"XID_ERRORS\s+== (\d+)", rules)
    assert len(numbers) > 5
    rows = [failures()[FailureSignal.XID, str(number)] for number in numbers]
    assert {row.action for row in rows} == {Action.RESTART_APP, Action.NONE}
    assert not any(row.certain for row in rows)


@pytest.mark.parametrize(
    ("row", "reason"),
    [({"certain": "yes"}, KeyError), ({"action": "pray"}, ValueError), ({"kind": "rumour"}, ValueError)],
)
def test_a_row_with_a_word_that_is_not_known_is_refused(row: dict[str, str], reason: type[Exception]) -> None:
    good = {
        "kind": "xid",
        "name": "79",
        "fails_on": "",
        "meaning": "off the bus",
        "action": "reboot",
        "certain": "true",
        "after_minutes": "0",
        "source": "nvidia-xid-catalog",
        "as_of": "2026-11-22",
    }
    assert build_fact(Failure, good).name == "79"
    with pytest.raises(reason):
        build_fact(Failure, {**good, **row})


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("NVRM: Xid (PCI:0000:b4:00): 79, pid=1, GPU has fallen off the bus.", (79,)),
        ("Xid 48 and then Xid 48 and XID 94", (48, 94)),
        ("NvidiaXID79Error", (79,)),
        ("Xid error: 119", (119,)),
        ("Prefix id 79, xidium 79, Xid 4812", ()),
    ],
)
def test_xids_are_read_as_drivers_and_agents_write_them(text: str, numbers: tuple[int, ...]) -> None:
    assert xids_in(text) == numbers


def test_a_code_is_an_xid_only_where_the_check_is_of_xids() -> None:
    assert xids_in("ErrorCode:79 GPU:0", coded=True) == (79,)
    assert xids_in("ErrorCode:79 GPU:0") == ()


@given(st.text(max_size=200))
def test_no_text_makes_an_xid_of_more_than_three_digits(text: str) -> None:
    assert all(0 <= each <= 999 for each in xids_in(text, coded=True))


def test_a_gpu_off_the_bus_is_certain_and_named_by_its_uuid() -> None:
    verdict = diagnose_node(node("a", XID_79), now=START)
    assert verdict.standing is NodeHealth.FAILED
    assert {each.name for each in verdict.findings} == {"SysLogsXIDError", "Xid 79"}
    assert verdict.action is Action.REBOOT
    assert gpus_in(node("a", XID_79)) == ("GPU-22222222-2222-2222-2222-222222222222",)


def test_a_condition_that_names_only_a_program_s_xid_is_not_certain() -> None:
    told = replace(XID_79, message="ErrorCode:31 NVRM: Xid (PCI:0002:00:00): 31, pid=7")
    verdict = diagnose_node(node("a", told), now=START)
    assert verdict.standing is NodeHealth.DOUBTFUL
    assert not any(each.certain for each in verdict.findings)


@pytest.mark.parametrize(("minutes", "standing"), [(9, NodeHealth.DOUBTFUL), (10, NodeHealth.FAILED)])
def test_a_node_that_is_not_ready_counts_after_ten_minutes(minutes: int, standing: NodeHealth) -> None:
    told = Condition(type="Ready", status="False", since=START - timedelta(minutes=minutes))
    assert diagnose_node(node("a", told), now=START).standing is standing


def test_a_condition_without_a_time_is_new() -> None:
    assert diagnose_node(node("a", Condition(type="Ready", status="False")), now=START).standing is NodeHealth.DOUBTFUL


def test_a_silent_kubelet_is_unknown_and_not_failed() -> None:
    told = Condition(type="Ready", status="Unknown", since=START - timedelta(hours=5))
    assert diagnose_node(node("a", told), now=START).standing is NodeHealth.UNKNOWN
    assert diagnose_node(replace(node("a"), conditions=()), now=START).standing is NodeHealth.UNKNOWN


def test_a_metric_tells_what_no_condition_tells_and_an_unknown_xid_is_only_looked_at() -> None:
    assert diagnose_node(node("a"), now=START, xids=(79,)).standing is NodeHealth.FAILED
    assert diagnose_node(node("a"), now=START, xids=(13,)).standing is NodeHealth.WELL
    verdict = diagnose_node(node("a"), now=START, xids=(999,))
    assert (verdict.standing, verdict.findings[0].source) == (NodeHealth.DOUBTFUL, "")


def test_a_provider_s_own_label_is_said_and_never_certain() -> None:
    away = diagnose_node(node("a", labels={"node.coreweave.cloud/state": "triage"}), now=START)
    assert (away.standing, away.action) == (NodeHealth.DOUBTFUL, Action.PROVIDER)
    assert diagnose_node(node("a", labels={"node.coreweave.cloud/state": "production"}), now=START).findings == ()


def test_a_node_that_failed_its_burn_in_is_failed_and_says_why() -> None:
    said = {"atoll/burn-in-why": "matmul: 400 TFLOPS, 80% of 989 is 791"}
    verdict = diagnose_node(node("a", labels={"atoll/burn-in": "failed"}, annotations=said), now=START)
    assert verdict.standing is NodeHealth.FAILED
    assert verdict.findings[0].detail.startswith("matmul")


def test_eks_tells_by_false_and_nvsentinel_by_true() -> None:
    old = START - timedelta(minutes=11)
    assert (
        diagnose_node(
            node("a", Condition(type="AcceleratedHardwareReady", status="False", since=old)), now=START
        ).standing
        is NodeHealth.FAILED
    )
    fine = [
        Condition(type="AcceleratedHardwareReady", status="True", since=old),
        Condition(type="GpuMemWatch", status="False", since=old),
    ]
    assert diagnose_node(node("a", *fine), now=START).standing is NodeHealth.WELL


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["metadata", "spec", "status", "labels", "taints", "conditions", "key", "name", "type"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_answer_of_a_server_breaks_the_reading(value: object) -> None:
    form = value if isinstance(value, dict) else {"metadata": value, "spec": value, "status": value}
    found = node_of(form)
    assert isinstance(found.name, str)
    assert diagnose_node(found, now=START).standing in NodeHealth


def test_a_node_is_read_as_the_api_writes_it() -> None:
    found = node_of(
        {
            "metadata": {"name": "n", "uid": "u", "resourceVersion": "7", "labels": {"atoll/pool": "train"}},
            "spec": {
                "unschedulable": True,
                "providerID": "aws:///us-east-1a/i-0abc",
                "taints": [{"key": "atoll/burn-in", "value": "pending", "effect": "NoSchedule"}],
            },
            "status": {
                "nodeInfo": {"systemUUID": "ec2-1"},
                "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-22T08:00:00Z"}],
            },
        }
    )
    assert (found.pool, found.cordoned, found.burn_in, found.machine_id) == ("train", True, "pending", "i-0abc")
    assert found.conditions[0].since == START - timedelta(hours=1)
    assert found.ready == READY.status
