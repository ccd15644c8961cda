from __future__ import annotations

from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest
from rule_samples import bare, facts, list_exported_metrics, metrics

from planning.platform.alerts.model import Alert, RecordingRule
from planning.platform.alerts.rulebook import alerts, gpu_counters, rule_groups

ROOT = Path(__file__).parents[3]
RUNBOOKS = ROOT / "docs" / "runbooks"
ALERTS = list(alerts(facts()))
RULES = [rule for group in rule_groups(facts()) for rule in group.rules]
MOST_LINES = 60


def named(name: str) -> Alert:
    (found,) = [each for each in ALERTS if each.name == name]
    return found


def test_every_alert_has_its_runbook_and_every_runbook_its_alert() -> None:
    pages = {str(path.relative_to(ROOT)) for path in RUNBOOKS.glob("*.md")} - {"docs/runbooks/README.md"}
    assert {each.runbook for each in ALERTS} == pages


@pytest.mark.parametrize("path", sorted(RUNBOOKS.glob("*.md")), ids=lambda path: path.stem)
def test_a_runbook_says_what_it_means_how_to_look_what_to_do_and_when_to_call(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) < MOST_LINES
    if path.stem != "README":
        for heading in ("## What it means", "## How to look", "## What to do", "## When to call the provider"):
            assert heading in text


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.name)
def test_an_alert_says_where_and_what_to_do(alert: Alert) -> None:
    rule = alert.as_rule()
    assert rule["labels"] == {"severity": alert.severity}
    assert alert.summary[0].isupper()
    assert not alert.summary.endswith(".")
    assert alert.description.endswith(".")


def test_names_of_alerts_are_unique() -> None:
    assert [name for name, count in Counter(each.name for each in ALERTS).items() if count > 1] == []


def test_what_the_issue_asks_for_is_watched() -> None:
    assert {each.name for each in ALERTS} == {
        "BackupFailed",
        "CertificateExpiring",
        "DatabaseBackupFailed",
        "FabricErrors",
        "GpuMemoryErrors",
        "GpuPoolIdle",
        "GpuThermal",
        "GpuXid",
        "NodeNotReady",
        "NotebookIdle",
        "NvlinkErrors",
        "QueueStarved",
        "SloBurnFast",
        "SloBurnSlow",
        "SloBurnSteady",
        "SpendGuardSilent",
        "SpendHeld",
        "SpendOverCeiling",
        "VolumeFilling",
    }


def test_without_parts_accelerators_or_money_only_the_cluster_is_watched() -> None:
    assert [each.name for each in alerts(bare())] == ["NodeNotReady", "VolumeFilling"]


def test_every_metric_is_exported_or_recorded_before_it_is_used() -> None:
    known = list_exported_metrics()
    for rule in RULES:
        unknown = metrics(rule.expr) - known
        assert not unknown, f"{rule.name}: {unknown}"
        if isinstance(rule, RecordingRule):
            known.add(rule.name)


def test_the_exporters_list_holds_every_gpu_metric_that_is_looked_at() -> None:
    listed = {line.split(",")[0] for line in gpu_counters().splitlines()}
    looked_at = {name for rule in RULES for name in metrics(rule.expr) if name.startswith("DCGM_")}
    assert looked_at <= listed
    assert all(len(line.split(", ")) == 3 for line in gpu_counters().splitlines())


def test_a_node_costs_what_the_quote_says() -> None:
    recorded = [rule for rule in RULES if isinstance(rule, RecordingRule) and rule.name == "atoll:pool_usd_per_hour"]
    prices = {rule.labels["pool"]: rule.expr for rule in recorded}
    assert prices == {"train": "vector(98.32)", "system": "vector(0.4)"}


def test_the_run_rate_is_a_month_of_the_nodes_and_the_rest_of_the_bill() -> None:
    (rate,) = [rule for rule in RULES if rule.name == "atoll:run_rate_usd_per_month"]
    assert rate.expr == "sum(atoll:node_usd_per_hour) * 730 + atoll:other_usd_per_month"
    assert "5,000 USD" in named("SpendOverCeiling").description


@pytest.mark.parametrize(("slo", "fast", "slow"), [("99.9", "0.0144", "0.001"), ("99.5", "0.072", "0.005")])
def test_burn_rates_follow_the_promise(slo: str, fast: str, slow: str) -> None:
    found = {each.name: each.expr for each in alerts(facts(slo_percent=Decimal(slo)))}
    assert f'{{over="1h"}} > {fast}' in found["SloBurnFast"]
    assert f'{{over="5m"}} > {fast}' in found["SloBurnFast"]
    assert f'{{over="3d"}} > {slow}' in found["SloBurnSlow"]


def test_an_idle_notebook_is_told_of_after_culling_had_its_chance() -> None:
    assert named("NotebookIdle").lasting == "120m"
