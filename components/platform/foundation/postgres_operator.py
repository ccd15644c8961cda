"""CloudNativePG: the operator that runs every PostgreSQL of the platform; each database lives beside what uses it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi

from components.platform.building_blocks import chart, network_policies
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.names import DATABASES

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Charges, PlatformContext
    from planning.spec.platform import PlatformComponent

NAME: Final = "postgres_operator"
RELEASE: Final = "postgres-operator"
WEBHOOK_PORT: Final = 9443


@dataclass(frozen=True, kw_only=True)
class PostgresOperatorArgs:
    """The decided part, its charges, and what it stands on."""

    part: PlatformComponent
    ground: PlatformContext
    charges: Charges


@final
class PostgresOperator(pulumi.ComponentResource):
    """The operator for all namespaces, with its definitions, whose deletion would delete every database."""

    def __init__(self, name: str, args: PostgresOperatorArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:PostgresOperator", name, args.ground.facts(NAME, args.charges), opts)
        chart.release(RELEASE, args.part, values=values(args.ground), ground=args.ground, parent=self)
        network_policies.allow_webhook("postgres-webhook", namespace=DATABASES, ports=[WEBHOOK_PORT], parent=self)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    args = PostgresOperatorArgs(part=ground.part(NAME), ground=ground, charges=charges)
    return RegisteredComponent(resource=PostgresOperator(RELEASE, args, opts=options))


def values(ground: PlatformContext) -> dict[str, object]:
    return {
        "nodeSelector": dict(ground.on_system),
        "resources": {"requests": {"cpu": "100m", "memory": "200Mi"}, "limits": {"memory": "400Mi"}},
        "monitoring": {"podMonitorEnabled": True},
    }
