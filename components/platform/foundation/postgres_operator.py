"""CloudNativePG: the operator that runs every PostgreSQL of the platform; each database lives beside what uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform.building_blocks import network_policies
from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component
from components.platform.building_blocks.names import DATABASES

if TYPE_CHECKING:
    from components.platform.building_blocks.context import PlatformResource


@component("postgres_operator", "atoll:platform:PostgresOperator")
def build(own: PlatformResource) -> None:
    """The operator for all namespaces, with its definitions, whose deletion would delete every database."""
    values = {
        "nodeSelector": dict(own.context.on_system),
        "resources": {"requests": {"cpu": "100m", "memory": "200Mi"}, "limits": {"memory": "400Mi"}},
        "monitoring": {"podMonitorEnabled": True},
    }
    release(own, values)
    network_policies.allow_webhook("postgres-webhook", namespace=DATABASES, ports=[WEBHOOK_PORT], parent=own)


WEBHOOK_PORT: Final = 9443
