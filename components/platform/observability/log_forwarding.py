"""Logs and the most telling metrics, sent on to the customer's main cloud: which exporter, with which credentials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform.building_blocks import names
from components.platform.building_blocks.network_policies import allow_egress
from components.platform.building_blocks.object_store_access import allow_bucket_egress
from planning.platform.log_forwarding import access_said

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from components.platform.building_blocks.context import PlatformContext
    from planning.spec.platform import Forwarding

SECRET: Final = "forwarding"  # noqa: S105 - name of a Secret
FILE: Final = "credentials"
FOLDER: Final = "/etc/forwarding"
GROUP: Final = "atoll"
FEDERATED: Final = "prometheus/forwarded"
# What the main cloud sees of the metrics: a short list, since there each series is paid for.
SERIES: Final = (
    '{__name__=~"atoll:(run_rate_usd_per_month|node_usd_per_hour|team_gpus|team_gpu_usd_per_hour|team_idle_gpus)"}',
    '{__name__=~"atoll:(gpu_busy_percent|absent:ratio)"}',
    '{__name__=~"DCGM_FI_DEV_(GPU_UTIL|GPU_TEMP|XID_ERRORS)"}',
    '{__name__=~"kueue_(pending_workloads|admitted_active_workloads)"}',
    'kube_node_status_condition{condition="Ready",status="true"}',
    'ALERTS{alertstate="firing"}',
)
NO_WAY: Final = "main_cloud.logs_and_metrics: nothing is sent to {provider}: a way is known to {known}"


def find_forwarding_target(ground: PlatformContext) -> Forwarding | None:
    """The main cloud, where it is asked for and has a place for logs and metrics that we know a way to."""
    to = ground.platform.forwarding
    return to if to is not None and to.provider in EXPORTERS else None


def warn(ground: PlatformContext) -> None:
    to = ground.platform.forwarding
    if to is not None and to.provider not in EXPORTERS:
        pulumi.log.warn(NO_WAY.format(provider=to.provider, known=", ".join(EXPORTERS)))
    elif to is not None and not ground.settings.forwarding_credentials:
        said = access_said(to, target=ground.spec.placement.target)
        if said:
            pulumi.log.warn(said)


def exporters(ground: PlatformContext, to: Forwarding) -> dict[str, dict[str, object]]:
    """Exporters of the collector by what they carry, "logs" and "metrics": `{"logs": {"name": fields}, ...}`."""
    name = ground.spec.customer.name
    return {
        signal: {exporter: fields(to, name) for exporter, fields in found.items()}
        for signal, found in EXPORTERS[to.provider].items()
    }


def receiver() -> dict[str, object]:
    """Takes the chosen series from Prometheus, which has them from everywhere."""
    job = {
        "job_name": "federate",
        "honor_labels": True,
        "metrics_path": "/federate",
        "params": {"match[]": list(SERIES)},
        "scrape_interval": "60s",
        "static_configs": [{"targets": [names.PROMETHEUS.removeprefix("http://")]}],
    }
    return {FEDERATED: {"config": {"scrape_configs": [job]}}}


def credentials(ground: PlatformContext, *, parent: pulumi.Resource) -> list[pulumi.Resource]:
    """The Secret with the credentials' file, where the settings have it."""
    if not ground.settings.forwarding_credentials:
        return []
    made = kubernetes.core.v1.Secret(
        SECRET,
        metadata={"name": SECRET, "namespace": names.OBSERVABILITY},
        string_data={FILE: ground.settings.forwarding_credentials},
        opts=pulumi.ResourceOptions(parent=parent),
    )
    return [made]


def allow_forwarding_egress(ground: PlatformContext, *, pods: Mapping[str, str], parent: pulumi.Resource) -> None:
    """Out to the main cloud, to where an identity is handed out, and to Prometheus."""
    if ground.settings.forwarding_credentials:
        allow_egress("collector-to-main-cloud", namespace=names.OBSERVABILITY, pods=pods, parent=parent)
    else:
        allow_bucket_egress(
            "collector-to-main-cloud", namespace=names.OBSERVABILITY, pods=pods, ground=ground, parent=parent
        )


def environment(to: Forwarding) -> dict[str, str]:
    """Where the exporters look for the file."""
    return dict.fromkeys(ENVIRONMENT[to.provider], f"{FOLDER}/{FILE}")


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


# By provider and signal (github.com/open-telemetry/opentelemetry-collector-contrib, exporter/*/README.md, 2026-11-21).
EXPORTERS: Final[Mapping[str, Mapping[str, Mapping[str, Callable[[Forwarding, str], dict[str, object]]]]]] = {
    "aws": {"logs": {"awscloudwatchlogs": _cloudwatch_logs}, "metrics": {"awsemf": _cloudwatch_metrics}},
    "gcp": {"logs": {"googlecloud": _google}, "metrics": {"googlecloud": _google}},
    "azure": {"logs": {"azuremonitor": _azure}, "metrics": {"azuremonitor": _azure}},
}
ENVIRONMENT: Final[Mapping[str, tuple[str, ...]]] = {
    "aws": ("AWS_SHARED_CREDENTIALS_FILE",),
    "gcp": ("GOOGLE_APPLICATION_CREDENTIALS",),
    "azure": (),
}
