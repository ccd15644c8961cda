"""Grafana: values of its chart, with sign-in by Dex; the dashboards and alert rules that Atoll installs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from components.context.names import namespace
from components.platform.building_blocks import names
from components.platform.building_blocks.chart import build_resources
from components.platform.building_blocks.context import component
from components.platform.building_blocks.objects import (
    MONITORING,
    register_config_map,
    register_object,
    register_secret,
)
from components.platform.building_blocks.sign_in import addresses, admins
from planning.costs.node_prices import NodePrices
from planning.platform.alerts.availability import list_shared_tiers, list_slo_targets
from planning.platform.alerts.model import AlertFacts
from planning.platform.alerts.rulebook import rule_groups
from planning.platform.dashboards import boards

if TYPE_CHECKING:
    import pulumi

    from components.platform.building_blocks.context import PlatformContext, PlatformResource


SERVICE: Final = "prometheus-grafana"  # chart's name for a release called "prometheus"
PODS: Final = {"app.kubernetes.io/name": "grafana"}
CLIENT: Final = "grafana"  # its id at Dex, as in components/platform/building_blocks/sign_in.py
ADMIN: Final = "grafana-admin"
SIGN_IN: Final = "grafana-sign-in"
CLIENT_SECRET: Final = "GF_AUTH_GENERIC_OAUTH_CLIENT_SECRET"  # noqa: S105 - name of an environment variable
DISK: Final = "5Gi"  # dashboards of users; ours are read from ConfigMaps
LABEL: Final = "grafana_dashboard"


def secrets(context: PlatformContext, *, parent: pulumi.Resource) -> list[pulumi.Resource]:
    """The password of the account "admin", for when sign-on fails, and the secret shared with Dex."""
    contents = {
        ADMIN: {"user": "admin", "password": context.keyring.get_secret("grafana-admin")},
        SIGN_IN: {CLIENT_SECRET: context.keyring.get_secret(f"oidc-{CLIENT}")},
    }
    return [
        register_secret(name, content, namespace=names.OBSERVABILITY, parent=parent)
        for name, content in contents.items()
    ]


def values(context: PlatformContext) -> dict[str, object]:
    storage: dict[str, object] = {"enabled": True, "size": DISK}
    if context.volume_class:
        storage["storageClassName"] = context.volume_class
    return {
        "admin": {"existingSecret": ADMIN, "userKey": "user", "passwordKey": "password"},
        "envFromSecret": SIGN_IN,
        "rbac": {"namespaced": True},  # else its sidecar may read every Secret of the cluster
        "grafana.ini": _settings(context),
        "sidecar": {
            "dashboards": {"searchNamespace": names.OBSERVABILITY, "label": LABEL, "labelValue": "1"},
            "resources": build_resources("10m", "96Mi"),
        },
        "additionalDataSources": _sources(context),
        "defaultDashboardsTimezone": "browser",
        "persistence": storage,
        "deploymentStrategy": {"type": "Recreate"},  # two pods cannot mount the one volume
        "initChownData": {"enabled": False},  # runs as root; the volume's group does
        "testFramework": {"enabled": False},
        "nodeSelector": dict(context.on_system),
        "resources": build_resources("100m", "256Mi", limit="1Gi"),
    }


def _settings(context: PlatformContext) -> dict[str, object]:
    """Access by single sign-on only; admins of the checklist are admins, all others are viewers."""
    dex = addresses(context)
    return {
        "server": {"root_url": f"https://{context.build_host(names.GRAFANA_HOST)}"},
        "analytics": {"reporting_enabled": False, "check_for_updates": False, "check_for_plugin_updates": False},
        "users": {"allow_sign_up": False, "auto_assign_org_role": "Viewer"},
        "security": {"cookie_secure": True, "disable_gravatar": True},
        "auth.anonymous": {"enabled": False},
        "auth.generic_oauth": {
            "enabled": True,
            "name": "single sign-on",
            "auto_login": True,
            "allow_sign_up": True,
            "client_id": CLIENT,
            "scopes": "openid profile email groups",
            "auth_url": dex.authorize,
            "token_url": dex.token,
            "api_url": dex.userinfo,
            "use_pkce": True,
            "login_attribute_path": "email",
            "groups_attribute_path": "groups",
            "role_attribute_path": _role(context),
        },
    }


def _role(context: PlatformContext) -> str:
    chosen = admins(context.spec)
    tests = [
        *([f"contains(`{json.dumps(list(chosen.emails))}`, email)"] if chosen.emails else []),
        *(f"contains(groups || `[]`, '{group}')" for group in chosen.groups),
    ]
    return f"({' || '.join(tests)}) && 'Admin' || 'Viewer'" if tests else "'Viewer'"


def _sources(context: PlatformContext) -> list[dict[str, object]]:
    """Data sources beside Prometheus and Alertmanager, which the chart adds."""
    logs: dict[str, object] = {"name": "Loki", "uid": "loki", "type": "loki", "access": "proxy", "url": names.LOKI}
    traces: dict[str, object] = {
        "name": "Tempo",
        "uid": "tempo",
        "type": "tempo",
        "access": "proxy",
        "url": names.TEMPO,
        "jsonData": {"tracesToLogsV2": {"datasourceUid": "loki", "filterByTraceID": True}}
        if context.has("loki")
        else {},
    }
    return [*([logs] if context.has("loki") else []), *([traces] if context.has("tempo") else [])]


RULES: Final = "atoll-rules"


@component("dashboards", "atoll:platform:Dashboards", inputs=lambda _, charges: {"charges": list(charges)})
def build_dashboards(own: PlatformResource) -> None:
    """One ConfigMap per dashboard, one PrometheusRule, and monitors of components that bring none."""
    facts = build_alert_facts(own.context)
    for board in boards(facts):
        data = {f"{board.uid}.json": json.dumps(board.as_json(), indent=1, sort_keys=True)}
        register_config_map(board.uid, data, namespace=names.OBSERVABILITY, parent=own, labels={LABEL: "1"})
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
    """What rules and dashboards depend on, for this cluster."""
    prices = context.prices or NodePrices()
    accelerated = (context.price_label_value(pool) for pool in context.spec.pools if pool.accelerators)
    return AlertFacts(
        parts=frozenset(part.name for part in context.platform.parts),
        pool_label=_as_metric(context.price_label),
        prices=context.map_prices_by_label(),
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
