"""What was delivered, as Prometheus itself records it: counted when usable, absent when nobody measured."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml
from waiting import WITHIN

from planning.platform.alerts.model import AlertFacts, SloTarget
from planning.platform.alerts.rulebook import rule_groups

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

pytestmark = pytest.mark.server

TRAIN: Final = SloTarget(
    pool="train", pools=("train",), fixed=2, most=2, accelerators=8, resource="nvidia_com_gpu", fabric="efa", ports=2
)
BURST: Final = SloTarget(pool="burst", pools=("burst",), fixed=1, most=3, fabric="roce")
FACTS: Final = AlertFacts(
    parts=frozenset(),
    pool_label="label_atoll_pool",
    prices={},
    other_usd_per_month=Decimal(0),
    ceiling_usd_per_month=None,
    teams={},
    slo_percent=None,
    idle_minutes=60,
    gpu_pools=(),
    owed=(TRAIN, BURST),
    shared_tiers=("warm",),
)


def nodes(name: str, pool: str, *, ready: str = "1x60", cordoned: str = "0x60", gpus: str = "8x60") -> dict[str, str]:
    return {
        f'kube_node_labels{{node="{name}",label_atoll_pool="{pool}"}}': "1x60",
        f'kube_node_status_condition{{node="{name}",condition="Ready",status="true"}}': ready,
        f'kube_node_spec_unschedulable{{node="{name}"}}': cordoned,
        f'kube_node_status_allocatable{{node="{name}",resource="nvidia_com_gpu"}}': gpus,
        f'kube_node_created{{node="{name}"}}': "0x60",
    }


def tried(
    promtool: Path,
    folder: Path,
    given: Mapping[str, str],
    expected: Mapping[str, Mapping[str, float]],
    *,
    facts: AlertFacts = FACTS,
) -> None:
    """Expressions, at times in minutes, have these values; an empty mapping: no result at all."""
    rules, case = folder / "rules.yaml", folder / "case.yaml"
    rules.write_text(yaml.safe_dump({"groups": [group.as_group() for group in rule_groups(facts)]}))
    asked: list[dict[str, Any]] = []
    for query, values in expected.items():
        expr, _, at = query.partition(" @ ")
        samples = [{"labels": f"{expr.partition('{')[0]}{labels}", "value": value} for labels, value in values.items()]
        asked.append({"expr": expr, "eval_time": f"{at}m", "exp_samples": samples})
    series = [{"series": name, "values": values} for name, values in given.items()]
    test = {"interval": "1m", "input_series": series, "promql_expr_test": asked}
    case.write_text(yaml.safe_dump({"rule_files": [str(rules)], "evaluation_interval": "1m", "tests": [test]}))
    done = subprocess.run(
        [promtool, "test", "rules", case], capture_output=True, text=True, check=False, timeout=WITHIN
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_rule_parses(promtool: Path, tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(yaml.safe_dump({"groups": [group.as_group() for group in rule_groups(FACTS)]}))
    command = [promtool, "check", "rules", "--lint=all", "--lint-fatal", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=WITHIN)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_node_counts_while_it_is_ready_open_and_whole(promtool: Path, tmp_path: Path) -> None:
    given = {
        **nodes("n1", "train", ready="1x10 0x10 1x40"),
        **nodes("n2", "train", cordoned="0x30 1x10 0x20", gpus="8x50 7x10"),
    }
    pool = '{pool="train"}'
    healthy = {5: 2, 15: 1, 25: 2, 35: 1, 45: 2, 55: 1}
    expected = {f"atoll:healthy_nodes{pool} @ {at}": {pool: count} for at, count in healthy.items()}
    tried(promtool, tmp_path, given, {**expected, f"atoll:owed_nodes{pool} @ 15": {pool: 2}})


def test_an_untested_node_does_not_count(promtool: Path, tmp_path: Path) -> None:
    taint = 'kube_node_spec_taint{node="n1",key="atoll/burn-in",value="pending",effect="NoSchedule"}'
    given = {**nodes("n1", "train"), taint: "1x20"}
    pool = '{pool="train"}'
    expected = {f"atoll:healthy_nodes{pool} @ {at}": {pool: count} for at, count in ((10, 0), (40, 1))}
    tried(promtool, tmp_path, given, expected)


def test_where_nobody_measured_there_is_no_series_and_not_a_zero(promtool: Path, tmp_path: Path) -> None:
    none: dict[str, float] = {}
    asked = ("atoll:healthy_nodes", 'atoll:owed_nodes{pool="burst"}', "atoll:fabric_up", "atoll:storage_up")
    absent = {f"{each} @ 10": none for each in (*asked, "atoll:control_plane_up")}
    tried(
        promtool,
        tmp_path,
        {"unrelated": "1x60"},
        {**absent, 'atoll:owed_nodes{pool="train"} @ 10': {'{pool="train"}': 2}},
    )


def test_nodes_that_come_and_go_are_owed_once_they_had_time_to_start(promtool: Path, tmp_path: Path) -> None:
    given = {
        **nodes("n1", "burst"),
        **nodes("n2", "burst", ready="0x60"),
        'kube_node_created{node="n2"}': "1200x60",
        'kube_node_spec_taint{node="n2",key="karpenter.sh/disrupted",value="",effect="NoSchedule"}': "_x50 1x10",
    }
    pool = '{pool="burst"}'
    owed = {25: 1, 40: 2, 55: 1}
    expected = {f"atoll:owed_nodes{pool} @ {at}": {pool: count} for at, count in owed.items()}
    tried(promtool, tmp_path, given, {**expected, f"atoll:healthy_nodes{pool} @ 40": {pool: 1}})


def port(node: str, name: str, states: str, carried: str = "5x60") -> dict[str, str]:
    labels = f'instance="{node}:9100",namespace="node-agents",pod="exporter-{node}",device="{name}",port="1"'
    return {
        f"node_infiniband_state_id{{{labels}}}": states,
        f"node_infiniband_port_data_transmitted_bytes_total{{{labels}}}": carried,
        f'kube_pod_info{{namespace="node-agents",pod="exporter-{node}",node="{node}"}}': "1x60",
    }


def test_a_fabric_is_the_share_of_nodes_whose_ports_all_work(promtool: Path, tmp_path: Path) -> None:
    given = {
        **nodes("n1", "train"),
        **nodes("n2", "train"),
        **port("n1", "efa_0", "4x60"),
        **port("n1", "efa_1", "4x20 1x20 4x20"),
        **port("n2", "efa_0", "4x60"),
        **port("n2", "efa_1", "4x60"),
        **nodes("b1", "burst"),
        **port("b1", "mlx5_0", "4x40 1x20"),
        **port("b1", "mlx5_9", "1x60", carried="0x60"),
    }
    train, burst = '{pool="train"}', '{pool="burst"}'
    expected = {
        f"atoll:fabric_up{train} @ 10": {train: 1},
        f"atoll:fabric_up{train} @ 30": {train: 0.5},
        f"atoll:fabric_up{burst} @ 30": {burst: 1},
        f"atoll:fabric_up{burst} @ 50": {burst: 0},
    }
    tried(promtool, tmp_path, given, expected)


def test_a_shared_volume_that_no_kubelet_can_read_is_down(promtool: Path, tmp_path: Path) -> None:
    claim = 'namespace="work-a",persistentvolumeclaim="shared"'
    given = {
        f'kube_pod_spec_volumes_persistentvolumeclaims_info{{{claim},pod="p1",volume="v"}}': "1x60",
        'kube_pod_status_phase{namespace="work-a",pod="p1",phase="Running"}': "1x50 0x10",
        f'kube_persistentvolumeclaim_access_mode{{{claim},access_mode="ReadWriteMany"}}': "1x60",
        f'kubelet_volume_stats_capacity_bytes{{{claim},node="n1"}}': "9x20 stale _x19 9x20",
        'kubelet_volume_stats_capacity_bytes{namespace="observability",persistentvolumeclaim="own",node="n1"}': "9x60",
    }
    warm = '{tier="warm"}'
    values: dict[int, dict[str, float]] = {10: {warm: 1}, 30: {warm: 0}, 45: {warm: 1}, 55: {}}
    tried(promtool, tmp_path, given, {f"atoll:storage_up{warm} @ {at}": value for at, value in values.items()})


def test_the_control_plane_is_up_while_one_of_its_servers_answers(promtool: Path, tmp_path: Path) -> None:
    given = {'up{job="apiserver",instance="a"}': "1x20 0x40", 'up{job="apiserver",instance="b"}': "1x40 0x20"}
    values = {10: 1, 30: 1, 50: 0}
    expected = {f"atoll:control_plane_up @ {at}": {"": float(value)} for at, value in values.items()}
    tried(promtool, tmp_path, given, expected, facts=replace(FACTS, owed=(), shared_tiers=()))


def test_the_object_store_is_what_its_servers_say_of_it(promtool: Path, tmp_path: Path) -> None:
    ready = 'kube_statefulset_status_replicas_ready{namespace="object-store",statefulset="minio"}'
    given = {
        'minio_cluster_health_status{server="a"}': "1x20 0x10 stale _x28",
        'minio_cluster_health_status{server="b"}': "0x20 0x10 stale _x28",
        ready: "2x39 0x10 2x10",
    }
    store = '{tier="object_store"}'
    values: dict[int, dict[str, float]] = {10: {store: 1}, 25: {store: 0}, 35: {}, 45: {store: 0}, 55: {}}
    expected = {f"atoll:storage_up{store} @ {at}": value for at, value in values.items()}
    facts = replace(FACTS, owed=(), shared_tiers=(), parts=frozenset({"minio"}))
    tried(promtool, tmp_path, given, expected, facts=facts)


def test_a_store_of_several_services_is_up_while_each_has_a_pod(promtool: Path, tmp_path: Path) -> None:
    given = {
        'kube_statefulset_status_replicas_ready{namespace="object-store",statefulset="seaweedfs-volume"}': "3x10 2x50",
        'kube_statefulset_status_replicas_ready{namespace="object-store",statefulset="seaweedfs-filer"}': "1x60",
        'kube_deployment_status_replicas_available{namespace="object-store",deployment="seaweedfs-s3"}': "2x30 0x30",
        'kube_statefulset_status_replicas_ready{namespace="mlflow",statefulset="other"}': "0x60",
    }
    store = '{tier="object_store"}'
    expected = {f"atoll:storage_up{store} @ {at}": {store: value} for at, value in ((5, 1.0), (20, 1.0), (40, 0.0))}
    facts = replace(FACTS, owed=(), shared_tiers=(), parts=frozenset({"seaweedfs"}))
    tried(promtool, tmp_path, given, expected, facts=facts)
