"""The device plugin of EFA, by which pods ask for AWS's fabric cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.gpu.devices import fabric_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.platform.building_blocks.context import Charges, PlatformContext
    from planning.spec.cluster import Pool

PART: Final = "efa_plugin"


@dataclass(frozen=True, kw_only=True)
class EfaPluginArgs:
    """The platform, and the pools that have the cards."""

    ground: PlatformContext
    pools: Sequence[Pool]


@final
class EfaPlugin(pulumi.ComponentResource):
    """Announces `vpc.amazonaws.com/efa` on the nodes of these pools."""

    def __init__(self, name: str, args: EfaPluginArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        part = args.ground.part(PART)
        super().__init__("atoll:platform:EfaPlugin", name, {"version": part.version}, opts)
        values = fabric_values(args.pools, labelled=args.ground.labelled)
        release(part.chart, part, values=values, ground=args.ground, parent=self)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    del charges
    pools = [pool for pool in ground.spec.pools if pool.efa_interfaces > 0 and pool.max_nodes > 1]
    return RegisteredComponent(
        resource=EfaPlugin("efa-plugin", EfaPluginArgs(ground=ground, pools=pools), opts=options)
    )
