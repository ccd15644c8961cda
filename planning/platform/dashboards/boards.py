"""The dashboards: cluster, GPUs and what they cost, queues, storage, training, and the promise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.platform.alerts.recording_rules import WORKING_HARD
from planning.platform.alerts.slo import BURNS
from planning.platform.dashboards.accelerators import gpus, training
from planning.platform.dashboards.model import Board, bars, line, matches, stat
from planning.values.money import HOURS_PER_MONTH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.platform.alerts.model import AlertFacts
    from planning.platform.dashboards.model import Panel

READY: Final = 'kube_node_status_condition{condition="Ready",status="true"}'
USED: Final = "kubelet_volume_stats_used_bytes / kubelet_volume_stats_capacity_bytes"


def boards(facts: AlertFacts) -> tuple[Board, ...]:
    return tuple(_boards(facts))


def _boards(facts: AlertFacts) -> Iterator[Board]:
    yield _cluster(facts)
    yield _cost(facts)
    if facts.gpu_pools:
        yield gpus(facts)
        yield training(facts)
    if "kueue" in facts.parts:
        yield _queues()
    yield _storage(facts)
    if facts.slo_percent is not None:
        yield _slo(facts)


def _cluster(facts: AlertFacts) -> Board:
    used_cores = 'sum(rate(node_cpu_seconds_total{mode!~"idle|iowait"}[5m])) / sum(rate(node_cpu_seconds_total[5m]))'
    used_memory = "1 - sum(node_memory_MemAvailable_bytes) / sum(node_memory_MemTotal_bytes)"
    restarts = "topk(10, sum by (namespace, pod) (increase(kube_pod_container_status_restarts_total[1h])) > 0)"
    rows: list[Sequence[Panel]] = [
        (
            stat("Nodes ready", f"sum({READY})"),
            stat("Nodes not ready", f"count({READY} == 0) or vector(0)", limits=(1,)),
            stat("Cores in use", used_cores, unit="percentunit", limits=(0.7, 0.9)),
            stat("Memory in use", used_memory, unit="percentunit", limits=(0.8, 0.95)),
        ),
        (
            line("Nodes by pool", "sum by (pool) (atoll:node_pool)", "{{pool}}", stacked=True),
            line("Pods by phase", "sum by (phase) (kube_pod_status_phase)", "{{phase}}", stacked=True),
        ),
        (
            line(
                "Cores by namespace",
                'sum by (namespace) (rate(container_cpu_usage_seconds_total{container!=""}[5m]))',
                "{{namespace}}",
                stacked=True,
            ),
            line(
                "Memory by namespace",
                'sum by (namespace) (container_memory_working_set_bytes{container!=""})',
                "{{namespace}}",
                unit="bytes",
                stacked=True,
            ),
        ),
        (
            bars("Restarts in the last hour", restarts, "{{namespace}}/{{pod}}", note="Nothing is the normal state."),
            line(
                "Received by node",
                'sum by (instance) (rate(node_network_receive_bytes_total{device!~"lo|veth.*|cali.*"}[5m]))',
                "{{instance}}",
                unit="Bps",
            ),
        ),
    ]
    if "loki" in facts.parts:
        rows.append((matches('{k8s_namespace_name=~".+"} |~ "(?i)error|fatal|panic"', "Errors in the logs"),))
    return Board(uid="atoll-cluster", title="Cluster", note="Nodes, pods and what they use.", rows=rows)


def _cost(facts: AlertFacts) -> Board:
    rows: list[Sequence[Panel]] = [
        (
            stat("Would cost a month at this rate", "atoll:run_rate_usd_per_month", unit="currencyUSD"),
            stat("Machines, an hour", "sum(atoll:node_usd_per_hour)", unit="currencyUSD"),
            *_ceiling(facts),
        ),
        (
            line(
                "Machines by pool, USD an hour",
                "sum by (pool) (atoll:node_usd_per_hour)",
                "{{pool}}",
                unit="currencyUSD",
                stacked=True,
                note="Prices of the accepted quote, no cloud bill: a node counts while it is up.",
            ),
            line(
                "Run rate, USD a month",
                "atoll:run_rate_usd_per_month",
                "as it runs now",
                unit="currencyUSD",
                note="Nodes as they are for a whole month, and everything else in the quote.",
            ),
        ),
    ]
    if facts.teams and facts.gpu_pools:
        rows.append(tuple(_teams()))
    return Board(
        uid="atoll-cost", title="Cost", note="What runs now, at the prices of the quote.", rows=rows, span="now-7d"
    )


def _ceiling(facts: AlertFacts) -> Iterator[Panel]:
    if facts.ceiling_usd_per_month is not None:
        yield stat(
            "Share of the ceiling",
            "atoll:run_rate_usd_per_month / on () atoll:ceiling_usd_per_month",
            unit="percentunit",
            limits=(0.9, 1.0),
        )
    if facts.gpu_pools:
        yield stat("GPUs that nobody holds, an hour", "atoll:unheld_gpu_usd_per_hour", unit="currencyUSD")


def _teams() -> Iterator[Panel]:
    yield line(
        "GPUs by team, USD an hour",
        "atoll:team_gpu_usd_per_hour",
        "{{team}}",
        unit="currencyUSD",
        stacked=True,
        note="GPUs that a team's pods hold, whether they work or not.",
    )
    yield line(
        "Held and idle, USD a month",
        f"atoll:team_idle_usd_per_hour * {HOURS_PER_MONTH:f}",
        "{{team}}",
        unit="currencyUSD",
        note=f"GPUs below {WORKING_HARD}% for a quarter of an hour, as if it went on for a month.",
    )


def _queues() -> Board:
    wait = "histogram_quantile(0.95, sum by (le, cluster_queue) (rate(kueue_admission_wait_time_seconds_bucket[1h])))"
    return Board(
        uid="atoll-queues",
        title="Queues",
        note="How long work waits, and for whom.",
        rows=(
            (
                stat("Waiting", 'sum(kueue_pending_workloads{status="active"})', limits=(1,)),
                stat("Cannot be admitted", 'sum(kueue_pending_workloads{status="inadmissible"})', limits=(1,)),
                stat("Running", "sum(kueue_admitted_active_workloads)"),
                stat("Evicted, an hour", "sum(increase(kueue_evicted_workloads_total[1h]))"),
            ),
            (
                line("Waiting by queue", "sum by (cluster_queue) (kueue_pending_workloads)", "{{cluster_queue}}"),
                line("Wait of the slowest twentieth", wait, "{{cluster_queue}}", unit="s"),
            ),
            (
                line(
                    "Admitted, an hour",
                    "sum by (cluster_queue) (increase(kueue_admitted_workloads_total[1h]))",
                    "{{cluster_queue}}",
                ),
                line(
                    "Evicted, an hour",
                    "sum by (cluster_queue, reason) (increase(kueue_evicted_workloads_total[1h]))",
                    "{{cluster_queue}} {{reason}}",
                ),
            ),
        ),
    )


def _storage(facts: AlertFacts) -> Board:
    rows: list[Sequence[Panel]] = [
        (
            bars(
                "Fullest volumes",
                f"topk(15, max by (namespace, persistentvolumeclaim) ({USED}))",
                "{{namespace}}/{{persistentvolumeclaim}}",
                unit="percentunit",
            ),
            line(
                "Asked for by namespace",
                "sum by (namespace) (kube_persistentvolumeclaim_resource_requests_storage_bytes)",
                "{{namespace}}",
                unit="bytes",
                stacked=True,
            ),
        ),
    ]
    if "minio" in facts.parts:
        rows.append(
            (
                line(
                    "Buckets",
                    "max by (bucket) (minio_bucket_usage_total_bytes)",
                    "{{bucket}}",
                    unit="bytes",
                    stacked=True,
                ),
                line("Free in the object store", "max(minio_cluster_capacity_usable_free_bytes)", "free", unit="bytes"),
            )
        )
    return Board(uid="atoll-storage", title="Storage", note="Volumes and buckets.", rows=rows, span="now-7d")


def _slo(facts: AlertFacts) -> Board:
    month = 'atoll:slo_errors:ratio{over="30d"}'
    left = f"1 - ({month} / on () ((100 - atoll:slo_percent) / 100))"
    windows = dict.fromkeys(window for burn in BURNS for window in (burn.long, burn.short))
    burn = " or ".join(f'atoll:slo_errors:ratio{{over="{window}"}}' for window in windows)
    return Board(
        uid="atoll-slo",
        title="Promise",
        note=f"{facts.slo_percent}% of the month, as the checklist promises.",
        rows=(
            (
                stat("There in 30 days", f"1 - {month}", unit="percentunit"),
                stat("Error budget left", left, unit="percentunit", note="Below 0 the promise is broken."),
                stat("Away now", "atoll:absent:ratio", unit="percentunit", limits=(0.01, 0.1)),
            ),
            (line("Away, by window", burn, "{{over}}", unit="percentunit", width=24),),
        ),
        span="now-30d",
    )
