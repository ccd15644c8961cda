"""Operators that other components need.

External Secrets copies secrets of the customer's own vault to where pods read them. CloudNativePG runs every PostgreSQL
of the platform; each database lives beside what uses it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform.building_blocks import network_policies
from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component
from components.platform.building_blocks.names import DATABASES
from components.platform.building_blocks.network_policies import allow_egress, allow_webhook

if TYPE_CHECKING:
    from components.platform.building_blocks.context import PlatformResource


@component("external_secrets", "atoll:platform:ExternalSecrets")
def build_external_secrets(own: PlatformResource) -> None:
    """The operator; which vault it reads is the customer's SecretStore, which is never ours to write."""
    namespace = own.part.namespace
    allow_webhook("external-secrets-webhook", namespace=namespace, ports=[SECRETS_WEBHOOK], parent=own)
    allow_egress("external-secrets-vaults", namespace=namespace, parent=own)
    # The chart's defaults are restricted already.
    pod = {"resources": REQUESTS, "nodeSelector": dict(own.context.on_system)}
    release(own, {**pod, "webhook": pod, "certController": pod})


SECRETS_WEBHOOK: Final = 10250
REQUESTS: Final = {"requests": {"cpu": "10m", "memory": "64Mi"}}  # of each of its three pods


@component("postgres_operator", "atoll:platform:PostgresOperator")
def build_postgres_operator(own: PlatformResource) -> None:
    """The operator for all namespaces, with its definitions, whose deletion would delete every database."""
    values = {
        "nodeSelector": dict(own.context.on_system),
        "resources": {"requests": {"cpu": "100m", "memory": "200Mi"}, "limits": {"memory": "400Mi"}},
        "monitoring": {"podMonitorEnabled": True},
    }
    release(own, values)
    network_policies.allow_webhook("postgres-webhook", namespace=DATABASES, ports=[POSTGRES_WEBHOOK], parent=own)


POSTGRES_WEBHOOK: Final = 9443
