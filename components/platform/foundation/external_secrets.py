"""External Secrets: secrets that stay in the customer's own vault, and are copied to where pods read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component
from components.platform.building_blocks.network_policies import allow_egress, allow_webhook

if TYPE_CHECKING:
    from components.platform.building_blocks.context import PlatformResource


@component("external_secrets", "atoll:platform:ExternalSecrets")
def build(own: PlatformResource) -> None:
    """The operator; which vault it reads is the customer's SecretStore, which is never ours to write."""
    namespace = own.part.namespace
    allow_webhook("external-secrets-webhook", namespace=namespace, ports=[WEBHOOK_PORT], parent=own)
    allow_egress("external-secrets-vaults", namespace=namespace, parent=own)
    # The chart's defaults are restricted already.
    pod = {"resources": REQUESTS, "nodeSelector": dict(own.context.on_system)}
    release(own, {**pod, "webhook": pod, "certController": pod})


WEBHOOK_PORT: Final = 10250
REQUESTS: Final = {"requests": {"cpu": "10m", "memory": "64Mi"}}  # of each of its three pods
