"""The device plugin of EFA, by which pods ask for AWS's fabric cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component, show_version
from components.platform.gpu.devices import fabric_values, list_efa_pools

if TYPE_CHECKING:
    from components.platform.building_blocks.context import PlatformResource

PART: Final = "efa_plugin"


@component(PART, "atoll:platform:EfaPlugin", inputs=show_version(PART))
def build(own: PlatformResource) -> None:
    """Announces `vpc.amazonaws.com/efa` on the nodes of the pools that have the cards."""
    values = fabric_values(list_efa_pools(own.context.spec.pools), labelled=own.context.labelled)
    release(own, values, name=own.part.chart)
