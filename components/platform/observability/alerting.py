"""Where alerts go: to the address that the stack's settings name, else nowhere but Grafana's page of alerts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from components.platform.building_blocks import names

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Ground

SECRET: Final = "alert-receiver"  # noqa: S105 - name of a Secret
URL: Final = "url"
FILE: Final = f"/etc/alertmanager/secrets/{SECRET}/{URL}"  # where the operator mounts it
NOBODY: Final = "null"  # the chart's own receiver, which drops what it gets
SOMEBODY: Final = "receiver"
TITLE: Final = "{{ .CommonLabels.alertname }}: {{ .CommonAnnotations.summary }}"
TEXT: Final = "{{ range .Alerts }}{{ .Annotations.description }} ({{ .Annotations.runbook }})\n{{ end }}"
ONLY_SEEN: Final = (
    "alerts are seen in Grafana only: name an address that they are sent to"
    " (pulumi config set --secret atoll:alertReceiver https://...)"
)


def receives(ground: Ground) -> bool:
    """Whether the settings name an address."""
    return bool(ground.settings.alert_receiver)


def address(ground: Ground, *, parent: pulumi.Resource) -> list[pulumi.Resource]:
    """The Secret with the address."""
    if not receives(ground):
        return []
    made = kubernetes.core.v1.Secret(
        SECRET,
        metadata={"name": SECRET, "namespace": names.OBSERVABILITY},
        string_data={URL: ground.settings.alert_receiver},
        opts=pulumi.ResourceOptions(parent=parent),
    )
    return [made]


def routes(ground: Ground) -> dict[str, object]:
    """Alertmanager's configuration. The address is read from a file, so that it is in no ConfigMap."""
    to = SOMEBODY if receives(ground) else NOBODY
    quiet = {"receiver": NOBODY, "matchers": ['alertname =~ "Watchdog|InfoInhibitor"']}
    info = {"receiver": NOBODY, "matchers": ['severity = "info"']}  # for whoever looks
    return {
        "route": {
            "group_by": ["alertname", "namespace"],
            "group_wait": "30s",
            "group_interval": "5m",
            "repeat_interval": "12h",
            "receiver": to,
            "routes": [quiet, info],
        },
        "receivers": [{"name": NOBODY}, *([_receiver(ground.settings.alert_kind)] if receives(ground) else [])],
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
