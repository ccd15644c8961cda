"""The promise of the checklist (`slo_percent`) and how fast its error budget burns."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.platform.alerts.model import Alert, RecordingRule, RuleGroup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.platform.alerts.model import AlertFacts, Severity


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


def group(facts: AlertFacts) -> Iterator[RuleGroup]:
    """Nothing, where nothing was promised."""
    if facts.slo_percent is None:
        return
    budget = (100 - facts.slo_percent) / 100
    yield RuleGroup(name="atoll-slo", rules=(*_records(facts.slo_percent), *(_alert(each, budget) for each in BURNS)))


def _records(slo_percent: Decimal) -> Iterator[RecordingRule]:
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


def _alert(burn: Burn, budget: Decimal) -> Alert:
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
