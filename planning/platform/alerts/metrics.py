"""Every metric that our rules and dashboards look at, by the exporter that has it: what is not here is not exported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

# What DCGM's exporter counts: name to type and help (github.com/NVIDIA/dcgm-exporter, etc/default-counters.csv, read
# 2026-11-21). Those after the line are commented out there: without `gpu_counters` their alerts stay silent.
GPU_COUNTERS: Final[Mapping[str, tuple[str, str]]] = {
    "DCGM_FI_DEV_SM_CLOCK": ("gauge", "SM clock (MHz)."),
    "DCGM_FI_DEV_MEM_CLOCK": ("gauge", "Memory clock (MHz)."),
    "DCGM_FI_DEV_GPU_TEMP": ("gauge", "GPU temperature (C)."),
    "DCGM_FI_DEV_MEMORY_TEMP": ("gauge", "Memory temperature (C)."),
    "DCGM_FI_DEV_POWER_USAGE": ("gauge", "Power (W)."),
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": ("counter", "Energy since boot (mJ)."),
    "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": ("counter", "PCIe transfers that were repeated."),
    "DCGM_FI_DEV_GPU_UTIL": ("gauge", "GPU use (percent)."),
    "DCGM_FI_DEV_MEM_COPY_UTIL": ("gauge", "Memory use in time (percent)."),
    "DCGM_FI_DEV_FB_FREE": ("gauge", "Memory free (MiB)."),
    "DCGM_FI_DEV_FB_USED": ("gauge", "Memory in use (MiB)."),
    "DCGM_FI_DEV_XID_ERRORS": ("gauge", "Last Xid."),
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": ("counter", "Rows remapped for uncorrectable errors."),
    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": ("counter", "Rows remapped for correctable errors."),
    "DCGM_FI_DEV_ROW_REMAP_FAILURE": ("gauge", "Whether a row could not be remapped."),
    "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL": ("counter", "NVLink bandwidth over all lanes."),
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": ("gauge", "Share of time that any engine worked."),
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": ("gauge", "Share of cycles of the tensor cores."),
    "DCGM_FI_PROF_DRAM_ACTIVE": ("gauge", "Share of cycles of the memory's interface."),
    # ---
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": ("counter", "Double-bit ECC errors since the driver was loaded."),
    "DCGM_FI_DEV_THERMAL_VIOLATION": ("counter", "Time slowed down by heat (us)."),
    "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL": ("counter", "NVLink transfers that were repeated."),
    "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL": ("counter", "NVLink recoveries."),
    "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL": ("counter", "NVLink checksum errors."),
}
# By exporter, with the place that lists its metrics; all read 2026-11-21.
METRICS: Final[Mapping[str, frozenset[str]]] = {
    "DCGM exporter": frozenset(GPU_COUNTERS),
    # github.com/kubernetes/kube-state-metrics, docs/metrics
    "kube-state-metrics": frozenset(
        {
            "kube_deployment_spec_replicas",
            "kube_deployment_status_replicas_available",
            "kube_node_created",
            "kube_node_labels",
            "kube_node_spec_taint",
            "kube_node_spec_unschedulable",
            "kube_node_status_allocatable",
            "kube_node_status_condition",
            "kube_persistentvolumeclaim_access_mode",
            "kube_persistentvolumeclaim_resource_requests_storage_bytes",
            "kube_pod_container_resource_requests",
            "kube_pod_container_status_restarts_total",
            "kube_pod_info",
            "kube_pod_labels",
            "kube_pod_spec_volumes_persistentvolumeclaims_info",
            "kube_pod_status_phase",
            "kube_statefulset_replicas",
            "kube_statefulset_status_replicas_ready",
        }
    ),
    # github.com/prometheus/node_exporter, collector
    "node exporter": frozenset(
        {
            "node_cpu_seconds_total",
            "node_infiniband_link_downed_total",
            "node_infiniband_port_data_received_bytes_total",
            "node_infiniband_port_data_transmitted_bytes_total",
            "node_infiniband_port_errors_received_total",
            "node_infiniband_state_id",
            "node_memory_MemAvailable_bytes",
            "node_memory_MemTotal_bytes",
            "node_network_receive_bytes_total",
        }
    ),
    # kubernetes.io/docs/reference/instrumentation/metrics, kubelet and cAdvisor
    "kubelet": frozenset(
        {
            "container_cpu_usage_seconds_total",
            "container_memory_working_set_bytes",
            "kubelet_volume_stats_capacity_bytes",
            "kubelet_volume_stats_used_bytes",
        }
    ),
    # github.com/kubernetes-sigs/kueue, pkg/metrics/metrics.go
    "Kueue": frozenset(
        {
            "kueue_admission_wait_time_seconds_bucket",
            "kueue_admitted_active_workloads",
            "kueue_admitted_workloads_total",
            "kueue_evicted_workloads_total",
            "kueue_pending_workloads",
        }
    ),
    # components/agents/spend_guard.py
    "spend guard": frozenset(
        {
            "atoll_spend_headroom_usd",
            "atoll_spend_machines_month_to_date_usd",
            "atoll_spend_seen_seconds",
            "atoll_spend_stop",
        }
    ),
    # prometheus.io/docs/concepts/jobs_instances: of every target, 1 where it answered
    "Prometheus": frozenset({"up"}),
    # cert-manager.io/docs/devops-tips/prometheus-metrics
    "cert-manager": frozenset({"certmanager_certificate_expiration_timestamp_seconds"}),
    # github.com/velero-io/velero, pkg/metrics/metrics.go
    "Velero": frozenset(
        {
            "velero_backup_failure_total",
            "velero_backup_last_successful_timestamp",
            "velero_backup_partial_failure_total",
            "velero_backup_validation_failure_total",
        }
    ),
    # cloudnative-pg.io/docs, monitoring: of backups that the operator itself makes
    "CloudNativePG": frozenset(
        {"cnpg_collector_last_available_backup_timestamp", "cnpg_collector_last_failed_backup_timestamp"}
    ),
    # github.com/minio/minio, docs/metrics/prometheus/list.md (version 2 of its metrics)
    "MinIO": frozenset(
        {"minio_bucket_usage_total_bytes", "minio_cluster_capacity_usable_free_bytes", "minio_cluster_health_status"}
    ),
}


def list_metric_names() -> frozenset[str]:
    """All of them."""
    return frozenset(name for found in METRICS.values() for name in found)


def gpu_counters() -> str:
    """The exporter's list of what it counts, as its charts take it: one line of CSV for each."""
    return "".join(f"{name}, {kind}, {text}\n" for name, (kind, text) in GPU_COUNTERS.items())
