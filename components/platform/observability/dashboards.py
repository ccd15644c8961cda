"""Dashboards and rules as objects of the cluster: Grafana and Prometheus pick them up by themselves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from components.context.names import namespace
from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.objects import MONITORING, register_config_map, register_object
from planning.costs.node_prices import NodePrices
from planning.platform.alerts.availability import list_shared_tiers, list_slo_targets
from planning.platform.alerts.model import AlertFacts
from planning.platform.alerts.rulebook import rule_groups
from planning.platform.dashboards import boards

if TYPE_CHECKING:
    from components.platform.building_blocks.context import PlatformContext, PlatformResource

PART: Final = "dashboards"
RULES: Final = "atoll-rules"


@component(PART, "atoll:platform:Dashboards", inputs=lambda _, charges: {"charges": list(charges)})
def build(own: PlatformResource) -> None:
    """One ConfigMap per dashboard, one PrometheusRule, and monitors of components that bring none."""
    facts = build_alert_facts(own.context)
    for board in boards(facts):
        data = {f"{board.uid}.json": json.dumps(board.as_json(), indent=1, sort_keys=True)}
        register_config_map(board.uid, data, namespace=names.OBSERVABILITY, parent=own, labels=PICKED_UP)
    groups = {"groups": [group.as_group() for group in rule_groups(facts)]}
    register_object(MONITORING, "PrometheusRule", RULES, groups, namespace=names.OBSERVABILITY, parent=own)
    if own.context.has("cert_manager"):  # its manifests bring no monitor; the port is that of the upstream manifest
        spec = {
            "namespaceSelector": {"matchNames": [names.CERT_MANAGER]},
            "selector": {"matchLabels": {"app": "cert-manager"}},
            "podMetricsEndpoints": [{"port": "http-metrics"}],
        }
        register_object(MONITORING, "PodMonitor", "certificates", spec, namespace=names.OBSERVABILITY, parent=own)


def build_alert_facts(context: PlatformContext) -> AlertFacts:
    """What rules and dashboards know of the cluster."""
    prices = context.prices or NodePrices()
    accelerated = (context.price_label_value(pool) for pool in context.spec.pools if pool.accelerators)
    return AlertFacts(
        parts=frozenset(part.name for part in context.platform.parts),
        pool_label=_as_metric(context.price_label),
        prices=context.prices_by_label(),
        other_usd_per_month=prices.other_usd_per_month,
        ceiling_usd_per_month=context.ceiling_usd_per_month,
        teams={namespace(work): team.name for team in context.platform.teams for work in team.workloads},
        slo_percent=context.platform.slo_percent,
        idle_minutes=context.platform.idle_minutes,
        gpu_pools=tuple(dict.fromkeys(accelerated)),
        owed=list_slo_targets(context.spec),
        shared_tiers=list_shared_tiers(context.spec),
    )


def _as_metric(label: str) -> str:
    """A label of a node as kube-state-metrics writes it."""
    return "label_" + "".join(letter if letter.isalnum() else "_" for letter in label)


PICKED_UP: Final = {"grafana_dashboard": "1"}  # label that Grafana's sidecar looks for, as grafana.py tells it
