"""Definitions of the Prometheus operator, before every part that brings a monitor of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import pulumi

from components.platform.building_blocks.chart import release
from components.platform.building_blocks.context import RegisteredComponent

if TYPE_CHECKING:
    from components.platform.building_blocks.context import Charges, PlatformContext


@dataclass(frozen=True, kw_only=True)
class PrometheusCrdsArgs:
    """Which definitions."""

    ground: PlatformContext
    charges: Charges


@final
class PrometheusCrds(pulumi.ComponentResource):
    """The definitions, as a chart of their own: Helm updates them, which it never does for those inside a chart."""

    def __init__(self, name: str, args: PrometheusCrdsArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(
            "atoll:platform:PrometheusCrds", name, args.ground.facts("prometheus_crds", args.charges), opts
        )
        part = args.ground.part("prometheus_crds")
        release("prometheus-crds", part, values={}, ground=args.ground, parent=self)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    made = PrometheusCrds("prometheus-crds", PrometheusCrdsArgs(ground=ground, charges=charges), opts=options)
    return RegisteredComponent(resource=made)
