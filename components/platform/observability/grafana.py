"""Grafana as its chart is told: signed in by Dex, a generated admin password, and what there is to look at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from components.platform.building_blocks import names
from components.platform.building_blocks.chart import build_resources
from components.platform.building_blocks.objects import register_secret
from components.platform.building_blocks.sign_in import addresses, admins

if TYPE_CHECKING:
    import pulumi

    from components.platform.building_blocks.context import PlatformContext

SERVICE: Final = "prometheus-grafana"  # chart's name for a release called "prometheus"
PODS: Final = {"app.kubernetes.io/name": "grafana"}
CLIENT: Final = "grafana"  # its id at Dex, as in components/platform/building_blocks/sign_in.py
ADMIN: Final = "grafana-admin"
SIGN_IN: Final = "grafana-sign-in"
CLIENT_SECRET: Final = "GF_AUTH_GENERIC_OAUTH_CLIENT_SECRET"  # noqa: S105 - name of an environment variable
DISK: Final = "5Gi"  # what people make themselves; our own dashboards come anew from their ConfigMaps
LABEL: Final = "grafana_dashboard"


def secrets(context: PlatformContext, *, parent: pulumi.Resource) -> list[pulumi.Resource]:
    """The password of the account "admin", for the day on which nobody can sign in, and the secret shared with Dex."""
    contents = {
        ADMIN: {"user": "admin", "password": context.keyring.secret("grafana-admin")},
        SIGN_IN: {CLIENT_SECRET: context.keyring.secret(f"oidc-{CLIENT}")},
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
    """Nobody gets in who has not signed in; who is admin in the checklist is admin here, all others look."""
    dex = addresses(context)
    return {
        "server": {"root_url": f"https://{context.host(names.GRAFANA_HOST)}"},
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
    """Beside Prometheus and Alertmanager, which the chart adds itself."""
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
