"""What is paid for by contract and is no resource of any provider: people, and machines rented outside Pulumi."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import pulumi

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.spec.cluster import Placement


@dataclass(frozen=True, kw_only=True)
class ContractArgs:
    """Where it is provided, and the declared charges as plain inputs."""

    placement: Placement
    charges: Sequence[dict[str, object]]

    def facts(self) -> dict[str, object]:
        """The component's inputs, read by policies and by the takeoff."""
        return {
            "provider": self.placement.provider,
            "region": self.placement.region,
            "charges": list(self.charges),
        }


@final
class SupportServices(pulumi.ComponentResource):
    """Onboarding and support."""

    def __init__(self, name: str, args: ContractArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:contract:Services", name, args.facts(), opts)
        self.register_outputs({})


@final
class Rented(pulumi.ComponentResource):
    """Machines, disks and traffic of a cluster that is already there: the provider bills them, nobody creates them."""

    def __init__(self, name: str, args: ContractArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:contract:Rented", name, args.facts(), opts)
        self.register_outputs({})
