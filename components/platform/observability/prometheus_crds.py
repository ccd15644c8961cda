"""Definitions of the Prometheus operator, before every part that brings a monitor of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import component

if TYPE_CHECKING:
    from components.platform.building_blocks.context import PlatformResource


@component("prometheus_crds", "atoll:platform:PrometheusCrds")
def build(own: PlatformResource) -> None:
    """The definitions, as a chart of their own: Helm updates them, which it never does for those inside a chart."""
    release(own, {})
