"""The operator of Slurm on Kubernetes (Slinky): it makes daemons of Slurm from custom resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component
from components.platform.building_blocks.network_policies import allow_webhook

if TYPE_CHECKING:
    from components.platform.building_blocks.context import PlatformResource


@component("slurm_operator", "atoll:platform:SlurmOperator")
def build(own: PlatformResource) -> None:
    """Operator and webhook, with the definitions of their custom resources.

    It watches every namespace, and only ours has something for it.
    """
    allow_webhook("slurm-webhook", namespace=own.part.namespace, ports=[WEBHOOK_PORT], parent=own)
    selector = dict(own.context.on_system)
    values = {
        "crds": {"enabled": True},
        "operator": {"resources": {"requests": OPERATOR}, "nodeSelector": selector},
        "webhook": {"resources": {"requests": WEBHOOK}, "nodeSelector": selector},
    }
    release(own, values)


WEBHOOK_PORT: Final = 9443
OPERATOR: Final = {"cpu": "100m", "memory": "128Mi"}
WEBHOOK: Final = {"cpu": "50m", "memory": "64Mi"}
