"""External Secrets: secrets that stay in the customer's own vault, and are copied to where pods read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi

from components.platform.building_blocks import chart
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.network_policies import allow_egress, allow_webhook

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Charges, PlatformContext

NAME: Final = "external-secrets"
WEBHOOK_PORT: Final = 10250
REQUESTS: Final = {"requests": {"cpu": "10m", "memory": "64Mi"}}  # of each of its three pods


@dataclass(frozen=True, kw_only=True)
class ExternalSecretsArgs:
    """What it is built on, and the price of its volumes."""

    ground: PlatformContext
    charges: Charges


@final
class ExternalSecrets(pulumi.ComponentResource):
    """The operator; which vault it reads is the customer's SecretStore, which is never ours to write."""

    def __init__(self, name: str, args: ExternalSecretsArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        part = args.ground.part("external_secrets")
        super().__init__(
            "atoll:platform:ExternalSecrets", name, args.ground.facts("external_secrets", args.charges), opts
        )
        allow_webhook("external-secrets-webhook", namespace=part.namespace, ports=[WEBHOOK_PORT], parent=self)
        allow_egress("external-secrets-vaults", namespace=part.namespace, parent=self)
        chart.release(NAME, part, values=values(args.ground), ground=args.ground, parent=self)
        self.register_outputs({})


def values(ground: PlatformContext) -> dict[str, object]:
    """What differs from the chart's defaults, which are restricted already."""
    mine: dict[str, object] = {"resources": REQUESTS, "nodeSelector": dict(ground.on_system)}
    return {**mine, "webhook": mine, "certController": mine}


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    made = ExternalSecrets(NAME, ExternalSecretsArgs(ground=ground, charges=charges), opts=options)
    return RegisteredComponent(resource=made)
