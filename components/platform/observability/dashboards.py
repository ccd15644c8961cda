"""Dashboards and rules as objects of the cluster: Grafana and Prometheus pick them up by themselves."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform.building_blocks import names
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.price_labels import build_alert_facts
from planning.platform.alerts.rulebook import rule_groups
from planning.platform.dashboards.boards import boards

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Charges, PlatformContext
    from planning.platform.alerts.model import AlertFacts

PART: Final = "dashboards"
RULES: Final = "atoll-rules"
MONITORING: Final = "monitoring.coreos.com/v1"
PICKED_UP: Final = {"grafana_dashboard": "1"}  # label that Grafana's sidecar looks for, as grafana.py tells it


@dataclass(frozen=True, kw_only=True)
class DashboardsArgs:
    """What is known of the cluster."""

    facts: AlertFacts
    charges: Charges


@final
class Dashboards(pulumi.ComponentResource):
    """One ConfigMap per dashboard, one PrometheusRule, and monitors of parts that bring none."""

    def __init__(self, name: str, args: DashboardsArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:Dashboards", name, {"charges": list(args.charges)}, opts)
        inside = pulumi.ResourceOptions(parent=self)
        for board in boards(args.facts):
            kubernetes.core.v1.ConfigMap(
                board.uid,
                metadata={"name": board.uid, "namespace": names.OBSERVABILITY, "labels": PICKED_UP},
                data={f"{board.uid}.json": json.dumps(board.as_json(), indent=1, sort_keys=True)},
                opts=inside,
            )
        kubernetes.apiextensions.CustomResource(
            RULES,
            api_version=MONITORING,
            kind="PrometheusRule",
            metadata={"name": RULES, "namespace": names.OBSERVABILITY},
            spec={"groups": [group.as_group() for group in rule_groups(args.facts)]},
            opts=inside,
        )
        if "cert_manager" in args.facts.parts:
            _certificates(opts=inside)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    """Everything that there is to look at."""
    args = DashboardsArgs(facts=build_alert_facts(ground), charges=charges)
    return RegisteredComponent(resource=Dashboards(PART, args, opts=options))


def _certificates(*, opts: pulumi.ResourceOptions) -> None:
    """cert-manager's manifests bring no monitor; its port is that of the upstream manifest."""
    kubernetes.apiextensions.CustomResource(
        "certificates",
        api_version=MONITORING,
        kind="PodMonitor",
        metadata={"name": "certificates", "namespace": names.OBSERVABILITY},
        spec={
            "namespaceSelector": {"matchNames": [names.CERT_MANAGER]},
            "selector": {"matchLabels": {"app": "cert-manager"}},
            "podMetricsEndpoints": [{"port": "http-metrics"}],
        },
        opts=opts,
    )
