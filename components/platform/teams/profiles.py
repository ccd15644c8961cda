"""Teams: a Profile for each namespace they work in, the rights of their people, and what their pods are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import pulumi

from components.platform.building_blocks.component import Part
from components.platform.teams.admission_policies import door_guard, profile_guard
from components.platform.teams.namespaces import Home, homes
from components.platform.teams.network_policies import ways
from components.platform.teams.pipelines import pipelines
from components.platform.teams.pod_defaults import defaults
from components.platform.teams.rights import rights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.platform.building_blocks.component import Charges
    from components.platform.building_blocks.context import Ground


@dataclass(frozen=True, kw_only=True)
class TeamsArgs:
    """The namespaces and who works in them."""

    ground: Ground
    homes: Sequence[Home]
    charges: Charges


@final
class Teams(pulumi.ComponentResource):
    """One Profile for each namespace of a workload, which is there already and stays when the Profile goes.

    Quotas of accelerators are the namespace's own (`components.tenancy.workload`), and the queues' beyond them.
    """

    def __init__(self, name: str, args: TeamsArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        teams = [team.name for team in args.ground.platform.teams]
        facts = {"charges": args.charges, "namespaces": [home.namespace for home in args.homes], "teams": teams}
        super().__init__("atoll:platform:Teams", name, facts, opts)
        profiles = args.ground.has("dashboard")  # it brings Profiles and PodDefaults
        for home in args.homes:
            ways(home, ground=args.ground, parent=self)
            if not profiles:
                continue
            rights(home, parent=self)
            defaults(home, ground=args.ground, parent=self)
            pipelines(home, ground=args.ground, parent=self)
        door_guard(parent=self)
        profile_guard(parent=self)
        self.register_outputs({})


def build(ground: Ground, charges: Charges, options: pulumi.ResourceOptions) -> Part:
    """The teams as a part."""
    here = tuple(homes(ground.spec, ground.platform.teams))
    return Part(resource=Teams("teams", TeamsArgs(ground=ground, homes=here, charges=charges), opts=options))
