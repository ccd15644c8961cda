"""Alerts of the cluster itself: nodes, volumes, queues, notebooks, certificates, backups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.platform.alerts.model import Alert, RuleGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from planning.platform.alerts.model import AlertFacts

FULL: Final = "0.80"  # of a volume
WAITING_HOURS: Final = 2  # that a queue with work may admit nothing
RENEWAL_DAYS: Final = 14  # cert-manager renews a certificate of 90 days 30 days before its end
NOTEBOOK_CORES: Final = "0.05"


def group(facts: AlertFacts) -> Iterator[RuleGroup]:
    yield RuleGroup(name="atoll-cluster", rules=(_nodes(), _volumes()))
    rules = [build(facts) for part, build in BY_PART.items() if part in facts.parts]
    if rules:
        yield RuleGroup(name="atoll-platform", rules=rules)


def _nodes() -> Alert:
    return Alert(
        name="NodeNotReady",
        expr='max by (node) (kube_node_status_condition{condition="Ready",status="true"} == 0)',
        lasting="10m",
        severity="critical",
        summary="Node {{ $labels.node }} has not been ready for ten minutes",
        description="Its pods are being moved. A node that is paid for and does not work is also money lost.",
    )


def _volumes() -> Alert:
    used = "kubelet_volume_stats_used_bytes / kubelet_volume_stats_capacity_bytes"
    return Alert(
        name="VolumeFilling",
        expr=f"max by (namespace, persistentvolumeclaim) ({used}) > {FULL}",
        lasting="15m",
        severity="warning",
        summary="Volume {{ $labels.persistentvolumeclaim }} of {{ $labels.namespace }} is"
        " {{ $value | humanizePercentage }} full",
        description="Writes fail when it is full: checkpoints are lost, databases stop.",
    )


def _queue(facts: AlertFacts) -> Alert:
    del facts
    waiting = 'sum by (cluster_queue) (kueue_pending_workloads{status="active"}) > 0'
    admitted = f"sum by (cluster_queue) (increase(kueue_admitted_workloads_total[{WAITING_HOURS}h])) > 0"
    return Alert(
        name="QueueStarved",
        expr=f"({waiting}) unless ({admitted})",
        lasting=f"{WAITING_HOURS}h",
        severity="warning",
        summary="Queue {{ $labels.cluster_queue }} has work and has admitted none for hours",
        description="Work waits for quota or for nodes that do not come. Somebody may hold more than their share.",
    )


def _notebook(facts: AlertFacts) -> Alert:
    running = (
        'max by (namespace, pod) (kube_pod_labels{label_notebook_name!=""})'
        ' and on (namespace, pod) kube_pod_status_phase{phase="Running"} == 1'
    )
    used = 'sum by (namespace, pod) (rate(container_cpu_usage_seconds_total{container!=""}[30m]))'
    return Alert(
        name="NotebookIdle",
        expr=f"({used} < {NOTEBOOK_CORES}) and on (namespace, pod) ({running})",
        lasting=f"{2 * facts.idle_minutes}m",
        severity="info",
        summary="Notebook {{ $labels.pod }} of {{ $labels.namespace }} does nothing and was not stopped",
        description=f"Notebooks are stopped after {facts.idle_minutes} idle minutes. This one keeps its machine:"
        " an open terminal or a kernel that looks busy holds it.",
    )


def _certificate(facts: AlertFacts) -> Alert:
    del facts
    return Alert(
        name="CertificateExpiring",
        expr="min by (exported_namespace, namespace, name)"
        f" (certmanager_certificate_expiration_timestamp_seconds - time()) < {RENEWAL_DAYS} * 86400",
        lasting="1h",
        severity="warning",
        summary="Certificate {{ $labels.name }} ends in {{ $value | humanizeDuration }} and was not renewed",
        description="Renewal is automatic and has failed. When it ends nobody gets in, or parts stop trusting each"
        " other.",
    )


def _backup(facts: AlertFacts) -> Alert:
    del facts
    return Alert(
        name="BackupFailed",
        expr='sum by (schedule) (increase(velero_backup_failure_total{schedule!=""}[24h])'
        ' + increase(velero_backup_partial_failure_total{schedule!=""}[24h])) > 0'
        # A place that cannot be reached fails a backup before it begins, and is counted apart.
        ' or sum by (schedule) (increase(velero_backup_validation_failure_total{schedule!=""}[24h])) > 0'
        ' or max by (schedule) (time() - velero_backup_last_successful_timestamp{schedule!=""}) > 26 * 3600',
        lasting="15m",
        severity="critical",
        summary="Backup {{ $labels.schedule }} failed, or there was none for a day",
        description="Until it works again, what changed since the last backup cannot be brought back.",
    )


def _database(facts: AlertFacts) -> Alert:
    """By the operator's own metrics, which are zero until a first backup (cloudnative-pg.io/docs, monitoring)."""
    del facts
    good = "max by (namespace) (cnpg_collector_last_available_backup_timestamp)"
    bad = "max by (namespace) (cnpg_collector_last_failed_backup_timestamp)"
    return Alert(
        name="DatabaseBackupFailed",
        expr=f"{bad} > {good} or time() - {good} > 26 * 3600",
        lasting="30m",
        severity="critical",
        summary="The database of {{ $labels.namespace }} was not backed up",
        description="Its last backup failed, or there was none for a day. Its volume's copy alone is no safe backup of"
        " a database.",
    )


BY_PART: Final[dict[str, Callable[[AlertFacts], Alert]]] = {
    "kueue": _queue,
    "notebooks": _notebook,
    "cert_manager": _certificate,
    "velero": _backup,
    "postgres_operator": _database,
}
