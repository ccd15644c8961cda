"""What is paid for by contract and is no resource of any provider: people, and machines rented outside Pulumi."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import pulumi

if TYPE_CHECKING:
    from components.context.placement import PlacementContext


@final
class SupportServices(pulumi.ComponentResource):
    """Onboarding and support, with their declared charges."""

    def __init__(self, name: str, site: PlacementContext) -> None:
        facts = site.describe(charges=site.ledger.claim("services"))
        super().__init__("atoll:contract:Services", name, facts, site.options())
        self.register_outputs({})


@final
class Rented(pulumi.ComponentResource):
    """Machines, disks and traffic of a cluster that is already there: the provider bills them, nobody creates them."""

    def __init__(self, name: str, site: PlacementContext) -> None:
        facts = site.describe(charges=site.ledger.claim("rented"))
        super().__init__("atoll:contract:Rented", name, facts, site.options())
        self.register_outputs({})
