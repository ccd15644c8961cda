"""Prometheus, Alertmanager and Grafana, from the one chart that has them all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from catalogs.providers import find_traits
from components.platform.building_blocks import names
from components.platform.building_blocks.chart import build_resources, release
from components.platform.building_blocks.context import component
from components.platform.building_blocks.network_policies import PROMETHEUS_PODS, allow, allow_egress
from components.platform.building_blocks.objects import register_secret
from components.platform.building_blocks.sign_in import DEX_PORT, register_route
from components.platform.observability import grafana

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Outputs, PlatformContext, PlatformResource


SECRET: Final = "alert-receiver"  # noqa: S105 - name of a Secret
URL: Final = "url"
FILE: Final = f"/etc/alertmanager/secrets/{SECRET}/{URL}"  # where the operator mounts it
NOBODY: Final = "null"  # the chart's receiver, which drops alerts
SOMEBODY: Final = "receiver"
TITLE: Final = "{{ .CommonLabels.alertname }}: {{ .CommonAnnotations.summary }}"
TEXT: Final = "{{ range .Alerts }}{{ .Annotations.description }} ({{ .Annotations.runbook }})\n{{ end }}"
ONLY_SEEN: Final = (
    "alerts are seen in Grafana only: name an address that they are sent to"
    " (pulumi config set --secret atoll:alertReceiver https://...)"
)


def receives(context: PlatformContext) -> bool:
    return bool(context.settings.alert_receiver)


def address(context: PlatformContext, *, parent: pulumi.Resource) -> list[pulumi.Resource]:
    if not receives(context):
        return []
    content = {URL: context.settings.alert_receiver}
    return [register_secret(SECRET, content, namespace=names.OBSERVABILITY, parent=parent)]


def routes(context: PlatformContext) -> dict[str, object]:
    """Alertmanager's configuration. The receiver's address is read from a file of a Secret."""
    to = SOMEBODY if receives(context) else NOBODY
    quiet = {"receiver": NOBODY, "matchers": ['alertname =~ "Watchdog|InfoInhibitor"']}
    info = {"receiver": NOBODY, "matchers": ['severity = "info"']}  # seen in Grafana only
    return {
        "route": {
            "group_by": ["alertname", "namespace"],
            "group_wait": "30s",
            "group_interval": "5m",
            "repeat_interval": "12h",
            "receiver": to,
            "routes": [quiet, info],
        },
        "receivers": [{"name": NOBODY}, *([_receiver(context.settings.alert_kind)] if receives(context) else [])],
    }


def _receiver(kind: str) -> dict[str, object]:
    shapes: dict[str, dict[str, object]] = {
        "webhook": {"webhook_configs": [{"url_file": FILE, "send_resolved": True}]},
        "slack": {
            "slack_configs": [{"api_url_file": FILE, "send_resolved": True, "title": TITLE, "text": TEXT}],
        },
        "teams": {
            "msteamsv2_configs": [{"webhook_url_file": FILE, "send_resolved": True, "title": TITLE, "text": TEXT}],
        },
    }
    return {"name": SOMEBODY, **shapes[kind]}


PART: Final = "prometheus"
ALERTMANAGER_PODS: Final = {"app.kubernetes.io/name": "alertmanager"}
DISK: Final = "50Gi"
KEPT: Final = "45d"  # the longest month, and two weeks to calculate its availability (`atoll sla`)
KEPT_AT_MOST: Final = "45GB"  # of the disk: the rest is for the write-ahead log
ALERTS_DISK: Final = "2Gi"
NODE_PORTS: Final = (9100, 10250)  # of the node exporter and of the kubelet, both at the node's own address
# Managed control planes do not expose these parts to Prometheus. Cluster DNS by target: Google's
# clusters run kube-dns instead of CoreDNS (cloud.google.com/kubernetes-engine/docs/how-to/kube-dns).
HIDDEN: Final = ("kubeControllerManager", "kubeScheduler", "kubeEtcd", "kubeProxy")
NO_RULES: Final = (
    "etcd",
    "kubeControllerManager",
    "kubeProxy",
    "kubeSchedulerAlerting",
    "kubeSchedulerRecording",
    "windows",
)
# Labels of nodes and pods that our rules join by.
NODE_LABELS: Final = "nodes=[atoll/pool,node.kubernetes.io/instance-type]"
POD_LABELS: Final = "pods=[notebook-name]"
# Objects that kube-state-metrics counts: the chart's (kube-state-metrics, values.yaml, `collectors`) but Secrets and
# ConfigMaps, which it would be allowed to read in every namespace, and webhooks, signing requests and leases.
COUNTED: Final = (
    "cronjobs",
    "daemonsets",
    "deployments",
    "endpointslices",
    "horizontalpodautoscalers",
    "ingresses",
    "jobs",
    "limitranges",
    "namespaces",
    "networkpolicies",
    "nodes",
    "persistentvolumeclaims",
    "persistentvolumes",
    "poddisruptionbudgets",
    "pods",
    "replicasets",
    "replicationcontrollers",
    "resourcequotas",
    "services",
    "statefulsets",
    "storageclasses",
    "volumeattachments",
)
# Resource attributes of OTLP metrics that become labels.
PROMOTED: Final = ("service.name", "service.namespace", "k8s.namespace.name", "k8s.pod.name")


@component("prometheus_crds", "atoll:platform:PrometheusCrds")
def build_definitions(own: PlatformResource) -> None:
    """The operator's definitions, before every component with a monitor."""
    # A chart of their own: Helm never updates the definitions inside a chart.
    release(own, {})


@component(PART, "atoll:platform:Prometheus")
def build(own: PlatformResource) -> Outputs:
    """Metrics, alerts and Grafana.

    The password of Grafana's admin is an output of the stack, for when single sign-on does not work.
    """
    context = own.context
    if not receives(context):
        pulumi.log.warn(ONLY_SEEN)
    _allow_traffic(context, parent=own)
    before = [*grafana.secrets(context, parent=own), *address(context, parent=own)]
    release(own, _values(context), after=before)
    register_route(names.GRAFANA_HOST, grafana.SERVICE, 80, namespace=names.OBSERVABILITY, own=own)
    return {
        "grafanaUrl": f"https://{context.build_host(names.GRAFANA_HOST)}",
        "grafanaAdminPassword": context.keyring.get_secret("grafana-admin"),
    }


def _values(context: PlatformContext) -> dict[str, object]:
    dns = find_traits(context.spec.placement.target).cluster_dns != "kube_dns"
    return {
        "fullnameOverride": PART,  # the addresses in names.py begin with it
        "crds": {"enabled": False},
        **{part: {"enabled": False} for part in HIDDEN},
        "coreDns": {"enabled": dns},
        "kubeDns": {"enabled": not dns},
        "defaultRules": {"rules": dict.fromkeys(NO_RULES, False)},
        "prometheusOperator": _operator(context),
        "prometheus": {"prometheusSpec": _prometheus(context)},
        "alertmanager": {"config": routes(context), "alertmanagerSpec": _alertmanager(context)},
        "grafana": grafana.values(context),
        "kube-state-metrics": {
            "metricLabelsAllowlist": [NODE_LABELS, POD_LABELS],
            "collectors": list(COUNTED),
            "nodeSelector": dict(context.on_system),
            "resources": build_resources("50m", "128Mi"),
        },
        "prometheus-node-exporter": {
            "namespaceOverride": names.NODE_AGENTS,
            "tolerations": [{"operator": "Exists"}],
            "resources": build_resources("20m", "32Mi"),
        },
    }


def _operator(context: PlatformContext) -> dict[str, object]:
    """Values of the operator."""
    return {
        # promtool tests our rules, and a webhook that is away would block every update.
        "admissionWebhooks": {"enabled": False},
        "tls": {"enabled": False},
        "nodeSelector": dict(context.on_system),
        "resources": build_resources("50m", "128Mi"),
        "prometheusConfigReloader": {"resources": build_resources("10m", "32Mi")},
    }


def _prometheus(context: PlatformContext) -> dict[str, object]:
    """Prometheus reads monitors and rules of every namespace."""
    chosen = ("rule", "serviceMonitor", "podMonitor", "probe", "scrapeConfig")
    return {
        **{f"{each}SelectorNilUsesHelmValues": False for each in chosen},
        "retention": KEPT,
        "retentionSize": KEPT_AT_MOST,
        "storageSpec": {"volumeClaimTemplate": {"spec": _claim(DISK, context)}},
        "enableOTLPReceiver": True,
        "otlp": {"promoteResourceAttributes": list(PROMOTED)},
        "externalLabels": {"region": context.spec.placement.region},
        "nodeSelector": dict(context.on_system),
        "resources": build_resources("500m", "2Gi"),
    }


def _alertmanager(context: PlatformContext) -> dict[str, object]:
    return {
        "storage": {"volumeClaimTemplate": {"spec": _claim(ALERTS_DISK, context)}},
        "secrets": [SECRET] if receives(context) else [],
        "nodeSelector": dict(context.on_system),
        "resources": build_resources("20m", "64Mi"),
    }


def _claim(size: str, context: PlatformContext) -> dict[str, object]:
    found: dict[str, object] = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
    return {**found, "storageClassName": context.volume_class} if context.volume_class else found


def _allow_traffic(context: PlatformContext, *, parent: pulumi.Resource) -> None:
    """Prometheus scrapes every pod and node; Grafana calls Dex; Alertmanager calls the receiver of the settings."""
    home = names.OBSERVABILITY
    kubernetes.networking.v1.NetworkPolicy(
        "prometheus-to-pods",
        metadata={"name": "prometheus-to-pods", "namespace": home},
        spec={
            "pod_selector": {"match_labels": PROMETHEUS_PODS},
            "policy_types": ["Egress"],
            "egress": [
                {"to": [{"namespace_selector": {}}]},
                # Of nodes, whatever their addresses: to a block of them Cilium counts none (docs.cilium.io, 1.15).
                {"ports": [{"protocol": "TCP", "port": port} for port in NODE_PORTS]},
            ],
        },
        opts=pulumi.ResourceOptions(parent=parent),
    )
    allow(
        "grafana-to-sign-in",
        source=home,
        target=names.SIGN_IN,
        ports=[DEX_PORT],
        source_pods=grafana.PODS,
        parent=parent,
    )
    if receives(context):
        allow_egress("alerts-to-receiver", namespace=home, pods=ALERTMANAGER_PODS, parent=parent)
