"""OpenTelemetry collectors: an agent on every node that reads logs, and a gateway that everything is sent to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi

from catalogs.software.reader import images_of
from components.platform.building_blocks import names
from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.network_policies import EVERYWHERE, allow
from components.platform.observability import log_forwarding
from components.platform.observability.object_storage import asks

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Charges, PlatformContext
    from planning.spec.platform import Forwarding

PART: Final = "collector"
GATEWAY: Final = "collector"  # its service is COLLECTOR in names.py
AGENT: Final = "collector-agent"
PODS: Final = {"app.kubernetes.io/instance": GATEWAY}
PORTS: Final = (4317, 4318)
HERE: Final = "${env:MY_POD_IP}"
OURS: Final = ("memory_limiter", "batch")
COMMAND: Final = "otelcol-contrib"  # of the image with every exporter, the clouds' among them
UNUSED: Final = ("jaeger-compact", "jaeger-thrift", "jaeger-grpc", "zipkin")


@dataclass(frozen=True, kw_only=True)
class CollectorArgs:
    """Two releases of the one chart."""

    ground: PlatformContext
    charges: Charges


@final
class Collector(pulumi.ComponentResource):
    """The gateway, where pods send OTLP, and the agents that send it what containers print."""

    def __init__(self, name: str, args: CollectorArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:Collector", name, args.ground.facts(PART, args.charges), opts)
        ground, to = args.ground, log_forwarding.find_forwarding_target(args.ground)
        part = ground.part(PART)
        allow(
            "pods-to-collector",
            source=EVERYWHERE,
            target=names.OBSERVABILITY,
            ports=PORTS,
            target_pods=PODS,
            parent=self,
        )
        allow(
            "agents-to-collector",
            source=names.NODE_AGENTS,
            target=names.OBSERVABILITY,
            ports=PORTS,
            target_pods=PODS,
            parent=self,
        )
        before: list[pulumi.Resource] = []
        if to is not None:
            log_forwarding.allow_forwarding_egress(ground, pods=PODS, parent=self)
            before = log_forwarding.credentials(ground, parent=self)
        gateway = release(GATEWAY, part, values=_gateway(ground, to), ground=ground, parent=self, depends_on=before)
        release(AGENT, part, values=_agent(ground), ground=ground, parent=self, depends_on=[gateway])
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    log_forwarding.warn(ground)
    return RegisteredComponent(resource=Collector(PART, CollectorArgs(ground=ground, charges=charges), opts=options))


def _both(name: str) -> dict[str, object]:
    image = images_of(PART)[0].name.partition(":")[0]
    return {
        "fullnameOverride": name,
        "image": {"repository": image},
        "command": {"name": COMMAND},
        "ports": {each: {"enabled": False} for each in UNUSED},
    }


def _agent(ground: PlatformContext) -> dict[str, object]:
    """Reads the files of every pod on every node, as root, and remembers how far: they are root's."""
    del ground
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
        "resources": asks("50m", "128Mi", limit="384Mi"),
    }


def _gateway(ground: PlatformContext, to: Forwarding | None) -> dict[str, object]:
    found: dict[str, object] = {
        **_both(GATEWAY),
        "mode": "deployment",
        "replicaCount": 1,
        "serviceAccount": {"name": GATEWAY},
        "presets": {"kubernetesAttributes": {"enabled": True}},
        "alternateConfig": _routes(ground, to),
        "nodeSelector": dict(ground.on_system),
        "resources": asks("100m", "256Mi", limit="1Gi"),
    }
    if to is None or not ground.settings.forwarding_credentials:
        return found
    return {
        **found,
        "extraEnvs": [{"name": name, "value": value} for name, value in log_forwarding.environment(to).items()],
        "extraVolumes": [{"name": "forwarding", "secret": {"secretName": log_forwarding.SECRET}}],
        "extraVolumeMounts": [{"name": "forwarding", "mountPath": log_forwarding.FOLDER, "readOnly": True}],
    }


def _routes(ground: PlatformContext, to: Forwarding | None) -> dict[str, object]:
    """What comes in goes to whichever of the three stores is installed, and on to the main cloud."""
    elsewhere = log_forwarding.exporters(ground, to) if to is not None else {}
    stores = {
        "logs": ("otlp_http/loki", f"{names.LOKI}/otlp", ground.has("loki")),
        "metrics": ("otlp_http/prometheus", f"{names.PROMETHEUS}/api/v1/otlp", ground.has("prometheus")),
        "traces": ("otlp_http/tempo", "http://tempo.observability.svc.cluster.local:4318", ground.has("tempo")),
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
        pipelines["metrics/forwarded"] = _pipeline([log_forwarding.FEDERATED], list(elsewhere["metrics"]))
    receivers = {
        "otlp": {"protocols": {"grpc": {"endpoint": f"{HERE}:4317"}, "http": {"endpoint": f"{HERE}:4318"}}},
        **(log_forwarding.receiver() if to is not None else {}),
    }
    return {**_frame(), "receivers": receivers, "exporters": exporters, "service": _service(pipelines)}


def _pipeline(receivers: list[str], exporters: list[str]) -> dict[str, object]:
    return {"receivers": receivers, "processors": list(OURS), "exporters": exporters}


def _frame() -> dict[str, object]:
    """What every collector of ours has; the chart asks it for its health."""
    return {
        "extensions": {"health_check": {"endpoint": f"{HERE}:13133"}},
        "processors": {
            "batch": {},
            "memory_limiter": {"check_interval": "5s", "limit_percentage": 80, "spike_limit_percentage": 25},
        },
    }


def _service(pipelines: dict[str, object]) -> dict[str, object]:
    return {"extensions": ["health_check"], "pipelines": pipelines}
