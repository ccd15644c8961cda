"""The dashboards of accelerators: who holds them and how well they are, and whether training gets on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.platform.dashboards.model import Board, bars, line, matches, stat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.platform.alerts.model import AlertFacts
    from planning.platform.dashboards.model import Panel


def gpus(facts: AlertFacts) -> Board:
    """Use, memory, heat and faults of every GPU."""
    rows = _of_gpus()
    if facts.teams:
        rows.insert(
            1,
            (
                line("GPUs by team", "atoll:team_gpus", "{{team}}", stacked=True),
                line("Idle GPUs by team", "atoll:team_idle_gpus", "{{team}}", stacked=True),
            ),
        )
    return Board(uid="atoll-gpus", title="GPUs", note="Who holds them, how busy and how well they are.", rows=rows)


def training(facts: AlertFacts) -> Board:
    rows = _of_jobs()
    if "loki" in facts.parts:
        rows.append((matches('{k8s_namespace_name=~".+"} |~ "NCCL|CUDA error|out of memory"', "NCCL and CUDA"),))
    return Board(uid="atoll-training", title="Training", note="Whether jobs get on.", rows=rows)


def _of_gpus() -> list[Sequence[Panel]]:
    """Totals, then what each GPU does and how it is."""
    return [
        (
            stat("GPUs", "sum(atoll:node_gpus)"),
            stat("Held by pods", "sum(atoll:pod_gpus) or vector(0)"),
            stat("Held and idle", "sum(atoll:pod_idle_gpus) or vector(0)", limits=(1,)),
            stat("Mean use", "avg(atoll:gpu_busy_percent)", unit="percent"),
        ),
        (
            line("Use by GPU", "atoll:gpu_busy_percent", "{{node}} gpu {{gpu}}", unit="percent"),
            line(
                "Memory in use",
                "DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE)",
                "{{Hostname}} gpu {{gpu}}",
                unit="percentunit",
            ),
        ),
        (
            line("Temperature", "DCGM_FI_DEV_GPU_TEMP", "{{Hostname}} gpu {{gpu}}", unit="celsius", limits=(80, 85)),
            line("Power", "DCGM_FI_DEV_POWER_USAGE", "{{Hostname}} gpu {{gpu}}", unit="watt"),
        ),
        (
            bars("Last Xid by GPU", "DCGM_FI_DEV_XID_ERRORS > 0", "{{Hostname}} gpu {{gpu}}", note="Empty is well."),
            line(
                "Clock", "DCGM_FI_DEV_SM_CLOCK", "{{Hostname}} gpu {{gpu}}", note="MHz; falls when it is slowed down."
            ),
        ),
    ]


def _of_jobs() -> list[Sequence[Panel]]:
    """What holds jobs up: a GPU, the fabric, a restart, memory."""
    return [
        (
            line(
                "GPU use by pod",
                'avg by (namespace, pod) (atoll:gpu_busy_percent{pod!=""})',
                "{{namespace}}/{{pod}}",
                unit="percent",
                note="A job whose GPUs drop together waits for data, a checkpoint or a slow node.",
            ),
            line(
                "Slowest against fastest GPU of a pod",
                'max by (namespace, pod) (atoll:gpu_busy_percent{pod!=""})'
                ' - min by (namespace, pod) (atoll:gpu_busy_percent{pod!=""})',
                "{{namespace}}/{{pod}}",
                unit="percent",
                note="Near 0 is well; one GPU behind the others holds them all up.",
            ),
        ),
        (
            line(
                "Fabric, sent",
                "sum by (instance) (rate(node_infiniband_port_data_transmitted_bytes_total[5m]))",
                "{{instance}}",
                unit="Bps",
            ),
            line(
                "Fabric, received",
                "sum by (instance) (rate(node_infiniband_port_data_received_bytes_total[5m]))",
                "{{instance}}",
                unit="Bps",
            ),
        ),
        (
            line(
                "Restarts of pods with GPUs",
                "sum by (namespace, pod) (increase(kube_pod_container_status_restarts_total[1h]))"
                " and on (namespace, pod) atoll:pod_gpus",
                "{{namespace}}/{{pod}}",
            ),
            line(
                "Memory by pod with GPUs",
                'sum by (namespace, pod) (container_memory_working_set_bytes{container!=""})'
                " and on (namespace, pod) atoll:pod_gpus",
                "{{namespace}}/{{pod}}",
                unit="bytes",
            ),
        ),
    ]
