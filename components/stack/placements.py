"""Placements other than home: each a component of a type of its own, so that equal names below it do not meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi

if TYPE_CHECKING:
    from planning.spec.cluster import Placement


@final
class Second(pulumi.ComponentResource):
    """The first placement beside home."""

    def __init__(self, name: str, placement: Placement) -> None:
        super().__init__("atoll:placement:Second", name, facts(placement))
        self.register_outputs({})


@final
class Third(pulumi.ComponentResource):
    """The second placement beside home."""

    def __init__(self, name: str, placement: Placement) -> None:
        super().__init__("atoll:placement:Third", name, facts(placement))
        self.register_outputs({})


@final
class Fourth(pulumi.ComponentResource):
    """The third placement beside home."""

    def __init__(self, name: str, placement: Placement) -> None:
        super().__init__("atoll:placement:Fourth", name, facts(placement))
        self.register_outputs({})


TYPES: Final = (Second, Third, Fourth)


def facts(placement: Placement) -> dict[str, object]:
    """Inputs: the takeoff begins the keys of everything below with the placement's name."""
    return {"placement": placement.name, "provider": placement.provider, "region": placement.region}
