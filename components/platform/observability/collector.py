"""OpenTelemetry collectors: an agent on every node that reads logs, and a gateway that forwards all signals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi

from catalogs.providers import find_traits, provider_traits
from catalogs.software.reader import images_of
from components.platform.building_blocks import names
from components.platform.building_blocks.chart import build_resources, release
from components.platform.building_blocks.context import component
from components.platform.building_blocks.network_policies import EVERYWHERE, allow, allow_egress
from components.platform.building_blocks.object_store_access import allow_bucket_egress
from components.platform.building_blocks.objects import register_secret
from planning.platform.log_forwarding import access_said

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from components.platform.building_blocks.context import PlatformContext, PlatformResource
    from planning.spec.platform import Forwarding


SECRET: Final = "forwarding"  # noqa: S105 - name of a Secret
FILE: Final = "credentials"
FOLDER: Final = "/etc/forwarding"
GROUP: Final = "atoll"
FEDERATED: Final = "prometheus/forwarded"
# Series that are forwarded: few, for the main cloud bills each.
SERIES: Final = (
    '{__name__=~"atoll:(run_rate_usd_per_month|node_usd_per_hour|team_gpus|team_gpu_usd_per_hour|team_idle_gpus)"}',
    '{__name__=~"atoll:(gpu_busy_percent|absent:ratio)"}',
    '{__name__=~"DCGM_FI_DEV_(GPU_UTIL|GPU_TEMP|XID_ERRORS)"}',
    '{__name__=~"kueue_(pending_workloads|admitted_active_workloads)"}',
    'kube_node_status_condition{condition="Ready",status="true"}',
    'ALERTS{alertstate="firing"}',
)
NO_WAY: Final = "main_cloud.logs_and_metrics: nothing is sent to {provider}: a way is known to {known}"


def find_forwarding_target(context: PlatformContext) -> Forwarding | None:
    """The main cloud, where forwarding is wanted and we have an exporter for its log service."""
    to = context.platform.forwarding
    return to if to is not None and find_traits(to.provider).log_service in EXPORTERS else None


def warn(context: PlatformContext) -> None:
    to = context.platform.forwarding
    if to is not None and find_forwarding_target(context) is None:
        known = {traits.log_service: name for name, traits in provider_traits().items() if traits.log_service}
        ways = ", ".join(known[service] for service in EXPORTERS)
        pulumi.log.warn(NO_WAY.format(provider=to.provider, known=ways))
    elif to is not None and not context.settings.forwarding_credentials:
        said = access_said(to, target=context.spec.placement.target)
        if said:
            pulumi.log.warn(said)


def build_forwarding_exporters(context: PlatformContext, to: Forwarding) -> dict[str, dict[str, object]]:
    """Exporters of the collector by what they carry, "logs" and "metrics": `{"logs": {"name": fields}, ...}`."""
    name = context.spec.customer.name
    return {
        signal: {exporter: fields(to, name) for exporter, fields in found.items()}
        for signal, found in EXPORTERS[find_traits(to.provider).log_service].items()
    }


def receiver() -> dict[str, object]:
    """Receiver that federates the forwarded series from Prometheus."""
    job = {
        "job_name": "federate",
        "honor_labels": True,
        "metrics_path": "/federate",
        "params": {"match[]": list(SERIES)},
        "scrape_interval": "60s",
        "static_configs": [{"targets": [names.PROMETHEUS.removeprefix("http://")]}],
    }
    return {FEDERATED: {"config": {"scrape_configs": [job]}}}


def credentials(context: PlatformContext, *, parent: pulumi.Resource) -> list[pulumi.Resource]:
    """The Secret with the credentials' file, where the settings have it."""
    if not context.settings.forwarding_credentials:
        return []
    content = {FILE: context.settings.forwarding_credentials}
    return [register_secret(SECRET, content, namespace=names.OBSERVABILITY, parent=parent)]


def allow_forwarding_egress(context: PlatformContext, *, pods: Mapping[str, str], parent: pulumi.Resource) -> None:
    """Egress to the main cloud, and to the identity agent where no credentials are set."""
    if context.settings.forwarding_credentials:
        allow_egress("collector-to-main-cloud", namespace=names.OBSERVABILITY, pods=pods, parent=parent)
    else:
        allow_bucket_egress(
            "collector-to-main-cloud", namespace=names.OBSERVABILITY, pods=pods, context=context, parent=parent
        )


def environment(to: Forwarding) -> dict[str, str]:
    """Variables that name the credentials' file."""
    return dict.fromkeys(ENVIRONMENT[find_traits(to.provider).log_service], f"{FOLDER}/{FILE}")


def _cloudwatch_logs(to: Forwarding, name: str) -> dict[str, object]:
    group = names.build_log_group_names(name)["logs"]
    return {"region": to.region, "log_group_name": group, "log_stream_name": "pods", "log_retention": 30}


def _cloudwatch_metrics(to: Forwarding, name: str) -> dict[str, object]:
    group = names.build_log_group_names(name)["metrics"]
    return {
        "region": to.region,
        "namespace": f"Atoll/{name}",
        "log_group_name": group,
        "dimension_rollup_option": "NoDimensionRollup",
    }


def _google(to: Forwarding, name: str) -> dict[str, object]:
    project = {"project": to.account} if to.account else {}
    return {**project, "log": {"default_log_name": f"{GROUP}-{name}"}}


def _azure(to: Forwarding, name: str) -> dict[str, object]:
    del to, name
    return {"connection_string": f"${{file:{FOLDER}/{FILE}}}"}


# By log service and signal (github.com/open-telemetry/opentelemetry-collector-contrib, exporter/*/README.md,
# 2026-11-21).
EXPORTERS: Final[Mapping[str, Mapping[str, Mapping[str, Callable[[Forwarding, str], dict[str, object]]]]]] = {
    "cloudwatch": {"logs": {"awscloudwatchlogs": _cloudwatch_logs}, "metrics": {"awsemf": _cloudwatch_metrics}},
    "google_cloud": {"logs": {"googlecloud": _google}, "metrics": {"googlecloud": _google}},
    "azure_monitor": {"logs": {"azuremonitor": _azure}, "metrics": {"azuremonitor": _azure}},
}
ENVIRONMENT: Final[Mapping[str, tuple[str, ...]]] = {
    "cloudwatch": ("AWS_SHARED_CREDENTIALS_FILE",),
    "google_cloud": ("GOOGLE_APPLICATION_CREDENTIALS",),
    "azure_monitor": (),
}


PART: Final = "collector"
GATEWAY: Final = "collector"  # its service is COLLECTOR in names.py
AGENT: Final = "collector-agent"
PODS: Final = {"app.kubernetes.io/instance": GATEWAY}
PORTS: Final = (4317, 4318)
HERE: Final = "${env:MY_POD_IP}"
OURS: Final = ("memory_limiter", "batch")
COMMAND: Final = "otelcol-contrib"  # of the image with every exporter, the clouds' among them
UNUSED: Final = ("jaeger-compact", "jaeger-thrift", "jaeger-grpc", "zipkin")


@component(PART, "atoll:platform:Collector")
def build(own: PlatformResource) -> None:
    """The gateway, which receives OTLP of pods, and the agents, which send it the logs of containers."""
    context, to = own.context, find_forwarding_target(own.context)
    warn(context)
    for name, source in (("pods-to-collector", EVERYWHERE), ("agents-to-collector", names.NODE_AGENTS)):
        allow(name, source=source, target=names.OBSERVABILITY, ports=PORTS, target_pods=PODS, parent=own)
    before: list[pulumi.Resource] = []
    if to is not None:
        allow_forwarding_egress(context, pods=PODS, parent=own)
        before = credentials(context, parent=own)
    gateway = release(own, _gateway(context, to), name=GATEWAY, after=before)
    release(own, _agent(), name=AGENT, after=[gateway])


def _both(name: str) -> dict[str, object]:
    image = images_of(PART)[0].name.partition(":")[0]
    return {
        "fullnameOverride": name,
        "image": {"repository": image},
        "command": {"name": COMMAND},
        "ports": {each: {"enabled": False} for each in UNUSED},
    }


def _agent() -> dict[str, object]:
    """Agent that reads log files of every pod, with checkpoints; as root, who owns the files."""
    ports = {each: {"enabled": False} for each in (*UNUSED, "otlp", "otlp-http")}
    return {
        **_both(AGENT),
        "namespaceOverride": names.NODE_AGENTS,
        "mode": "daemonset",
        "ports": ports,
        "presets": {
            "logsCollection": {"enabled": True, "storeCheckpoints": True},
            "kubernetesAttributes": {"enabled": True},
        },
        "alternateConfig": {
            **_frame(),
            "receivers": {},
            "exporters": {
                "otlp_http": {"endpoint": names.COLLECTOR, "sending_queue": {"queue_size": 2000}},
            },
            "service": _service({"logs": {"receivers": [], "processors": list(OURS), "exporters": ["otlp_http"]}}),
        },
        "tolerations": [{"operator": "Exists"}],
        "resources": build_resources("50m", "128Mi", limit="384Mi"),
    }


def _gateway(context: PlatformContext, to: Forwarding | None) -> dict[str, object]:
    found: dict[str, object] = {
        **_both(GATEWAY),
        "mode": "deployment",
        "replicaCount": 1,
        "serviceAccount": {"name": GATEWAY},
        "presets": {"kubernetesAttributes": {"enabled": True}},
        "alternateConfig": _routes(context, to),
        "nodeSelector": dict(context.on_system),
        "resources": build_resources("100m", "256Mi", limit="1Gi"),
    }
    if to is None or not context.settings.forwarding_credentials:
        return found
    return {
        **found,
        "extraEnvs": [{"name": name, "value": value} for name, value in environment(to).items()],
        "extraVolumes": [{"name": "forwarding", "secret": {"secretName": SECRET}}],
        "extraVolumeMounts": [{"name": "forwarding", "mountPath": FOLDER, "readOnly": True}],
    }


def _routes(context: PlatformContext, to: Forwarding | None) -> dict[str, object]:
    """Pipelines to those of the three stores that are installed, and to the main cloud."""
    elsewhere = build_forwarding_exporters(context, to) if to is not None else {}
    stores = {
        "logs": ("otlp_http/loki", f"{names.LOKI}/otlp", context.has("loki")),
        "metrics": ("otlp_http/prometheus", f"{names.PROMETHEUS}/api/v1/otlp", context.has("prometheus")),
        "traces": ("otlp_http/tempo", "http://tempo.observability.svc.cluster.local:4318", context.has("tempo")),
    }
    here = {signal: name for signal, (name, _, there) in stores.items() if there}
    exporters: dict[str, object] = {name: {"endpoint": address} for name, address, there in stores.values() if there}
    for found in elsewhere.values():
        exporters.update(found)
    pipelines: dict[str, object] = {}
    for signal, name in here.items():
        also = list(elsewhere.get(signal, {})) if signal == "logs" else []
        pipelines[signal] = _pipeline(["otlp"], [name, *also])
    if "metrics" in elsewhere:
        pipelines["metrics/forwarded"] = _pipeline([FEDERATED], list(elsewhere["metrics"]))
    receivers = {
        "otlp": {"protocols": {"grpc": {"endpoint": f"{HERE}:4317"}, "http": {"endpoint": f"{HERE}:4318"}}},
        **(receiver() if to is not None else {}),
    }
    return {**_frame(), "receivers": receivers, "exporters": exporters, "service": _service(pipelines)}


def _pipeline(receivers: list[str], exporters: list[str]) -> dict[str, object]:
    return {"receivers": receivers, "processors": list(OURS), "exporters": exporters}


def _frame() -> dict[str, object]:
    """Configuration of every collector; the chart's probes use the health check."""
    return {
        "extensions": {"health_check": {"endpoint": f"{HERE}:13133"}},
        "processors": {
            "batch": {},
            "memory_limiter": {"check_interval": "5s", "limit_percentage": 80, "spike_limit_percentage": 25},
        },
    }


def _service(pipelines: dict[str, object]) -> dict[str, object]:
    return {"extensions": ["health_check"], "pipelines": pipelines}
