"""Series that dashboards and alerts share: what each node costs, whose GPUs they are, which of them do nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.platform.alerts.model import RecordingRule, RuleGroup
from planning.values.money import HOURS_PER_MONTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.platform.alerts.model import AlertFacts

GPUS: Final = 'resource="nvidia_com_gpu"'  # kube-state-metrics writes nvidia.com/gpu so
WORKING_HARD: Final = 5  # percent of the time: below it a GPU that somebody holds is called idle


def groups(facts: AlertFacts) -> Iterator[RuleGroup]:
    """Prices first: what follows multiplies by them."""
    yield RuleGroup(name="atoll-prices", rules=tuple(_prices(facts)))
    yield RuleGroup(name="atoll-gpus", rules=tuple(_gpus()))
    yield RuleGroup(name="atoll-cost", rules=tuple(_cost(facts)))


def _prices(facts: AlertFacts) -> Iterator[RecordingRule]:
    """The prices of the accepted quote: no billing API is asked."""
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


def _gpus() -> Iterator[RecordingRule]:
    """GPUs by node, asked for or not, and how busy each is.

    DCGM's exporter names the node `Hostname`; the namespace of the pod that holds a GPU becomes `exported_namespace`
    unless the scrape honours labels. A GPU that no pod holds has no `exported_pod`.
    """
    yield RecordingRule(name="atoll:node_gpus", expr=f"max by (node) (kube_node_status_allocatable{{{GPUS}}}) > 0")
    yield RecordingRule(
        name="atoll:pod_gpus",
        expr=f'sum by (namespace, pod, node) (kube_pod_container_resource_requests{{{GPUS},node!=""}})'
        ' * on (namespace, pod) group_left () max by (namespace, pod) (kube_pod_status_phase{phase="Running"} == 1)',
    )
    yield RecordingRule(
        name="atoll:gpu_busy_percent",
        expr="max by (node, gpu, namespace, pod) ("
        + _relabel("DCGM_FI_DEV_GPU_UTIL", node="Hostname", namespace="exported_namespace", pod="exported_pod")
        + ")",
    )
    yield RecordingRule(
        name="atoll:pod_idle_gpus",
        expr=f"count by (namespace, pod) (avg_over_time(atoll:gpu_busy_percent[15m]) < {WORKING_HARD})"
        " and on (namespace, pod) atoll:pod_gpus",
    )


def _cost(facts: AlertFacts) -> Iterator[RecordingRule]:
    yield RecordingRule(
        name="atoll:node_usd_per_hour", expr="atoll:node_pool * on (pool) group_left () atoll:pool_usd_per_hour"
    )
    yield RecordingRule(
        name="atoll:gpu_usd_per_hour",
        expr="max by (node) (atoll:node_usd_per_hour) / on (node) atoll:node_gpus",
    )
    yield RecordingRule(
        name="atoll:run_rate_usd_per_month",
        expr=f"sum(atoll:node_usd_per_hour) * {HOURS_PER_MONTH:f} + atoll:other_usd_per_month",
    )
    if facts.teams:
        yield from _per_team()
    yield RecordingRule(
        name="atoll:unheld_gpu_usd_per_hour",
        expr="sum(atoll:gpu_usd_per_hour * on (node) (atoll:node_gpus - on (node)"
        " (sum by (node) (atoll:pod_gpus) or atoll:node_gpus * 0)))",
    )


def _per_team() -> Iterator[RecordingRule]:
    priced = "atoll:pod_gpus * on (node) group_left () atoll:gpu_usd_per_hour"
    team = "* on (namespace) group_left (team) atoll:namespace_team"
    yield RecordingRule(name="atoll:team_gpus", expr=f"sum by (team) (atoll:pod_gpus {team})")
    yield RecordingRule(name="atoll:team_gpu_usd_per_hour", expr=f"sum by (team) ({priced} {team})")
    yield RecordingRule(name="atoll:team_idle_gpus", expr=f"sum by (team) (atoll:pod_idle_gpus {team})")
    yield RecordingRule(
        name="atoll:team_idle_usd_per_hour",
        expr="sum by (team) (atoll:pod_idle_gpus * on (namespace, pod) group_left ()"
        f" max by (namespace, pod) (atoll:pod_gpus * 0 + on (node) group_left () atoll:gpu_usd_per_hour) {team})",
    )


def _relabel(metric: str, **labels: str) -> str:
    """A metric with labels copied under the names that Kubernetes' own metrics have."""
    found = metric
    for target, source in labels.items():
        found = f'label_replace({found}, "{target}", "$1", "{source}", "(.+)")'
    return found
