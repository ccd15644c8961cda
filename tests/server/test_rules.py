"""Rules and dashboards, read by Prometheus' own tool: they parse, and they fire when they should."""

from __future__ import annotations

import subprocess
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, cast

import pytest
import yaml

from planning.platform.alerts.model import AlertFacts
from planning.platform.alerts.rulebook import alerts, rule_groups
from planning.platform.dashboards import boards

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.server

FACTS: Final = AlertFacts(
    parts=frozenset(
        {"kueue", "notebooks", "cert_manager", "velero", "loki", "minio", "postgres_operator", "mlflow", "spend_guard"}
    ),
    pool_label="label_atoll_pool",
    prices={"train": Decimal(80), "system": Decimal(1)},
    other_usd_per_month=Decimal(1000),
    ceiling_usd_per_month=Decimal(100_000),
    teams={"work-burst": "vision", "work-tune": "speech"},
    slo_percent=Decimal("99.9"),
    idle_minutes=60,
    gpu_pools=("train",),
)
GPU = 'Hostname="n1",gpu="0",UUID="GPU-0"'
NODE = 'kube_node_labels{node="%s",label_atoll_pool="%s"}'


@pytest.fixture(scope="session")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rules") / "rules.yaml"
    path.write_text(yaml.safe_dump({"groups": [group.as_group() for group in rule_groups(FACTS)]}))
    return path


def run(*command: object) -> str:
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tried(promtool: Path, rules: Path, case: dict[str, Any]) -> None:
    path = rules.with_name("case.yaml")
    document = {"rule_files": [str(rules)], "evaluation_interval": "1m", "tests": [{"interval": "1m", **case}]}
    path.write_text(yaml.safe_dump(document))
    run(promtool, "test", "rules", path)


def series(**found: str) -> list[dict[str, str]]:
    return [{"series": name, "values": values} for name, values in found.items()]


def fires(promtool: Path, rules: Path, alert: str, at: str, given: dict[str, str], *labels: dict[str, str]) -> None:
    """The alert fires at that time for each of these labels, beside its severity, and for nothing else."""
    (rule,) = [each for each in alerts(FACTS) if each.name == alert]
    expected = [{"exp_labels": {"severity": rule.severity, **each}} for each in labels]
    test = {"eval_time": at, "alertname": alert, "exp_alerts": expected}
    tried_loosely(promtool, rules, {"input_series": series(**given), "alert_rule_test": [test]}, alert)


def tried_loosely(promtool: Path, rules: Path, case: dict[str, Any], alert: str) -> None:
    """The same with rules whose annotations are left out: their words are not what is tried."""
    groups = [group.as_group() for group in rule_groups(FACTS)]
    for group in groups:
        for rule in cast("list[dict[str, object]]", group["rules"]):
            if rule.get("alert") == alert:
                rule["annotations"] = {}
    bare = rules.with_name("bare.yaml")
    bare.write_text(yaml.safe_dump({"groups": groups}))
    tried(promtool, bare, case)


def test_every_rule_parses(promtool: Path, rules: Path) -> None:
    assert "SUCCESS" in run(promtool, "check", "rules", "--lint=all", "--lint-fatal", rules)


def test_every_query_of_every_dashboard_parses(promtool: Path, tmp_path: Path) -> None:
    queries = [panel.expr for board in boards(FACTS) for panel in board.panels if panel.source == "prometheus"]
    recorded = [{"record": f"panel:{number}", "expr": expr} for number, expr in enumerate(queries)]
    path = tmp_path / "panels.yaml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": recorded}]}))
    assert f"{len(queries)} rules found" in run(promtool, "check", "rules", path)


@pytest.mark.parametrize(("xid", "count"), [(79, 1), (48, 1), (43, 0), (31, 0), (0, 0)])
def test_an_xid_of_the_gpu_wakes_somebody_and_one_of_the_program_does_not(
    promtool: Path, rules: Path, xid: int, count: int
) -> None:
    given = {f"DCGM_FI_DEV_XID_ERRORS{{{GPU}}}": f"{xid}x5"}
    labels = [{"Hostname": "n1", "gpu": "0", "UUID": "GPU-0"}] * count
    fires(promtool, rules, "GpuXid", "3m", given, *labels)


def test_memory_errors_are_seen_whichever_counter_the_exporter_has(promtool: Path, rules: Path) -> None:
    labels = {"Hostname": "n1", "gpu": "0", "UUID": "GPU-0"}
    remapped = {f"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS{{{GPU}}}": "0x10 1x10"}
    fires(promtool, rules, "GpuMemoryErrors", "15m", remapped, labels)
    both = {**remapped, f"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{{{GPU}}}": "0x20"}
    fires(promtool, rules, "GpuMemoryErrors", "15m", both, labels)
    fires(promtool, rules, "GpuMemoryErrors", "5m", both)


def test_a_fabric_port_that_is_down_is_seen_after_five_minutes(promtool: Path, rules: Path) -> None:
    port = 'instance="n1",device="mlx5_0",port="1"'
    given = {f"node_infiniband_state_id{{{port}}}": "4x5 1x20"}
    labels = {"instance": "n1", "device": "mlx5_0", "port": "1"}
    fires(promtool, rules, "FabricErrors", "20m", given, labels)
    fires(promtool, rules, "FabricErrors", "8m", given)


def test_a_volume_is_told_of_at_four_fifths(promtool: Path, rules: Path) -> None:
    claim = 'namespace="work-burst",persistentvolumeclaim="shared"'
    given = {
        f"kubelet_volume_stats_capacity_bytes{{{claim}}}": "100x40",
        f"kubelet_volume_stats_used_bytes{{{claim}}}": "79x20 81x20",
    }
    fires(
        promtool, rules, "VolumeFilling", "39m", given, {"namespace": "work-burst", "persistentvolumeclaim": "shared"}
    )
    fires(promtool, rules, "VolumeFilling", "20m", given)


def test_a_queue_that_admits_nothing_is_starved_and_one_that_moves_is_not(promtool: Path, rules: Path) -> None:
    given = {
        'kueue_pending_workloads{cluster_queue="vision",status="active"}': "1x400",
        'kueue_admitted_workloads_total{cluster_queue="vision"}': "5x400",
        'kueue_pending_workloads{cluster_queue="speech",status="active"}': "1x400",
        'kueue_admitted_workloads_total{cluster_queue="speech"}': "0+1x400",
    }
    fires(promtool, rules, "QueueStarved", "300m", given, {"cluster_queue": "vision"})


def test_backups_that_fail_or_do_not_come_are_told_of(promtool: Path, rules: Path) -> None:
    failed = {
        'velero_backup_failure_total{schedule="daily"}': "0x10 1x50",
        'velero_backup_partial_failure_total{schedule="daily"}': "0x60",
    }
    fires(promtool, rules, "BackupFailed", "40m", failed, {"schedule": "daily"})
    missing = {'velero_backup_last_successful_timestamp{schedule="daily"}': "0x2000"}
    fires(promtool, rules, "BackupFailed", "1600m", missing, {"schedule": "daily"})
    fires(promtool, rules, "BackupFailed", "1500m", missing)
    refused = {'velero_backup_validation_failure_total{schedule="daily"}': "0x10 1x50"}
    fires(promtool, rules, "BackupFailed", "40m", refused, {"schedule": "daily"})


def test_a_database_that_is_not_backed_up_is_told_of(promtool: Path, rules: Path) -> None:
    good, bad = "cnpg_collector_last_available_backup_timestamp", "cnpg_collector_last_failed_backup_timestamp"
    failed = {f'{good}{{namespace="mlflow"}}': "600x60", f'{bad}{{namespace="mlflow"}}': "0x10 1200x50"}
    fires(promtool, rules, "DatabaseBackupFailed", "55m", failed, {"namespace": "mlflow"})
    fires(promtool, rules, "DatabaseBackupFailed", "15m", failed)
    missing = {f'{good}{{namespace="mlflow"}}': "0x2000", f'{bad}{{namespace="mlflow"}}': "0x2000"}
    fires(promtool, rules, "DatabaseBackupFailed", "1700m", missing, {"namespace": "mlflow"})


def test_spend_is_the_nodes_for_a_month_and_the_rest_of_the_bill(promtool: Path, rules: Path) -> None:
    one = {NODE % ("n1", "train"): "1x60", NODE % ("s1", "system"): "1x60"}
    rate = {
        "expr": "atoll:run_rate_usd_per_month",
        "eval_time": "50m",
        "exp_samples": [{"labels": "atoll:run_rate_usd_per_month", "value": 81 * 730 + 1000}],
    }
    tried(promtool, rules, {"input_series": series(**one), "promql_expr_test": [rate]})
    fires(promtool, rules, "SpendOverCeiling", "50m", one)
    two = {**one, NODE % ("n2", "train"): "1x60"}
    fires(promtool, rules, "SpendOverCeiling", "50m", two, {})


def test_stopped_queues_are_told_of_at_once(promtool: Path, rules: Path) -> None:
    for stop in (0, 1, 2):
        labels: list[dict[str, str]] = [{}] if stop else []
        given = {'atoll_spend_stop{pod="spend-guard-1"}': f"0x5 {stop}x20"}
        fires(promtool, rules, "SpendHeld", "4m", given)
        fires(promtool, rules, "SpendHeld", "7m", given, *labels)


def test_a_guard_that_sees_no_nodes_any_more_wakes_somebody(promtool: Path, rules: Path) -> None:
    seen = 'atoll_spend_seen_seconds{pod="spend-guard-1"}'
    fires(promtool, rules, "SpendGuardSilent", "60m", {seen: "0+60x60"})
    stuck = {seen: "0+60x10 600x50"}
    fires(promtool, rules, "SpendGuardSilent", "20m", stuck)
    fires(promtool, rules, "SpendGuardSilent", "30m", stuck, {})
    gone = {seen: "0+60x10"}
    fires(promtool, rules, "SpendGuardSilent", "14m", gone)
    fires(promtool, rules, "SpendGuardSilent", "22m", gone, {})


# As the exporter is scraped where its own labels win over those of the pod that holds the GPU.
UTIL = (
    'DCGM_FI_DEV_GPU_UTIL{Hostname="n1",gpu="%d",namespace="gpu-metrics",pod="x",'
    'exported_namespace="work-burst",exported_pod="a"}'
)
HELD: Final = {
    NODE % ("n1", "train"): "1x90",
    'kube_node_status_allocatable{node="n1",resource="nvidia_com_gpu"}': "8x90",
    'kube_pod_container_resource_requests{namespace="work-burst",pod="a",node="n1",resource="nvidia_com_gpu"}': "2x90",
    'kube_pod_status_phase{namespace="work-burst",pod="a",phase="Running"}': "1x90",
    'kube_pod_container_resource_requests{namespace="work-tune",pod="b",node="n1",resource="nvidia_com_gpu"}': "4x90",
    'kube_pod_status_phase{namespace="work-tune",pod="b",phase="Running"}': "1x90",
    UTIL % 0: "1x90",
    UTIL % 1: "97x90",
}


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ("atoll:team_gpus", {'{team="vision"}': 2, '{team="speech"}': 4}),
        ("atoll:team_gpu_usd_per_hour", {'{team="vision"}': 20, '{team="speech"}': 40}),
        ("atoll:team_idle_gpus", {'{team="vision"}': 1}),
        ("atoll:team_idle_usd_per_hour", {'{team="vision"}': 10}),
        ("atoll:unheld_gpu_usd_per_hour", {"": 20}),
    ],
)
def test_gpus_are_shared_out_to_teams_at_the_nodes_price(
    promtool: Path, rules: Path, expr: str, expected: dict[str, float]
) -> None:
    samples = [{"labels": f"{expr}{labels}", "value": value} for labels, value in expected.items()]
    test = {"expr": expr, "eval_time": "80m", "exp_samples": samples}
    tried(promtool, rules, {"input_series": series(**HELD), "promql_expr_test": [test]})


def test_a_pool_that_nobody_uses_is_idle_after_an_hour(promtool: Path, rules: Path) -> None:
    empty = dict(list(HELD.items())[:2])
    fires(promtool, rules, "GpuPoolIdle", "80m", empty, {"pool": "train"})
    fires(promtool, rules, "GpuPoolIdle", "80m", HELD)


def test_an_outage_of_the_platform_burns_the_budget_fast(promtool: Path, rules: Path) -> None:
    platform = 'namespace="mlflow",deployment="mlflow"'
    given = {
        f"kube_deployment_spec_replicas{{{platform}}}": "4x200",
        f"kube_deployment_status_replicas_available{{{platform}}}": "4x90 3x20 4x90",
        'kube_node_status_condition{node="n1",condition="Ready",status="true"}': "1x200",
    }
    fires(promtool, rules, "SloBurnFast", "105m", given, {"over": "1h"})
    fires(promtool, rules, "SloBurnFast", "80m", given)
    fires(promtool, rules, "SloBurnFast", "130m", given)
