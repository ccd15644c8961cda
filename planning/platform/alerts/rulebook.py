"""Every rule of a cluster: prices, catalogs/platform/rules.yaml, the promise's error budget, what was delivered."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Final, NotRequired

from typing_extensions import TypedDict

from planning.inputs.fact_tables import read_rows, read_table
from planning.platform.alerts import availability
from planning.platform.alerts.model import Alert, AlertFacts, RecordingRule, RuleGroup, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class Burn:
    """A rate at which the budget of 30 days is used up, seen over a long window and still going on in a short one."""

    name: str
    factor: Decimal
    long: str
    short: str
    lasting: str
    severity: Severity


# Site Reliability Workbook, chapter 5, table 5-8 (sre.google/workbook/alerting-on-slos): 2% of the budget in an hour,
# 5% in six hours, 10% in three days.
BURNS: Final = (
    Burn(name="SloBurnFast", factor=Decimal("14.4"), long="1h", short="5m", lasting="2m", severity="critical"),
    Burn(name="SloBurnSteady", factor=Decimal(6), long="6h", short="30m", lasting="15m", severity="critical"),
    Burn(name="SloBurnSlow", factor=Decimal(1), long="3d", short="6h", lasting="1h", severity="warning"),
)
# What must be there for people to work: the share of platform Deployments and StatefulSets, and of nodes, that is not.
PLATFORM: Final = (
    'namespace=~"observability|object-store|mlflow|kueue-system|kubeflow|istio-system|auth|oauth2-proxy|cert-manager"'
)


class AlertRow(TypedDict):
    """An alert of the table."""

    alert: str
    needs: NotRequired[list[str]]
    expr: str
    lasting: str
    severity: Severity
    summary: str
    description: str


class RecordRow(TypedDict):
    """A recorded series of the table."""

    record: str
    needs: NotRequired[list[str]]
    expr: str


class GroupRow(TypedDict):
    """A group of the table."""

    group: str
    needs: NotRequired[list[str]]
    rules: list[AlertRow | RecordRow]


@cache
def _read_groups() -> list[GroupRow]:
    return read_table("platform/rules.yaml", list[GroupRow])


def rule_groups(facts: AlertFacts) -> tuple[RuleGroup, ...]:
    """Every group of rules of a cluster."""
    # Prices first: what follows multiplies by them. Recorded series stand before what looks at them.
    return (
        RuleGroup(name="atoll-prices", rules=tuple(_build_price_records(facts))),
        *_build_table_groups(facts),
        *_build_slo_group(facts),
        *availability.group(facts),
    )


def alerts(facts: AlertFacts) -> Iterator[Alert]:
    for each in rule_groups(facts):
        yield from (rule for rule in each.rules if isinstance(rule, Alert))


def gpu_counters() -> str:
    """What DCGM's exporter counts, as its charts take it: one line of CSV for each."""
    # The last five are commented out in its own list (github.com/NVIDIA/dcgm-exporter, etc/default-counters.csv, read
    # 2026-11-21): without this list their alerts stay silent.
    rows = read_rows("platform/gpu_counters.csv")
    return "".join(f"{row['name']}, {row['type']}, {row['help']}\n" for row in rows)


def _build_table_groups(facts: AlertFacts) -> Iterator[RuleGroup]:
    """The groups of the table that have a rule on this cluster."""
    for group in _read_groups():
        if not facts.has_all(group.get("needs", ())):
            continue
        rules = [_build_rule(row, facts) for row in group["rules"] if facts.has_all(row.get("needs", ()))]
        if rules:
            yield RuleGroup(name=group["group"], rules=rules)


def _build_rule(row: AlertRow | RecordRow, facts: AlertFacts) -> Alert | RecordingRule:
    if "record" in row:
        return RecordingRule(name=row["record"], expr=row["expr"])
    return Alert(
        name=row["alert"],
        expr=row["expr"],
        lasting=facts.fill(row["lasting"]),
        severity=row["severity"],
        summary=row["summary"],
        description=facts.fill(row["description"]),
    )


def _build_price_records(facts: AlertFacts) -> Iterator[RecordingRule]:
    """The prices of the accepted quote."""
    # Of the accepted quote: no billing API is asked.
    for pool, usd in sorted(facts.prices.items()):
        yield RecordingRule(name="atoll:pool_usd_per_hour", expr=f"vector({usd:f})", labels={"pool": pool})
    for namespace, team in sorted(facts.teams.items()):
        yield RecordingRule(
            name="atoll:namespace_team", expr="vector(1)", labels={"namespace": namespace, "team": team}
        )
    yield RecordingRule(name="atoll:other_usd_per_month", expr=f"vector({facts.other_usd_per_month:f})")
    if facts.ceiling_usd_per_month is not None:
        yield RecordingRule(name="atoll:ceiling_usd_per_month", expr=f"vector({facts.ceiling_usd_per_month:f})")
    yield RecordingRule(
        name="atoll:node_pool",
        expr=f'max by (node, pool) (label_replace(kube_node_labels{{{facts.pool_label}!=""}}, "pool", "$1", '
        f'"{facts.pool_label}", "(.+)"))',
    )


def _build_slo_group(facts: AlertFacts) -> Iterator[RuleGroup]:
    """How fast the error budget of the checklist's promise burns; nothing, where nothing was promised."""
    if facts.slo_percent is None:
        return
    budget = (100 - facts.slo_percent) / 100
    yield RuleGroup(
        name="atoll-slo",
        rules=(*_build_slo_records(facts.slo_percent), *(_build_burn_alert(each, budget) for each in BURNS)),
    )


def _build_slo_records(slo_percent: Decimal) -> Iterator[RecordingRule]:
    yield RecordingRule(name="atoll:slo_percent", expr=f"vector({slo_percent:f})")
    yield RecordingRule(name="atoll:absent:ratio", expr=f"max({_absent_platform()} or {_absent_nodes()})")
    windows = dict.fromkeys(window for burn in BURNS for window in (burn.long, burn.short))
    for window in (*windows, "30d"):
        yield RecordingRule(
            name="atoll:slo_errors:ratio", expr=f"avg_over_time(atoll:absent:ratio[{window}])", labels={"over": window}
        )


def _absent_platform() -> str:
    wanted = f"kube_deployment_spec_replicas{{{PLATFORM}}} or kube_statefulset_replicas{{{PLATFORM}}}"
    there = (
        f"kube_deployment_status_replicas_available{{{PLATFORM}}}"
        f" or kube_statefulset_status_replicas_ready{{{PLATFORM}}}"
    )
    return f'label_replace(1 - sum({there}) / sum({wanted}), "of", "platform", "", "")'


def _absent_nodes() -> str:
    ready = 'kube_node_status_condition{condition="Ready",status="true"}'
    return f'label_replace(1 - avg({ready}), "of", "nodes", "", "")'


def _build_burn_alert(burn: Burn, budget: Decimal) -> Alert:
    limit = f"{(burn.factor * budget).normalize():f}"
    both = (f'atoll:slo_errors:ratio{{over="{window}"}} > {limit}' for window in (burn.long, burn.short))
    return Alert(
        name=burn.name,
        expr=" and on () ".join(f"({each})" for each in both),
        lasting=burn.lasting,
        severity=burn.severity,
        summary=f"The platform's error budget burns {burn.factor.normalize():f} times too fast",
        description=f"Over the last {burn.long} and the last {burn.short}, more of the platform or of its nodes was"
        " away than the promised share of the month allows.",
    )
