"""The way that bytes take from one side to the other, which decides what each of them costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Self

from catalogs.providers import find_traits

if TYPE_CHECKING:
    from planning.spec.lock import Lock

Exit = Literal["gateway_endpoint", "nat", "direct"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The route of the data.

    Args:
        leaves_by: NAT charges every byte again; a gateway endpoint, or a public address of the copy worker, does not.
        reads_back: whether the copy worker runs at the source, so that data verified at the target comes back over
            the same route; otherwise each side reads its own.
    """

    provider: str
    region: str
    to_provider: str
    to_region: str
    leaves_by: Exit = "gateway_endpoint"
    reads_back: bool = False

    @classmethod
    def between(cls, source: Lock, target: Lock, *, leaves_by: Exit | None = None, reads_back: bool = False) -> Self:
        """The route between the primary placements of two locks.

        Args:
            leaves_by: None for the exit of pods in a cluster that Atoll builds: NAT, across regions.
        """
        old, new = source.spec.placement, target.spec.placement
        way = cls(
            provider=old.provider,
            region=old.region,
            to_provider=new.provider,
            to_region=new.region,
            reads_back=reads_back,
        )
        return replace(way, leaves_by=leaves_by or usual_exit(way, built=old.target))

    @property
    def inside(self) -> bool:
        return self.provider == self.to_provider

    @property
    def stays(self) -> bool:
        return self.inside and self.region == self.to_region


def usual_exit(way: Route, *, built: str) -> Exit:
    """Exit of bytes from pods where none is configured.

    Args:
        built: target of the source; those without NAT of Atoll are assumed to have public addresses.
    """
    traits = find_traits(built)
    if not traits.nat_scope:
        return "direct"
    if way.stays or (way.inside and traits.bucket_route != "region"):
        return "gateway_endpoint"
    return "nat"
